import RemoteDataTesting
import Testing

@testable import RemoteData

/// Pages with rows that cannot be read.
@Suite struct UnreadableRowsTests {
    /// A page of a fixture's table in which some rows cannot be read.
    private func page(_ fixture: StateFixture, _ fetch: Fetch, without unreadable: Set<Int64>) -> Page {
        let page = fixture.table.page(fetch.request)
        let failures = page.rows.enumerated().filter { unreadable.contains($0.element.number) }.map {
            RowFailure(position: $0.offset, error: RemoteDataError(.invalidAnswer, "No id."))
        }
        let rows = page.rows.filter { !unreadable.contains($0.number) }
        return Page(rows: rows, revision: page.revision, failures: failures)
    }

    /// Reads everything, and now and then a row somewhere.
    ///
    /// - Returns: What is wrong; nil when nothing is.
    private func fault(seed: UInt64, isLive: Bool) throws -> String? {
        var random = SeededGenerator(seed: seed)
        let pageSize = random.number(1..<8)
        let size = random.number(1..<40)
        var fixture = try StateFixture(rows: size, pageSize: pageSize, pageLimit: 1_000, isLive: isLive)
        let share = random.pick([2, 2, 3, 5, 20])
        let start = random.number(0..<size)
        var unreadable = Set(fixture.table.ids.filter { _ in random.chance(share) })
        if random.chance(3) { unreadable.formUnion(fixture.table.ids.dropFirst(start).prefix(pageSize * 2)) }
        let readable = fixture.table.ids.filter { !unreadable.contains($0) }
        var told: Set<Int> = []
        for number in 0..<(size * 12 + 60) {
            let need: CollectionState.Need
            if number < 6, random.chance(2), fixture.state.index.count > 0 {
                need = fixture.state.need(base: random.number(0..<fixture.state.index.count))
            } else {
                let gap = fixture.state.index.firstGap()
                need = gap.map { fixture.state.need(base: $0.lowerBound) } ?? fixture.state.tailNeed()
                if case .nothing = need { break }
            }
            guard case .fetch(let fetch) = need else { continue }
            _ = try fixture.state.receive(page(fixture, fetch, without: unreadable), for: fetch)
            for failure in fixture.state.takeFailures() { told.insert(failure.position) }
            if let fault = fixture.state.index.fault { return fault }
            if fixture.state.isCountDoubtful, fixture.state.hasUnreadable { return "a recount is asked for" }
            if fixture.state.needsResync { return "everything is to be read anew" }
        }
        guard fixture.state.isLoaded, case .nothing = fixture.state.tailNeed() else {
            return "it does not end"
        }
        let ids = fixture.ids.compactMap(\.self)
        if ids != readable { return "missing \(Set(readable).subtracting(ids)), page size \(pageSize)" }
        return told.isEmpty == unreadable.isEmpty ? nil : "failures are not told"
    }

    @Test(arguments: [true, false]) func theReadableRowsComeAndReadingEnds(isLive: Bool) throws {
        for seed in 0..<UInt64(Campaign.size(quick: 800)) {
            guard let fault = try fault(seed: seed, isLive: isLive) else { continue }
            Issue.record("seed \(seed): \(fault)")
            return
        }
    }

    @Test func theyAreTakenFromTheCountAndTold() throws {
        var fixture = try StateFixture(rows: 10, pageSize: 4)
        let fetch = try fixture.ask(0)
        _ = try fixture.state.receive(page(fixture, fetch, without: [10]), for: fetch)
        #expect(fixture.ids.prefix(4) == [0, 20, 30, nil])
        #expect(fixture.state.count == 9)
        let told = [fixture.state.takeFailures(), fixture.state.takeFailures()]
        #expect(told.map { $0.map(\.position) } == [[1], []])
    }

    @Test func theyCountTowardsTheSizeOfThePage() throws {
        var fixture = try StateFixture(rows: 3, pageSize: 4, isLive: false)
        let fetch = try fixture.ask(0)
        _ = try fixture.state.receive(page(fixture, fetch, without: [20]), for: fetch)
        #expect(fixture.ids == [0, 10])
        guard case .nothing = fixture.state.tailNeed() else {
            Issue.record("the end is not known")
            return
        }
    }

    @Test func aFarRowIsFoundInAPageThatBeginsWithThem() throws {
        var fixture = try StateFixture(rows: 1_000, pageSize: 10)
        let fetch = try fixture.ask(500)
        _ = try fixture.state.receive(page(fixture, fetch, without: [5_000, 5_010]), for: fetch)
        #expect(fixture.state.row(at: 500)?.number == 5_020)
        #expect(fixture.state.count == 998)
    }

