package import Foundation
package import RemoteData
import Synchronization

/// A file in memory that outlives the stores opened on it: what a process has committed is there after it has crashed, and nothing
/// else.
///
/// For simulations, which run everything on one thread.
package final class SimulatedDisk: Sendable {
    // SAFETY: made in init, and used by one session at a time on the simulation's one thread.
    private nonisolated(unsafe) let connection: Connection
    private let current = Mutex<Session?>(nil)

    /// Makes an empty one.
    package init() throws(RemoteDataError) { connection = try Connection(path: ":memory:", isReader: false) }

    /// One process that uses the disk.
    final class Session: Sendable {
        private let disk: SimulatedDisk
        private let run: @Sendable (@escaping @Sendable () -> Void) -> Void
        private let state = Mutex(true)

        fileprivate init(
            _ disk: SimulatedDisk,
            _ run: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
        ) {
            (self.disk, self.run) = (disk, run)
        }

        var isAlive: Bool { state.withLock { $0 } }

        func add(_ job: @escaping @Sendable () -> Void) { run(job) }

        func connect() throws(RemoteDataError) -> Connection { disk.connection }

        fileprivate func end() { state.withLock { $0 = false } }
    }

    /// Opens a store; the one before it has to have crashed.
    ///
    /// - Parameters:
    ///   - surroundings: What the store takes from the world around it.
    ///   - now: The time.
    ///   - run: Runs the jobs of the store one after another, in order.
    /// - Returns: The store.
    /// - Throws: `RemoteDataError` with code `storage`.
    package func open(
        _ surroundings: Surroundings,
        now: @escaping @Sendable () -> Date,
        run: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) async throws(RemoteDataError) -> LocalStore {
        let session = Session(self, run)
        current.withLock { $0 = session }
        var plan = StorePlan(
            path: ":memory:",
            idColumn: "objectId",
            logCapacity: 0,
            patience: .zero,
            now: now
        )
        plan.makeKey = surroundings.makeKey
        plan.disk = session
        return try await LocalStore(plan, surroundings: surroundings)
    }

    /// Ends the process at once: what it has not committed is lost, and what it does from now on comes to nothing.
    package func crash() { current.withLock { $0.take() }?.end() }
}
