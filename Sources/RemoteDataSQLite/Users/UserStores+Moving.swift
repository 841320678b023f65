import Foundation
import RemoteData

// Moving rows between two files, which cannot be written in one transaction.
//
// The source notes a token; the target takes the rows and notes the token in one transaction; the source removes its rows and the
// token in another one. Whoever finds a token in a source asks the target whether it has come, and goes on from there.
extension UserStores {
    func move(_ source: UserStore, to target: UserStore) async throws(RemoteDataError) -> Int {
        let token = UUID().uuidString
        let names = parentsFirst
        let user = target.user
        let moved = try await source.store.core.writer.change { (transaction) throws(RemoteDataError) in
            try transaction.connection.set("moving", Moving(token: token, user: user).text)
            return try transaction.rowsToMove(of: names)
        }
        let (makeID, tables) = (options.makeID, tables)
        let states = try names.map { (name) throws(RemoteDataError) in
            (name, try target.store.core.tables.make(name), target.store.outboxCore.remote(name))
        }
        let count = try await target.store.core.writer.change { (transaction) throws(RemoteDataError) in
            try transaction.connection.set("moved \(token)", "1")
            return try transaction.add(moved, to: states, tables, makeID)
        }
        try await removeMoved(from: source, token, target)
        return count
    }

    /// Finishes what was interrupted, or forgets it when nothing has arrived.
    func finishMove(from source: UserStore) async throws(RemoteDataError) {
        let setting = try await source.store.core.read { (connection) throws(RemoteDataError) in
            try connection.setting("moving")
        }
        guard let moving = setting.flatMap({ Moving($0) }) else { return }
        let target = try await makeStore(moving.user, isConnected: false)
        do throws(RemoteDataError) {
            let hasArrived = try await target.store.core.read { (connection) throws(RemoteDataError) in
                try connection.setting("moved \(moving.token)") != nil
            }
            if hasArrived {
                try await removeMoved(from: source, moving.token, target)
            } else {
                try await source.store.core.writer.change { (transaction) throws(RemoteDataError) in
                    try transaction.connection.set("moving", nil)
                }
            }
            await target.store.close()
        } catch {
            await target.store.close()
            throw error
        }
    }

    private func removeMoved(
        from source: UserStore,
        _ token: String,
        _ target: UserStore
    ) async throws(RemoteDataError) {
        let states = try parentsFirst.map { (name) throws(RemoteDataError) in
            try source.store.core.tables.make(name)
        }
        try await source.store.core.writer.change { (transaction) throws(RemoteDataError) in
            for table in states {
                let write = PendingWrite(table: table, mutation: .deleteAll(nil), rows: [], key: nil)
                _ = try transaction.queue(write)
            }
            try transaction.connection.set("moving", nil)
        }
        // The token is of no more use; should this fail, it does no harm.
        try? await target.store.core.writer.change { (transaction) throws(RemoteDataError) in
            try transaction.connection.set("moved \(token)", nil)
        }
    }

    /// The tables, each after the one its rows belong to.
    private var parentsFirst: [String] {
        var order: [String] = []
        func add(_ name: String, _ path: Set<String>) {
            guard tables[name] != nil, !order.contains(name), !path.contains(name) else { return }
            if let parent = tables[name]?.parent?.table { add(parent, path.union([name])) }
            order.append(name)
        }
        for name in tables.keys.sorted() { add(name, []) }
        return order
    }
}

/// What a file notes while its rows are moved.
private struct Moving: Sendable {
    let token: String
    let user: String?

    init(token: String, user: String?) { (self.token, self.user) = (token, user) }

    init?(_ text: String) {
        let parts = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
        guard let token = parts.first else { return nil }
        self.token = String(token)
        user = parts.count > 1 ? String(parts[1]) : nil
    }

    var text: String { user.map { "\(token)\n\($0)" } ?? token }
}

/// A row on its way to another user.
private struct MovedRow: Sendable {
    let row: Row
    /// Whether a server has, or may have, a row with this id.
    let isKnown: Bool
}

