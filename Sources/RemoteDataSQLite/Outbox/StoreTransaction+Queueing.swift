import RemoteData

// Writes that are made here and travel to a server when they can: each is in the outbox by the same transaction.
extension StoreTransaction {
    /// What came of a write.
    struct Queued: Sendable {
        var outcome: Outcome
        /// The numbers of the writes by which the server learns of it, in the order of the rows.
        var numbers: [Int64] = []
    }

    /// Carries out a write and queues what it does to each row.
    mutating func queue(_ write: PendingWrite) throws(RemoteDataError) -> Queued {
        let name = write.table.name
        if let known = try outcome(of: write) { return Queued(outcome: known) }
        var write = write
        if write.access == nil, let filter = write.mutation.filter, let info = catalog.tables[name],
            info.rows > 0
        {
            try info.columns.check(Query(filter), table: name, idColumn: idColumn)
        }
        switch write.mutation {
        case .update(let id, let patch, let revision):
            write.mutation = .update(try currentID(of: id, in: name), patch: patch, ifRevision: revision)
        case .delete(let id, let revision):
            write.mutation = .delete(try currentID(of: id, in: name), ifRevision: revision)
        case .create, .upsert, .updateAll, .deleteAll: break
        }
        let queued = try queueEach(write)
        if let info = catalog.tables[name] { try remember(queued.outcome, of: write, info) }
        return queued
    }

    private mutating func queueEach(_ write: PendingWrite) throws(RemoteDataError) -> Queued {
        let name = write.table.name
        switch write.mutation {
        case .create:
            let outcome = try run(write.mutation, write, mark: .pending)
            var queued = Queued(outcome: outcome)
            for row in outcome.rows {
                queued.numbers += try enqueue(QueuedChange(.create, row.json), name, before: nil, after: row)
            }
            return queued
        case .upsert:
            var known: [RowID: SQLiteRows.Known] = [:]
            for row in write.rows { known[row.id] = try self.known(row.id, in: name) }
            let outcome = try run(write.mutation, write, mark: .pending)
            var queued = Queued(outcome: outcome)
            for row in outcome.rows {
                let change = QueuedChange(.upsert, row.json)
                queued.numbers += try enqueue(change, name, before: known[row.id], after: row)
            }
            return queued
        case .update(let id, let patch, _):
            let known = try known(id, in: name)
            let outcome = try run(write.mutation, write, mark: .pending)
            let change = QueuedChange(.update, patch)
            let numbers = try enqueue(change, name, before: known, after: outcome.rows.first)
            return Queued(outcome: outcome, numbers: numbers)
        case .delete(let id, _):
            let known = try known(id, in: name)
            if known == nil, write.isBlind { return try queueRemoval(of: id, in: name) }
            let outcome = try run(write.mutation, write)
            let numbers = try enqueue(QueuedChange(.delete), name, before: known, after: nil)
            return Queued(outcome: outcome, numbers: numbers)
        case .updateAll(let filter, let patch):
            return try queueEach(filter, write) { .update($0, patch: patch) }
        case .deleteAll(let filter): return try queueEach(filter, write) { .delete($0) }
        }
    }

    /// Queues the removal of a row that is not here, and may be on the server.
    private mutating func queueRemoval(of id: RowID, in table: String) throws(RemoteDataError) -> Queued {
        _ = try self.table(table)
        let place = RowPlace(table: table, id: id)
        let outcome = Outcome(ids: [id], count: 0)
        if let last = try entries(of: place).last {
            // It was removed here before, or what was to make it was refused.
            guard last.change.kind != .delete else { return Queued(outcome: outcome, numbers: [last.number]) }
        }
        let number = try insert(QueuedChange(.delete), of: place, parent: nil)
        try findBlocker(of: number)
        outboxNews.hasWork = true
        return Queued(outcome: outcome, numbers: [number])
    }

    /// Carries out a write of each row that matches.
    private mutating func queueEach(
        _ filter: Where?,
        _ write: PendingWrite,
        _ mutation: (RowID) -> Mutation
    ) throws(RemoteDataError) -> Queued {
        let name = write.table.name
        let rows = try SQLiteRows(catalog.tables[name], name: name, idColumn: idColumn, connection)
            .rows(matching: filter, and: nil)
        var queued = Queued(outcome: Outcome(count: rows.count, revision: catalog.tables[name]?.revision))
        for row in rows where try known(row.id, in: name) != nil {
            var one = write
            one.mutation = mutation(row.id)
            queued.numbers += try queueEach(one).numbers
        }
        queued.outcome = Outcome(count: rows.count, revision: catalog.tables[name]?.revision)
        return queued
    }

    /// The row with an id and where it comes from.
    func known(_ id: RowID, in table: String) throws(RemoteDataError) -> SQLiteRows.Known? {
        guard let info = catalog.tables[table] else { return nil }
        return try SQLiteRows(info, name: table, idColumn: idColumn, connection).known(id)
    }

    /// Queues what was done to a row.
    ///
    /// - Returns: The number of the write that does it on the server; empty when there is nothing to be done there.
    mutating func enqueue(
        _ change: QueuedChange,
        _ table: String,
        before: SQLiteRows.Known?,
        after: Row?
    ) throws(RemoteDataError) -> [Int64] {
        guard let id = after?.id ?? before?.row.id else { return [] }
        let place = RowPlace(table: table, id: id)
        let parent = rules.parent(of: after ?? before?.row, in: table)
        let last = try before?.mark == .pending || before == nil ? entries(of: place).last : nil
        var number: Int64?
        if let last, last.state == .queued, last.attempts == 0 {
            number = try fold(change, into: last, place, parent)
        } else if let change = try begin(change, place, before: before, after: after, isFirst: last == nil) {
            number = try insert(change, of: place, parent: parent)
        }
        if change.kind == .delete {
            try removeChildren(of: place, with: number)
        } else if parent != nil, let after {
            try hideBelowRefused(after, at: place)
        }
        // Most writes are the only one of a row that belongs to none, so that nothing can come before them.
        var isFree = last == nil && parent == nil && change.kind != .delete
        if isFree, before == nil { isFree = try base(of: place)?.hiddenBy == nil }
        if let number, !isFree { try findBlocker(of: number) }
        outboxNews.hasWork = true
        return number.map { [$0] } ?? []
    }

