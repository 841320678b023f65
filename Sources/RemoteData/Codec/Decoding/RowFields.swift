/// Where the members of an object lie in its JSON.
struct RowFields: Sendable {
    /// One member.
    struct Field: Sendable {
        let name: Range<Int32>
        let value: Range<Int32>
        /// Whether it is text with escapes.
        let hasEscapes: Bool

        /// Where the value lies.
        var range: Range<Int> { Int(value.lowerBound)..<Int(value.upperBound) }
    }

    private var fields: [Field] = []

    /// How many members are looked through one by one, and how long an object may be for that.
    private static let limits = (members: 256, bytes: Int(Int32.max))

    /// Finds the members of an object.
    ///
    /// - Parameters:
    ///   - bytes: JSON.
    ///   - position: Where the object starts; behind it afterwards.
    /// - Throws: What is wrong; also with an object whose members two readers may tell apart in other ways: names with escapes or
    ///   beyond ASCII, and two of one name; and with one too large to be looked through.
    init(_ bytes: borrowing Span<UInt8>, _ position: inout Int) throws(JSONSyntaxError) {
        guard bytes.count <= Self.limits.bytes else { throw Self.unsure(position) }
        fields.reserveCapacity(16)
        var seen: UInt64 = 0
        var members = try JSONScanner.Members(bytes, &position, depth: 0)
        while let name = try members.next(bytes, &position) {
            let start = position
            guard fields.count < Self.limits.members else { throw Self.unsure(start) }
            guard !name.hasEscapes, let mark = Self.mark(name.range, bytes) else { throw Self.unsure(start) }
            if seen & mark != 0, find(bytes.extracting(name.range), in: bytes) != nil {
                throw Self.unsure(start)
            }
            seen |= mark
            var hasEscapes = false
            if position < bytes.count, bytes[position] == UInt8(ascii: "\"") {
                hasEscapes = try JSONScanner.skipString(bytes, &position).hasEscapes
            } else {
                try JSONScanner.skipValue(bytes, &position, depth: 1)
            }
            let (lower, upper) = (name.range.lowerBound, name.range.upperBound)
            fields.append(
                Field(
                    name: Int32(truncatingIfNeeded: lower)..<Int32(truncatingIfNeeded: upper),
                    value: Int32(truncatingIfNeeded: start)..<Int32(truncatingIfNeeded: position),
                    hasEscapes: hasEscapes
                )
            )
        }
    }

    /// One of 64 bits for a name, not the same for most names; nil for one beyond ASCII.
    @inline(__always)
    private static func mark(_ range: Range<Int>, _ bytes: borrowing Span<UInt8>) -> UInt64? {
        guard let last = range.last else { return 1 }
        var all: UInt8 = 0
        for index in range { all |= bytes[index] }
        guard all < 0x80 else { return nil }
        let mix = UInt64(bytes[range.lowerBound]) &* 31 &+ UInt64(bytes[last]) &* 7 &+ UInt64(range.count)
        return 1 << (mix & 63)
    }

    private static func unsure(_ offset: Int) -> JSONSyntaxError {
        JSONSyntaxError(offset: offset, problem: "names that are not plain", isWellFormed: true)
    }

    /// The member of a name; nil when there is none.
    ///
    /// - Complexity: O(members).
    func member(_ name: String, in json: ArraySlice<UInt8>) -> Field? { find(name.utf8.span, in: json.span) }

    /// The names, in their order.
    func names(in json: ArraySlice<UInt8>) -> [String] {
        fields.map { field in
            let range = Int(field.name.lowerBound)..<Int(field.name.upperBound)
            return String(decoding: JSONObject.slice(json, range), as: UTF8.self)
        }
    }

    @inline(__always)
    private func find(_ name: borrowing Span<UInt8>, in bytes: borrowing Span<UInt8>) -> Field? {
        let count = Int32(truncatingIfNeeded: name.count)
        search: for field in fields where field.name.upperBound - field.name.lowerBound == count {
            let start = Int(field.name.lowerBound)
            for index in name.indices where bytes[start + index] != name[index] { continue search }
            return field
        }
        return nil
    }
}
