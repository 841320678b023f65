import RemoteDataTesting
import Synchronization
import Testing

@testable import RemoteData

/// What a collection tells its cache, and when.
@Suite(.timeLimit(.minutes(2))) struct CacheNoteTests {
    private typealias People = RemoteDataCollection<Person>

    /// A cache that keeps nothing, and notes how its collection is whenever it is told that its rows are right again.
    private final class Spy: QueryCache {
        let people = Mutex<People?>(nil)
        /// Whether the collection said of itself that it is live, at each time.
        let wasLive = Log<Bool>()
        /// How many waited for it then.
        let waiting = Log<Int>()
        /// How many rows of pages it was told of at a time.
        let rows = Log<Int>()

        func restore(_ link: CacheLink) async throws(RemoteDataError) -> KeptQuery? { nil }

        func page(
            _ request: PageRequest,
            _ link: CacheLink,
            stale isStale: Bool
        ) async throws(RemoteDataError) -> Page? { nil }

        func schedule(_ link: CacheLink) {
            let notes = link.take()?.notes ?? []
            link.wrote()
            for case .stretch(_, let stretch, _) in notes { rows.add(stretch.count) }
            guard notes.contains(where: { if case .verified = $0 { true } else { false } }) else { return }
            wasLive.add(people.withLock(\.self)?.liveStatus.isLive ?? true)
            waiting.add(people.withLock(\.self)?.state.withLock { $0.repairWaiters.count } ?? 0)
        }
    }

    /// Whoever sees that a collection is live may close its cache, and have what was shown at the next launch.
    @Test func whatWasComparedIsNotedBeforeItIsLive() async throws {
        let table = try await makePeople(3)
        let cache = Spy()
        let people = try await People(table: table, cache: cache)
        cache.people.withLock { $0 = people }
        defer { cache.people.withLock { $0 = nil } }
        try await people.populate()
        try await people.untilLive()
        table.send(.reset)
        try await eventually("the rows are compared") { !cache.wasLive.all.isEmpty }
        try await people.untilLive()
        #expect(cache.wasLive.all == [false])
    }

    @Test func whoWaitsForTheComparisonGoesOnWhenItIsNoted() async throws {
        let table = try await makePeople(3)
        let cache = Spy()
        let people = try await People(table: table, cache: cache)
        cache.people.withLock { $0 = people }
        defer { cache.people.withLock { $0 = nil } }
        try await people.populate()
        try await people.untilLive()
        table.hold(.count)
        table.send(.reset)
        await table.waitForHeld()
        async let waiter: Void = people.waitForRepair()
        try await eventually("somebody waits") { people.state.withLock { $0.repairWaiters.count == 1 } }
        table.letAllGo()
        try await waiter
        #expect(cache.waiting.all == [1])
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
        #expect(cache.rows.all.reduce(0, +) == 300)
    }

    // MARK: Gaps

    private func words(_ link: CacheLink) -> [String] {
        (link.take()?.notes ?? []).map { note in
            switch note {
            case .stretch(_, let rows, _): "stretch \(rows.count)"
            case .rows(let rows, _): "rows \(rows.count)"
            case .change, .ownChange: "change"
            case .reached(let revision): "reached \(revision)"
            case .lost: "lost"
            case .forgotten: "forgotten"
            case .verified: "verified"
            }
        }
    }

    private func page(_ revision: Int64) -> Page {
        let rows = ["a", "b"].map { Row(id: .text($0), json: Array(#"{"objectId":"\#($0)"}"#.utf8)[...]) }
        return Page(rows: rows, revision: Revision(revision))
    }

    /// Nobody knows what became of its rows since.
    @Test func aPageFromBeforeAGapIsNoWholeStretch() {
        let link = CacheLink(Spy(), table: MemoryTable("t"), query: Query(), options: CollectionOptions())
        let request = PageRequest(Query(), limit: 2)
        let early = link.beginRequest()
        link.enter([.reset, .live(Revision(40))])
        let late = link.beginRequest()
        link.note(page(15), for: request, early)
        link.endRequest(early)
        link.note(page(40), for: request, late)
        #expect(words(link) == ["lost", "reached 40", "rows 2", "stretch 2"])
    }

    @Test func aPageUnderWayForTooManyChangesIsAGap() {
        let link = CacheLink(Spy(), table: MemoryTable("t"), query: Query(), options: CollectionOptions())
        let number = link.beginRequest()
        let changes = (1...10_001).map { revision in
            ChangeEvent.change(Change(revision: Revision(Int64(revision)), kind: .deleted, id: "a"))
        }
        link.enter(changes)
        link.note(page(1), for: PageRequest(Query(), limit: 2), number)
        let words = words(link)
        #expect(words.count == 10_002 && words.last == "lost")
    }
}
