/// The members of an object that somebody looks for, found in one pass over it and read when they are asked for.
///
/// Of a name that is there twice the last one counts; one that is null is as one that is not there.
package struct JSONMembers: Sendable {
    /// What is looked for; faster when the names are in the order they mostly come in.
    package struct Names: Sendable {
        fileprivate let names: [[UInt8]]
        /// The names as they mostly stand in an object.
        fileprivate var shape = JSONShape()

        /// - Parameter names: The names, plain words and 16 at most; a member is asked for by the position of its name among them.
        package init(_ names: [String]) {
            precondition(names.count <= 16, "These are too many names.")
            self.names = names.map(\.utf8Array)
            let object = "{" + names.map { "\"\($0)\":0" }.joined(separator: ",") + "}"
            var places: [JSONShape.Place] = []
            _ = try? shape.learn(object.utf8Array.span, from: 0, &places)
        }
    }

    /// What the object is a part of.
    private let memory: [UInt8]
    /// Where the object is in it.
    private let part: Range<Int>
    /// Where the value of each name is, in the bytes.
    private var values = InlineArray<16, JSONShape.Place>(repeating: .nowhere)
    /// The id of the member that is a row; nil where it is none.
    private var rowID: FoundID?

    /// Looks for members.
    ///
    /// - Parameters:
    ///   - names: The names of those that are looked for.
    ///   - memory: Bytes, which are shared.
    ///   - part: Where in them the object is.
    ///   - row: The one of them that holds a row, which is read in the same pass.
    ///   - likely: What that row is likely to be.
    /// - Throws: ``RemoteDataError`` with code `invalidRow` when the text is not one valid object.
    package init(
        _ names: Names,
        of memory: [UInt8],
        _ part: Range<Int>,
        row: Int,
        _ likely: inout LikelyRow
    ) throws(RemoteDataError) {
        (self.memory, self.part) = (memory, part)
        let bytes = memory.span.extracting(part)
        var (position, expected) = (0, 0)
        do throws(JSONSyntaxError) {
            guard bytes.count <= JSONShape.sizeLimit else {
                throw JSONSyntaxError(offset: JSONShape.sizeLimit, problem: "the object is too large")
            }
            JSONScanner.skipSpace(bytes, &position)
            var members = try JSONScanner.Members(bytes, &position, depth: 0)
            while try members.hasNext(bytes, &position) {
                var index: Int? = expected
                if !names.shape.skipHeader(expected, bytes, &position) {
                    index = names.index(of: try members.name(bytes, &position), in: bytes, from: expected)
                }
                let place = try value(bytes, &position, index == row, &likely)
                guard let index else { continue }
                expected = index + 1
                values[index] = bytes[place.range.lowerBound] == UInt8(ascii: "n") ? .nowhere : place
            }
            JSONScanner.skipSpace(bytes, &position)
            guard position == bytes.count else {
                throw JSONSyntaxError(offset: position, problem: "something follows the object")
            }
        } catch let error { throw error.asInvalidRow("This is not a JSON object") }
    }

    /// Moves behind a value, which may be the row.
    private mutating func value(
        _ bytes: borrowing Span<UInt8>,
        _ position: inout Int,
        _ isRow: Bool,
        _ likely: inout LikelyRow
    ) throws(JSONSyntaxError) -> JSONShape.Place {
        JSONScanner.skipSpace(bytes, &position)
        let start = position
        if isRow { rowID = nil }
        if isRow, start < bytes.count, bytes[start] == UInt8(ascii: "{") {
            rowID =
                if let id = likely.takeRow(bytes, &position) { id } else {
                    try JSONObject.rowID(bytes, &position, idColumn: likely.idColumn)
                }
            return JSONShape.Place(start, position, hasEscapes: false)
        }
        if let hasEscapes = JSONShape.skipValue(bytes, &position) {
            return JSONShape.Place(start, position, hasEscapes: hasEscapes)
        }
        // What is wrong is told by who reads letter by letter.
        position = start
        try JSONScanner.skipValue(bytes, &position, depth: 1)
        return JSONShape.Place(start, position, hasEscapes: false)
    }

    /// The text of a value; nil where it is not there, or null.
    package subscript(json index: Int) -> ArraySlice<UInt8>? {
        let place = values[index]
        return place.isThere ? memory[place.range.moved(by: part.lowerBound)] : nil
    }

    /// The row that a member holds; nil where it holds none.
    package func row(_ index: Int, revision: Revision?) -> Row? {
        guard let rowID, values[index].isThere else { return nil }
        let start = part.lowerBound
        return Row(
            memory,
            values[index].range.moved(by: start),
            id: rowID.moved(by: start),
            revision: revision
        )
    }

    /// A value; nil where it is not there, or null.
    package subscript(index: Int) -> Value? {
        let place = values[index]
        guard place.isThere else { return Value?.none }
        let (bytes, range) = (memory.span.extracting(part), place.range)
        guard bytes[range.lowerBound] == UInt8(ascii: "\"") else { return JSONObject.scalar(bytes, range) }
        let string = JSONString(
            range: (range.lowerBound + 1)..<(range.upperBound - 1),
            hasEscapes: place.hasEscapes
        )
        return .text(string.text(in: bytes))
    }
}

extension Range<Int> {
    fileprivate func moved(by offset: Int) -> Range<Int> { (lowerBound + offset)..<(upperBound + offset) }
}

extension FoundID {
    /// The same where what it is in lies further ahead.
    fileprivate func moved(by offset: Int) -> FoundID {
        switch self {
        case .text(let range): .text(range.moved(by: offset))
        case .integer(let range): .integer(range.moved(by: offset))
        case .apart: self
        }
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
