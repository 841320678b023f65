import RemoteData

extension Connection {
    /// Reads the rows of a page that several statements bring, one after another.
    ///
    /// - Parameters:
    ///   - parts: The statements; their last parameters are limit and offset.
    ///   - offset: How many rows are passed over.
    ///   - limit: How many are read.
    ///   - take: Called with each, as long as it answers true.
    /// - Throws: `RemoteDataError` with code `storage`.
    func readPage(
        _ parts: [SQLFragment],
        passing offset: Int,
        limit: Int,
        _ take: (Statement) throws(RemoteDataError) -> Bool
    ) throws(RemoteDataError) {
        var (offset, missing) = (offset, limit)
        for part in parts where missing > 0 {
            let passed = parts.count > 1 ? try count(part, upTo: offset) : offset
            if passed == offset {
                try readRows(of: part, [Binding(missing), Binding(offset)]) {
                    statement throws(RemoteDataError) in
                    missing = try take(statement) ? missing - 1 : 0
                    return missing > 0
                }
            }
            offset -= passed
        }
    }

    /// Reads rows of a part of a page, as long as more are wanted.
    private func readRows(
        of part: SQLFragment,
        _ window: [Binding],
        _ take: (Statement) throws(RemoteDataError) -> Bool
    ) throws(RemoteDataError) {
        let statement = try statement(part.sql)
        defer { statement.finish() }
        try statement.bind(part.bindings + window)
        while try statement.step(), try take(statement) {}
    }

    /// How many rows a part of a page has, at most those that are to be passed over.
    private func count(_ part: SQLFragment, upTo offset: Int) throws(RemoteDataError) -> Int {
        guard offset > 0 else { return 0 }
        let window = [Binding(offset), Binding(0)]
        return try first("SELECT count(*) FROM (\(part.sql))", part.bindings + window) {
            Int($0.integer(0))
        } ?? 0
    }
}

extension PageRequest.Start {
    /// How many rows are passed over.
    var offset: Int {
        switch self {
        case .offset(let offset), .beyond(_, let offset): offset
        case .after, .before: 0
        }
    }
}
