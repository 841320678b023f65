import RemoteData
import Synchronization

/// What one user has on the server: two tables, each behind a network of its own.
final class SyncServer: Sendable {
    let user: String
    private let networks: [SyncPlan.Table: SimulatedNetwork]
    private let book: MarkBook

    init(user: String, scheduler: SimulatedScheduler) {
        self.user = user
        let book = MarkBook()
        var networks: [SyncPlan.Table: SimulatedNetwork] = [:]
        let items = MemoryTable(SyncPlan.Table.items.rawValue)
        for name in SyncPlan.Table.allCases {
            let table = name == .items ? items : MemoryTable(name.rawValue)
            let server = SimulatedServer(
                table: table,
                ordered: table,
                query: Query(),
                scheduler: scheduler,
                judge: { mutation in
                    mutation.bodies.contains { $0["isPoisoned"] == true }
                        ? RemoteDataError(.rejected, "This row is poisoned.", status: 400) : nil
                },
                observe: { [scheduler] mutation in
                    book.note(mutation)
                    guard name == .lists, case .delete(let id, _) = mutation else { return }
                    // What belongs to a list goes with it.
                    let filter = Where.comparison(.column("list"), .equal, .literal(id.value))
                    scheduler.start {
                        let page = try? await items.page(PageRequest(Query(filter), limit: 1_000))
                        book.noteRemoval(of: page?.rows.map(\.id) ?? [])
                        _ = try? await items.commit(.deleteAll(filter))
                    }
                }
            )
            networks[name] = SimulatedNetwork(scheduler: scheduler, server: server)
        }
        (self.networks, self.book) = (networks, book)
    }

    func network(_ table: SyncPlan.Table) -> SimulatedNetwork {
        guard let network = networks[table] else { preconditionFailure("There are two tables.") }
        return network
    }

    /// Takes its network away, with all that is under way, or gives it back.
    ///
    /// - Returns: Whether it was there.
    @discardableResult
    func setOffline(_ isOffline: Bool) -> Bool {
        var wasOffline = false
        for network in networks.sorted(by: { $0.key.rawValue < $1.key.rawValue }).map(\.value) {
            network.change { faults in
                wasOffline = faults.isOffline
                faults.isOffline = isOffline
            }
            if isOffline { network.cutAll() }
        }
        return wasOffline
    }

    /// How often each marked write was made.
    var made: [String: Int] { book.made }

    /// How often a marked write was made whatever the row was.
    func unconditionalCount(_ mark: String) -> Int { book.unconditional[mark] ?? 0 }

    /// Whether a row was ever removed.
    func hasRemoved(_ id: RowID) -> Bool { book.hasRemoved(id) }
}

/// What a server was seen to do.
private final class MarkBook: Sendable {
    private struct State {
        var made: [String: Int] = [:]
        var unconditional: [String: Int] = [:]
        var removed: Set<RowID> = []
    }

    private let state = Mutex(State())

    var made: [String: Int] { state.withLock { $0.made } }
    var unconditional: [String: Int] { state.withLock { $0.unconditional } }

    func hasRemoved(_ id: RowID) -> Bool { state.withLock { $0.removed.contains(id) } }

    func noteRemoval(of ids: [RowID]) { state.withLock { $0.removed.formUnion(ids) } }

    func note(_ mutation: Mutation) {
        state.withLock { state in
            for body in mutation.bodies {
                guard case .text(let mark) = body["mark"] else { continue }
                state.made[mark, default: 0] += 1
                if !mutation.isConditional { state.unconditional[mark, default: 0] += 1 }
            }
            if case .delete(let id, _) = mutation { state.removed.insert(id) }
        }
    }
}

extension Mutation {
    fileprivate var isConditional: Bool {
        switch self {
        case .update(_, _, let revision), .delete(_, let revision): revision != nil
        case .create, .upsert, .updateAll, .deleteAll: false
        }
    }

    /// The rows and patches of a write, as if they were rows.
    fileprivate var bodies: [Row] {
        switch self {
        case .create(let drafts), .upsert(let drafts): drafts.map { Row(id: "", json: $0.json) }
        case .update(_, let patch, _), .updateAll(_, let patch): [Row(id: "", json: patch)]
        case .delete, .deleteAll: []
        }
    }
}
