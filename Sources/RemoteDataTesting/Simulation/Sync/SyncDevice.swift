import Foundation
import RemoteData
import RemoteDataExecution
import RemoteDataSQLite
import Synchronization

/// A device with a store for each user, of which one is attached.
final class SyncDevice: Sendable {
    private struct State {
        var process: SimulatedProcess?
        var stores: UserStores?
        var attached: UserStore?
        /// Whether another user is being attached.
        var isSwitching = false
        var strangers: [String] = []
        var forbidden: Set<RowID> = []
        var lastKey = 0
        var lastID = 0
    }

    let number: Int
    private let scheduler: SimulatedScheduler
    private let plan: SyncPlan
    private let defect: SyncDefect?
    private let servers: [String: SyncServer]
    private let disks = SimulatedDisks()
    private let state = Mutex(State())

    init(
        _ number: Int,
        _ scheduler: SimulatedScheduler,
        _ plan: SyncPlan,
        servers: [SyncServer],
        defect: SyncDefect? = nil
    ) {
        (self.number, self.scheduler, self.plan, self.defect) = (number, scheduler, plan, defect)
        self.servers = Dictionary(uniqueKeysWithValues: servers.map { ($0.user, $0) })
    }

    /// The store of who is attached; nil while the program does not run.
    var attached: UserStore? { state.withLock { $0.attached } }

    /// The requests of users who were no longer attached.
    var strangers: [String] { state.withLock { $0.strangers } }

    /// Whether a server has refused to show a row.
    func wasForbidden(_ id: RowID) -> Bool { state.withLock { $0.forbidden.contains(id) } }

    /// Has a user be there, or nobody; starts the program if it does not run.
    func attach(_ user: String?) async throws(RemoteDataError) {
        let stores = start()
        state.withLock { $0.isSwitching = true }
        defer { state.withLock { $0.isSwitching = false } }
        let attached =
            if let user { try await stores.attach(user: user) } else { try await stores.detach() }
        state.withLock { $0.attached = attached }
    }

    private func note(_ request: String, of user: String) {
        state.withLock { state in
            guard !state.isSwitching, let attached = state.attached, attached.user != user else { return }
            state.strangers.append("\(user) sent a \(request) with \(attached.user ?? "nobody") attached")
        }
    }

    /// Moves the rows of one user, or of nobody, to another one.
    func move(from source: String?, to target: String?) async throws(RemoteDataError) {
        _ = try await start().move(from: source, to: target)
    }

    /// Ends the program at once.
    func crash() {
        // The tables go in the same order in every process, unlike those of a dictionary.
        var (process, tables) = state.withLock { state in
            defer { (state.stores, state.attached) = (nil, nil) }
            let tables = (state.attached?.tables ?? [:]).sorted { $0.key > $1.key }.map(\.value)
            return (state.process.take(), tables)
        }
        process.take()?.crash()
        while !tables.isEmpty { tables.removeLast() }
    }

    /// Ends the program in good order.
    func close() async {
        await state.withLock { $0.stores }?.close()
        crash()
    }

    private func start() -> UserStores {
        if let known = state.withLock({ $0.stores }) { return known }
        let process = SimulatedProcess(
            Surroundings(
                executor: scheduler,
                deadlineClock: SimulatedClock(scheduler: scheduler),
                chance: { [scheduler] in scheduler.chance() },
                makeKey: { [weak self] in self?.makeKey() ?? "" }
            ),
            now: { [scheduler] in Date(timeIntervalSince1970: 1_700_000_000 + scheduler.now.seconds) }
        ) { [scheduler] in
            let lane = SimulatedLane(scheduler)
            return { lane.run($0) }
        }
        let (servers, capabilities, defect) = (servers, plan.capabilities, defect)
        let stores = disks.stores(of: process, tables: tables) { [weak self] in
            self?.makeID() ?? .integer(0)
        } remote: { table, user in
            guard let server = servers[user], let table = SyncPlan.Table(rawValue: table) else { return nil }
            let network = server.network(table)
            return DeviceTable(
                base: SimulatedTable(
                    network: network,
                    capabilities: capabilities,
                    defect: defect?.ofTable,
                    isAlive: { process.isAlive }
                ),
                defect: defect,
                note: { [weak self] request in
                    if process.isAlive { self?.note("\(request) of \(table)", of: user) }
                },
                noteForbidden: { [weak self] id in self?.state.withLock { _ = $0.forbidden.insert(id) } }
            )
        }
        state.withLock { ($0.process, $0.stores) = (process, stores) }
        return stores
    }

    private var tables: [String: SyncOptions] {
        var tables: [String: SyncOptions] = [:]
        for table in SyncPlan.Table.allCases {
            var options = SyncOptions()
            (options.conflicts, options.rate, options.showsRefused) =
                (plan.conflicts, plan.rate, plan.showsRefused)
            if table == .items {
                options.parent = SyncOptions.Parent("list", in: "lists", cascade: plan.cascade)
            }
            tables[table.rawValue] = options
        }
        return tables
    }

    private func makeKey() -> String {
        state.withLock { state in
            state.lastKey += 1
            return "key \(number)-\(state.lastKey)"
        }
    }

    /// Ids of moved rows: random ones in the eyes of the library, and others than those of ``SyncWorld``.
    private func makeID() -> RowID {
        state.withLock { state in
            state.lastID += 1
            let digits = String(state.lastID)
            let zeros = String(repeating: "0", count: 12 - digits.count)
            return .text("0000000\(number + 1)-0000-4000-8000-\(zeros)\(digits)")
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
