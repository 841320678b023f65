import RemoteData

/// A query in PocketBase's syntax, with a check that its columns are columns of the rows themselves.
///
/// PocketBase resolves a path such as `author.name` in related rows, and sends rows without them: such a
/// clause cannot be evaluated on a change, and a page cannot start after a row. A path into JSON is spelled
/// alike. A column that no collection has distinguishes them, since only JSON accepts it.
struct PocketBaseQuery: Sendable {
    let order: PocketBaseOrder
    let filter: PocketBaseFilter.Filter
    /// True for every row, and an error where a column is not the rows' own; nil where the rest names them
    /// all.
    private let columnCheck: RenderedClause?
    private let query: Query
    private let table: String

    /// - Throws: `RemoteDataError` with code `unknownColumn` for a column that no collection can have,
    ///   `invalidRequest` for an order that PocketBase does not have.
    init(_ query: Query, of table: String) throws(RemoteDataError) {
        let columns = query.columns.sorted { $0.description < $1.description }
        if let column = columns.first(where: { PocketBaseFilter.root($0) == nil }) {
            throw .unknownColumn(column, inPocketBase: table)
        }
        (self.query, self.table) = (query, table)
        order = try PocketBaseOrder(query.sort)
        let words = PocketBaseFilter()
        let whole = words.columnCheck(columns)
        filter = query.filter.map { words.rendered($0, besides: whole) } ?? .exact
        // A column that is evaluated here alone is named nowhere else.
        columnCheck = filter.isExact ? words.columnCheck(columns.filter { $0.names.count > 1 }) : whole
    }

    /// Returns the filter of the query, after a boundary where one is given.
    ///
    /// - Throws: `RemoteDataError` with code `invalidClause` for a boundary that PocketBase cannot compare
    ///   with.
    func text(after boundary: Where? = nil) throws(RemoteDataError) -> String? {
        let words = PocketBaseFilter()
        let rest = try boundary.map { clause throws(RemoteDataError) in
            guard let rendered = words.render(clause), rendered.isExact,
                words.fits(rendered, besides: columnCheck)
            else {
                throw RemoteDataError(
                    .invalidClause,
                    "PocketBase cannot be asked for the rows after one with such values."
                )
            }
            return rendered.text
        }
        let parts = [filter.text, rest, columnCheck?.text].compactMap(\.self)
        return parts.count > 1 ? "(\(parts.joined(separator: " && ")))" : parts.first
    }

    /// Checks that rows have the columns of the query.
    func checkColumns(_ rows: [Row]) throws(RemoteDataError) {
        if let row = rows.first, let clause = query.filter {
            let hasOwnEmails = row.holds("emailVisibility")
            for column in clause.columns where row.hides(column) && !(hasOwnEmails && column == "email") {
                throw RemoteDataError(
                    .invalidClause,
                    "PocketBase filters \(table) by \(column) and does not send it: filter by another column."
                )
            }
        }
        for term in query.sort where rows.contains(where: { $0.hides(term.column) }) {
            throw RemoteDataError(
                .invalidRequest,
                "PocketBase sends some rows of \(table) without \(term.column): sort by another column."
            )
        }
    }
}

extension Row {
    /// Whether the row lacks a column, rather than a member of a column's JSON.
    fileprivate func hides(_ column: ColumnPath) -> Bool {
        self[column] == .null && !holds(ColumnPath(names: Array(column.names.prefix(1))))
    }
}
