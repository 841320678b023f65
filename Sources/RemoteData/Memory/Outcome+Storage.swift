/// An outcome as bytes, for tables that keep the answers to writes across restarts.
extension Outcome {
    /// The outcome as a JSON array of the count, the revision, the ids, and the rows, each behind its
    /// revision; revisions without their epoch.
    package var stored: [UInt8] {
        let none = Array("null".utf8)
        let parts: [[UInt8]] = [
            Array(String(count).utf8), revision.map { Array(String($0.rawValue).utf8) } ?? none,
            Self.array(ids.map(\.value.json)),
            Self.array(rows.flatMap { [Array(String($0.revision?.rawValue ?? 0).utf8), Array($0.json)] }),
        ]
        return Self.array(parts)
    }

    private static func array(_ parts: [[UInt8]]) -> [UInt8] {
        [UInt8(ascii: "[")] + parts.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")]
    }

    /// Reads what ``stored`` wrote.
    ///
    /// - Parameters:
    ///   - stored: The bytes.
    ///   - idColumn: The column that holds a row's id.
    ///   - epoch: The history that the revisions belong to: the store's, which keeps the answer and its
    ///     revisions together.
    /// - Throws: ``RemoteDataError`` with code `storage` when it is not that.
    package init(stored: [UInt8], idColumn: String, epoch: Epoch?) throws(RemoteDataError) {
        let broken = RemoteDataError(.storage, "A stored answer cannot be read; the database is damaged.")
        let parts = try JSONObject.elements(of: stored[...])
        guard parts.count == 4, case .integer(let count) = JSONObject.value(of: parts[0]) else {
            throw broken
        }
        var revision: Revision?
        if case .integer(let number) = JSONObject.value(of: parts[1]) {
            revision = Revision(number, epoch: epoch)
        }
        let ids = try JSONObject.elements(of: parts[2]).compactMap { RowID(JSONObject.value(of: $0)) }
        let pairs = try JSONObject.elements(of: parts[3])
        var rows: [Row] = []
        for index in stride(from: 0, to: pairs.count - 1, by: 2) {
            guard case .integer(let number) = JSONObject.value(of: pairs[index]) else { throw broken }
            let json = pairs[index + 1]
            rows.append(try Row.parse(json, idColumn: idColumn, revision: Revision(number, epoch: epoch)))
        }
        self.init(rows: rows, ids: ids, count: Int(count), revision: revision)
    }
}
