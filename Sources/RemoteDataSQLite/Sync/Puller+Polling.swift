import RemoteData
import Synchronization

// Asking the server.
extension Puller {
    /// Brings here what the server has, or what has changed there.
    func pull(_ kind: PollPlan.Kind) async throws(RemoteDataError) {
        let known = try await progress()
        let revision = remote.capabilities.resume ? known.revision : nil
        // What a log tells is complete.
        guard kind == .changes || revision != nil, known.isWhole else { return try await pullAll() }
        if let revision { return try await pullChanges(since: revision) }
        if let stamp = remote.capabilities.stamp, let last = known.stamp {
            return try await pullStamped(stamp, since: last)
        }
        // Nothing tells what has changed; that something was added or removed, the number does.
        let count = try await remote.count(nil)
        let here = try await store.read { [name] (connection) throws(RemoteDataError) in
            try connection.first(
                """
                SELECT (SELECT rows FROM tables WHERE name = ?1) - (SELECT count(*) FROM outbox JOIN tables
                    ON tables.number = tableNumber WHERE name = ?1 AND state < 2 AND kind = 1)
                    + (SELECT count(*) FROM outbox JOIN tables
                    ON tables.number = tableNumber WHERE name = ?1 AND state < 2 AND kind = 4)
                """,
                [.text(name)]
            ) { Int($0.integer(0)) }
        }
        if count.value != here { try await pullAll() }
    }

    // MARK: Everything

    /// Reads every row of the server and takes away what is not there.
    func pullAll() async throws(RemoteDataError) {
        let name = name
        try await change { (transaction) throws(RemoteDataError) in try transaction.beginPull(of: name) }
        var start: Revision?
        var stamp: Value?
        var request = PageRequest(Query(), limit: max(1, min(1_000, remote.capabilities.maximumPageSize)))
        while true {
            let page = try await remote.page(request)
            if start == nil { start = page.revision }
            try await change { (transaction) throws(RemoteDataError) in
                for row in page.rows { try transaction.pullSeen(row, asOf: page.revision, in: name) }
            }
            if let column = remote.capabilities.stamp?.column {
                for row in page.rows { stamp = later(stamp, row[column]) }
            }
            let count = page.rows.count + page.failures.count
            guard count == request.limit || page.endsEarly else { break }
            guard let last = page.rows.last else {
                throw RemoteDataError(.invalidAnswer, "No row of a page of \(name) could be read.")
            }
            request.start =
                remote.capabilities.keysetPages
                ? .after(Key(last, sort: [])) : .offset(next(request.start, count))
        }
        let (revision, last) = (start, stamp)
        try await change { (transaction) throws(RemoteDataError) in
            try transaction.endPull(of: name, asOf: revision, stamp: last)
        }
    }

    private func next(_ start: PageRequest.Start, _ count: Int) -> Int {
        if case .offset(let offset) = start { offset + count } else { count }
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
                batch = try await remote.changes(since: revision, limit: 1_000)
            } catch {
                guard error.code == .gone else { throw error }
                return try await pullAll()
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

    private func pullStamped(_ column: StampColumn, since last: Value) async throws(RemoteDataError) {
        let name = name
        var stamp = last
        guard let since = remote.dates.value(last, movedBackBy: column.overlap) else {
            return try await pullAll()
        }
        let filter = Where.comparison(.column(column.column), .greaterOrEqual, .literal(since))
        var request = PageRequest(
            Query(filter, sort: [SortTerm(column.column)]),
            limit: max(1, min(1_000, remote.capabilities.maximumPageSize))
        )
        while true {
            let page = try await remote.page(request)
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
            request.start =
                remote.capabilities.keysetPages
                ? .after(Key(row, sort: request.query.sort)) : .offset(next(request.start, count))
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
                SELECT pulls.revision, stamp, isWhole FROM pulls JOIN tables ON number = tableNumber WHERE name = ?
                """,
                [.text(name)]
            ) { row in
                Progress(
                    revision: row.isNull(0) ? nil : Revision(row.integer(0)),
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
