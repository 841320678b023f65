import RemoteData

/// Columns as expressions over the table of a ``SQLiteTable``: `id`, `revision`, `json`.
struct ColumnSQL: Sendable {
    /// The column that holds a row's id.
    let idColumn: String

    func isID(_ column: ColumnPath) -> Bool {
        column.names.count == 1 && column.names[0].utf8.elementsEqual(idColumn.utf8)
    }

    /// The value of a column, always spelled the same so that an index on it is found.
    func value(_ column: ColumnPath) -> String {
        isID(column) ? "id" : "row_value(json" + Self.arguments(column) + ")"
    }

    /// Whether the value of a column fits a pattern given as the first parameter.
    func like(_ column: ColumnPath) -> String {
        isID(column) ? "id_like(?,id)" : call("row_like", column)
    }

    /// What a function that reads rows says of a column, with the first parameter.
    func call(_ function: String, _ column: ColumnPath) -> String {
        function + "(?,json" + Self.arguments(column) + ")"
    }

    /// The value by which a term sorts.
    ///
    /// SQLite puts null in front of all values, and its own `NULLS LAST` keeps it from using an index. So
    /// where null must be behind all values it is replaced by an empty blob, which SQLite sorts behind all
    /// numbers and text.
    func sortValue(_ term: SortTerm) -> String {
        let value = value(term.column)
        return Self.replacesNull(term) && !isID(term.column) ? "ifnull(\(value),x'')" : value
    }

    /// Whether the place of null asked for is not the one it has in SQLite.
    static func replacesNull(_ term: SortTerm) -> Bool { term.isAscending != term.nullsFirst }

    private static func arguments(_ column: ColumnPath) -> String {
        column.names.map { "," + literal($0) }.joined()
    }

    /// Text as an SQL literal; SQL ends at a NUL character, so text that holds one is written as bytes.
    static func literal(_ text: String) -> String {
        guard text.utf8.contains(0) else { return "'" + text.replacing("'", with: "''") + "'" }
        let digits = text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        return "CAST(x'" + digits.joined() + "' AS TEXT)"
    }
}
