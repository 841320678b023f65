import Foundation
import RemoteData

extension Session {
    /// Removes every row of the clause; asks before it empties a table.
    func removeAll() async throws(Failure) {
        let isWholeTable = arguments.clause.isEmpty
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
        let count = try await request { () async throws(RemoteDataError) in try await rows.removeAll() }
        try Output.write("removed \(count.grouped) \(count == 1 ? "row" : "rows")\n")
    }
}
