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
            case .wait, .repair, .lost:
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
        guess.isPlaceVague = true
        let revision = Revision(fixture.table.revision)
        fixture.table.events = [
            .change(Change(revision: revision, kind: .updated, row: row, previousKey: guess))
        ]
        fixture.deliver()
        let rest = try takeAll(cursor, &fixture)
        #expect(rest.compactMap(\.self).sorted() == [30, 40, 50, 60, 70, 80, 90])
    }
}
