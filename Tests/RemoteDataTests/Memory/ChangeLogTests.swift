import Testing

@testable import RemoteData

struct ChangeLogTests {
    private func change(_ revision: Int64) -> RowChange {
        RowChange(revision: Revision(revision), effect: .bulkDeleted(nil, count: 1, counts: [:]))
    }

    @Test func theNewestChangesAreKept() {
        var log = ChangeLog(capacity: 10)
        for revision in 1...95 as ClosedRange<Int64> { log.append([change(revision * 2)]) }
        #expect(log.start == Revision(170))
        #expect(log.changes(since: Revision(169)) == nil)
        #expect(log.changes(since: Revision(170))?.map(\.revision.rawValue) == (86...95).map { $0 * 2 })
        #expect(log.changes(since: Revision(187))?.map(\.revision.rawValue) == [188, 190])
        #expect(log.changes(since: Revision(190))?.isEmpty == true)
    }

    @Test func moreThanFitsAtOnceLeavesTheLast() {
        var log = ChangeLog(capacity: 3)
        log.append((1...10).map { change($0) })
        #expect(log.changes(since: Revision(7))?.map(\.revision.rawValue) == [8, 9, 10])
        #expect(log.changes(since: .zero) == nil)
    }

    @Test func aLogOfNothingReachesBackOnlyToNow() {
        var log = ChangeLog(capacity: 0)
        #expect(log.changes(since: .zero)?.isEmpty == true)
        log.append([change(1)])
        #expect(log.changes(since: .zero) == nil)
        #expect(log.changes(since: Revision(1))?.isEmpty == true)
    }

    @Test func answersAreRememberedUpToANumberOfKeysAndRows() throws {
        func outcome(_ count: Int) -> Result<Outcome, RemoteDataError> {
            .success(Outcome(ids: (0..<count).map { .integer(Int64($0)) }, count: count))
        }
        var memory = OutcomeMemory(keyLimit: 5, rowLimit: 100)
        for number in 0..<50 { memory.remember(outcome(1), for: "k\(number)") }
        #expect(memory["k44"] == nil)
        #expect((45..<50).allSatisfy { memory["k\($0)"] != nil })
        memory.remember(outcome(98), for: "large")
        #expect(memory["k47"] == nil)
        #expect(memory["k48"] != nil)
        memory.remember(outcome(500), for: "huge")
        #expect(try memory["huge"]?.get().count == 500)
        #expect(memory["large"] == nil)
    }

    @Test func anOutcomeSurvivesBeingStored() throws {
        let row = Row(
            id: "a",
            revision: Revision(7),
            json: Array(#"{ "objectId" : "a", "x":[1, 2] }"#.utf8)[...]
        )
        let outcomes = [
            Outcome(rows: [row, row], ids: ["a", 5], count: 2, revision: Revision(8)), Outcome(count: 0),
        ]
        for outcome in outcomes {
            #expect(try Outcome(stored: outcome.stored, idColumn: "objectId", epoch: nil) == outcome)
        }
        #expect(throws: RemoteDataError.self) {
            try Outcome(stored: Array("[1,2]".utf8), idColumn: "objectId", epoch: nil)
        }
    }
}
