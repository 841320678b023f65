import RemoteData

extension Session {
    /// Prints how many rows there are, and nothing else; where the table cannot be asked for the whole clause, they are read.
    func count() async throws(Failure) {
        let rows = try await rows()
        guard let clause = rows.query.filter, !table.canFilterList(clause) else {
            return try Output.write("\(rows.count)\n")
        }
        var iterator = rows.rows.makeAsyncIterator()
        var count = 0
        while try await next(&iterator) != nil { count += 1 }
        try Output.write("\(count)\n")
        tellLeftOut()
    }
}
