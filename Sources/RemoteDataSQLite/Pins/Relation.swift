public import RemoteData

/// Which rows of one table a row of another leads to: pinning the row holds them too.
///
/// A value of a column that stands for a row is its id, an object that holds the id (a row sent within another), or a list of
/// those. Anything else, null and empty text among it, leads nowhere.
public struct Relation: Hashable, Sendable {
    /// The table whose rows lead to others.
    public let table: String
    /// The table of the rows they lead to.
    public let target: String
    let way: Way

    enum Way: Hashable, Sendable {
        /// A column of the row holds the ids of the others.
        case names(ColumnPath)
        /// A column of the others holds the id of the row.
        case isNamed(by: ColumnPath)
    }

    private init(_ table: String, _ target: String, _ way: Way) {
        (self.table, self.target, self.way) = (table, target, way)
    }

    /// A row leads to the row whose id a column of it holds, such as a note to its author.
    public static func toOne(_ column: ColumnPath, of table: String, in target: String) -> Relation {
        Relation(table, target, .names(column))
    }

    /// A row leads to the rows whose ids a column of it lists, such as a note to its tags.
    public static func toMany(_ column: ColumnPath, of table: String, in target: String) -> Relation {
        Relation(table, target, .names(column))
    }

    /// A row leads to the rows that hold its id in a column of theirs, such as a note to its comments.
    public static func toMany(
        from table: String,
        in target: String,
        by column: ColumnPath
    ) -> Relation {
        Relation(table, target, .isNamed(by: column))
    }
}

extension Relation: CustomStringConvertible {
    /// The tables and the column.
    public var description: String {
        switch way {
        case .names(let column): "\(table).\(column) -> \(target)"
        case .isNamed(let column): "\(table) <- \(target).\(column)"
        }
    }
}

/// The relations that were declared, by what is asked of them.
struct Relations: Sendable {
    /// The relations by the table whose rows lead to others.
    private let bySource: [String: [Relation]]
    /// Those of them that other rows name, by the table of these.
    private let byNaming: [String: [Relation]]
    /// All of them as text that is always the same for the same relations.
    let text: String

    static let none = Relations([])

    init(_ relations: some Sequence<Relation>) {
        let relations = Set(relations)
        bySource = Dictionary(grouping: relations, by: \.table)
        byNaming = Dictionary(
            grouping: relations.filter { relation in
                if case .isNamed = relation.way { true } else { false }
            },
            by: \.target
        )
        text = relations.map(\.description).sorted().joined(separator: "\n")
    }

    /// The relations that lead from the rows of a table to others.
    func from(_ table: String) -> [Relation] { bySource[table] ?? [] }

    /// The relations that lead to the rows of a table because of a column of theirs.
    func named(by table: String) -> [Relation] { byNaming[table] ?? [] }
}

extension Row {
    /// The ids that a column holds.
    func ids(in column: ColumnPath, idColumn: String) -> [RowID] {
        Self.ids(of: self[column], idColumn: idColumn)
    }

    private static func ids(of value: Value, idColumn: String) -> [RowID] {
        switch value {
        case .null, .bool, .double: return []
        case .text(let text): return text.isEmpty ? [] : [.text(text)]
        case .integer(let number): return [.integer(number)]
        case .json(let text):
            let json = Array(text.utf8)[...]
            if let elements = try? JSONObject.elements(of: json) {
                return elements.flatMap { element -> [RowID] in
                    let value = JSONObject.value(of: element)
                    // A list in a list is no list of rows.
                    if case .json = value, element.first == UInt8(ascii: "[") { return [] }
                    return ids(of: value, idColumn: idColumn)
                }
            }
            let row = try? Row.parse(json, idColumn: idColumn)
            return row.map { [$0.id] } ?? []
        }
    }
}
