import RemoteDataTesting
import Synchronization
import Testing

@testable import RemoteData

/// What a collection tells its cache, and when.
@Suite(.timeLimit(.minutes(2))) struct CacheNoteTests {
    private typealias People = RemoteDataCollection<Person>

    /// A cache that keeps nothing, and writes at once or when it is waited for.
    private final class Spy: QueryCache {
        private let isEager: Bool
        private let link = Mutex<CacheLink?>(nil)
        private let writing = Mutex(())
        /// How many rows of pages it was told of at a time.
        let rows = Log<Int>()
        /// How many stretches it was told of to be right again at a time.
        let verified = Log<Int>()
        /// Of each page that was looked for, whether what had been noted was to be awaited.
        let awaited = Log<Bool>()
        /// How often somebody waited until all was written.
        let waits = Log<Int>()

        init(isEager: Bool = true) { self.isEager = isEager }

        func restore(_ link: CacheLink) async throws(RemoteDataError) -> KeptQuery? {
            self.link.withLock { $0 = link }
            return nil
        }

        func page(
            _ request: PageRequest,
            _ link: CacheLink,
            stale isStale: Bool,
            awaiting isAwaited: Bool
        ) async throws(RemoteDataError) -> Page? {
            if !isStale { awaited.add(isAwaited) }
            return nil
        }

        func written(_ link: CacheLink) async throws(RemoteDataError) {
            waits.add(waits.all.count)
            write(link)
        }

        func schedule(_ link: CacheLink) { if isEager { write(link) } }

        private func write(_ link: CacheLink) {
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
            write(link)
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

    @Test func onlyWhatWasNotedBeforeIsAwaited() async throws {
        let table = try await makePeople(30)
        let cache = Spy(isEager: false)
        var options = CollectionOptions()
        (options.pageSize, options.readAhead, options.cacheLimit, options.isLive) = (2, 0, 12, false)
        let people = try await People(table: table, options: options, cache: cache)
        let link = try #require(people.link)
        try await cache.written(link)
        for try await _ in people.rows {}
        #expect(cache.awaited.all == Array(repeating: false, count: 15))
        // A page that has come and is not here any more.
        _ = try await people.row(at: 0)
        #expect(cache.awaited.all.last == true)
    }

    /// What may bring the page behind the row of number 10.
    private static let notes: [(CacheNote, Bool)] = [
        (.stretch(stretch(10, 12), [], nil), true), (.staleStretch(stretch(8, 11), [], nil), true),
        (.stretch(stretch(8, 10), [], nil), false), (.stretch(stretch(11, 12), [], nil), false),
        (.lost, true), (.verified([], nil), true), (.forgotten, false), (.placed([]), false),
        (.reached(Revision(1)), false),
        (.rows([row(11)], nil), false),
        (.change(Change(revision: Revision(1), kind: .updated, row: row(11))), false),
    ]

    @Test(arguments: notes.indices) func whatIsNotWrittenBringsWhatItHolds(number: Int) async throws {
        let (note, expected) = Self.notes[number]
        let cache = Spy(isEager: false)
        let link = CacheLink(
            cache,
            table: try await makePeople(1),
            query: Query(),
            options: CollectionOptions()
        )
        let request = PageRequest(Query(), start: .after(Key(Self.row(10), sort: [])), limit: 1)
        link.note(note)
        #expect(link.mayBring(request) == expected)
        // Until it is written, not only until it is taken.
        _ = link.take()
        #expect(link.mayBring(request) == expected)
        link.wrote()
        #expect(!link.mayBring(request))
    }

    private static func row(_ number: Int) -> Row {
        Row(id: .text(Person.id(number)), json: Array(#"{"objectId":"\#(Person.id(number))"}"#.utf8)[...])
    }

    private static func stretch(_ first: Int, _ last: Int) -> KeyInterval {
        func bound(_ number: Int) -> KeyInterval.Bound {
            KeyInterval.Bound(key: Key(row(number), sort: []), isIncluded: true)
        }
        return KeyInterval(lower: bound(first), upper: bound(last))
    }

    /// Rows do not come faster for long than they are written.
    @Test func whoeverReadsWaitsWhereVeryMuchIsNotWritten() async throws {
        let cache = Spy(isEager: false)
        var options = CollectionOptions()
        (options.pageSize, options.readAhead, options.isLive) = (10, 0, false)
        let people = try await People(table: try await makePeople(30), options: options, cache: cache)
        let link = try #require(people.link)
        try await cache.written(link)
        _ = try await people.row(at: 0)
        #expect(cache.waits.all.count == 1)
        link.enter([.rows(Array(repeating: Self.row(0), count: 24_980), nil)])
        _ = try await people.row(at: 10)
        #expect(cache.waits.all.count == 2)
        _ = try await people.row(at: 20)
        #expect(cache.waits.all.count == 2)
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
            KeptQuery(count: count, isOfOneMoment: true)
        }

        func page(
            _ request: PageRequest,
            _ link: CacheLink,
            stale isStale: Bool,
            awaiting isAwaited: Bool
        ) async throws(RemoteDataError) -> Page? {
            schedule(link)
            return kept.withLock(\.self)
        }

        func written(_ link: CacheLink) async throws(RemoteDataError) { schedule(link) }

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

    /// One whose answer was refused hears of that, and nothing takes changes to have been missed.
    @Test func whatNobodyWaitsForAnyMoreIsNotAnsweredByWhatIsKept() async throws {
        let table = try await makePeople(3)
        let kept = try await table.base.page(PageRequest(Query(), limit: 10))
        let cache = Keeper(try await table.base.count(nil), kept)
        let people = try await People(table: table, cache: cache)
        let fetch = Fetch(id: 1_000, request: PageRequest(Query(), limit: 10), expected: 0..<3, floor: nil)
        let isTaken = await people.takeStalePage(for: fetch)
        #expect(!isTaken)
        #expect(people.state.withLock { !$0.core.needsResync })
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