    /// Notes what the server has of a row that was changed here.
    ///
    /// - Returns: What is to be done on the server; nil for nothing.
    private func begin(
        _ change: QueuedChange,
        _ place: RowPlace,
        before: SQLiteRows.Known?,
        after: Row?,
        isFirst: Bool
    ) throws(RemoteDataError) -> QueuedChange? {
        guard isFirst, let before else { return change }
        // What was only ever here, the server has to be told of whole, or not at all.
        if before.mark == .own { return after.map { QueuedChange(.upsert, $0.json) } }
        if before.mark != .pending {
            try setBase(Base(json: before.row.json, version: before.version, mark: before.mark), of: place)
        }
        return change
    }

    /// Makes one write of two.
    ///
    /// - Returns: The number of what is left of them; nil for nothing.
    private mutating func fold(
        _ change: QueuedChange,
        into entry: OutboxEntry,
        _ place: RowPlace,
        _ parent: RowPlace?
    ) throws(RemoteDataError) -> Int64? {
        // The server is not asked to remove it any more, nor what belongs to it.
        if entry.change.kind == .delete { try showChildren(hiddenBy: entry.number) }
        guard let both = try entry.change.followed(by: change) else {
            try end(entry, .acknowledged)
            return nil
        }
        let parentTable = parent.flatMap { catalog.tables[$0.table]?.number }
        try connection.run(
            "UPDATE outbox SET kind = ?, body = ?, parentTable = ?, parent = ? WHERE number = ?",
            [
                .integer(both.kind.rawValue), .utf8(both.body), parentTable.map { .integer($0) } ?? .null,
                parentTable == nil ? .null : parent.map { Binding($0.id) } ?? .null, .integer(entry.number),
            ]
        )
        return entry.number
    }

    // MARK: Order

    /// Has a write wait for the one that has to be done before it, if there is one.
    func findBlocker(of number: Int64) throws(RemoteDataError) {
        guard let entry = try entry(number) else { return }
        let blocker = try blocker(of: entry)
        guard blocker != entry.waitsFor else { return }
        try connection.run(
            "UPDATE outbox SET waitsFor = ? WHERE number = ?",
            [blocker.map { .integer($0) } ?? .null, .integer(number)]
        )
    }

    /// What has to be done before a write.
    ///
    /// That is an earlier one of the row, or a later one that may have been made, since this one is sent once
    /// more; the creation of the row it belongs to; what is under way of the rows that go with it; the
    /// removal that its row goes with.
    private func blocker(of entry: OutboxEntry) throws(RemoteDataError) -> Int64? {
        guard let table = catalog.tables[entry.table] else { return nil }
        let place: [Binding] = [.integer(table.number), Binding(entry.id)]
        let found = try connection.first(
            """
            SELECT max(
                ifnull((SELECT max(number) FROM outbox WHERE tableNumber = ?1 AND id = ?2 AND number < ?3
                    AND (state < 2 OR (state = 2 AND kind <= 2))), 0),
                ifnull((SELECT max(number) FROM outbox WHERE tableNumber = ?1 AND id = ?2 AND number > ?3
                    AND (state = 1 OR (state = 0 AND attempts > 0))), 0),
                ifnull((SELECT max(parents.number) FROM outbox AS child JOIN outbox AS parents
                    ON parents.tableNumber = child.parentTable AND parents.id = child.parent
                    WHERE child.number = ?3 AND parents.state < 3 AND parents.kind <= 2), 0),
                ifnull((SELECT hiddenBy FROM bases WHERE tableNumber = ?1 AND id = ?2), 0),
                CASE WHEN ?4 THEN ifnull((SELECT max(number) FROM outbox
                    WHERE parentTable = ?1 AND parent = ?2 AND state = 1), 0) ELSE 0 END)
            """,
            place + [.integer(entry.number), .integer(entry.change.kind == .delete ? 1 : 0)]
        ) { $0.integer(0) }
        guard let found, found > 0, try !waits(found, for: entry.number) else { return nil }
        return found
    }

    /// Whether a write waits for another one, over others.
    private func waits(_ number: Int64, for other: Int64) throws(RemoteDataError) -> Bool {
        var next = number
        for _ in 0..<100 {
            if next == other { return true }
            let found = try connection.first(
                "SELECT waitsFor FROM outbox WHERE number = ? AND waitsFor IS NOT NULL",
                [.integer(next)]
            ) { $0.integer(0) }
            guard let found else { return false }
            next = found
        }
        return true
    }

    /// Lets go on what waited for a write.
    mutating func unblock(_ number: Int64) throws(RemoteDataError) {
        var waiting: [Int64] = []
        try connection.query(
            "SELECT number FROM outbox WHERE waitsFor = ? ORDER BY number",
            [.integer(number)]
        ) {
            waiting.append($0.integer(0))
        }
        for number in waiting { try findBlocker(of: number) }
        if !waiting.isEmpty { outboxNews.hasWork = true }
    }

    /// A write is done, or nothing of it has to be.
    mutating func end(_ entry: OutboxEntry, _ state: WriteState) throws(RemoteDataError) {
        try deleteEntry(entry.number)
        try unblock(entry.number)
        tell(entry.number, state)
    }
}
