import RemoteData
import RemoteDataSQLite

/// What one user has on the server: two tables, each behind a network of its own.
final class SyncServer: Sendable {
    let user: String
    private let networks: [SyncPlan.Table: SimulatedNetwork]
    let book: MarkBook
    let items: CurrentTable

    init(user: String, _ plan: SyncPlan, scheduler: SimulatedScheduler) {
        self.user = user
        let book = MarkBook()
        var networks: [SyncPlan.Table: SimulatedNetwork] = [:]
        let epoch = Epoch(rawValue: 1)
        let items = CurrentTable(MemoryTable(SyncPlan.Table.items.rawValue, epoch: epoch))
        for name in SyncPlan.Table.allCases {
            let table = name == .items ? items.table : MemoryTable(name.rawValue, epoch: epoch)
            let server = SimulatedServer(
                table: table,
                ordered: table,
                query: Query(),
                beginning: plan.beginning,
                scheduler: scheduler,
                judge: { [largestCreation = plan.largestCreation] mutation in
                    if case .create(let drafts) = mutation, drafts.count > largestCreation {
                        return RemoteDataError(.tooLarge, "These are too many rows.", status: 413)
                    }
                    return mutation.bodies.contains { $0["isPoisoned"] == true } ? Self.refusal : nil
                },
                observe: { [scheduler] mutation in
                    book.note(mutation)
                    guard plan.cascade == .server, name == .lists, case .delete(let id, _) = mutation else {
                        return
                    }
                    // What belongs to a list goes with it.
                    let filter = Where.comparison(.column("list"), .equal, .literal(id.value))
                    scheduler.start {
                        let page = try? await items.table.page(PageRequest(Query(filter), limit: 1_000))
                        book.noteRemoval(of: page?.rows.map(\.id) ?? [])
                        _ = try? await items.table.commit(.deleteAll(filter))
                    }
                }
            )
            networks[name] = SimulatedNetwork(scheduler: scheduler, server: server)
        }
        (self.networks, self.book, self.items) = (networks, book, items)
    }

    /// What the server answers to a poisoned write.
    static let refusal = RemoteDataError(.rejected, "This row is poisoned.", status: 400)

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

    /// Removes a list with its items as another program does, and brings all of it back.
    ///
    /// - Parameters:
    ///   - pick: Which list.
    ///   - isChanged: Whether the rows have another value in a column.
    /// - Throws: What the tables throw.
    func bringBack(_ pick: Int, isChanged: Bool) async throws(RemoteDataError) {
        let lists = network(.lists).server.table
        let all = try await lists.page(PageRequest(Query(), limit: 1_000)).rows
        guard !all.isEmpty else { return }
        let list = all[pick % all.count]
        let own = try await items.table.page(PageRequest(Query(), limit: 1_000)).rows
            .filter { RowID($0["list"]) == list.id }
        let change = JSONObject.object(of: [JSONObject.Member(name: "n", value: .integer(Int64(-pick)))])
        func restored(_ row: Row) throws(RemoteDataError) -> Draft {
            let json = isChanged ? try JSONObject.merging(change, into: row.json) : row.json
            return try Draft(json, idColumn: "objectId")
        }
        _ = try await lists.commit(.delete(list.id))
        for item in own { _ = try await items.table.commit(.delete(item.id)) }
        book.noteRemoval(of: [list.id] + own.map(\.id))
        _ = try await lists.commit(.upsert([try restored(list)]))
        for item in own { _ = try await items.table.commit(.upsert([try restored(item)])) }
        book.noteReturn(of: [list.id] + own.map(\.id))
    }

    /// How often each marked write was made in one history, at most.
    var made: [String: Int] { book.made }

    /// Whether a write was made without its mark, because another one had changed that.
    func hasMerged(_ write: SyncWorld.Accepted) -> Bool { book.hasMerged(write.n, into: write.id) }

    /// How often each marked write was made since the tables began anew.
    var madeLately: [String: Int] { book.madeLately }

    /// How often a marked write was made whatever the row was.
    func unconditionalCount(_ mark: String) -> Int { book.unconditional[mark] ?? 0 }

    /// Whether a row was ever removed.
    func hasRemoved(_ id: RowID) -> Bool { book.hasRemoved(id) }
}
