import RemoteData
import Synchronization

// Asking the server.
extension Puller {
    /// Brings here what the server has, or what has changed there.
    func pull(_ kind: PollPlan.Kind) async throws(RemoteDataError) {
        let known = try await progress()
        let revision = capabilities.resume ? known.revision : nil
        guard kind == .changes || revision != nil, known.isWhole else { return try await pullAll() }
        if let revision {
            try await pullChanges(since: revision)
            if kind == .complete, !capabilities.everyChange { try await checkLog() }
            return
        }
        if let stamp = capabilities.stamp, let last = known.stamp {
            return try await pullStamped(stamp, since: last, known.revision)
        }
        // Nothing tells what has changed; that something was added or removed, the number does.
        let count = try await server().count(nil)
        let here = try await serverRows()
        let isAnew = count.revision?.begins(anewAfter: known.revision) ?? false
        if count.value != here || isAnew { try await pullAll() }
    }

    /// Reads everything where the number of rows shows that the log lacks changes, such as imports.
    private func checkLog() async throws(RemoteDataError) {
        let difference = try await unknownRows()
        guard let difference, difference != state.withLock({ $0.unknownRows }) else { return }
        try await pullAll()
        // Rows that are counted and cannot be read are read no more often for that.
        let left = try await unknownRows()
        state.withLock { $0.unknownRows = left ?? 0 }
    }

    /// How many rows more the server counts than are known of it; nil where that is of another moment.
    private func unknownRows() async throws(RemoteDataError) -> Int? {
        let count = try await server().count(nil)
        let known = try await progress()
        guard count.isExact, let revision = count.revision, known.revision == revision, known.isWhole else {
            return nil
        }
        return try await serverRows().map { count.value - $0 }
    }

    /// How many rows the server is known to have; nil where the table is not here.
    ///
    /// - Complexity: O(log rows) for each row that was changed here.
    func serverRows() async throws(RemoteDataError) -> Int? {
        try await store.read { [name] (connection) throws(RemoteDataError) in
            let table = try connection.first("SELECT number, rows FROM tables WHERE name = ?", [.text(name)])
            {
                (number: $0.integer(0), rows: $0.integer(1))
            }
            guard let table else { return nil }
            // Of what was changed here, also where that was refused, the server has what the changes lie
            // over.
            return try connection.first(
                """
                SELECT ?2 - (SELECT count(*) FROM t\(table.number) WHERE used = ?3 AND id IN (
                    SELECT id FROM outbox WHERE tableNumber = ?1 AND state < 3
                    UNION ALL SELECT id FROM bases WHERE tableNumber = ?1))
                    + (SELECT count(*) FROM bases WHERE tableNumber = ?1 AND json IS NOT NULL)
                """,
                [.integer(table.number), .integer(table.rows), RowMark.pending.binding]
            ) { Int($0.integer(0)) }
        }
    }

    // MARK: Everything

    /// How often everything is read in a row where the server begins anew meanwhile.
    private static let completeReads = 3

    /// Reads every row of the server and takes away what is not there.
    func pullAll() async throws(RemoteDataError) {
        let wasWhole = try await progress().isWhole
        do throws(RemoteDataError) {
            for _ in 0..<Self.completeReads where try await hasPulledAll() { return }
            throw RemoteDataError(.unavailable, "The server has begun anew each time that \(name) was read.")
        } catch {
            try? await change { [name] (transaction) throws(RemoteDataError) in
                try transaction.abandonPull(of: name, wasWhole: wasWhole)
            }
            throw error
        }
    }

    /// Reads every row, unless the server begins anew meanwhile.
    ///
    /// - Returns: Whether all rows are of one history.
    private func hasPulledAll() async throws(RemoteDataError) -> Bool {
        let name = name
        let known = try await progress()
        try await change { (transaction) throws(RemoteDataError) in try transaction.beginPull(of: name) }
        var start: Revision?
        var stamp: Value?
        var request = PageRequest(Query(), limit: max(1, min(1_000, capabilities.maximumPageSize)))
        while true {
            let page = try await server().page(request)
            let isFirst = request.start == .offset(0)
            let earlier = isFirst ? known.revision : start
            let isAnew = page.begins(anewAfter: earlier)
            try await change { (transaction) throws(RemoteDataError) in
                // Unless an answer to a write has shown it before.
                if isAnew, !transaction.hasEntered(page.revision, of: name, since: earlier) {
                    try transaction.leaveHistory(of: name)
                }
                // Until everything was read, this shows whether the server begins anew before that.
                if isFirst, isAnew || !known.isWhole {
                    try transaction.notePull(of: name, revision: page.revision, stamp: nil)
                }
                guard isFirst || !isAnew else { return }
                for row in page.rows { try transaction.pullSeen(row, asOf: page.revision, in: name) }
            }
            guard isFirst || !isAnew else { return false }
            if isFirst { start = page.revision }
            if let column = capabilities.stamp?.column {
                for row in page.rows { stamp = later(stamp, row[column]) }
            }
            let count = page.rows.count + page.failures.count
            guard count == request.limit || page.endsEarly else { break }
            guard let last = page.rows.last else {
                throw RemoteDataError(.invalidAnswer, "No row of a page of \(name) could be read.")
            }
            request.start = try next(request, after: last, count)
        }
        let (revision, last) = (start, stamp)
        try await change { (transaction) throws(RemoteDataError) in
            try transaction.endPull(of: name, asOf: revision, stamp: last)
        }
        return true
    }

