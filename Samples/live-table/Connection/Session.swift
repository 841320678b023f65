import RemoteData

/// One command on one table; the commands themselves are in the files of `Commands`.
struct Session: Sendable {
    /// What the user asks for.
    let arguments: Arguments
    /// The table, and what is seen of it.
    let table: ObservedTable

    init(_ arguments: Arguments) throws(Failure) {
        self.arguments = arguments
        table = ObservedTable(
            try openTable(arguments.address, Access(arguments), isNew: arguments.command == .add)
        )
    }

    /// The rows asked for, counted: one request.
    ///
    /// - Parameters:
    ///   - pageSize: Rows asked for at a time, unless the user chose.
    ///   - isLive: Whether to follow the table's changes.
    ///   - readAhead: The most pages asked for ahead of an iteration.
    /// - Returns: The rows, none of them loaded.
    /// - Throws: A ``Failure`` when the clause or order is wrong or the server cannot be asked.
    func rows(
        pageSize: Int = 1_000,
        isLive: Bool = false,
        readAhead: Int = 8
    ) async throws(Failure) -> RemoteDataCollection<LiveRow> {
        var options = CollectionOptions()
        options.pageSize = arguments.pageSize.map { min($0, pageSize) } ?? pageSize
        options.isLive = isLive
        options.readAhead = readAhead
        // Each command says so itself.
        options.logsOmittedRows = false
        let rows = try await request { () async throws(RemoteDataError) in
            try await RemoteDataCollection<LiveRow>(
                table: table,
                where: arguments.clause,
                sort: arguments.sort,
                options: options
            )
        }
        if table.isUnwritten, arguments.command != .add {
            Output.complain(
                "live-table: \"\(arguments.address.table)\" has never had a row; is the name right? "
                    + "A table begins with its first row."
            )
        } else if rows.isEmpty, let clause = rows.query.filter {
            await explainMismatch(in: clause)
        }
        return rows
    }

    /// Says on standard error when rows were left out because they cannot be read.
    func tellLeftOut() {
        guard let error = table.firstFailure else { return }
        Output.complain("live-table: rows were left out. \(error.message)")
    }

    /// Does something with the table, and words its failure for the user.
    func request<Value>(
        _ body: () async throws(RemoteDataError) -> Value
    ) async throws(Failure) -> Value {
        do throws(RemoteDataError) { return try await body() } catch { throw Failure(error, arguments) }
    }

    /// The next row of an iteration; nil at the end, also where rows were left out.
    func next(
        _ iterator: inout RemoteDataCollection<LiveRow>.Rows.AsyncIterator
    ) async throws(Failure) -> LiveRow? {
        try await unlessLeftOut { () async throws(RemoteDataError) in try await iterator.next() } ?? nil
    }

    /// Reads something, of which rows that cannot be read may be left out.
    ///
    /// - Returns: Nil where some were, which ``tellLeftOut()`` says.
    func unlessLeftOut<Value>(
        _ body: () async throws(RemoteDataError) -> Value
    ) async throws(Failure) -> Value? {
        do throws(RemoteDataError) { return try await body() } catch {
            guard error.code == .invalidRow else { throw Failure(error, arguments) }
            table.note(error)
            return nil
        }
    }

    /// The row with its members in the order of the columns, only those the user wants to see.
    func shown(_ row: LiveRow) -> LiveRow {
        guard let columns = arguments.columns else { return table.columns.ordered(row) }
        return LiveRow(members: columns.map { JSONMember(name: $0, value: row[$0]) })
    }
}
