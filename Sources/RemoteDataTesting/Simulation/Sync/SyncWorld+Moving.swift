import RemoteData
import RemoteDataSQLite
import Synchronization

// Rows that are moved from one user to another.
extension SyncWorld {
    /// A row that a user sees.
    private struct Seen: Sendable {
        let table: SyncPlan.Table
        let id: RowID
        let mark: String
        /// The mark of the list it belongs to.
        let listMark: String?

        var text: String { "\(mark) in \(table), which belongs to \(listMark ?? "none")" }
    }

    /// Moves what a device has of a user, and looks whether all of it is with one of the two then, whatever it was interrupted by.
    func move(_ number: Int, _ source: String?, _ target: String?, crashAfter steps: Int?) {
        // Nothing comes or goes meanwhile, so that what is seen is what is moved.
        let known = servers.map { ($0, $0.setOffline(true)) }
        defer { for (server, wasOffline) in known { server.setOffline(wasOffline) } }
        let before = (source: seen(number, by: source), target: seen(number, by: target))
        let device = devices[number]
        if let steps {
            scheduler.start { try? await device.move(from: source, to: target) }
            scheduler.runReady(atMost: steps)
            device.crash()
        } else {
            perform("move") { () async throws(RemoteDataError) in
                try await device.move(from: source, to: target)
            }
        }
        let after = (target: seen(number, by: target), source: seen(number, by: source))
        // By their ids: the target has a mark already where a row of it was moved to the source on another device and the server of
        // the target was not told yet.
        let had = Set(before.target.map(\.id))
        let marks = Set(before.source.map(\.mark))
        let arrived = after.target.filter { !had.contains($0.id) && marks.contains($0.mark) }
        let (left, came) = (before.source.map(\.text).sorted(), arrived.map(\.text).sorted())
        guard left == came || (steps != nil && came.isEmpty) else {
            return fail("of \(left) of \(source ?? "nobody"), \(target ?? "nobody") got \(came)")
        }
        let isMoved = !arrived.isEmpty
        let kept = Set(after.source.map(\.id))
        for seen in before.source where kept.contains(seen.id) == isMoved {
            fail("\(seen.mark) in \(seen.table) is with \(isMoved ? "both" : "neither") after a move")
        }
        if isMoved { accept(arrived, number, from: source, target, before.source) }
    }

    /// What was moved was removed by the one and added by the other user.
    private func accept(
        _ arrived: [Seen],
        _ number: Int,
        from source: String?,
        _ target: String?,
        _ left: [Seen]
    ) {
        attach(number, target)
        guard let outbox = devices[number].attached?.store.outbox else { return }
        perform("look") { () async throws(RemoteDataError) in
            let pending = try await outbox.pending()
            for seen in arrived {
                let numbers = pending.filter { $0.table == seen.table.rawValue && $0.row == seen.id }.map(
                    \.id
                )
                if numbers.isEmpty { self.fail("\(seen.mark) was moved and is not to be sent") }
                self.accept(
                    Accepted(
                        mark: seen.mark,
                        user: target ?? "",
                        device: number,
                        table: seen.table,
                        id: seen.id,
                        isRemoval: false,
                        numbers: numbers
                    )
                )
            }
            for old in left {
                self.accept(
                    Accepted(
                        mark: self.nextMark(),
                        user: source ?? "",
                        device: number,
                        table: old.table,
                        id: old.id,
                        isRemoval: true,
                        numbers: []
                    )
                )
            }
        }
    }

    /// What a device shows to a user.
    private func seen(_ number: Int, by user: String?) -> [Seen] {
        attach(number, user)
        let box = SeenBox()
        guard let attached = devices[number].attached else { return [] }
        perform("look") { () async throws(RemoteDataError) in
            var seen: [Seen] = []
            var marks: [RowID: String] = [:]
            for table in [SyncPlan.Table.lists, .items] {
                let rows = try await attached.table(table.rawValue).page(PageRequest(Query(), limit: 1_000))
                    .rows
                for row in rows {
                    guard case .text(let mark) = row["mark"] else { continue }
                    let list = RowID(row["list"]).flatMap { marks[$0] }
                    seen.append(Seen(table: table, id: row.id, mark: mark, listMark: list))
                    if table == .lists { marks[row.id] = mark }
                }
            }
            box.set(seen)
        }
        return box.value
    }

    /// What was seen, noted on the simulation's one thread.
    private final class SeenBox: Sendable {
        private let seen = Mutex<[Seen]>([])

        var value: [Seen] { seen.withLock { $0 } }

        func set(_ new: [Seen]) { seen.withLock { $0 = new } }
    }
}
