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

    @Test("Rows of more bytes than a log keeps leave the newest changes")
    func bytes() {
        func change(_ revision: Int64, _ bytes: Int) -> RowChange {
            let json = Array(#"{"s":"\#(String(repeating: "x", count: bytes - 8))"}"#.utf8)
            return RowChange(
                revision: Revision(revision),
                effect: .created(Row(id: 1, revision: Revision(revision), json: json[...]))
            )
        }
        var log = ChangeLog(capacity: 100, bytes: 1_000)
        for revision in 1...500 as ClosedRange<Int64> {
            log.append([change(revision, 300)])
            #expect(log.start == Revision(max(0, revision - 3)))
        }
        #expect(log.changes(since: Revision(497))?.map(\.revision.rawValue) == [498, 499, 500])
        log.append([change(501, 1_001)])
        #expect(log.start == Revision(501))
        log.append([change(502, 1_000)])
        #expect(log.changes(since: Revision(501))?.count == 1)
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
        let write = Mutation.deleteAll(nil)
        func isKnown(_ key: String) throws(RemoteDataError) -> Bool {
            try memory.outcome(of: write, for: key) != nil
        }
        for number in 0..<50 { memory.remember(outcome(1), to: write, for: "k\(number)") }
        #expect(try !isKnown("k44"))
        #expect(try (45..<50).allSatisfy { try isKnown("k\($0)") })
        memory.remember(outcome(98), to: write, for: "large")
        #expect(try !isKnown("k47"))
        #expect(try isKnown("k48"))
        memory.remember(outcome(500), to: write, for: "huge")
        #expect(try memory.outcome(of: write, for: "huge")?.count == 500)
        #expect(try !isKnown("large"))
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
