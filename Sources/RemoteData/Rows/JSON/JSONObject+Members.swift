extension JSONObject {
    /// One member of an object: its name, decoded, and its value as text.
    package struct Member: Sendable {
        package let name: String
        package var json: ArraySlice<UInt8>
    }

    /// The members of an object in their order.
    ///
    /// - Throws: ``RemoteDataError`` with code `invalidRow` when it is not one valid object.
    package static func members(of json: ArraySlice<UInt8>) throws(RemoteDataError) -> [Member] {
        var result: [Member] = []
        try forEachMember(of: json) { name, range in
            result.append(Member(name: name.text(in: json.span), json: slice(json, range)))
        }
        return result
    }

    /// Reads an object, and keeps nothing of it.
    ///
    /// - Throws: ``RemoteDataError`` with code `invalidRow` when it is not one valid object.
    package static func check(_ json: ArraySlice<UInt8>) throws(RemoteDataError) {
        try forEachMember(of: json) { _, _ in }
    }

    /// Says where the name and the value of each member of an object lie, in its bytes.
    static func forEachMember(
        of json: ArraySlice<UInt8>,
        _ body: (JSONString, Range<Int>) -> Void
    ) throws(RemoteDataError) {
        let bytes = json.span
        var position = 0
        do throws(JSONSyntaxError) {
            JSONScanner.skipSpace(bytes, &position)
            var members = try JSONScanner.Members(bytes, &position, depth: 0)
            while let name = try members.next(bytes, &position) {
                let start = position
                try JSONScanner.skipValue(bytes, &position, depth: 1)
                body(name, start..<position)
            }
            JSONScanner.skipSpace(bytes, &position)
            guard position == bytes.count else {
                throw JSONSyntaxError(offset: position, problem: "something follows the object")
            }
        } catch let error { throw error.asInvalidRow("This is not a JSON object") }
    }

    /// The elements of an array, each as text.
    ///
    /// - Parameters:
    ///   - json: The array.
    ///   - limit: How many elements it may have.
    /// - Returns: The elements.
    /// - Throws: ``RemoteDataError``: `invalidRow` when it is not one valid array, `tooLarge` when it has
    ///   more elements.
    package static func elements(
        of json: ArraySlice<UInt8>,
        atMost limit: Int = .max
    ) throws(RemoteDataError) -> [ArraySlice<UInt8>] {
        var result: [ArraySlice<UInt8>] = []
        var count = 0
        try forEachElement(of: json) { range in
            count += 1
            if count <= limit { result.append(slice(json, range)) }
        }
        guard count <= limit else {
            throw RemoteDataError(.tooLarge, "The array has \(count) elements; at most \(limit) are taken.")
        }
        return result
    }

    /// The values of the elements of an array.
    ///
    /// - Throws: ``RemoteDataError`` with code `invalidRow` when it is not one valid array.
    static func elementValues(of json: ArraySlice<UInt8>) throws(RemoteDataError) -> [Value] {
        var result: [Value] = []
        try forEachElement(of: json) { range in result.append(scalar(json.span, range)) }
        return result
    }

    /// Where the last element of an array lies, in its bytes; nil where there is none.
    ///
    /// - Throws: ``RemoteDataError`` with code `invalidRow` when it is not one valid array.
    static func lastElement(of json: ArraySlice<UInt8>) throws(RemoteDataError) -> Range<Int>? {
        var last: Range<Int>?
        try forEachElement(of: json) { last = $0 }
        return last
    }

    /// Says where each element of an array lies, in its bytes.
    private static func forEachElement(
        of json: ArraySlice<UInt8>,
        _ body: (Range<Int>) -> Void
    ) throws(RemoteDataError) {
        let bytes = json.span
        var position = 0
        do throws(JSONSyntaxError) {
            JSONScanner.skipSpace(bytes, &position)
            var elements = try JSONScanner.Elements(bytes, &position, depth: 0)
            while try elements.next(bytes, &position) {
                let start = position
                try JSONScanner.skipValue(bytes, &position, depth: 1)
                body(start..<position)
            }
            JSONScanner.skipSpace(bytes, &position)
            guard position == bytes.count else {
                throw JSONSyntaxError(offset: position, problem: "something follows the array")
            }
        } catch let error { throw error.asInvalidRow("This is not a JSON array") }
    }

    /// An object of these members.
    static func joined(_ members: [Member]) -> ArraySlice<UInt8> {
        var result: [UInt8] = [UInt8(ascii: "{")]
        for (index, member) in members.enumerated() {
            if index > 0 { result.append(UInt8(ascii: ",")) }
            result += quoted(member.name)
            result.append(UInt8(ascii: ":"))
            result += member.json
        }
        result.append(UInt8(ascii: "}"))
        return result[...]
    }

    /// The object with an id as its first member.
    static func adding(_ id: RowID, as idColumn: String, to json: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let bytes = json.span
        var position = 0
        JSONScanner.skipSpace(bytes, &position)
        let rest = json.dropFirst(position + 1)
        position += 1
        JSONScanner.skipSpace(bytes, &position)
        let isEmpty = position < bytes.count && bytes[position] == UInt8(ascii: "}")
        let head = "{".utf8Array + quoted(idColumn) + ":".utf8Array + id.value.json
        return (head + (isEmpty ? [] : [UInt8(ascii: ",")]) + rest)[...]
    }

    /// The object with a patch's members put in place of its own, new ones at the end; the rest stays byte for byte.
    package static func merging(
        _ patch: ArraySlice<UInt8>,
        into json: ArraySlice<UInt8>
    ) throws(RemoteDataError) -> ArraySlice<UInt8> {
        var members = try members(of: json)
        for change in try JSONObject.members(of: patch) {
            if let index = members.firstIndex(where: { $0.name.hasSameBytes(as: change.name) }) {
                members[index].json = change.json
            } else {
                members.append(change)
            }
        }
        return joined(members)
    }

    /// The object without a member.
    ///
    /// - Throws: ``RemoteDataError`` with code `invalidRow` when it is no JSON object.
    package static func removing(
        _ name: String,
        from json: ArraySlice<UInt8>
    ) throws(RemoteDataError) -> ArraySlice<UInt8> {
        joined(try members(of: json).filter { !$0.name.hasSameBytes(as: name) })
    }

    /// The object with its member `name` called `other`; unchanged when it has none.
    static func renaming(_ name: String, to other: String, in json: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let bytes = json.span
        let name = name.utf8Array
        var position = 0
        JSONScanner.skipSpace(bytes, &position)
        do throws(JSONSyntaxError) {
            var members = try JSONScanner.Members(bytes, &position, depth: 0)
            while let member = try members.next(bytes, &position) {
                if member.equals(name.span, in: bytes) {
                    let quotes = (member.range.lowerBound - 1)..<(member.range.upperBound + 1)
                    return slice(json, 0..<quotes.lowerBound) + quoted(other)
                        + slice(json, quotes.upperBound..<json.count)
                }
                try JSONScanner.skipValue(bytes, &position, depth: 1)
            }
        } catch { return json }
        return json
    }

    static func slice(_ json: ArraySlice<UInt8>, _ range: Range<Int>) -> ArraySlice<UInt8> {
        json[(json.startIndex + range.lowerBound)..<(json.startIndex + range.upperBound)]
    }
}

