import RemoteData
import RemoteDataSQLite
import Synchronization

// Rows that are moved from one user to another.
extension SyncWorld {
    /// A row that a user sees.
    private struct Seen: Sendable {
        let table: SyncPlan.Table
        let row: Row
        let mark: String
        /// The mark of the list it belongs to.
        var listMark: String?
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
        let arrived = after.target.filter { mark, _ in
            before.source[mark] != nil && before.target[mark] == nil
        }
        let count = before.source.keys.count { before.target[$0] == nil }
        guard arrived.count == count || (steps != nil && arrived.isEmpty) else {
            let names = (source ?? "nobody", target ?? "nobody")
            return fail("of \(count) rows of \(names.0), \(names.1) got \(arrived.count)")
        }
        let isMoved = !arrived.isEmpty
        for (mark, seen) in before.source where (after.source[mark] == nil) != isMoved {
            fail("\(mark) in \(seen.table) is with \(isMoved ? "both" : "neither") after a move")
        }
        for (mark, seen) in arrived where seen.listMark != before.source[mark]?.listMark {
            let list = before.source[mark]?.listMark ?? "no list"
            fail("\(mark) belonged to \(list), not \(seen.listMark ?? "none")")
        }
        if isMoved { accept(arrived, number, from: source, target, before.source) }
    }

    /// What was moved was removed by the one and added by the other user.
    private func accept(
        _ arrived: [String: Seen],
        _ number: Int,
        from source: String?,
        _ target: String?,
        _ before: [String: Seen]
    ) {
        attach(number, target)
        guard let outbox = devices[number].attached?.store.outbox else { return }
        perform("look") { () async throws(RemoteDataError) in
            let pending = try await outbox.pending()
            for (mark, seen) in arrived.sorted(by: { $0.key < $1.key }) {
                let numbers = pending.filter { $0.table == seen.table.rawValue && $0.row == seen.row.id }.map(
                    \.id
                )
                if numbers.isEmpty { self.fail("\(mark) was moved and is not to be sent") }
                self.accept(
                    Accepted(
                        mark: mark,
                        user: target ?? "",
                        device: number,
                        table: seen.table,
                        id: seen.row.id,
                        isRemoval: false,
                        numbers: numbers
                    )
                )
                guard let old = before[mark] else { continue }
                self.accept(
                    Accepted(
                        mark: self.nextMark(),
                        user: source ?? "",
                        device: number,
                        table: old.table,
                        id: old.row.id,
                        isRemoval: true,
                        numbers: []
                    )
                )
            }
        }
    }

    /// What a device shows to a user, by its marks.
    private func seen(_ number: Int, by user: String?) -> [String: Seen] {
        attach(number, user)
        let box = SeenBox()
        guard let attached = devices[number].attached else { return [:] }
        perform("look") { () async throws(RemoteDataError) in
            var seen: [String: Seen] = [:]
            var marks: [RowID: String] = [:]
            for table in [SyncPlan.Table.lists, .items] {
                let rows = try await attached.table(table.rawValue).page(PageRequest(Query(), limit: 1_000))
                    .rows
                for row in rows {
                    guard case .text(let mark) = row["mark"] else { continue }
                    let list = RowID(row["list"]).flatMap { marks[$0] }
                    seen[mark] = Seen(table: table, row: row, mark: mark, listMark: list)
                    if table == .lists { marks[row.id] = mark }
                }
            }
            box.set(seen)
        }
        return box.value
    }

    /// What was seen, noted on the simulation's one thread.
    private final class SeenBox: Sendable {
        private let seen = Mutex<[String: Seen]>([:])

        var value: [String: Seen] { seen.withLock { $0 } }

        func set(_ new: [String: Seen]) { seen.withLock { $0 = new } }
    }
}
