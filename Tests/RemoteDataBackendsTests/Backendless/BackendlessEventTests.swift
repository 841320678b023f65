import RemoteData
import Testing

@testable import RemoteDataBackends

/// What becomes of changes.
struct BackendlessEventTests {
    private var machine = BackendlessSubscriptions(clientID: "c", .byBytes, hasAccount: true)
    private let unreachable = RemoteDataError(.unreachable, "gone")

    private func row(_ id: String, _ number: Int = 0) -> Row {
        Row(id: .text(id), json: Array(#"{"objectId":"\#(id)","n":\#(number)}"#.utf8)[...])
    }

    @Test mutating func aClauseIsEvaluatedHere() {
        let large = Query(.comparison(.column("n"), .greater, .literal(5)))
        _ = machine.open("people")
        _ = machine.begin(2, table: "people", query: large)
        #expect(machine.hears(.created, #"{"objectId":"a","n":1}"#) == ["1: created a"])
        #expect(machine.hears(.created, #"{"objectId":"b","n":9}"#) == ["1: created b", "2: created b"])
        #expect(machine.hears(.updated, #"{"objectId":"c","n":9}"#) == ["1: updated c", "2: updated c"])
        #expect(
            machine.hears(.upserted, #"{"objectId":"d","n":1}"#) == ["1: updated d", "2: deleted d left"]
        )
        #expect(machine.hears(.deleted, #"{"objectId":"e"}"#) == ["1: deleted e", "2: deleted e"])
    }

    @Test mutating func changesOfARowThatMayHaveOvertakenEachOtherAreRead() {
        _ = machine.open("people")
        #expect(machine.hears(.updated, #"{"objectId":"a"}"#) == ["1: updated a"])
        #expect(machine.hears(.deleted, #"{"objectId":"a"}"#, at: 1) == ["read people a"])
        #expect(machine.hears(.updated, #"{"objectId":"a"}"#, at: 2) == [])
        // It has changed since, and is read again.
        #expect(words(machine.read("people", .success([row("a")]))) == ["1: updated a", "read people a"])
        #expect(words(machine.read("people", .success([]))) == ["1: deleted a"])
        #expect(machine.hears(.created, #"{"objectId":"a"}"#, at: 30) == ["1: created a"])
    }

    @Test mutating func rowsOfWhichOnlyTheIDsAreToldAreRead() {
        _ = machine.open("people")
        #expect(machine.hears(.bulkCreated, #"["a","b","c"]"#) == ["read people a,b,c"])
        #expect(machine.hears(.updated, #"{"objectId":"d"}"#) == ["1: updated d"])
        #expect(machine.hears(.bulkUpserted, #"["d","e"]"#) == [])
        #expect(
            words(machine.read("people", .success([row("a"), row("c")]))) == [
                "1: created a", "1: deleted b", "1: created c", "read people d,e",
            ]
        )
        #expect(
            words(machine.read("people", .success([row("d"), row("e")]))) == ["1: updated d", "1: updated e"]
        )
    }

