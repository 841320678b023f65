import RemoteData
import Testing

@testable import RemoteDataBackends

@Suite struct KintoKindsTests {
    @Test(
        "Values of one kind, besides nothing, sort alike here and there",
        arguments: [
            [1, .null, 2.5], ["a", "", .null], [true, false],
        ] as [[Value]]
    ) func oneKindSortsAlike(values: [Value]) {
        var kinds = KintoKinds()
        for value in values { #expect(kinds.note(value, in: "n") == true) }
        #expect(kinds.note("text", in: "other") == true)
    }

    @Test(
        "Values of several kinds, lists and objects do not",
        arguments: [
            [1, "a"], ["a", true], [0, false], [.json("[]")], ["a", .null, 1],
        ] as [[Value]]
    ) func severalKindsDoNot(values: [Value]) {
        var kinds = KintoKinds()
        let sorts = values.map { kinds.note($0, in: "n") }
        #expect(sorts.contains(false))
    }

    @Test("Values sort alike again after a column has changed its kind") func aColumnChangesItsKind() {
        var kinds = KintoKinds()
        let sorts = ([1, "a", "b", .null, "c", 2] as [Value]).map { kinds.note($0, in: "n") }
        #expect(sorts == [true, false, true, true, true, false])
    }

    @Test("A sort column that changes its kind causes one reset") func aChangedKindCausesOneReset() throws {
        var subscriber = KintoSubscriber(Query(sort: [SortTerm("n")]), since: nil)
        _ = subscriber.arrive(at: Revision(1000), isBlind: false)
        for row in try list(#"{"id":"a","n":1}"#, at: 900).rows { subscriber.noteRead(row) }
        let resets = try [1010, 1020, 1030].map { revision in
            let changes = try list(#"{"id":"a","n":"x\#(revision)"}"#, at: revision)
            let told = Revision(Int64(revision - 10))
            let events = subscriber.take(changes, told: told, KintoRecentChanges(.zero))
            _ = subscriber.arrive(at: Revision(Int64(revision)), isBlind: false)
            return events.contains { if case .reset = $0 { true } else { false } }
        }
        #expect(resets == [true, false, false])
    }

    private func list(_ json: String, at revision: Int) throws -> KintoList {
        let stamped = String(json.dropLast()) + #","last_modified":\#(revision)}"#
        return try KintoShelf.list([stamped], revision: revision)
    }
}
