import RemoteData

/// A row of any table: whatever members it has.
struct LiveRow: Identifiable, Sendable, Equatable {
    /// The column that holds the id of a row that is named by it, whatever it is called in the table.
    static let idName = "objectId"

    /// The members.
    ///
    /// A row that was decoded has them sorted by name: decoders do not tell the order of the text, so
    /// ``ColumnOrder`` does.
    var members: [JSONMember]

    /// The id of a row that is named by it, or comes from a table that calls it so; nil for one that has none there.
    var id: RowID? { id(in: Self.idName) }

    /// The id in the column that a table has for it; nil for a row that the table is yet to give one.
    func id(in column: String) -> RowID? {
        switch self[column] {
        case .text(let text): text.isEmpty ? nil : .text(text)
        case .integer(let integer): .integer(integer)
        default: nil
        }
    }

    /// A row with nothing but an id.
    init(id: RowID) {
        switch id {
        case .text(let text): members = [JSONMember(name: Self.idName, value: .text(text))]
        case .integer(let integer): members = [JSONMember(name: Self.idName, value: .integer(integer))]
        }
    }

    /// A row of members.
    init(members: [JSONMember]) { self.members = members }

    /// The value of a column; null when the row does not have it.
    ///
    /// A dotted name reaches into nested objects, unless the row has a member of just that name.
    subscript(column: String) -> JSONValue {
        Self.value(at: column, in: members)
    }

    private static func value(at column: String, in members: [JSONMember]) -> JSONValue {
        if let member = members.first(where: { $0.name == column }) { return member.value }
        for dot in column.indices.filter({ column[$0] == "." }) {
            let head = column[..<dot]
            if case .object(let inner)? = members.first(where: { $0.name == head })?.value {
                return value(at: String(column[column.index(after: dot)...]), in: inner)
            }
        }
        return .null
    }

    /// The row as a JSON value.
    var value: JSONValue { .object(members) }
}
