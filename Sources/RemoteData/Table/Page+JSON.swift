extension Page {
    /// Reads a JSON array of rows, as a page comes over the wire.
    ///
    /// The whole array is validated (JSON grammar, UTF-8, an id in each row); nothing is decoded or copied. An
    /// element that is not a row (no object, no id, two ids, an id of a wrong type) becomes one of ``failures``,
    /// with code `invalidRow` and a message that names its position and what is wrong; the others are read.
    /// - Throws: ``RemoteDataError`` with code `invalidAnswer` for what is not a JSON array.
    /// - Complexity: O(bytes).
    public static func parse(
        _ json: [UInt8],
        idColumn: String,
        revision: Revision? = nil
    ) throws(RemoteDataError) -> Page {
        let (rows, failures) = try JSONObject.page(json, idColumn: idColumn)
        return Page(rows: rows, revision: revision, failures: failures)
    }
}
