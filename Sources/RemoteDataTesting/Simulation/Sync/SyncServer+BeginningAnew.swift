import RemoteData
import Synchronization

// A user's tables whose store begins anew.
extension SyncServer {
    /// Begins anew with what is kept of its rows; everything under way is cut.
    ///
    /// In the same epoch it does so only where the revisions are lower, and those of a table that is there.
    ///
    /// - Parameters:
    ///   - fates: What becomes of the rows, in turn; items of a list that is lost are lost too.
    ///   - history: The revisions.
    /// - Throws: What the tables throw.
    func beginAnew(
        _ fates: [SyncPlan.RowFate],
        _ history: SyncPlan.NewHistory
    ) async throws(RemoteDataError) {
        var changes = Changes()
        for name in [SyncPlan.Table.lists, .items] {
            let server = network(name).server
            let old = server.table
            let (new, made) = try await renewed(old, name, fates, history, since: changes)
            let isLower = new.revision > .zero && new.revision < old.revision
            guard history != .sameEpoch || isLower else { continue }
            changes = made
            if name == .items { items.table = new }
            server.restart(with: new, ordered: new)
            network(name).cutAll()
            // Also what was written while the rows were copied is gone.
            let kept = Set(try await new.page(PageRequest(Query(), limit: 1_000)).rows.map(\.id))
            let former = try await old.page(PageRequest(Query(), limit: 1_000)).rows.map(\.id)
            book.noteRemoval(of: former.filter { !kept.contains($0) })
        }
        book.beginAnew(without: changes.lost, changes.changed)
    }

    /// What has become of rows.
    private struct Changes {
        var lost: Set<RowID> = []
        var changed: Set<RowID> = []
        var count = 0
    }

    private func renewed(
        _ old: MemoryTable,
        _ name: SyncPlan.Table,
        _ fates: [SyncPlan.RowFate],
        _ history: SyncPlan.NewHistory,
        since before: Changes
    ) async throws(RemoteDataError) -> (MemoryTable, Changes) {
        var changes = before
        let former = old.revision.epoch
        let epoch = history == .sameEpoch ? former : Epoch(rawValue: (former?.rawValue ?? 0) + 1)
        let new = MemoryTable(name.rawValue, epoch: epoch)
        if history == .higher {
            let extra = try Draft(Array(#"{"objectId":"extra"}"#.utf8)[...], idColumn: "objectId")
            while new.revision.rawValue <= old.revision.rawValue + 2 {
                _ = try await new.commit(.upsert([extra]))
            }
            _ = try await new.commit(.delete("extra"))
        }
        for row in try await old.page(PageRequest(Query(), limit: 1_000)).rows {
            changes.count += 1
            let isOrphan = RowID(row["list"]).map { changes.lost.contains($0) } ?? false
            var json = row.json
            switch isOrphan ? .lost : fates[changes.count % fates.count] {
            case .same: break
            case .changed:
                let member = JSONObject.Member(name: "n", value: .integer(Int64(-changes.count)))
                json = try JSONObject.merging(JSONObject.object(of: [member]), into: json)
                changes.changed.insert(row.id)
            case .lost:
                changes.lost.insert(row.id)
                continue
            }
            _ = try await new.commit(.create([try Draft(json, idColumn: "objectId")]))
        }
        return (new, changes)
    }
}

/// The table that a server has at the moment.
final class CurrentTable: Sendable {
    private let current: Mutex<MemoryTable>

    init(_ table: MemoryTable) { current = Mutex(table) }

    var table: MemoryTable {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }
}
