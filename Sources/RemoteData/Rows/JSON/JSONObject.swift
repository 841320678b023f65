/// Reads and edits rows as JSON text, without decoding them.
package enum JSONObject {
    /// One row: an object holding its id.
    static func row(
        _ json: ArraySlice<UInt8>,
        idColumn: String,
        revision: Revision?
    ) throws(RemoteDataError) -> Row {
        let bytes = json.span
        var position = 0
        do throws(JSONSyntaxError) {
            JSONScanner.skipSpace(bytes, &position)
            let start = position
            let id = try scanRow(bytes, &position, idColumn: idColumn)
            let end = position
            JSONScanner.skipSpace(bytes, &position)
            guard position == bytes.count else {
                throw JSONSyntaxError(offset: position, problem: "something follows the object")
            }
            guard let id = id.flatMap({ RowID($0) }) else { throw missingID(id, idColumn) }
            return Row(id: id, revision: revision, json: slice(json, start..<end))
        } catch let error {
            throw error.asInvalidRow("The row is not a JSON object with an id")
        }
    }

    /// A row to be written: an object that may lack its id.
    static func draft(
        _ json: ArraySlice<UInt8>,
        idColumn: String
    ) throws(RemoteDataError) -> (RowID?, ArraySlice<UInt8>) {
        let members = try members(of: json)
        let ids = members.filter { $0.name.hasSameBytes(as: idColumn) }
        guard let member = ids.first else { return (nil, json) }
        let id = value(of: member.json)
        if ids.count > 1 || id == .text("") {
            let problem = "\(idColumn) is " + (ids.count > 1 ? "there twice" : "empty")
            throw JSONSyntaxError(offset: 0, problem: problem).asInvalidRow("The row cannot be written")
        }
        if case .null = id { return (nil, joined(members.filter { !$0.name.hasSameBytes(as: idColumn) })) }
        guard let id = RowID(id) else {
            throw missingID(id, idColumn).asInvalidRow("The row cannot be written")
        }
        return (id, json)
    }

    /// The rows of a JSON array.
    static func page(
        _ json: [UInt8],
        idColumn: String,
        revision: Revision?
    ) throws(RemoteDataError) -> [Row] {
        let bytes = json.span
        var position = 0
        var rows: [Row] = []
        do throws(JSONSyntaxError) {
            JSONScanner.skipSpace(bytes, &position)
            var elements = try JSONScanner.Elements(bytes, &position, depth: 0)
            while try elements.next(bytes, &position) {
                let start = position
                let id = try scanRow(bytes, &position, idColumn: idColumn)
                guard let id = id.flatMap({ RowID($0) }) else { throw missingID(id, idColumn) }
                rows.append(Row(id: id, revision: revision, json: json[start..<position]))
            }
            JSONScanner.skipSpace(bytes, &position)
            guard position == bytes.count else {
                throw JSONSyntaxError(offset: position, problem: "something follows the array")
            }
            return rows
        } catch let error {
            let start = String(decoding: json.prefix(40), as: UTF8.self)
            if start.first == "<" || start.hasPrefix("\n<") {
                throw RemoteDataError(
                    .invalidAnswer,
                    "The answer is HTML, not a page of rows; is the URL right?"
                )
            }
            throw error.asInvalidRow("Row \(rows.count) of the page cannot be read")
        }
    }

    /// Moves behind an object and returns the value of its id column; nil when it has none.
    private static func scanRow(
        _ bytes: borrowing Span<UInt8>,
        _ position: inout Int,
        idColumn: String
    ) throws(JSONSyntaxError) -> Value? {
        guard position < bytes.count, bytes[position] == UInt8(ascii: "{") else {
            throw JSONSyntaxError(offset: position, problem: "an object expected")
        }
        var id: Value?
        let name = idColumn.utf8Array
        var members = try JSONScanner.Members(bytes, &position, depth: 0)
        while let member = try members.next(bytes, &position) {
            let start = position
            try JSONScanner.skipValue(bytes, &position, depth: 1)
            guard member.equals(name.span, in: bytes) else { continue }
            guard id == nil else {
                throw JSONSyntaxError(offset: start, problem: "\(idColumn) is there twice")
            }
            id = scalar(bytes, start..<position)
        }
        return id
    }

    private static func missingID(_ value: Value?, _ idColumn: String) -> JSONSyntaxError {
        JSONSyntaxError(
            offset: 0,
            problem: value == nil
                ? "\(idColumn) is missing" : "\(idColumn) is neither text nor a 64-bit integer"
        )
    }
}

extension JSONSyntaxError {
    func asInvalidRow(_ what: String) -> RemoteDataError {
        RemoteDataError(.invalidRow, "\(what): \(problem) (at byte \(offset)).")
    }
}

extension String {
    var utf8Array: [UInt8] { Array(utf8) }
}
