import Foundation
import RemoteData

// Mutations of a table, or of what a label holds of it.
extension StoreTransaction {
    /// Carries out a write, or answers it again.
    mutating func run(_ write: PendingWrite) throws(RemoteDataError) -> Outcome {
        let name = write.table.name
        if let known = try outcome(of: write) { return known }
        if write.access == nil, let filter = write.mutation.filter, let info = catalog.tables[name],
            info.rows > 0
        {
            try info.columns.check(Query(filter), table: name, idColumn: idColumn)
        }
        let outcome =
            if let label = write.label {
                try run(write, label: label)
            } else {
                try run(write.mutation, write)
            }
        if let info = catalog.tables[name] { try remember(outcome, of: write, info) }
        return outcome
    }

    /// Carries out a mutation of a table.
    ///
    /// - Parameters:
    ///   - mutation: The mutation.
    ///   - write: Whose it is.
    ///   - mark: What is noted of the rows it writes; see ``SQLiteRows/mark``.
    /// - Returns: What was done.
    /// - Throws: `RemoteDataError` when it is refused.
    mutating func run(
        _ mutation: Mutation,
        _ write: PendingWrite,
        mark: RowMark? = nil
    ) throws(RemoteDataError) -> Outcome {
        let name = write.table.name
        var held: [Row] = []
        if case .deleteAll(let filter) = mutation { held = try heldRows(matching: filter, in: name) }
        var rows = SQLiteRows(catalog.tables[name], name: name, idColumn: idColumn, connection)
        rows.mark = mark
        var run = Write(
            tableRevision: catalog.tables[name]?.revision ?? connection.firstRevision,
            lastRevision: catalog.revision,
            idColumn: idColumn,
            filters: mutation.isBulkDeletion ? write.table.hub.filters : [],
            key: write.key,
            access: write.access,
            keepsRemoved: mutation.isBulkDeletion && (write.table.hub.isGuarded || isWatched(name))
        )
        var found: [Row] = []
        if case .deleteAll(let filter) = mutation { found = try loggedRows(matching: filter, in: name) }
        let outcome = try run.run(mutation, rows: write.rows, on: &rows)
        if !run.changes.isEmpty { catalog.revision = run.revision }
        try finish(run.changes, rows.info, name, found: found)
        try followRemoval(of: held, in: name, key: write.key)
        return outcome
    }

    /// Carries out a write of the rows that a label holds: what is created is pinned, and only what is held is changed.
    private mutating func run(_ write: PendingWrite, label: String) throws(RemoteDataError) -> Outcome {
        let name = write.table.name
        let outcome: Outcome
        switch write.mutation {
        case .create, .upsert:
            // Held before they come, they come under the label at the very revision of the write.
            try pin(write.rows.map(\.id), of: name, label: label)
            outcome = try run(write.mutation, write)
        case .update(let id, _, _), .delete(let id, _):
            guard try isHeld(id, of: name, label: label) else {
                // Whoever sees only a part is not told what is held elsewhere.
                let place = write.access == nil ? " under \(label)" : ""
                throw RemoteDataError(.notFound, "There is no row with the id \(id)\(place).")
            }
            outcome = try run(write.mutation, write)
        case .updateAll(let filter, let patch):
            let rows = try rows(matching: filter, in: name, label: label)
            for row in rows { _ = try run(.update(row.id, patch: patch, ifRevision: nil), write) }
            outcome = Outcome(count: rows.count)
        case .deleteAll(let filter): outcome = try removeAll(filter, write, label)
        }
        return Outcome(
            rows: outcome.rows,
            ids: outcome.ids,
            count: outcome.count,
            revision: try labelRevision(of: name, label: label)
        )
    }