extension StoreTransaction {
    /// Every row of some tables as it is seen here.
    fileprivate func rowsToMove(of names: [String]) throws(RemoteDataError) -> [String: [MovedRow]] {
        var moved: [String: [MovedRow]] = [:]
        for name in names {
            guard let info = catalog.tables[name] else { continue }
            try connection.query(
                """
                SELECT t.id, t.json, ifnull(t.used, 0) NOT IN (0, -2)
                    OR EXISTS (SELECT 1 FROM bases AS b WHERE b.tableNumber = ?1 AND b.id = t.id AND b.json IS NOT NULL)
                    OR EXISTS (SELECT 1 FROM outbox AS o WHERE o.tableNumber = ?1 AND o.id = t.id AND o.attempts > 0)
                FROM t\(info.number) AS t ORDER BY t.id
                """,
                [.integer(info.number)]
            ) { row in
                moved[name, default: []]
                    .append(
                        MovedRow(
                            row: Row(id: row.id(0), json: row.bytes(1)[...]),
                            isKnown: row.integer(2) != 0
                        )
                    )
            }
        }
        return moved
    }

    /// Adds rows that come from another user, as if they were written here.
    ///
    /// - Returns: How many.
    fileprivate mutating func add(
        _ moved: [String: [MovedRow]],
        to tables: [(name: String, state: TableState, remote: (any Table)?)],
        _ options: [String: SyncOptions],
        _ makeID: () -> RowID
    ) throws(RemoteDataError) -> Int {
        var renamed: [RowPlace: RowID] = [:]
        for (name, _, remote) in tables {
            for row in moved[name] ?? [] {
                let place = RowPlace(table: name, id: row.row.id)
                let isTaken = try self.row(place) != nil
                let isBased = try base(of: place) != nil
                // An id that was made before the server's table was known.
                let made = row.row.id.isUUID ? remote?.makeRowID() : nil
                if row.isKnown || isTaken || isBased || made != nil {
                    renamed[place] = made ?? remote?.makeRowID() ?? makeID()
                }
            }
        }
        var count = 0
        for (name, state, remote) in tables {
            let parent = options[name]?.parent
            var columns = (options[name]?.references ?? []).map { ($0.column, $0.table) }
            if let parent { columns.append((parent.column, parent.table)) }
            var drafts: [Draft] = []
            for row in rowsInOrder(moved[name] ?? [], parent, in: name) {
                var json = row.json
                for (column, table) in columns where column.names.count == 1 {
                    json = try json.renaming(in: column.names[0]) { renamed[RowPlace(table: table, id: $0)] }
                }
                json = try json.renaming(in: idColumn) { renamed[RowPlace(table: name, id: $0)] }
                drafts.append(try Draft(json, idColumn: idColumn))
            }
            let mutation = Mutation.create(drafts)
            let rows = try mutation.rows(idColumn: idColumn, makeID: { remote?.makeRowID() ?? makeID() })
            _ = try queue(PendingWrite(table: state, mutation: mutation, rows: rows, key: nil))
            count += rows.count
        }
        return count
    }

    /// Rows of one table, those that others of the same table belong to before them.
    private func rowsInOrder(
        _ rows: [MovedRow],
        _ parent: SyncOptions.Parent?,
        in table: String
    ) -> [Row] {
        let rows = rows.map(\.row)
        guard let parent, parent.table == table else { return rows }
        let byID = Dictionary(rows.map { ($0.id, $0) }) { first, _ in first }
        var (order, seen) = ([Row](), Set<RowID>())
        for row in rows {
            var path: [Row] = []
            var next: Row? = row
            while let current = next, seen.insert(current.id).inserted {
                path.append(current)
                next = RowID(current[parent.column]).flatMap { byID[$0] }
            }
            order += path.reversed()
        }
        return order
    }
}

extension RowID {
    /// Whether it is text in the form of a UUID.
    fileprivate var isUUID: Bool {
        if case .text(let text) = self { UUID(uuidString: text) != nil } else { false }
    }
}
