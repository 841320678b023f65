import Foundation

// Clauses and sort orders for elements of a type: the column `id` of a type that codes it so is that of the
// table's ids, whatever its name there is.
extension Where {
    /// Reads a clause; nil for a blank one.
    static func parse<Element: Codable>(
        _ text: String,
        for element: Element.Type,
        in table: any Table
    ) throws(RemoteDataError) -> Where? {
        let clause = try parse(text)
        guard let clause, clause.columns.contains(.id), table.callsID(element) else { return clause }
        return clause.replacing(.id, with: ColumnPath(table.idColumn))
    }
}

extension SortTerm {
    /// Reads a sort order.
    static func parse<Element: Codable>(
        _ text: String,
        for element: Element.Type,
        in table: any Table
    ) throws(RemoteDataError) -> [SortTerm] {
        let terms = try parse(text)
        guard terms.contains(where: { $0.column == .id }), table.callsID(element) else { return terms }
        let id = ColumnPath(table.idColumn)
        return terms.map { term in
            guard term.column == .id else { return term }
            return SortTerm(id, ascending: term.isAscending, nullsFirst: term.nullsFirst)
        }
    }
}

extension Query {
    /// Reads a clause and a sort order.
    init<Element: Codable>(
        _ clause: String,
        sort: String,
        for element: Element.Type,
        in table: any Table
    ) throws(RemoteDataError) {
        self.init(
            try Where.parse(clause, for: element, in: table),
            sort: try SortTerm.parse(sort, for: element, in: table)
        )
    }
}

extension ColumnPath {
    fileprivate static let id = ColumnPath("id")
}

extension Table {
    /// Whether elements of a type have under `id` what the table calls otherwise.
    fileprivate func callsID(_ element: any Codable.Type) -> Bool {
        guard idColumn != "id" else { return false }
        let samples = Samples(of: element, encodedBy: JSONEncoder())
        return samples.hasKey("id") && !samples.hasKey(idColumn)
    }
}