    @Test func aLargerPageShowsWhatLiesBehindThem() throws {
        var fixture = try StateFixture(rows: 6, pageSize: 2, pageLimit: 1_000)
        let unreadable: Set<Int64> = [20, 30]
        for _ in 0..<2 {
            let fetch = try fixture.ask(fixture.state.index.firstGap()?.lowerBound ?? 0)
            _ = try fixture.state.receive(page(fixture, fetch, without: unreadable), for: fetch)
        }
        #expect(fixture.state.takeFailures().isEmpty)
        let fetch = try fixture.ask(2)
        #expect(fetch.request.limit == 4)
        // One in front goes while the page is under way: it begins behind a row all the same.
        fixture.table.put(0, nil)
        let late = page(fixture, fetch, without: unreadable)
        fixture.deliver()
        _ = try fixture.state.receive(late, for: fetch)
        #expect(fixture.ids == [10, 40, nil])
        #expect(fixture.state.takeFailures().map(\.position) == [0, 1])
        try fixture.load(2)
        #expect(fixture.ids == [10, 40, 50])
    }

    @Test func moreThanAPageHoldsOfThemAreAnError() throws {
        var fixture = try StateFixture(rows: 8, pageSize: 2, pageLimit: 3)
        let unreadable: Set<Int64> = [20, 30, 40]
        for _ in 0..<2 {
            let fetch = try fixture.ask(fixture.state.index.firstGap()?.lowerBound ?? 0)
            _ = try fixture.state.receive(page(fixture, fetch, without: unreadable), for: fetch)
        }
        let fetch = try fixture.ask(2)
        #expect(fetch.request.limit == 3)
        let unreadablePage = page(fixture, fetch, without: unreadable)
        let error = #expect(throws: RemoteDataError.self) {
            _ = try fixture.state.receive(unreadablePage, for: fetch)
        }
        #expect(error?.code == .invalidAnswer)
        #expect(error?.message.hasSuffix("No id.") == true)
        #expect(fixture.state.fetches.isEmpty)
        // One that is gone makes room for what lies behind.
        fixture.table.put(30, nil)
        fixture.deliver()
        for _ in 0..<8 {
            guard let gap = fixture.state.index.firstGap() else { break }
            let fetch = try fixture.ask(gap.lowerBound)
            _ = try fixture.state.receive(page(fixture, fetch, without: unreadable), for: fetch)
        }
        #expect(fixture.ids == [0, 10, 50, 60, 70])
    }

    @Test func aPageThatEndsEarlyAndHoldsNothingElseIsAnError() throws {
        var fixture = try StateFixture(rows: 8, pageSize: 4, pageLimit: 1_000)
        let fetch = try fixture.ask(0)
        let failures = page(fixture, fetch, without: [0, 10]).failures
        let received = Result {
            try fixture.state.receive(Page(rows: [], failures: failures, endsEarly: true), for: fetch)
        }
        #expect(throws: RemoteDataError.self) { _ = try received.get() }
    }

    @Test func aNewBeginningCountsAgain() throws {
        var fixture = try StateFixture(rows: 10, pageSize: 4)
        let fetch = try fixture.ask(0)
        _ = try fixture.state.receive(page(fixture, fetch, without: [10]), for: fetch)
        #expect(!fixture.state.isExact)
        let watch = fixture.state.beginWatch()
        fixture.state.reset(to: fixture.table.count, since: watch)
        #expect(fixture.state.isExact)
        #expect(fixture.state.count == 10)
    }

    @Test func aCountSettlesNothingAfterOne() throws {
        var fixture = try StateFixture(rows: 10, pageSize: 4)
        let fetch = try fixture.ask(0)
        _ = try fixture.state.receive(page(fixture, fetch, without: [10]), for: fetch)
        let count = fixture.state.count
        let isSettled = fixture.state.settle(fixture.table.count)
        #expect(isSettled)
        #expect(fixture.state.count == count)
        #expect(!fixture.state.needsResync)
        #expect(!fixture.state.isExact)
    }

    @Test func aRowThatComesTwiceIsKeptOnceAndTold() throws {
        var fixture = try StateFixture(rows: 4, pageSize: 4, isLive: false)
        let fetch = try fixture.ask(0)
        let rows = fixture.table.rows
        let failure = RowFailure(position: 1, error: RemoteDataError(.invalidAnswer, "No id."))
        let page = Page(rows: [rows[0], rows[1], rows[0]], failures: [failure])
        _ = try fixture.state.receive(page, for: fetch)
        #expect(fixture.state.loadedCount == 2)
        #expect(fixture.state.failures.map(\.position) == [1])
        fixture.state.failures = []
        // The repetition is the last of a full page: it comes again with the next one.
        let next = try fixture.ask(2)
        _ = try fixture.state.receive(Page(rows: [rows[2], rows[3], rows[2]]), for: next)
        #expect(fixture.state.failures.map(\.position) == [2])
        #expect(fixture.ids == [0, 10, 20, 30])
    }
}
