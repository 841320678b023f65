import Foundation
import Synchronization

// Clauses and sort orders for elements of a type. In these, `id` is the table's id column where the type has
// its id under that key.
extension Where {
    /// Reads a clause; nil for a blank one.
    ///
    /// - Throws: `RemoteDataError` with code `invalidClause`.
    static func parse<Element: Codable>(
        _ text: String,
        for element: Element.Type,
        in table: any Table
    ) throws(RemoteDataError) -> Where? {
        let clause = try parse(text)
        guard let clause, clause.columns.contains(.id), table.isIDKey(of: element) else { return clause }
        return clause.replacing(.id, with: ColumnPath(table.idColumn))
    }
}

extension SortTerm {
    /// Reads a sort order.
    ///
    /// - Throws: `RemoteDataError` with code `invalidClause`.
    static func parse<Element: Codable>(
        _ text: String,
        for element: Element.Type,
        in table: any Table
    ) throws(RemoteDataError) -> [SortTerm] {
        let terms = try parse(text)
        guard terms.contains(where: { $0.column == .id }), table.isIDKey(of: element) else { return terms }
        let id = ColumnPath(table.idColumn)
        return terms.map { term in
            guard term.column == .id else { return term }
            return SortTerm(id, ascending: term.isAscending, nullsFirst: term.nullsFirst)
        }
    }
}

extension Query {
    /// Reads a clause and a sort order.
    ///
    /// - Throws: `RemoteDataError` with code `invalidClause`.
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
    /// Whether a type has the id of a row under the key `id`, and the table under another name.
    fileprivate func isIDKey(of element: any Codable.Type) -> Bool {
        guard idColumn != "id" else { return false }
        return IDKeys.shared.isIDKey(of: element, column: idColumn)
    }
}

/// Remembers which types have their ids under the key `id`: finding out takes made-up elements.
private final class IDKeys: Sendable {
    private struct Key: Hashable {
        let type: ObjectIdentifier
        let column: String
    }

    static let shared = IDKeys()
    /// A program has fewer types, unless they are made at run time.
    private static let limit = 10_000

    private let known = Mutex<[Key: Bool]>([:])

    func isIDKey(of element: any Codable.Type, column: String) -> Bool {
        let key = Key(type: ObjectIdentifier(element), column: column)
        if let known = known.withLock({ $0[key] }) { return known }
        let samples = Samples(of: element, encodedBy: JSONEncoder())
        let isIDKey = samples.hasKey("id") && !samples.hasKey(column)
        known.withLock { known in
            if known.count >= Self.limit { known = [:] }
            known[key] = isIDKey
        }
        return isIDKey
    }
}
