import RemoteDataTesting
import Testing

@testable import RemoteData

/// What stays when rows have to go.
@Suite struct EvictionTests {
    /// A live state of rows 0, 10, 20, …, three to a page.
    private func fixture(_ rows: Int, keeping limit: Int, ahead: Int = 3) throws -> StateFixture {
        try StateFixture(rows: rows, cache: CacheLimit(rows: limit, ahead: ahead))
    }

    /// Moves an iteration on by one step, answering what it asks for.
    private func advance(_ id: Int, _ fixture: inout StateFixture) throws -> [Int64]? {
        while true {
            switch fixture.state.step(id) {
            case .rows(let part): return part.rows[part.range].map(\.number)
            case .fetch(let fetch):
                _ = try fixture.state.receive(fixture.table.page(fetch.request), for: fetch)
            case .wait, .repair, .changes, .lost: throw StateFixture.NothingToFetch()
            case .end: return nil
            }
        }
    }

    @Test func whatGoesLeavesAGapOfItsSize() throws {
        var fixture = try fixture(12, keeping: 6)
        for position in [0, 3, 6, 9] { try fixture.load(position) }
        #expect(fixture.ids == [nil, nil, nil, nil, nil, nil, 60, 70, 80, 90, 100, 110])
        #expect(fixture.state.isExact)
        #expect(fixture.state.index.gap(at: 0) == 0..<6)
        #expect(fixture.state.index.fault == nil)
    }

    @Test func whatWasUsedLastStays() throws {
        var fixture = try fixture(12, keeping: 6)
        try fixture.load(0)
        try fixture.load(3)
        let (node, _) = try #require(fixture.state.index.chunk(at: 1))
        fixture.state.use(node)
        try fixture.load(6)
        #expect(fixture.ids == [0, 10, 20, nil, nil, nil, 60, 70, 80, nil, nil, nil])
    }

    @Test func rowsUnderAnIterationStayHoweverManyOthersCome() throws {
        var fixture = try fixture(30, keeping: 3)
        let iteration = fixture.state.beginIteration()
        #expect(try advance(iteration, &fixture) == [0, 10, 20])
        for position in stride(from: 27, to: 2, by: -3) { try fixture.load(position) }
        #expect(fixture.state.row(at: 2)?.number == 20)
        #expect(try advance(iteration, &fixture) == [30, 40, 50])
        fixture.state.endIteration(iteration)
        try fixture.load(27)
        #expect(fixture.state.row(at: 2) == nil)
    }

    @Test func theRowInFrontOfAPageUnderWayStays() throws {
        var fixture = try fixture(30, keeping: 3)
        try fixture.load(0)
        let fetch = try fixture.ask(3)
        for position in [9, 15, 21] { try fixture.load(position) }
        _ = try fixture.state.receive(fixture.table.page(fetch.request), for: fetch)
        #expect(fixture.state.row(at: 3)?.number == 30)
    }

    @Test func rowsThatOthersInsertPushOldOnesOut() throws {
        var fixture = try fixture(30, keeping: 9)
        for position in [0, 3, 6] { try fixture.load(position) }
        for id in 1..<9 as Range<Int64> { fixture.table.put(60 + id) }
        fixture.deliver()
        #expect(fixture.state.loadedCount <= 9)
        #expect(fixture.state.count == 38)
        #expect(fixture.state.index.fault == nil)
    }

    @Test func anIterationWhoseRowsAreDeletedFindsItsPlaceWithFewRequests() throws {
        var fixture = try fixture(500, keeping: 12)
        let iteration = fixture.state.beginIteration()
        var last: Int64 = 0
        while last < 4_000 { last = try advance(iteration, &fixture)?.last ?? .max }
        // All that could tell where it is.
        for id in stride(from: last - 300, through: last, by: 10) { fixture.table.put(id, nil) }
        fixture.deliver()
        var requests = 0
        var next: [Int64]?
        while next == nil {
            switch fixture.state.step(iteration) {
            case .rows(let part): next = part.rows[part.range].map(\.number)
            case .fetch(let fetch):
                requests += 1
                _ = try fixture.state.receive(fixture.table.page(fetch.request), for: fetch)
            case .wait, .repair, .changes, .lost, .end: throw StateFixture.NothingToFetch()
            }
        }
        #expect(next?.first == last + 10)
        #expect(requests < 12)
    }

    @Test func aRowThatMovesBehindAnIterationIsTakenThoughItIsGone() throws {
        var fixture = try StateFixture(rows: 30, sort: "v", cache: CacheLimit(rows: 6, ahead: 3))
        let iteration = fixture.state.beginIteration()
        for _ in 0..<5 { _ = try advance(iteration, &fixture) }
        fixture.table.put(250, value: 5)
        fixture.deliver()
        fixture.table.put(250, value: 6)
        fixture.deliver()
        var rest: [Int64] = []
        while let ids = try advance(iteration, &fixture) { rest += ids }
        #expect(rest == stride(from: 150, to: 300, by: 10).filter { $0 != 250 } + [250])
        #expect(fixture.state.row(.integer(250)) == nil)
    }

    @Test func startingOverGoesOnBehindWhatIsGone() throws {
        var fixture = try fixture(60, keeping: 6)
        let iteration = fixture.state.beginIteration()
        var taken: [Int64] = []
        for _ in 0..<10 { taken += try advance(iteration, &fixture) ?? [] }
        let watch = fixture.state.beginWatch()
        fixture.state.reset(to: fixture.table.count, since: watch)
        fixture.state.endWatch(watch)
        while let ids = try advance(iteration, &fixture) { taken += ids }
        #expect(taken == (0..<60).map { $0 * 10 })
    }
}
