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
        /// How many rows of pages it was told of at a time.
        let rows = Log<Int>()
        /// How many stretches it was told of to be right again at a time.
        let verified = Log<Int>()

        func restore(_ link: CacheLink) async throws(RemoteDataError) -> KeptQuery? {
            self.link.withLock { $0 = link }
            return nil
        }

        func page(
            _ request: PageRequest,
            _ link: CacheLink,
            stale isStale: Bool
        ) async throws(RemoteDataError) -> Page? { nil }

        func schedule(_ link: CacheLink) {
            let notes = link.take()?.notes ?? []
            link.wrote()
            for case .stretch(_, let stretch, _) in notes { rows.add(stretch.count) }
            for case .verified(let stretches, _) in notes { verified.add(stretches.count) }
        }

        /// Has all that is to be known of be written, as somebody does who closes the cache.
        func close() { link.withLock(\.self)?.settle() }
    }

    /// Whoever sees that a collection is live may close its cache, and have what was shown at the next launch.
    @Test func whatWasComparedIsNotedWhenItIsLive() async throws {
        let table = try await makePeople(3)
        let cache = Spy()
        let people = try await People(table: table, cache: cache)
        try await people.populate()
        try await people.untilLive()
        let statuses = people.liveStatuses
        table.send(.reset)
        for await status in statuses { if case .catchingUp = status { break } }
        for await status in statuses where status.isLive { break }
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
}
