import RemoteData
import Synchronization

// A user's tables whose store begins anew.
extension SyncServer {
    /// Begins anew in another epoch with what is kept of its rows; everything under way is cut.
    ///
    /// - Parameters:
    ///   - fates: What becomes of the rows, in turn; items of a list that is lost are lost too.
    ///   - isHigher: Whether the revisions are higher than before; otherwise they are mostly lower.
    /// - Throws: What the tables throw.
    func beginAnew(
        _ fates: [SyncPlan.RowFate],
        withHigherRevisions isHigher: Bool
    ) async throws(RemoteDataError) {
        var lost: Set<RowID> = []
        var changed: Set<RowID> = []
        var count = 0
        for name in [SyncPlan.Table.lists, .items] {
            let server = network(name).server
            let old = server.table
            let epoch = Epoch(rawValue: (old.revision.epoch?.rawValue ?? 0) + 1)
            let new = MemoryTable(name.rawValue, epoch: epoch)
            if isHigher {
                let extra = try Draft(Array(#"{"objectId":"extra"}"#.utf8)[...], idColumn: "objectId")
                while new.revision.rawValue <= old.revision.rawValue + 2 {
                    _ = try await new.commit(.upsert([extra]))
                }
                _ = try await new.commit(.delete("extra"))
            }
            for row in try await old.page(PageRequest(Query(), limit: 1_000)).rows {
                count += 1
                let isOrphan = RowID(row["list"]).map { lost.contains($0) } ?? false
                var json = row.json
                switch isOrphan ? .lost : fates[count % fates.count] {
                case .same: break
                case .changed:
                    let member = JSONObject.Member(name: "n", value: .integer(Int64(-count)))
                    json = try JSONObject.merging(JSONObject.object(of: [member]), into: json)
                    changed.insert(row.id)
                case .lost:
                    lost.insert(row.id)
                    continue
                }
                _ = try await new.commit(.create([try Draft(json, idColumn: "objectId")]))
            }
            if name == .items { items.table = new }
            server.restart(with: new, ordered: new)
            network(name).cutAll()
        }
        book.beginAnew(without: lost, changed)
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
