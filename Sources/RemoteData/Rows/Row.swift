/// One row as the table holds it: its id and its JSON, undecoded.
///
/// A row shares the bytes of the page it came in, so making or copying one copies no JSON.
public struct Row: Sendable, Hashable {
    /// The row's identity.
    public let id: RowID
    /// The revision of the row's last change, where the table tells.
    public let revision: Revision?
    /// The row as UTF-8 JSON: one valid object, the id included.
    public let json: ArraySlice<UInt8>
    /// Where the row sorts, in a collection over a table whose order cannot be reproduced.
    package internal(set) var place: SortPlace?

    /// Takes JSON that is known to be one valid object holding the id.
    ///
    /// Use ``parse(_:idColumn:revision:)`` for bytes from elsewhere.
    public init(id: RowID, revision: Revision? = nil, json: ArraySlice<UInt8>) {
        self.id = id
        self.revision = revision
        self.json = json
    }

    /// The value of a column; null when the row does not have it.
    ///
    /// - Complexity: O(bytes of the row): the JSON is scanned, not decoded.
    public subscript(column: ColumnPath) -> Value { JSONObject.value(at: column.names, in: json) }

    /// The row as text.
    public var text: String { String(decoding: json, as: UTF8.self) }

    /// The same row with another revision.
    public func at(_ revision: Revision?) -> Row {
        var row = Row(id: id, revision: revision, json: json)
        row.place = place
        return row
    }

    /// The same row at a place.
    package func at(_ place: SortPlace) -> Row {
        var row = self
        row.place = place
        return row
    }

    /// Whether two rows have the same id, revision and JSON.
    public static func == (left: Row, right: Row) -> Bool {
        left.id == right.id && left.revision == right.revision && left.json == right.json
    }

    /// Hashes the id, the revision and the JSON.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
        hasher.combine(revision)
        hasher.combine(json)
    }
}

extension Row: CustomStringConvertible {
    /// The id; never the contents.
    public var description: String { "row \(id)" }
}

extension Row {
    /// Reads one row: a JSON object whose `idColumn` is text or an integer.
    ///
    /// - Throws: ``RemoteDataError`` with code `invalidRow` that says what is wrong and where.
    /// - Complexity: O(bytes).
    public static func parse(
        _ json: ArraySlice<UInt8>,
        idColumn: String,
        revision: Revision? = nil
    ) throws(RemoteDataError) -> Row {
        try JSONObject.row(json, idColumn: idColumn, revision: revision)
    }
}