    @Test mutating func aRowThatChangedSinceItWasCreatedIsNotToldAsNew() {
        _ = machine.open("people")
        #expect(machine.hears(.bulkCreated, #"["a","b"]"#) == ["read people a,b"])
        #expect(machine.hears(.updated, #"{"objectId":"a"}"#) == [])
        #expect(
            words(machine.read("people", .success([row("a"), row("b")]))) == [
                "1: updated a", "1: created b", "read people a",
            ]
        )
        #expect(words(machine.read("people", .success([row("a")]))) == ["1: updated a"])
    }

    @Test mutating func rowsThatCannotBeReadLeaveAGap() {
        _ = machine.open("people")
        _ = machine.hears(.bulkCreated, #"["a"]"#)
        #expect(words(machine.read("people", .failure(unreachable))) == ["1: reset, live"])
    }

    @Test mutating func whatIsReadAfterADisconnectIsNotTold() {
        _ = machine.open("people")
        _ = machine.hears(.bulkCreated, #"["a"]"#)
        _ = machine.disconnected(1, unreachable)
        #expect(words(machine.read("people", .success([row("a")]))) == [])
    }

    @Test mutating func moreRowsThanCanBeReadAreAGap() {
        _ = machine.open("people")
        let ids = (0...OvertakenRows.limit).map { "\"\($0)\"" }.joined(separator: ",")
        #expect(machine.hears(.bulkCreated, "[\(ids)]") == ["1: reset, live"])
    }

    @Test(arguments: [
        (#"{"whereClause":"n < 12","count":3}"#, "bulkDeleted n < 12 3"),
        (#"{"whereClause":"s = 'x' AND not b","count":0}"#, "bulkDeleted s = 'x' AND NOT b 0"),
        (#"{"whereClause":"objectId in ('a1','b2')"}"#, "bulkDeleted objectId IN ('a1', 'b2')"),
        (#"{"whereClause":"objectId IS NOT NULL","count":3}"#, "bulkDeleted all 3"),
        (#"{"whereClause":"objectId!=null","count":3}"#, "bulkDeleted all 3"),
        (#"{"whereClause":"n = NULL or m <> null","count":1}"#, "bulkDeleted n IS NULL OR m IS NOT NULL 1"),
    ])
    mutating func aRemovalByClauseIsToldAsOne(data: String, words: String) {
        _ = machine.open("people")
        #expect(machine.hears(.bulkDeleted, data) == ["1: \(words)"])
    }

    @Test(arguments: [
        "", "created after 1700000000000", "distance(a, b) < 5", "created > '01/02/2020'", "n = '5'",
        "address.city = 'Rom'",
        "s like '2020%'",
    ])
    mutating func aRemovalThatMayMeanOtherRowsIsAGap(clause: String) {
        _ = machine.open("people")
        let json = String(decoding: JSONObject.quoted(clause), as: UTF8.self)
        #expect(machine.hears(.bulkDeleted, #"{"whereClause":\#(json),"count":3}"#) == ["1: reset, live"])
        #expect(machine.hears(.bulkDeleted, #"{"whereClause":null,"count":3}"#) == ["1: reset, live"])
    }

    @Test mutating func aRemovalByTextIsAGapWhereTextIsComparedInAWayOfItsOwn() {
        machine = BackendlessSubscriptions(clientID: "c", .byCollation, hasAccount: true)
        _ = machine.open("people")
        #expect(machine.hears(.bulkDeleted, #"{"whereClause":"s = 'x'","count":3}"#) == ["1: reset, live"])
        #expect(
            machine.hears(.bulkDeleted, #"{"whereClause":"n = 3","count":3}"#) == ["1: bulkDeleted n = 3 3"]
        )
    }

    @Test mutating func rowsToldAroundARemovalByClauseAreRead() {
        _ = machine.open("people")
        _ = machine.hears(.created, #"{"objectId":"a","n":1}"#, at: 1)
        _ = machine.hears(.created, #"{"objectId":"z","n":1}"#, at: 100)
        #expect(
            machine.hears(.bulkDeleted, #"{"whereClause":"n = 1","count":1}"#, at: 101) == [
                "1: bulkDeleted n = 1 1", "read people z",
            ]
        )
        // It may have been created in front of the removal, or behind it.
        #expect(machine.hears(.created, #"{"objectId":"b","n":1}"#, at: 102) == [])
        #expect(words(machine.read("people", .success([row("z", 1)]))) == ["1: updated z", "read people b"])
        #expect(words(machine.read("people", .success([]))) == ["1: deleted b"])
        #expect(machine.hears(.created, #"{"objectId":"c","n":1}"#, at: 120) == ["1: created c"])
    }

    @Test mutating func whatIsBeingReadDuringARemovalByClauseIsReadAgain() {
        _ = machine.open("people")
        #expect(machine.hears(.bulkCreated, #"["a"]"#) == ["read people a"])
        #expect(
            machine.hears(.bulkDeleted, #"{"whereClause":"n = 1","count":1}"#) == ["1: bulkDeleted n = 1 1"]
        )
        #expect(words(machine.read("people", .success([row("a", 1)]))) == ["read people a"])
        #expect(words(machine.read("people", .success([]))) == ["1: deleted a"])
    }

    @Test mutating func changesByClauseAreAGap() {
        _ = machine.open("people", "places")
        _ = machine.hears(.bulkCreated, #"["a"]"#)
        #expect(
            machine.hears(.bulkUpdated, #"{"whereClause":"n = 1","count":2}"#, at: 1) == ["1: reset, live"]
        )
        #expect(words(machine.read("people", .success([row("a")]))) == [])
        // It may have been changed in front of that, and is told late.
        #expect(machine.hears(.updated, #"{"objectId":"b"}"#, at: 2) == ["read people b"])
    }
}
