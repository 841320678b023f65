import Testing

@testable import RemoteData

/// Iterations one step at a time.
@Suite struct IterationStepTests {
    /// The ids of the rows that an iteration takes from here on.
    private func takeAll(_ cursor: Int, _ fixture: inout StateFixture) throws -> [Int64?] {
        var taken: [Int64?] = []
        for _ in 0..<100 {
            switch fixture.state.step(cursor) {
            case .rows(let part): taken += part.rows[part.range].map(\.number)
            case .fetch(let fetch):
                _ = try fixture.state.receive(fixture.table.page(fetch.request), for: fetch)
            case .end: return taken
            case .wait, .repair, .changes, .lost:
                Issue.record("it does not go on")
                return taken
            }
        }
        Issue.record("it does not end")
        return taken
    }

    /// A row moved to where the iteration has been, and the place it is said to have had is a guess.
    @Test func aGuessedPlaceDoesNotSayThatARowWasTaken() throws {
        var fixture = try StateFixture(rows: 10, sort: "v")
        try fixture.load(0)
        let cursor = fixture.state.beginIteration()
        guard case .rows(let first) = fixture.state.step(cursor) else {
            Issue.record("nothing is taken")
            return
        }
        #expect(first.rows.map(\.number) == [0, 10, 20])
        let written = fixture.table.put(50, value: 5)
        let row = try #require(written?.row)
        var guess = Key(values: [.integer(15)], id: row.id)
        guess.certainty = .vague
        let revision = Revision(fixture.table.revision)
        fixture.table.events = [
            .change(Change(revision: revision, kind: .updated, row: row, previousKey: guess))
        ]
        fixture.deliver()
        let rest = try takeAll(cursor, &fixture)
        #expect(rest.compactMap(\.self).sorted() == [30, 40, 50, 60, 70, 80, 90])
    }

    /// From a cache more comes at once than was asked for; pages asked for beyond it would bring the same rows.
    @Test(arguments: [(limit: 10, count: 8), (limit: 60, count: 1)])
    func largerPagesComeOneAfterAnother(limit: Int, count: Int) throws {
        var fixture = try StateFixture(rows: 1_000, pageSize: 10)
        let fetch = try fixture.ask(0)
        var request = fetch.request
        request.limit = limit
        let kept = Fetch(fetch, keptFor: request, asOf: 1)
        _ = try fixture.state.receive(fixture.table.page(request), for: kept)
        #expect(fixture.state.readEverythingAhead().count == count)
    }

    /// From a cache more comes at once than was asked for; the next is under way as early as pages of that size are.
    @Test(arguments: [(limit: 100, isAhead: false), (limit: 600, isAhead: true)])
    func largerPagesAreAskedForEarlier(limit: Int, isAhead: Bool) throws {
        var fixture = try StateFixture(rows: 1_000, pageSize: 100)
        while fixture.state.loadedCount < 600 {
            let fetch = try fixture.ask(fixture.state.loadedCount)
            var request = fetch.request
            request.limit = limit
            let kept = Fetch(fetch, keptFor: request, asOf: 1)
            _ = try fixture.state.receive(fixture.table.page(request), for: kept)
        }
        let cursor = fixture.state.beginIteration()
        _ = fixture.state.step(cursor)
        #expect(!fixture.state.readAhead(cursor, pages: 1).isEmpty == isAhead)
    }

    /// Others create rows in front of a pausing iteration and delete them, for ever.
    @Test func whatIsGoneBehindItIsNotKeptWithoutEnd() throws {
        var fixture = try StateFixture(rows: 4, pageSize: 4)
        try fixture.load(0)
        let cursor = fixture.state.beginIteration()
        _ = fixture.state.step(cursor)
        for id in 1..<270_000 as Range<Int64> {
            let key = Key(values: [], id: .integer(-id))
            fixture.state.cursors[cursor]?.removed(.integer(-id), from: key, sort: [])
        }
        let remembered = try #require(fixture.state.cursors[cursor]?.pastCount)
        #expect((1...262_144).contains(remembered))
    }

    @Test func aRowThatIsCreatedAgainFurtherOnIsNotTakenTwice() throws {
        var fixture = try StateFixture(rows: 6, sort: "v")
        try fixture.load(0)
        let cursor = fixture.state.beginIteration()
        _ = fixture.state.step(cursor)
        fixture.table.put(10, nil)
        fixture.table.put(10, value: 45)
        fixture.deliver()
        let rest = try takeAll(cursor, &fixture)
        #expect(rest.compactMap(\.self) == [30, 40, 50])
    }
}
