import RemoteData

/// An order as PocketBase has it: values as SQLite sorts them, and nulls, which only columns of JSON have, in front of all others or,
/// descending, behind them.
struct PocketBaseOrder: Sendable {
    /// The most columns a server sorts by, the id included.
    static let limit = 8

    let terms: [SortTerm]

    /// - Throws: `RemoteDataError` with code `invalidRequest` for more columns than PocketBase sorts by, or one it has no spelling
    ///   for.
    init(_ terms: [SortTerm]) throws(RemoteDataError) {
        guard terms.count < Self.limit else {
            throw RemoteDataError(
                .invalidRequest,
                "PocketBase sorts by \(Self.limit) columns at most, the id included; these are \(terms.count + 1)."
            )
        }
        for term in terms where PocketBaseFilter().name(term.column) == nil {
            throw RemoteDataError(
                .invalidRequest,
                "PocketBase has no way to spell the column \(term.column)."
            )
        }
        self.terms = terms
    }

    /// The value of the parameter `sort`.
    func text(isReversed: Bool) -> String {
        let names = terms.compactMap { term in
            PocketBaseFilter().name(term.column).map { (term.isAscending != isReversed ? "" : "-") + $0 }
        }
        return (names + [isReversed ? "-id" : "id"]).joined(separator: ",")
    }

    /// Checks that no row has a null where the server sorts it elsewhere than was asked for.
    func check(_ rows: [Row]) throws(RemoteDataError) {
        for term in terms where term.nullsFirst != term.isAscending {
            guard rows.contains(where: { $0[term.column] == .null }) else { continue }
            let wish = term.isAscending ? "NULLS FIRST" : "NULLS LAST"
            throw RemoteDataError(
                .invalidRequest,
                "Rows without \(term.column) cannot come where the sort says: PocketBase takes them for the least. Say \(wish)."
            )
        }
    }
}
