import RemoteData
import RemoteDataSQLite

// Rows that are moved from one user to another.
extension SyncWorld {
    /// A row that a user sees.
    private struct Seen: Sendable {
        let table: SyncPlan.Table
        let id: RowID
        let mark: String
        /// The list it belongs to.
        let list: RowID?
        /// The mark of that.
        let listMark: String?

        var text: String { "\(mark) in \(table), which belongs to \(listMark ?? "none")" }
    }

    /// Moves what a device has of a user, and looks whether all of it is with one of the two then.
    func move(_ number: Int, _ source: String?, _ target: String?, crashAfter steps: Int?) {
        // Nothing comes or goes meanwhile, so that what is seen is what is moved.
        let known = servers.map { ($0, $0.setOffline(true)) }
        defer { for (server, wasOffline) in known { server.setOffline(wasOffline) } }
        let before = (source: seen(number, by: source), target: seen(number, by: target))
        let moments = (source: moment(of: source), target: moment(of: target))
        let device = devices[number]
        if let steps {
            scheduler.start { try? await device.move(from: source, to: target) }
            scheduler.runReady(atMost: steps)
            device.crash()
        } else {
            check("move") { () async throws(RemoteDataError) in
                try await device.move(from: source, to: target)
            }
        }
        let after = (target: seen(number, by: target), source: seen(number, by: source))
        // By their ids: the target has a mark already where a row of it was moved to the source on another
        // device and its removal has not been sent yet.
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
        guard isMoved else { return }
        accept(arrived, number, of: target, moments.target)
        acceptRemovals(of: before.source, number, of: source, moments.source)
    }

    /// What was moved was added by the one user.
    private func accept(_ arrived: [Seen], _ number: Int, of user: String?, _ moment: Int) {
        let pending = pending(number, of: user)
        for seen in arrived {
            let numbers = pending.filter { $0.table == seen.table.rawValue && $0.row == seen.id }.map(\.id)
            if numbers.isEmpty { fail("\(seen.mark) was moved and is not to be sent") }
            accept(
                Accepted(
                    mark: seen.mark,
                    user: user ?? "",
                    device: number,
                    table: seen.table,
                    id: seen.id,
                    isRemoval: false,
                    numbers: numbers,
                    list: seen.list,
                    moment: moment
                )
            )
        }
    }

    /// What was moved was removed by the other user.
    private func acceptRemovals(of left: [Seen], _ number: Int, of user: String?, _ moment: Int) {
        let pending = pending(number, of: user).filter { $0.kind == .delete }
        for seen in left {
            accept(
                Accepted(
                    mark: nextMark(),
                    user: user ?? "",
                    device: number,
                    table: seen.table,
                    id: seen.id,
                    isRemoval: true,
                    numbers: pending.filter { $0.table == seen.table.rawValue && $0.row == seen.id }.map(
                        \.id
                    ),
                    list: seen.list,
                    seen: .text(seen.mark),
                    moment: moment
                )
            )
        }
    }

    /// What a device has not sent of a user.
    private func pending(_ number: Int, of user: String?) -> [OutboxItem] {
        attach(number, user)
        guard let outbox = devices[number].attached?.store.outbox else { return [] }
        let box = Box<[OutboxItem]>([])
        check("look") { () async throws(RemoteDataError) in box.value = try await outbox.pending() }
        return box.value
    }

    /// What a device shows to a user.
    private func seen(_ number: Int, by user: String?) -> [Seen] {
        attach(number, user)
        let box = Box<[Seen]>([])
        guard let attached = devices[number].attached else { return [] }
        check("look") { () async throws(RemoteDataError) in
            var seen: [Seen] = []
            var marks: [RowID: String] = [:]
            for table in [SyncPlan.Table.lists, .items] {
                let rows = try await attached.table(table.rawValue).page(PageRequest(Query(), limit: 1_000))
                    .rows
                for row in rows {
                    guard case .text(let mark) = row["mark"] else { continue }
                    let list = RowID(row["list"])
                    let listMark = list.flatMap { marks[$0] }
                    seen.append(Seen(table: table, id: row.id, mark: mark, list: list, listMark: listMark))
                    if table == .lists { marks[row.id] = mark }
                }
            }
            box.value = seen
        }
        return box.value
    }
}