    /// Where the page begins after one that ends with a row.
    ///
    /// - Throws: `RemoteDataError` with code `invalidAnswer` where the same page would be read again, and
    ///   again.
    private func next(
        _ request: PageRequest,
        after row: Row,
        _ count: Int
    ) throws(RemoteDataError) -> PageRequest.Start {
        var rows = count
        if case .offset(let offset) = request.start { rows += offset }
        let start: PageRequest.Start =
            capabilities.keysetPages ? .after(Key(row, sort: request.query.sort)) : .offset(rows)
        guard start != request.start else {
            throw RemoteDataError(.invalidAnswer, "A page of \(name) came again where the next one was due.")
        }
        return start
    }

    private func later(_ stamp: Value?, _ other: Value) -> Value {
        guard let stamp else { return other }
        return Value.order(stamp, other) == .ascending ? other : stamp
    }

    // MARK: Changes

    private func pullChanges(since revision: Revision) async throws(RemoteDataError) {
        var revision = revision
        while true {
            let batch: ChangeBatch
            do throws(RemoteDataError) {
                batch = try await server().changes(since: revision, limit: 1_000)
            } catch {
                guard error.code == .gone else { throw error }
                return try await pullAll()
            }
            guard batch.isComplete || batch.revision != revision else {
                throw RemoteDataError(
                    .invalidAnswer,
                    "The changes of \(name) do not go on after revision \(revision)."
                )
            }
            try await take(batch.changes, upTo: batch.revision, from: revision)
            revision = batch.revision
            if batch.isComplete { return }
        }
    }

    /// Applies changes in their order.
    func take(
        _ changes: [Change],
        upTo revision: Revision?,
        from last: Revision? = nil
    ) async throws(RemoteDataError) {
        // Nothing new need not be noted.
        guard !changes.isEmpty || revision != last else { return }
        let name = name
        try await change { (transaction) throws(RemoteDataError) in
            for change in changes { try transaction.pull(change, in: name) }
            if let revision { try transaction.notePull(of: name, revision: revision, stamp: nil) }
        }
    }

    private func pullStamped(
        _ column: StampColumn,
        since last: Value,
        _ known: Revision?
    ) async throws(RemoteDataError) {
        let name = name
        var stamp = last
        guard let since = dates.value(last, movedBackBy: column.overlap) else {
            return try await pullAll()
        }
        let filter = Where.comparison(.column(column.column), .greaterOrEqual, .literal(since))
        var request = PageRequest(
            Query(filter, sort: [SortTerm(column.column)]),
            limit: max(1, min(1_000, capabilities.maximumPageSize))
        )
        while true {
            let page = try await server().page(request)
            if page.begins(anewAfter: known) { return try await pullAll() }
            for row in page.rows { stamp = later(stamp, row[column.column]) }
            let newest = stamp
            if !page.rows.isEmpty {
                try await change { (transaction) throws(RemoteDataError) in
                    for row in page.rows { try transaction.pull(row, asOf: page.revision, in: name) }
                    try transaction.notePull(of: name, revision: page.revision, stamp: newest)
                }
            }
            let count = page.rows.count + page.failures.count
            guard count == request.limit || page.endsEarly, let row = page.rows.last else { return }
            request.start = try next(request, after: row, count)
        }
    }

    // MARK: The file

    struct Progress: Sendable {
        var revision: Revision?
        var stamp: Value?
        var isWhole = false
    }

    /// How far the table was read before.
    func progress() async throws(RemoteDataError) -> Progress {
        try await store.read { [name] (connection) throws(RemoteDataError) in
            try connection.first(
                """
                SELECT pulls.revision, stamp, isWhole, epoch
                FROM pulls JOIN tables ON number = tableNumber WHERE name = ?
                """,
                [.text(name)]
            ) { row in
                Progress(
                    revision: row.isNull(0) ? nil : Revision(row.integer(0), epoch: row.epoch(3)),
                    stamp: row.isNull(1) ? nil : Value(json: row.bytes(1)[...]),
                    isWhole: row.integer(2) != 0
                )
            } ?? Progress()
        }
    }

    func change(
        _ body: @escaping @Sendable (inout StoreTransaction) throws(RemoteDataError) -> Void
    ) async throws(RemoteDataError) {
        try await store.writer.commit { (transaction) throws(RemoteDataError) in
            transaction.isOfServer = true
            defer { transaction.isOfServer = false }
            try body(&transaction)
        }
    }
}

extension Revision {
    /// Whether a server that answers with this has begun anew since it answered with an earlier one.
    fileprivate func begins(anewAfter earlier: Revision?) -> Bool {
        guard let earlier else { return false }
        return !isOfSameHistory(as: earlier) || self < earlier
    }
}

extension Page {
    fileprivate func begins(anewAfter earlier: Revision?) -> Bool {
        revision?.begins(anewAfter: earlier) ?? false
    }
}
