package import Foundation
package import RemoteData
import Synchronization

/// A file in memory that outlives the stores opened on it: what a process has committed is there after it has crashed, and nothing
/// else.
///
/// For simulations, which run everything on one thread.
final class SimulatedDisk: Sendable {
    // SAFETY: made in init, and used by one session at a time on the simulation's one thread.
    private nonisolated(unsafe) let connection: Connection

    /// Makes one with an empty store, once for all that open it: SQLite prepares its statements anew whenever a store is.
    init() throws(RemoteDataError) {
        connection = try Connection(path: ":memory:", isReader: false)
        // The same in every run.
        try Schema.prepare(connection) { Epoch(rawValue: 1) }
    }

    /// What one process does with the disk through one store.
    final class Session: Sendable {
        private let disk: SimulatedDisk
        private let process: SimulatedProcess
        private let run: @Sendable (@escaping @Sendable () -> Void) -> Void

        init(_ disk: SimulatedDisk, _ process: SimulatedProcess) {
            (self.disk, self.process) = (disk, process)
            run = process.makeLane()
        }

        var isAlive: Bool { process.isAlive }

        func add(_ job: @escaping @Sendable () -> Void) { run(job) }

        func connect() throws(RemoteDataError) -> Connection { disk.connection }
    }
}

/// A process in a simulation, until it crashes.
package final class SimulatedProcess: Sendable {
    private let state = Mutex(true)
    let surroundings: Surroundings
    let now: @Sendable () -> Date
    let makeLane: @Sendable () -> @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Starts it.
    ///
    /// - Parameters:
    ///   - surroundings: What its stores take from the world around them.
    ///   - now: The time.
    ///   - makeLane: Makes what runs the jobs of a store one after another, in order.
    package init(
        _ surroundings: Surroundings,
        now: @escaping @Sendable () -> Date,
        makeLane: @escaping @Sendable () -> @Sendable (@escaping @Sendable () -> Void) -> Void
    ) {
        (self.surroundings, self.now, self.makeLane) = (surroundings, now, makeLane)
    }

    /// Whether it has not crashed.
    package var isAlive: Bool { state.withLock { $0 } }

    /// Ends it at once: what it has not committed is lost, and what it does from now on comes to nothing.
    package func crash() { state.withLock { $0 = false } }
}

/// The disks of a device, one for each user and one for nobody.
package final class SimulatedDisks: Sendable {
    private let disks = Mutex<[String?: SimulatedDisk]>([:])

    /// A device without any.
    package init() {}

    /// The stores of users as a process has them; the one before it has to have crashed or closed its own.
    ///
    /// - Parameters:
    ///   - process: The process.
    ///   - tables: The tables by name, and how they are kept in step.
    ///   - makeID: Makes the ids of rows that have to get another.
    ///   - remote: The server's table of a name, as a user sees it.
    /// - Returns: The stores.
    package func stores(
        of process: SimulatedProcess,
        tables: [String: SyncOptions],
        makeID: @escaping @Sendable () -> RowID,
        remote: @escaping @Sendable (_ table: String, _ user: String) -> (any Table)?
    ) -> UserStores {
        var options = UserStores.Options()
        options.makeID = makeID
        return UserStores(Files(disks: self, process: process), tables, options, process.surroundings, remote)
    }

    private struct Files: UserFiles {
        let disks: SimulatedDisks
        let process: SimulatedProcess

        func hasStore(of user: String?) -> Bool { disks.disks.withLock { $0[user] != nil } }

        func plan(of user: String?) throws(RemoteDataError) -> StorePlan {
            var plan = StorePlan(
                path: ":memory:",
                idColumn: "objectId",
                logCapacity: (0, 0),
                patience: .zero,
                now: process.now
            )
            plan.makeKey = process.surroundings.makeKey
            plan.disk = SimulatedDisk.Session(try disk(of: user), process)
            return plan
        }

        private func disk(of user: String?) throws(RemoteDataError) -> SimulatedDisk {
            if let known = disks.disks.withLock({ $0[user] }) { return known }
            let disk = try SimulatedDisk()
            disks.disks.withLock { $0[user] = disk }
            return disk
        }

        func finishDropping(_ user: String?) async throws(RemoteDataError) {}

        func drop(_ user: String?) async throws(RemoteDataError) {
            guard process.isAlive else { throw .closed }
            disks.disks.withLock { $0[user] = nil }
        }
    }
}
