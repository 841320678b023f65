/// A row to be written: its JSON, and its id when the writer chose one.
public struct Draft: Sendable, Hashable {
    /// The id the writer chose; nil lets the table choose.
    public let id: RowID?
    /// One JSON object.
    ///
    /// It holds the id column exactly when `id` is not nil.
    public let json: ArraySlice<UInt8>

    /// Reads a draft: a JSON object; an absent or null `idColumn` means the table is to choose the id.
    ///
    /// - Throws: ``RemoteDataError`` with code `invalidRow` when it is not an object or the id is of a wrong
    ///   type (empty text counts as one).
    public init(_ json: ArraySlice<UInt8>, idColumn: String) throws(RemoteDataError) {
        (id, self.json) = try JSONObject.draft(json, idColumn: idColumn)
    }

    /// Takes an object that is known to hold the id, once, and nothing around it.
    init(checked json: ArraySlice<UInt8>, id: RowID) { (self.id, self.json) = (id, json) }

    /// The row this draft becomes under an id: the id column is put first when the draft has none.
    public func row(id: RowID, idColumn: String, revision: Revision? = nil) -> Row {
        guard self.id == nil else { return Row(id: id, revision: revision, json: json) }
        return Row(id: id, revision: revision, json: JSONObject.adding(id, as: idColumn, to: json))
    }
}
