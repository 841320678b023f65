/// Reads and edits rows as JSON text, without decoding them.
package enum JSONObject {
    /// One row: an object holding its id.
    static func row(
        _ json: ArraySlice<UInt8>,
        idColumn: String,
        revision: Revision?
    ) throws(RemoteDataError) -> Row {
        // Not copied where it is all of an array.
        let json = Array(json)
        let bytes = json.span
        var position = 0
        do throws(JSONSyntaxError) {
            JSONScanner.skipSpace(bytes, &position)
            let start = position
            let id = try scanID(bytes, &position, idColumn: idColumn)
            let end = position
            JSONScanner.skipSpace(bytes, &position)
            guard position == bytes.count else {
                throw JSONSyntaxError(offset: position, problem: "something follows the object")
            }
            return Row(json, start..<end, id: id, revision: revision)
        } catch let error {
            throw error.asInvalidRow("The row is not a JSON object with an id")
        }
    }

    /// A row to be written: an object that may lack its id, without white space around it.
    static func draft(
        _ json: ArraySlice<UInt8>,
        idColumn: String
    ) throws(RemoteDataError) -> (RowID?, ArraySlice<UInt8>) {
        let name = idColumn.utf8Array
        var (count, found): (Int, Range<Int>?) = (0, nil)
        try forEachMember(of: json) { member, value in
            guard member.equals(name.span, in: json.span) else { return }
            (count, found) = (count + 1, value)
        }
        guard let found else { return (nil, trimmed(json)) }
        guard count == 1 else {
            throw RemoteDataError(.invalidRow, "The row cannot be written: \(idColumn) is there twice.")
        }
        let id = scalar(json.span, found)
        if case .null = id { return (nil, try removing(idColumn, from: json)) }
        guard let id = RowID(id), id != "" else {
            throw RemoteDataError(
                .invalidRow,
                "The row cannot be written: \(idColumn) is neither text, empty text aside, nor a 64-bit integer."
            )
        }
        return (id, trimmed(json))
    }

    /// The bytes without JSON's white space around them.
    private static func trimmed(_ json: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
        var json = json.drop(while: isSpace)
        while let last = json.last, isSpace(last) { json.removeLast() }
        return json
    }

    /// The rows of a JSON array, and the elements that are none.
    static func page(
        _ json: [UInt8],
        idColumn: String
    ) throws(RemoteDataError) -> (rows: [Row], failures: [RowFailure]) {
        let bytes = json.span
        var position = 0
        var rows: [Row] = []
        var failures: [RowFailure] = []
        var likely = LikelyRow(idColumn: idColumn)
        do throws(JSONSyntaxError) {
            JSONScanner.skipSpace(bytes, &position)
            var elements = try JSONScanner.Elements(bytes, &position, depth: 0)
            while try elements.next(bytes, &position) {
                if likely.takeRows(json, &position, into: &rows) { continue }
                let start = position
                do throws(JSONSyntaxError) {
                    let id = try scanID(bytes, &position, idColumn: idColumn)
                    rows.append(Row(json, start..<position, id: id, revision: nil))
                } catch {
                    // What is well formed has been read to its end.
                    guard error.isWellFormed else { throw error }
                    failures.append(error.asRowFailure(rows.count + failures.count))
                }
            }
            JSONScanner.skipSpace(bytes, &position)
            guard position == bytes.count else {
                throw JSONSyntaxError(offset: position, problem: "something follows the array")
            }
            return (rows, failures)
        } catch let error { throw refusal(error, of: json, row: rows.count + failures.count) }
    }

    private static func refusal(_ error: JSONSyntaxError, of json: [UInt8], row: Int) -> RemoteDataError {
        if trimmed(json[...]).first == UInt8(ascii: "<") {
            return RemoteDataError(
                .invalidAnswer,
                "The answer is HTML, not a page of rows; is the URL right?"
            )
        }
        return RemoteDataError(
            .invalidAnswer,
            "The answer is not a JSON array: \(error.problem) (at byte \(error.offset), row \(row))."
        )
    }

    /// Moves behind a value and returns its id, where it is a row.
    static func rowID(
        _ bytes: borrowing Span<UInt8>,
        _ position: inout Int,
        idColumn: String
    ) throws(JSONSyntaxError) -> FoundID? {
        do throws(JSONSyntaxError) { return try scanID(bytes, &position, idColumn: idColumn) } catch {
            // What is well formed has been read to its end.
            guard error.isWellFormed else { throw error }
            return nil
        }
    }

    /// Moves behind an object and returns its id; also behind what is well formed but no row, which it throws.
    private static func scanID(
        _ bytes: borrowing Span<UInt8>,
        _ position: inout Int,
        idColumn: String
    ) throws(JSONSyntaxError) -> FoundID {
        let start = position
        guard position < bytes.count, bytes[position] == UInt8(ascii: "{") else {
            // What is no JSON value at all breaks the grammar instead.
            try JSONScanner.skipValue(bytes, &position, depth: 1)
            throw JSONSyntaxError(offset: start, problem: "an object expected", isWellFormed: true)
        }
        var found: Range<Int>?
        var second: Int?
        let name = idColumn.utf8Array
        var members = try JSONScanner.Members(bytes, &position, depth: 0)
        while let member = try members.next(bytes, &position) {
            let start = position
            try JSONScanner.skipValue(bytes, &position, depth: 1)
            guard member.equals(name.span, in: bytes) else { continue }
            if found != nil { second = start }
            found = found ?? start..<position
        }
        if let second {
            throw JSONSyntaxError(offset: second, problem: "\(idColumn) is there twice", isWellFormed: true)
        }
        guard let found else {
            throw JSONSyntaxError(offset: start, problem: "\(idColumn) is missing", isWellFormed: true)
        }
        guard let id = FoundID(bytes, found) else {
            let problem = "\(idColumn) is neither text nor a 64-bit integer"
            throw JSONSyntaxError(offset: found.lowerBound, problem: problem, isWellFormed: true)
        }
        return id
    }
}

extension JSONSyntaxError {
    func asInvalidRow(_ what: String) -> RemoteDataError {
        RemoteDataError(.invalidRow, "\(what): \(problem) (at byte \(offset)).")
    }

    func asRowFailure(_ position: Int) -> RowFailure {
        RowFailure(
            position: position,
            error: asInvalidRow("Row \(position) of the page, counted from 0, cannot be read")
        )
    }
}

extension String {
    var utf8Array: [UInt8] { Array(utf8) }
}
