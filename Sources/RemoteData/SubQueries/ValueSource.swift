/// A table that can tell the values of a column without telling its rows.
package protocol ValueSource: Table {
    /// The values that a column has in some rows, each once in any order, at most `limit`; null is none.
    ///
    /// - Throws: ``RemoteDataError`` like a count.
    func values(
        of column: ColumnPath,
        in filter: Where?,
        limit: Int
    ) async throws(RemoteDataError) -> [Value]
}

extension Table {
    /// The values that a column has in some rows, each once, at most `limit`; read page by page where the table cannot tell.
    ///
    /// Arrays and objects count as their JSON text, as everywhere in clauses.
    func distinctValues(
        of column: ColumnPath,
        in filter: Where?,
        limit: Int
    ) async throws(RemoteDataError) -> [Value] {
        if let source = self as? any ValueSource {
            return try await source.values(of: column, in: filter, limit: limit)
        }
        var values: Set<Value> = []
        let rows = SubQuery(column, from: name, where: filter).rows
        var request = PageRequest(rows, limit: max(1, capabilities.maximumPageSize))
        while true {
            let page = try await page(request)
            for row in page.rows {
                let value = row[column]
                if case .json(let text) = value { values.insert(.text(text)) } else { values.insert(value) }
            }
            guard values.count < limit, let last = page.rows.last,
                page.rows.count == request.limit || page.endsEarly
            else { return Array(values.prefix(limit)) }
            request.start = .after(Key(last, sort: []))
        }
    }
}

extension SubQueryTable: ValueSource {
    package func values(
        of column: ColumnPath,
        in filter: Where?,
        limit: Int
    ) async throws(RemoteDataError) -> [Value] {
        try await base.distinctValues(of: column, in: try await resolved(filter), limit: limit)
    }
}

extension AccessTable: ValueSource {
    /// The values in rows that may be read.
    package func values(
        of column: ColumnPath,
        in filter: Where?,
        limit: Int
    ) async throws(RemoteDataError) -> [Value] {
        try await view().distinctValues(of: column, in: filter, limit: limit)
    }
}
