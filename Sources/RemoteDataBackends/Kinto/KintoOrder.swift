import RemoteData

/// An order as Kinto has it: explicit nulls in front of everything, what is missing behind it or, descending, the other way
/// round.
///
/// This library stores nulls as missing values, so they are the greatest.
struct KintoOrder: Sendable {
    /// A term and Kinto's name of its column.
    struct Term: Sendable {
        let term: SortTerm
        let column: KintoColumn

        /// Whether rows without a value come where Kinto has those in which it is missing; otherwise, where it has explicit
        /// nulls.
        var takesMissing: Bool { term.nullsFirst != term.isAscending }
    }

    /// The terms in front of the id, each of another column.
    let terms: [Term]
    /// Whether ids sort in descending order.
    let isIDDescending: Bool

    /// - Parameters:
    ///   - sort: The order.
    ///   - mixedColumns: Columns that hold values of several kinds, which sort in one order there and in
    ///     another here.
    /// - Throws: `RemoteDataError` with code `invalidRequest` for one of those, and for a column that Kinto
    ///   has no spelling for: it would pass over it.
    init(_ sort: [SortTerm], besides mixedColumns: Set<ColumnPath> = []) throws(RemoteDataError) {
        var terms: [Term] = []
        var isIDDescending = false
        for term in sort {
            guard !mixedColumns.contains(term.column) else { throw .severalKinds(in: term.column) }
            guard let column = KintoColumn(term.column) else {
                throw RemoteDataError(.invalidRequest, "Kinto has no way to spell the column \(term.column).")
            }
            if column.isID {
                // Nothing sorts behind it.
                isIDDescending = !term.isAscending
                break
            }
            if !terms.contains(where: { $0.column == column }) {
                terms.append(Term(term: term, column: column))
            }
        }
        (self.terms, self.isIDDescending) = (terms, isIDDescending)
    }

    /// The value of the parameter `_sort`.
    func text(isReversed: Bool) -> String {
        let names = terms.map { ($0.term.isAscending != isReversed ? "" : "-") + $0.column.name }
        return (names + [isIDDescending != isReversed ? "-id" : "id"]).joined(separator: ",")
    }

    /// Checks that no row has a null where the server sorts it elsewhere than was asked for.
    func check(_ rows: [Row]) throws(RemoteDataError) {
        for term in terms {
            guard
                let row = rows.first(where: {
                    $0[term.term.column] == .null && $0.holds(term.term.column) == term.takesMissing
                })
            else { continue }
            let path = term.term.column
            guard !row.holds(path) else {
                throw RemoteDataError(
                    .invalidRequest,
                    "Rows in which \(path) is null cannot come where the sort says: Kinto takes null for the least. Remove the nulls."
                )
            }
            let wish = term.term.isAscending ? "NULLS LAST" : "NULLS FIRST"
            throw RemoteDataError(
                .invalidRequest,
                "Rows without \(path) cannot come where the sort says: Kinto takes them for the greatest. Say \(wish)."
            )
        }
    }
}

extension Row {
    /// Whether there is something at a path, be it null.
    func holds(_ path: ColumnPath) -> Bool {
        var json = json
        for name in path.names {
            guard let members = try? JSONObject.members(of: json),
                let member = members.first(where: { $0.name.utf8.elementsEqual(name.utf8) })
            else { return false }
            json = member.json
        }
        return true
    }
}
