import Foundation
import RemoteData
import RemoteDataExecution
import RemoteDataSQLite
import Synchronization

/// A device with a store for each user, of which one is open.
final class SyncDevice: Sendable {
    /// What is open.
    struct Opened: Sendable {
        let user: String?
        let store: LocalStore
        let tables: [SyncPlan.Table: SyncedTable]
    }

    private struct State {
        var opened: Opened?
        var disks: [String: SimulatedDisk] = [:]
        /// Counts the processes that have run.
        var process = 0
        var lastKey = 0
    }

    let number: Int
    private let scheduler: SimulatedScheduler
    private let plan: SyncPlan
    private let servers: [String: SyncServer]
    private let state = Mutex(State())

    init(
        _ number: Int,
        _ scheduler: SimulatedScheduler,
        _ plan: SyncPlan,
        servers: [SyncServer]
    ) {
        (self.number, self.scheduler, self.plan) = (number, scheduler, plan)
        self.servers = Dictionary(uniqueKeysWithValues: servers.map { ($0.user, $0) })
    }

    var opened: Opened? { state.withLock { $0.opened } }

    /// Opens the store of a user; the one before has to be closed, or have crashed.
    func open(user: String?) async throws(RemoteDataError) {
        let process = state.withLock { state in
            state.process += 1
            return state.process
        }
        let disk = try disk(of: user)
        let lane = SimulatedLane(scheduler)
        let clock = SimulatedClock(scheduler: scheduler)
        let surroundings = Surroundings(
            executor: scheduler,
            deadlineClock: clock,
            chance: { [scheduler] in scheduler.chance() },
            makeKey: { [weak self] in self?.makeKey() ?? "" }
        )
        let store = try await disk.open(surroundings) { [scheduler] in
            Date(timeIntervalSince1970: 1_700_000_000 + scheduler.now.seconds)
        } run: { job in
            lane.run(job)
        }
        let isAlive: @Sendable () -> Bool = { [weak self] in
            self?.state.withLock { $0.process == process } ?? false
        }
        var tables: [SyncPlan.Table: SyncedTable] = [:]
        for table in SyncPlan.Table.allCases {
            let remote = user.flatMap { servers[$0] }.map { server in
                MortalTable(
                    base: SimulatedTable(
                        network: server.network(table),
                        capabilities: plan.capabilities,
                        defect: nil
                    ),
                    isAlive: isAlive
                )
            }
            var options = SyncOptions()
            (options.conflicts, options.rate, options.showsRefused) =
                (plan.conflicts, plan.rate, plan.showsRefused)
            if table == .items { options.parent = SyncOptions.Parent("list", in: "lists") }
            tables[table] = try await SyncedTable(table.rawValue, in: store, remote: remote, options: options)
        }
        let opened = Opened(user: user, store: store, tables: tables)
        state.withLock { $0.opened = opened }
    }

    /// Ends the process at once.
    func crash() {
        let opened = state.withLock { state in
            state.process += 1
            return state.opened.take()
        }
        if let opened { try? disk(of: opened.user).crash() }
    }

    private func disk(of user: String?) throws(RemoteDataError) -> SimulatedDisk {
        let known = state.withLock { $0.disks[user ?? ""] }
        if let known { return known }
        let disk = try SimulatedDisk()
        state.withLock { $0.disks[user ?? ""] = disk }
        return disk
    }

    /// Ends the process in good order.
    func close() async {
        let opened = state.withLock { $0.opened.take() }
        await opened?.store.close()
        state.withLock { $0.process += 1 }
        if let opened { try? disk(of: opened.user).crash() }
    }

    private func makeKey() -> String {
        state.withLock { state in
            state.lastKey += 1
            return "key \(number)-\(state.lastKey)"
        }
    }
}

/// Runs jobs one after another in their order, each in its turn among everything else.
private final class SimulatedLane: Sendable {
    private let scheduler: SimulatedScheduler
    private let jobs = Mutex<[@Sendable () -> Void]>([])

    init(_ scheduler: SimulatedScheduler) { self.scheduler = scheduler }

    func run(_ job: @escaping @Sendable () -> Void) {
        jobs.withLock { $0.append(job) }
        scheduler.start { [self] in jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }?() }
    }
}
