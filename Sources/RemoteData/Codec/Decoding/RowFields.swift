/// Where the members of an object lie in its JSON.
///
/// It is told of one object after another. The rows of a table mostly have the same members in the same order, so those of the
/// last one are looked for first, and what is at a name need not be read letter by letter then.
struct RowFields: Sendable {
    /// One member.
    struct Field: Sendable {
        /// Its name, from the quote on, and all in front of its value: a range of `headers`.
        fileprivate let header: Range<Int>
        /// How many bytes the name has.
        fileprivate let nameLength: Int
        /// Where its value lies; empty where the object does not have it.
        fileprivate(set) var range: Range<Int>
        /// Whether it is text with escapes.
        fileprivate(set) var hasEscapes: Bool

        fileprivate var name: Range<Int> { (header.lowerBound + 1)..<(header.lowerBound + 1 + nameLength) }
    }

    private var headers: [UInt8] = []
    private var fields: [Field] = []

    /// How many members are looked through one by one.
    static let limit = 256

    /// Finds the members of an object.
    ///
    /// - Parameters:
    ///   - bytes: JSON.
    ///   - start: Where the object starts.
    /// - Returns: Whether it has no other members than the last one, nor in another order.
    /// - Throws: What is wrong; also with an object whose members two readers may tell apart in other ways: names with escapes or
    ///   beyond ASCII, and two of one name; and with one too large to be looked through.
    mutating func read(_ bytes: borrowing Span<UInt8>, from start: Int) throws(JSONSyntaxError) -> Bool {
        if !fields.isEmpty {
            let headers = headers
            var known = fields.mutableSpan
            if Self.readAlike(bytes, from: start, headers.span, &known) { return true }
        }
        headers.removeAll(keepingCapacity: true)
        fields.removeAll(keepingCapacity: true)
        do throws(JSONSyntaxError) { try readAnew(bytes, from: start) } catch {
            fields.removeAll()
            throw error
        }
        return false
    }

    /// The number of the member of a name, which is the same for all objects that ``read(_:from:)`` finds alike; nil when none of
    /// them has it.
    ///
    /// - Complexity: O(members).
    func number(of name: String) -> Int? {
        let name = name.utf8.span
        for number in fields.indices where has(number, name) { return number }
        return nil
    }

    /// The member of a number; nil where the object does not have it.
    @inline(__always)
    func member(_ number: Int) -> Field? { fields[number].range.isEmpty ? nil : fields[number] }

    /// Whether there is an object among the values.
    func hasObject(in bytes: borrowing Span<UInt8>) -> Bool {
        for index in fields.indices {
            let range = fields[index].range
            if !range.isEmpty, bytes[range.lowerBound] == UInt8(ascii: "{") { return true }
        }
        return false
    }

    /// The names of the members, in their order.
    var names: [String] {
        fields.filter { !$0.range.isEmpty }.map { String(decoding: headers[$0.name], as: UTF8.self) }
    }

    /// Whether a member has a name.
    @inline(__always)
    private func has(_ number: Int, _ name: borrowing Span<UInt8>) -> Bool {
        fields[number].nameLength == name.count
            && Self.isEqual(headers.span, at: fields[number].header.lowerBound + 1, name)
    }

    /// Whether some bytes are at a position.
    @inline(__always)
    private static func isEqual(
        _ bytes: borrowing Span<UInt8>,
        at position: Int,
        _ other: borrowing Span<UInt8>
    ) -> Bool {
        guard bytes.count &- position >= other.count else { return false }
        var index = 0
        while other.count &- index >= 8 {
            if JSONScanner.word(bytes, position &+ index) != JSONScanner.word(other, index) { return false }
            index &+= 8
        }
        let (part, rest) = (
            bytes.extracting((position &+ index)..<(position &+ other.count)), other.extracting(index...)
        )
        for index in 0..<rest.count where part[index] != rest[index] { return false }
        return true
    }
}

// Reading.
extension RowFields {
    /// Finds members that the last object had too, in its order.
    ///
    /// - Returns: Whether the object has no others.
    private static func readAlike(
        _ bytes: borrowing Span<UInt8>,
        from start: Int,
        _ headers: borrowing Span<UInt8>,
        _ fields: inout MutableSpan<Field>
    ) -> Bool {
        var position = start
        var next = 0
        guard position < bytes.count, bytes[position] == UInt8(ascii: "{") else { return false }
        while true {
            position += 1
            JSONScanner.skipSpace(bytes, &position)
            while true {
                guard next < fields.count else { return false }
                let header = fields[next].header
                if isEqual(bytes, at: position, headers.extracting(header)) {
                    position += header.count
                    break
                }
                fields[next].range = 0..<0
                next += 1
            }
            let start = position
            guard let hasEscapes = try? skipValue(bytes, &position) else { return false }
            fields[next].range = start..<position
            fields[next].hasEscapes = hasEscapes
            next += 1
            JSONScanner.skipSpace(bytes, &position)
            guard position < bytes.count else { return false }
            if bytes[position] == UInt8(ascii: ",") { continue }
            guard bytes[position] == UInt8(ascii: "}") else { return false }
            while next < fields.count {
                fields[next].range = 0..<0
                next += 1
            }
            return true
        }
    }

    /// Moves behind a value and tells whether it is text with escapes.
    @inline(__always)
    private static func skipValue(
        _ bytes: borrowing Span<UInt8>,
        _ position: inout Int
    ) throws(JSONSyntaxError) -> Bool {
        if position < bytes.count, bytes[position] == UInt8(ascii: "\"") {
            return try JSONScanner.skipString(bytes, &position).hasEscapes
        }
        try JSONScanner.skipValue(bytes, &position, depth: 1)
        return false
    }

    private mutating func readAnew(
        _ bytes: borrowing Span<UInt8>,
        from start: Int
    ) throws(JSONSyntaxError) {
        var position = start
        var seen: UInt64 = 0
        var members = try JSONScanner.Members(bytes, &position, depth: 0)
        while let name = try members.next(bytes, &position) {
            let start = position
            guard fields.count < Self.limit, !name.hasEscapes, let mark = Self.mark(name.range, bytes) else {
                throw Self.unsure(start)
            }
            let text = bytes.extracting(name.range)
            if seen & mark != 0 {
                for index in fields.indices where has(index, text) { throw Self.unsure(start) }
            }
            seen |= mark
            let hasEscapes = try Self.skipValue(bytes, &position)
            let header = headers.count
            for index in (name.range.lowerBound - 1)..<start { headers.append(bytes[index]) }
            fields.append(
                Field(
                    header: header..<headers.count,
                    nameLength: name.range.count,
                    range: start..<position,
                    hasEscapes: hasEscapes
                )
            )
        }
    }

    /// One of 64 bits for a name, not the same for most names; nil for one beyond ASCII.
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
}
