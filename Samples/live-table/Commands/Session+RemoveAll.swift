import Foundation
import RemoteData

extension Session {
    /// Removes every row of the clause; asks before it empties a table.
    func removeAll() async throws(Failure) {
        let isWholeTable = arguments.isForAllRows
        let canAsk = isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1
        guard !isWholeTable || arguments.isConfirmed || canAsk else {
            throw .usage("remove-all removes every row of the table: say --yes, or choose rows with --where.")
        }
        let rows = try await rows()
        if isWholeTable, !arguments.isConfirmed {
            Output.prompt("Remove all \(rows.count.grouped) rows of \(arguments.address.table)? [y/N] ")
            guard let answer = readLine(), ["y", "yes"].contains(answer.lowercased()) else {
                throw Failure("Nothing is removed.")
            }
        }
        let knowsClause = rows.query.filter.map { table.canFilterList($0) } ?? true
        let count =
            if table.capabilities.filteredDeletes, knowsClause {
                try await request { () async throws(RemoteDataError) in try await rows.removeAll() }
            } else {
                try await removeEach(of: rows)
            }
        try Output.write("removed \(count.grouped) \(count == 1 ? "row" : "rows")\n")
    }

    /// Removes rows one after another, where the table cannot be told which they are.
    private func removeEach(of rows: RemoteDataCollection<LiveRow>) async throws(Failure) -> Int {
        var iterator = rows.rows.makeAsyncIterator()
        var count = 0
        while let id = try await next(&iterator)?.id(in: table.idColumn) {
            let isRemoved = try await request { () async throws(RemoteDataError) in
                try await rows.remove(LiveRow(id: id))
            }
            if isRemoved { count += 1 }
        }
        return count
    }
}
