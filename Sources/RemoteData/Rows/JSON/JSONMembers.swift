/// The members of an object that somebody looks for, found in one pass over it and read when they are asked for.
///
/// Of a name that is there twice the last one counts; one that is null is as one that is not there.
package struct JSONMembers: Sendable {
    /// What is looked for; faster when the names are in the order they mostly come in.
    package struct Names: Sendable {
        fileprivate let names: [[UInt8]]

        /// - Parameter names: The names, 16 at most; a member is asked for by the position of its name among them.
        package init(_ names: [String]) {
            precondition(names.count <= 16, "These are too many names.")
            self.names = names.map(\.utf8Array)
        }
    }

    private let json: [UInt8]
    /// Where the value of each name is, in the bytes; empty where it is not there.
    private var values = InlineArray<16, Range<Int>>(repeating: 0..<0)
    /// The id of the member that is a row; nil where it is none.
    private var rowID: FoundID?

    /// Looks for members.
    ///
    /// - Parameters:
    ///   - names: The names of those that are looked for.
    ///   - json: The object.
    ///   - row: The one of them that holds a row, which is read in the same pass.
    ///   - likely: What that row is likely to be.
    /// - Throws: ``RemoteDataError`` with code `invalidRow` when the text is not one valid object.
    package init(
        _ names: Names,
        of json: ArraySlice<UInt8>,
        row: Int,
        _ likely: inout LikelyRow
    ) throws(RemoteDataError) {
        // Not copied where it is all of an array.
        let json = Array(json)
        self.json = json
        let bytes = json.span
        var (position, expected) = (0, 0)
        do throws(JSONSyntaxError) {
            JSONScanner.skipSpace(bytes, &position)
            var members = try JSONScanner.Members(bytes, &position, depth: 0)
            while let name = try members.next(bytes, &position) {
                let start = position
                let index = names.index(of: name, in: bytes, from: expected)
                if index == row {
                    rowID =
                        if let id = likely.takeRow(bytes, &position) { id } else {
                            try JSONObject.rowID(bytes, &position, idColumn: likely.idColumn)
                        }
                } else {
                    try JSONScanner.skipValue(bytes, &position, depth: 1)
                }
                guard let index else { continue }
                expected = index + 1
                values[index] = bytes[start] == UInt8(ascii: "n") ? 0..<0 : start..<position
            }
            JSONScanner.skipSpace(bytes, &position)
            guard position == bytes.count else {
                throw JSONSyntaxError(offset: position, problem: "something follows the object")
            }
        } catch let error { throw error.asInvalidRow("This is not a JSON object") }
    }

    /// The text of a value; nil where it is not there, or null.
    package subscript(json index: Int) -> ArraySlice<UInt8>? {
        let range = values[index]
        return range.isEmpty ? nil : json[range]
    }

    /// The row that a member holds; nil where it holds none.
    package func row(_ index: Int, revision: Revision?) -> Row? {
        guard let rowID, !values[index].isEmpty else { return nil }
        return Row(json, values[index], id: rowID, revision: revision)
    }

    /// A value; nil where it is not there, or null.
    package subscript(index: Int) -> Value? {
        let range = values[index]
        guard !range.isEmpty else { return Value?.none }
        return JSONObject.scalar(json.span, range)
    }
}

extension JSONMembers.Names {
    /// Which of the names this is.
    fileprivate func index(of name: JSONString, in bytes: borrowing Span<UInt8>, from expected: Int) -> Int? {
        for offset in names.indices {
            let index = expected + offset < names.count ? expected + offset : expected + offset - names.count
            let candidate = names[index]
            if name.equals(candidate.span, in: bytes) { return index }
        }
        return nil
    }
}
