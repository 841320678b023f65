import Dispatch
import RemoteDataTesting
import Synchronization
import Testing

@testable import RemoteData

/// Changes that a collection takes on the thread that brings them.
@Suite(.timeLimit(.minutes(1))) struct AtOnceTests {
    private struct Item: Codable, Identifiable, Sendable { var id: String }

    /// A table that tells what a test says.
    private struct ToldTable: Table {
        let base: any Table
        let feed: ChangeFeed
        var name: String { base.name }
        var idColumn: String { base.idColumn }
        var dates: DateConvention { base.dates }
        var capabilities: Capabilities { base.capabilities }

        func count(_ query: Query) async throws(RemoteDataError) -> Count { try await base.count(query) }

        func page(_ request: PageRequest) async throws(RemoteDataError) -> Page {
            try await base.page(request)
        }

        func row(_ id: RowID) async throws(RemoteDataError) -> Row? { try await base.row(id) }

        func commit(_ mutation: Mutation, idempotencyKey: String?) async throws(RemoteDataError) -> Outcome {
            try await base.commit(mutation, idempotencyKey: idempotencyKey)
        }

        func changes(since revision: Revision, limit: Int) async throws(RemoteDataError) -> ChangeBatch {
            try await base.changes(since: revision, limit: limit)
        }

        func subscribe(to query: Query, since revision: Revision?) async throws(RemoteDataError) -> ChangeFeed
        { feed }
    }

    /// Runs what a collection has to do on a queue of its own, unless it is held.
    private final class HeldExecutor: TaskExecutor {
        private struct State {
            var isHeld = false
            var jobs: [UnownedJob] = []
        }

        private let state = Mutex(State())
        private let queue = DispatchQueue(label: "held")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            let isKept = state.withLock { state in
                if state.isHeld { state.jobs.append(job) }
                return state.isHeld
            }
            if !isKept { run(job) }
        }

        private func run(_ job: UnownedJob) {
            queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }

        /// From now on nothing is run, once all that can be has been.
        func hold() {
            queue.sync {}
            state.withLock { $0.isHeld = true }
        }

        func letGo() {
            let jobs = state.withLock { state in
                defer { state = State() }
                return state.jobs
            }
            for job in jobs { run(job) }
        }
    }

    private let feed = ChangeFeed()
    private let executor = HeldExecutor()

    /// A collection that is live, with nobody to take what the table tells but whoever brings it.
    private func heldCollection(_ delivery: DeliveryQueue) async throws -> RemoteDataCollection<Item> {
        var options = CollectionOptions()
        options.delivery = delivery
        options.surroundings = Surroundings(executor: executor)
        let items = try await RemoteDataCollection<Item>(
            table: ToldTable(base: MemoryTable("items"), feed: feed),
            options: options
        )
        feed.handOn([.live(.zero)])
        try await eventually("it is live") { received(items) == 1 }
        executor.hold()
        return items
    }

    private func received(_ items: RemoteDataCollection<Item>) -> Int {
        items.state.withLock { $0.receivedCount }
    }

    private func change(_ revision: Int64) -> ChangeEvent {
        .change(Change(revision: Revision(revision), kind: .deleted, id: "1"))
    }

    @Test(arguments: [true, false])
    func fewChangesAreTakenAtOnceForADispatchQueue(isPrivate: Bool) async throws {
        let items = try await heldCollection(isPrivate ? .privateQueue : .queue(DispatchQueue(label: "own")))
        feed.handOnAtOnce([change(1), .progress(Revision(2))])
        #expect(received(items) == 3)
        // What is said of the subscription is not for the collection alone.
        feed.handOnAtOnce([.interrupted(RemoteDataError(.unreachable, "Gone."))])
        feed.handOnAtOnce([change(3)])
        #expect(received(items) == 3)
        executor.letGo()
        try await eventually("the others have come") { received(items) == 5 }
    }

    @Test func whatOthersDeliverWithIsNotCalledByWhoeverBringsChanges() async throws {
        let queue = DispatchQueue(label: "custom")
        let items = try await heldCollection(.custom { queue.async(execute: $0) })
        feed.handOnAtOnce([change(1)])
        #expect(received(items) == 1)
        executor.letGo()
        try await eventually("it has come") { received(items) == 2 }
    }
}
