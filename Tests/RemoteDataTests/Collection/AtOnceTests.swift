import Dispatch
import RemoteDataTesting
import Synchronization
import Testing

@testable import RemoteData

/// Changes that a collection takes on the thread that brings them.
@Suite(.timeLimit(.minutes(1))) struct AtOnceTests {
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

    private let executor = HeldExecutor()

    /// A collection that is live, with nobody to take what its table tells but whoever brings it.
    private func heldCollection(
        _ delivery: DeliveryQueue
    ) async throws -> (RemoteDataCollection<Person>, FaultyTable) {
        var options = CollectionOptions()
        options.delivery = delivery
        options.surroundings = Surroundings(executor: executor)
        let table = try await makePeople(0)
        let people = try await RemoteDataCollection<Person>(table: table, options: options)
        try await eventually("it is live") { received(people) == 1 }
        executor.hold()
        return (people, table)
    }

    private func received(_ people: RemoteDataCollection<Person>) -> Int {
        people.state.withLock { $0.receivedCount }
    }

    private func change(_ revision: Int64) -> ChangeEvent {
        .change(Change(revision: Revision(revision), kind: .deleted, id: "1"))
    }

    @Test(arguments: [true, false])
    func fewChangesAreTakenAtOnceForADispatchQueue(isPrivate: Bool) async throws {
        let own = DeliveryQueue.queue(DispatchQueue(label: "own"))
        let (people, table) = try await heldCollection(isPrivate ? .privateQueue : own)
        table.handOnAtOnce([change(1), .progress(Revision(2))])
        #expect(received(people) == 3)
        // What is said of the subscription is not for the collection alone.
        table.handOnAtOnce([.interrupted(RemoteDataError(.unreachable, "Gone."))])
        table.handOnAtOnce([change(3)])
        #expect(received(people) == 3)
        executor.letGo()
        try await eventually("the others have come") { received(people) == 5 }
    }

    @Test func whatOthersDeliverWithIsNotCalledByWhoeverBringsChanges() async throws {
        let queue = DispatchQueue(label: "custom")
        let (people, table) = try await heldCollection(.custom { queue.async(execute: $0) })
        table.handOnAtOnce([change(1)])
        #expect(received(people) == 1)
        executor.letGo()
        try await eventually("it has come") { received(people) == 2 }
    }

    @Test func whoeverBringsChangesDoesNotApplyWhatABlockingCallWaitsFor() async throws {
        let (people, table) = try await heldCollection(.privateQueue)
        people.state.withLock { $0.parkedCalls += 1 }
        table.handOnAtOnce([change(1)])
        #expect(received(people) == 1)
        people.state.withLock { $0.parkedCalls -= 1 }
        executor.letGo()
        try await eventually("it has come") { received(people) == 2 }
    }
}
