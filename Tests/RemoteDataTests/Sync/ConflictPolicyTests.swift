import Testing

@testable import RemoteData

@Suite struct ConflictPolicyTests {
    private func row(_ json: String?) -> Row? { json.map { Row(id: 1, json: Array($0.utf8)[...]) } }

    private func merge(_ base: String?, _ mine: String?, _ theirs: String?) throws -> String {
        let conflict = Conflict(table: "t", base: row(base), mine: row(mine), theirs: row(theirs))
        return switch try ConflictPolicy.merge.resolution(of: conflict) {
        case .theirs: "theirs"
        case .mine: "mine"
        case .row(let json): String(decoding: json, as: UTF8.self)
        }
    }

    @Test func columnsComeFromWhereTheyWereChanged() throws {
        let base = #"{"id":1,"a":1,"b":1,"c":1}"#
        #expect(
            try merge(base, #"{"id":1,"a":2,"b":1,"c":1}"#, #"{"id":1,"a":1,"b":2,"c":1}"#)
                == #"{"id":1,"a":2,"b":2,"c":1}"#
        )
        // Changed on both sides, in the same way or not: the server's.
        #expect(try merge(base, #"{"id":1,"a":2,"b":1,"c":1}"#, #"{"id":1,"a":3,"b":1,"c":1}"#) == "theirs")
        #expect(try merge(base, #"{"id":1,"a":2,"b":1,"c":1}"#, #"{"id":1,"a":2,"b":1,"c":1}"#) == "theirs")
        // A column that is gone is null.
        #expect(
            try merge(base, #"{"id":1,"a":1,"b":1}"#, #"{"id":1,"a":1,"b":2,"c":1}"#)
                == #"{"id":1,"a":1,"b":2,"c":null}"#
        )
    }

    @Test func removalsOnTheServerStayAndThoseHereYield() throws {
        #expect(try merge(#"{"id":1}"#, #"{"id":1,"a":1}"#, nil) == "theirs")
        #expect(try merge(#"{"id":1}"#, nil, #"{"id":1,"a":1}"#) == "theirs")
    }

    @Test func rowsMadeUnderOneIDAreMerged() throws {
        #expect(
            try merge(nil, #"{"id":1,"a":1,"b":1}"#, #"{"id":1,"b":2}"#) == #"{"id":1,"b":2,"a":1}"#
        )
    }

    @Test func theOthersSayWhatTheyAreCalled() throws {
        let conflict = Conflict(table: "t", base: nil, mine: nil, theirs: nil)
        #expect(try ConflictPolicy.serverWins.resolution(of: conflict) == .theirs)
        #expect(try ConflictPolicy.clientWins.resolution(of: conflict) == .mine)
        let custom = ConflictPolicy.custom { $0.base == nil ? .mine : .theirs }
        #expect(try custom.resolution(of: conflict) == .mine)
    }
}
