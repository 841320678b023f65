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

        func restore(_ link: CacheLink) async throws(RemoteDataError) -> KeptQuery? { nil }

        func page(
            _ request: PageRequest,
            _ link: CacheLink,
            stale isStale: Bool
        ) async throws(RemoteDataError) -> Page? { nil }

        func schedule(_ link: CacheLink) {
            let notes = link.take()?.notes ?? []
            link.wrote()
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
}