    /// Removes the rows that a label holds and that match: for the label at once, for everybody else one by one.
    private mutating func removeAll(
        _ filter: Where?,
        _ write: PendingWrite,
        _ label: String
    ) throws(RemoteDataError) -> Outcome {
        let name = write.table.name
        let rows = try rows(matching: filter, in: name, label: label)
        let kept = try write.access?.keptFilter.map { (filter) throws(RemoteDataError) in
            try self.rows(matching: filter, in: name, label: label)
        }
        let filters = write.table.knownHub(of: label)?.filters ?? []
        silentLabel = label
        for row in rows { _ = try run(.delete(row.id, ifRevision: nil), write) }
        silentLabel = nil
        if !rows.isEmpty, let label = catalog.labels[label] {
            var counts = FilterCounts(filters)
            for row in rows { counts.add(row) }
            try announce(
                .bulkDeleted(filter, count: rows.count, counts: counts.counts),
                in: name,
                label,
                key: write.key,
                removed: BulkRemoval(rows: rows, request: kept?.isEmpty == true ? write.access?.request : nil)
            )
        }
        return Outcome(count: rows.count)
    }
}

// MARK: - Answers

extension StoreTransaction {
    /// What an answer begins with that is a refusal; others are JSON.
    private static let refusalMark = UInt8(ascii: "!")
    private static let outcomeLimit = 10_000
    private static let outcomeAge: Int64 = 24 * 60 * 60 * 1_000

    /// What was answered to a write with the same key; nil when nothing was.
    ///
    /// - Throws: `RemoteDataError` that it was refused with.
    func outcome(of write: PendingWrite) throws(RemoteDataError) -> Outcome? {
        guard let stored = try storedAnswer(to: write) else { return nil }
        if stored.first == Self.refusalMark {
            let text = String(decoding: stored.dropFirst(), as: UTF8.self)
            throw RemoteDataError(stored: text)
                ?? RemoteDataError(.storage, "A stored refusal cannot be read.")
        }
        return try Outcome(stored: stored, idColumn: idColumn, epoch: connection.epoch)
    }

    private func storedAnswer(to write: PendingWrite) throws(RemoteDataError) -> [UInt8]? {
        guard let key = write.key, let info = catalog.tables[write.table.name] else { return nil }
        let stored = try connection.first(
            "SELECT answer,request FROM outcomes WHERE tableNumber = ? AND key = ? AND time > ?",
            [.integer(info.number), .text(key), .integer(milliseconds - Self.outcomeAge)]
        ) { (answer: $0.bytes(0), request: $0.isNull(1) ? nil : UInt64(bitPattern: $0.integer(1))) }
        guard let (answer, request) = stored else { return nil }
        // Those of an older version do not say what they answer.
        guard request == nil || request == write.request else { throw .keyOfAnotherWrite }
        return answer
    }

    func remember(
        _ outcome: Outcome,
        of write: PendingWrite,
        _ info: TableInfo
    ) throws(RemoteDataError) {
        guard write.key != nil else { return }
        try remember(outcome.stored, of: write, info)
    }

    /// Notes why a write was refused, unless there is an answer to its key by now.
    ///
    /// - Returns: Whether there was none.
    func remember(_ refusal: RemoteDataError, of write: PendingWrite) throws(RemoteDataError) -> Bool {
        guard let info = catalog.tables[write.table.name] else { return true }
        guard try storedAnswer(to: write) == nil else { return false }
        try remember([Self.refusalMark] + Array(refusal.stored.utf8), of: write, info)
        return true
    }

    private func remember(
        _ answer: [UInt8],
        of write: PendingWrite,
        _ info: TableInfo
    ) throws(RemoteDataError) {
        guard let key = write.key else { return }
        try connection.run(
            "INSERT OR REPLACE INTO outcomes (tableNumber,key,time,answer,request) VALUES (?,?,?,?,?)",
            [
                .integer(info.number), .text(key), .integer(milliseconds), .blob(answer),
                write.request.map { .integer(Int64(bitPattern: $0)) } ?? .null,
            ]
        )
        // The oldest come first, so looking at a few each time is enough to drop all that are too many or too
        // old.
        try connection.run(
            """
            DELETE FROM outcomes WHERE number IN (SELECT number FROM outcomes ORDER BY number LIMIT 8)
            AND (time <= ? OR number <= (SELECT max(number) FROM outcomes) - ?)
            """,
            [.integer(milliseconds - Self.outcomeAge), Binding(Self.outcomeLimit)]
        )
    }

    /// The time, since 1970.
    var milliseconds: Int64 { Int64(now.timeIntervalSince1970 * 1_000) }
}