extension JSONObject {
    /// A string in double quotes, escaped where JSON asks for it.
    package static func quoted(_ text: String) -> [UInt8] {
        var result: [UInt8] = [UInt8(ascii: "\"")]
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): result += #"\""#.utf8
            case UInt8(ascii: "\\"): result += #"\\"#.utf8
            case 0x0A: result += #"\n"#.utf8
            case 0x0D: result += #"\r"#.utf8
            case 0x09: result += #"\t"#.utf8
            case 0..<0x20:
                let digits = String(byte, radix: 16)
                result += (#"\u"# + String(repeating: "0", count: 4 - digits.count) + digits).utf8
            default: result.append(byte)
            }
        }
        result.append(UInt8(ascii: "\""))
        return result
    }
}

extension Value {
    /// Reads one JSON value; nil when it is not one.
    public init?(json: ArraySlice<UInt8>) {
        let bytes = json.span
        var position = 0
        JSONScanner.skipSpace(bytes, &position)
        let start = position
        guard (try? JSONScanner.skipValue(bytes, &position)) != nil else { return nil }
        let end = position
        JSONScanner.skipSpace(bytes, &position)
        guard position == bytes.count else { return nil }
        self = JSONObject.scalar(bytes, start..<end)
    }

    /// The value as JSON text.
    public var json: [UInt8] {
        switch self {
        case .null: "null".utf8Array
        case .bool(let value): (value ? "true" : "false").utf8Array
        case .integer(let value): String(value).utf8Array
        // JSON has no infinity; a number too large to hold is written as one that reads back as itself.
        case .double(let value) where value.isInfinite: (value < 0 ? "-1e999" : "1e999").utf8Array
        case .double(let value): value.isNaN ? "null".utf8Array : "\(value)".utf8Array
        case .text(let text): JSONObject.quoted(text)
        case .json(let text): text.utf8Array
        }
    }
}
