import RemoteData

extension Session {
    /// Prints the rows as they come, page by page.
    func list() async throws(Failure) {
        let limit = arguments.limit ?? Int.max
        let rows = try await rows(pageSize: min(limit, 1_000), readAhead: arguments.limit == nil ? 8 : 0)
        var writer = arguments.format.writer(
            columns: arguments.columns,
            width: Output.isTerminal ? TerminalSize.current.columns : nil
        )
        var iterator = rows.rows.makeAsyncIterator()
        var batch: [LiveRow] = []
        var taken = 0
        while taken < limit, let row = try await next(&iterator) {
            batch.append(shown(row))
            taken += 1
            if taken == 1 { try await checkColumns() }
            if batch.count == rows.options.pageSize {
                try Output.write(writer.text(for: batch))
                batch = []
            }
        }
        if !batch.isEmpty { try Output.write(writer.text(for: batch)) }
        try Output.write(writer.end())
        tellLeftOut()
        remark(on: writer)
    }

    /// Refuses columns that no row has: the server knows those of all rows.
    private func checkColumns() async throws(Failure) {
        let seen = Set(table.columns.names)
        for name in arguments.columns ?? [] where !seen.contains(name) {
            _ = try await request { () async throws(RemoteDataError) in
                // It matches nothing, which is found out quickly; the names in it are looked at all the same.
                try await table.count(
                    try Where("\(ColumnPath(table.idColumn)) is null and \(ColumnPath(name)) is null")
                )
            }
        }
    }

    /// Prints rows all at once.
    func print(_ rows: [LiveRow]) throws(Failure) {
        var writer = arguments.format.writer(
            columns: arguments.columns,
            width: Output.isTerminal ? TerminalSize.current.columns : nil
        )
        try Output.write(writer.text(for: rows.map(shown)) + writer.end())
        remark(on: writer)
    }

    /// Says on standard error which columns are not shown, and how to see them.
    private func remark(on writer: any RowWriter) {
        for line in writer.remarks { Output.complain("live-table: \(line)") }
    }
}
