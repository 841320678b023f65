import RemoteDataTesting
import Synchronization
import Testing

@testable import RemoteData

/// What a collection tells its cache, and when.
@Suite(.timeLimit(.minutes(2))) struct CacheNoteTests {
    private typealias People = RemoteDataCollection<Person>

    /// A cache that keeps nothing, and writes at once.
    private final class Spy: QueryCache {
        private let link = Mutex<CacheLink?>(nil)
        private let writing = Mutex(())
        /// How many rows of pages it was told of at a time.
        let rows = Log<Int>()
        /// How many stretches it was told of to be right again at a time.
        let verified = Log<Int>()
        /// What was looked for, and how often somebody waited for what had been noted.
        let requests = Log<PageRequest>()
        let waits = Log<Int>()

        func restore(_ link: CacheLink) async throws(RemoteDataError) -> KeptQuery? {
            self.link.withLock { $0 = link }
            return nil
        }

        func page(
            _ request: PageRequest,
            _ link: CacheLink,
            stale isStale: Bool
        ) async throws(RemoteDataError) -> Page? {
            if !isStale { requests.add(request) }
            return nil
        }

        func mayKeep(_ request: PageRequest, _ link: CacheLink) -> Bool { link.mayKeep(request) }

        func write(_ link: CacheLink) async throws(RemoteDataError) {
            waits.add(1)
            schedule(link)
        }

        func schedule(_ link: CacheLink) {
            writing.withLock { _ in
                let notes = link.take()?.notes ?? []
                link.wrote()
                for case .stretch(_, let stretch, _) in notes { rows.add(stretch.count) }
                for case .verified(let stretches, _) in notes { verified.add(stretches.count) }
            }
        }

        /// Has all that is to be known of be written, as somebody does who closes the cache.
        func close() {
            guard let link = link.withLock(\.self) else { return }
            link.settle()
            schedule(link)
        }
    }

    /// Whoever sees that a collection is live may close its cache, and have what was shown at the next launch.
    @Test func whatWasComparedIsNotedWhenItIsLive() async throws {
        let table = try await makePeople(3)
        let cache = Spy()
        let people = try await People(table: table, cache: cache)
        try await people.populate()
        try await people.untilLive()
        table.hold(.count)
        table.send(.reset)
        await table.waitForHeld()
        table.letAllGo()
        for await status in people.liveStatuses where status.isLive { break }
        cache.close()
        #expect(cache.verified.all == [1])
    }

    @Test func whoWaitsForTheComparisonGoesOnWhenItIsNoted() async throws {
        let table = try await makePeople(3)
        let cache = Spy()
        let people = try await People(table: table, cache: cache)
        try await people.populate()
        try await people.untilLive()
        table.hold(.count)
        table.send(.reset)
        await table.waitForHeld()
        async let waiter: Void = people.waitForRepair()
        try await eventually("somebody waits") { people.state.withLock { $0.repairWaiters.count == 1 } }
        table.letAllGo()
        try await waiter
        cache.close()
        #expect(cache.verified.all == [1])
    }

    // MARK: Looking

    private static func row(_ number: Int) -> Row {
        Row(id: .text(Person.id(number)), json: Array(#"{"objectId":"\#(Person.id(number))"}"#.utf8)[...])
    }

    /// A page that cannot be there is not looked for, which would wait until all is written.
    @Test func onlyWhatMayBeKeptIsLookedFor() async throws {
        let table = try await makePeople(30)
        let cache = Spy()
        var options = CollectionOptions()
        (options.pageSize, options.readAhead, options.cacheLimit) = (2, 0, 12)
        let people = try await People(table: table, options: options, cache: cache)
        for try await _ in people.rows {}
        #expect(cache.requests.all.isEmpty)
        #expect(people.loadedCount < 30)
        // Rows that have come and are not here any more.
        _ = try await people.row(at: 0)
        #expect(cache.requests.all.map(\.start) == [PageRequest.Start.offset(0)])
    }

    @Test func manyStretchesAreAnyStretch() async throws {
        let link = CacheLink(
            Spy(),
            table: try await makePeople(1),
            query: Query(),
            options: CollectionOptions()
        )
        func request(_ number: Int) -> PageRequest {
            PageRequest(Query(), start: .after(Key(Self.row(number), sort: [])), limit: 1)
        }
        func stretch(_ number: Int) -> CacheNote {
            let bound = KeyInterval.Bound(key: Key(Self.row(number), sort: []), isIncluded: true)
            let end = KeyInterval.Bound(key: Key(Self.row(number + 1), sort: []), isIncluded: true)
            return .stretch(KeyInterval(lower: bound, upper: end), [], nil)
        }
        link.note(stretch(10))
        #expect(link.mayKeep(request(10)) && !link.mayKeep(request(11)) && !link.mayKeep(request(9)))
        for number in 10..<270 { link.note(stretch(number * 3)) }
        #expect(link.mayKeep(request(9)) && link.mayKeep(request(2)))
        link.note(.forgotten)
        #expect(!link.mayKeep(request(10)))
    }

    /// Rows do not come faster than they are written for long.
    @Test func whoeverReadsWaitsForRoom() async throws {
        let cache = Spy()
        let link = CacheLink(
            cache,
            table: try await makePeople(1),
            query: Query(),
            options: CollectionOptions()
        )
        link.enter([.rows((0..<1_000).map(Self.row), nil)])
        await link.waitForRoom()
        #expect(cache.waits.all.isEmpty)
        for _ in 0..<30 { link.enter([.rows((0..<1_000).map(Self.row), nil)]) }
        await link.waitForRoom()
        #expect(cache.waits.all == [1])
        #expect(!link.hasNotes)
        await link.waitForRoom()
        #expect(cache.waits.all == [1])
    }

    /// A cache that has all rows as they were.
    private final class Keeper: QueryCache {
        private let count: Count
        private let kept: Mutex<Page>
        /// Whether it takes what it is told.
        private let isRight: Bool

        init(_ count: Count, _ kept: Page, isRight: Bool = true) {
            self.count = count
            self.kept = Mutex(kept)
            self.isRight = isRight
        }

        func restore(_ link: CacheLink) async throws(RemoteDataError) -> KeptQuery? {
            KeptQuery(count: count, isOfOneMoment: true, stretches: KeyIntervals())
        }

        func page(
            _ request: PageRequest,
            _ link: CacheLink,
            stale isStale: Bool
        ) async throws(RemoteDataError) -> Page? {
            schedule(link)
            return kept.withLock(\.self)
        }

        func mayKeep(_ request: PageRequest, _ link: CacheLink) -> Bool { true }

        func write(_ link: CacheLink) async throws(RemoteDataError) { schedule(link) }

        func schedule(_ link: CacheLink) {
            kept.withLock { kept in
                for case .change(let change) in link.take()?.notes ?? [] where isRight {
                    let rows = kept.rows.map { $0.id == change.row?.id ? change.row ?? $0 : $0 }
                    kept = Page(rows: rows, revision: change.revision)
                }
                link.wrote()
            }
        }
    }

    /// As a page of the table would show it.
    @Test func whatIsKeptIsReadBehindTheChangesThatHaveCome() async throws {
        let table = try await makePeople(3)
        let kept = try await table.base.page(PageRequest(Query(), limit: 10))
        let cache = Keeper(try await table.base.count(nil), kept)
        try await table.updateByOthers(Person.id(0), #"{"age":77}"#)
        let queue = ManualQueue()
        var options = CollectionOptions()
        options.delivery = queue.delivery
        let people = try await People(table: table, options: options, cache: cache)
        try await eventually("the change comes") {
            people.state.withLock { state in state.core.pending.contains { $0.revision == Revision(4) } }
        }
        let isRead = Mutex(false)
        async let row = {
            defer { isRead.withLock { $0 = true } }
            return try await people.row(at: 0)
        }()
        try await eventually("the row comes") {
            queue.runAll()
            return isRead.withLock(\.self)
        }
        let age = try await row.age
        #expect(age == 77)
    }

    /// The table is asked instead.
    @Test func whatIsKeptAndOlderThanWhatWasToldIsNotUsed() async throws {
        let table = try await makePeople(3)
        let kept = try await table.base.page(PageRequest(Query(), limit: 10))
        let cache = Keeper(try await table.base.count(nil), kept, isRight: false)
        try await table.updateByOthers(Person.id(0), #"{"age":77}"#)
        let people = try await People(table: table, cache: cache)
        try await eventually("the change is applied") { people.appliedRevision == Revision(4) }
        let age = try await people.row(at: 0).age
        #expect(age == 77)
    }

    /// As on the main thread, while it iterates.
    @Test func whatIsReadIsWrittenAlsoWhereTheDeliveryQueueDoesNotRun() async throws {
        let table = try await makePeople(300)
        let cache = Spy()
        var options = CollectionOptions()
        options.pageSize = 10
        options.isLive = false
        options.delivery = .custom { _ in }
        let people = try await People(table: table, options: options, cache: cache)
        try await people.populate()
        try await eventually("all is written") { cache.rows.all.reduce(0, +) == 300 }
    }
}
