/// The members that an object has, in their order, by which those of objects like it are found without reading what is at their
/// names letter by letter: the rows of a table mostly have the same members in the same order.
struct JSONShape: Sendable {
    /// Where a member has its value; nowhere when an object lacks it.
    struct Place: Sendable {
        fileprivate let start: UInt32
        fileprivate let end: UInt32
        /// Whether the value is text with escapes.
        let hasEscapes: Bool

        /// Where the value lies; empty when there is none.
        @inline(__always) var range: Range<Int> { Int(start)..<Int(end) }
        @inline(__always) var isThere: Bool { end > start }

        static let nowhere = Place(start: 0, end: 0, hasEscapes: false)

        @inline(__always)
        init(_ start: Int, _ end: Int, hasEscapes: Bool) {
            self.init(
                start: UInt32(truncatingIfNeeded: start),
                end: UInt32(truncatingIfNeeded: end),
                hasEscapes: hasEscapes
            )
        }

        private init(start: UInt32, end: UInt32, hasEscapes: Bool) {
            (self.start, self.end, self.hasEscapes) = (start, end, hasEscapes)
        }
    }

    /// One member: its name, from the quote on, and all in front of its value.
    private struct Header: Sendable {
        /// The first eight bytes, and which of them there are.
        let first: UInt64
        let mask: UInt64
        /// All of it, in `text`.
        let range: Range<Int>
        let nameLength: Int

        var name: Range<Int> { (range.lowerBound + 1)..<(range.lowerBound + 1 + nameLength) }
    }

    private var text: [UInt8] = []
    private var headers: [Header] = []

    /// How many members are looked through one by one.
    static let limit = 256
    /// How many bytes places can be told of.
    static let sizeLimit = Int(UInt32.max)

    /// How many members there are.
    var count: Int { headers.count }

    /// How many bytes the names take.
    var size: Int { text.capacity }

    /// The names of the members.
    var names: [String] { headers.map { String(decoding: text[$0.name], as: UTF8.self) } }

    /// The number of the member of a name; nil when there is none.
    ///
    /// - Complexity: O(members).
    func number(of name: String) -> Int? { number(of: name.utf8.span) }

    private func number(of name: borrowing Span<UInt8>) -> Int? {
        for number in headers.indices where headers[number].nameLength == name.count {
            if text.span.extracting(headers[number].name).hasSameBytes(as: name) { return number }
        }
        return nil
    }
}

// Finding.
extension JSONShape {
    /// Finds the values of an object that has no other members, nor in another order; checks that they are JSON.
    ///
    /// - Parameters:
    ///   - bytes: JSON.
    ///   - start: Where the object starts.
    ///   - places: They become where the values lie.
    ///   - first: The number of the first of as many places as there are members.
    /// - Returns: The position behind the object; nil when it is another, or none at all.
    /// - Complexity: O(bytes of the object + members).
    func find(
        _ bytes: borrowing Span<UInt8>,
        from start: Int,
        _ places: inout MutableSpan<Place>,
        at first: Int = 0
    ) -> Int? {
        Self.find(headers.span, text.span, bytes, from: start, &places, at: first)
    }

    @inline(__always)
    private static func find(
        _ headers: borrowing Span<Header>,
        _ text: borrowing Span<UInt8>,
        _ bytes: borrowing Span<UInt8>,
        from start: Int,
        _ places: inout MutableSpan<Place>,
        at first: Int
    ) -> Int? {
        guard start < bytes.count, bytes[start] == UInt8(ascii: "{"), bytes.count <= Self.sizeLimit else {
            return nil
        }
        var position = start
        var next = 0
        while true {
            position &+= 1
            JSONScanner.skipSpace(bytes, &position)
            let word = Self.word(bytes, position)
            while true {
                guard next < headers.count else { return nil }
                if (word ^ headers[next].first) & headers[next].mask == 0,
                    Self.isRest(text, headers[next].range, bytes, position)
                {
                    break
                }
                places[first &+ next] = .nowhere
                next &+= 1
            }
            position &+= headers[next].range.count
            let value = position
            guard let hasEscapes = Self.skipValue(bytes, &position) else { return nil }
            places[first &+ next] = Place(value, position, hasEscapes: hasEscapes)
            next &+= 1
            JSONScanner.skipSpace(bytes, &position)
            guard position < bytes.count else { return nil }
            if bytes[position] == UInt8(ascii: ",") { continue }
            guard bytes[position] == UInt8(ascii: "}") else { return nil }
            while next < headers.count {
                places[first &+ next] = .nowhere
                next &+= 1
            }
            return position &+ 1
        }
    }

    /// The same for places of this shape alone.
    @inline(__always)
    func find(_ bytes: borrowing Span<UInt8>, from start: Int, _ places: inout [Place]) -> Int? {
        guard places.count == count else { return nil }
        var span = places.mutableSpan
        return find(bytes, from: start, &span)
    }

    /// Finds the rows of a list, one after another, as long as they have no other members, nor in another order.
    ///
    /// All that is the same for each of them is looked up once.
    ///
    /// - Parameters:
    ///   - json: JSON.
    ///   - position: Where the first row starts; moved behind the last one that is found.
    ///   - number: The number of the member that is the id.
    ///   - places: As many as there are members; they are written over.
    ///   - rows: The rows are added to these.
    func findRows(
        _ json: [UInt8],
        _ position: inout Int,
        id number: Int,
        _ places: inout [Place],
        into rows: inout [Row]
    ) {
        guard places.count == count, number < count else { return }
        let (headers, text, bytes) = (headers.span, text.span, json.span)
        var span = places.mutableSpan
        var start = position
        while let end = Self.find(headers, text, bytes, from: start, &span, at: 0),
            span[number].isThere,
            let id = FoundID(bytes, span[number].range, hasEscapes: span[number].hasEscapes)
        {
            rows.append(Row(json, start..<end, id: id, revision: nil))
            position = end
            start = end
            JSONScanner.skipSpace(bytes, &start)
            guard start < bytes.count, bytes[start] == UInt8(ascii: ",") else { return }
            start &+= 1
            JSONScanner.skipSpace(bytes, &start)
        }
    }

    /// Moves from the name of a member to its value, if it is this one, written like those before it.
    @inline(__always)
    func skipHeader(_ number: Int, _ bytes: borrowing Span<UInt8>, _ position: inout Int) -> Bool {
        guard number < headers.count else { return false }
        let header = headers[number]
        guard (Self.word(bytes, position) ^ header.first) & header.mask == 0,
            Self.isRest(text.span, header.range, bytes, position)
        else { return false }
        position &+= header.range.count
        return true
    }

    /// The next eight bytes, the first of them lowest; zero behind the end.
    @inline(__always)
    private static func word(_ bytes: borrowing Span<UInt8>, _ position: Int) -> UInt64 {
        bytes.count &- position >= 8 ? JSONScanner.word(bytes, position) : lastWord(bytes, position)
    }

    private static func lastWord(_ bytes: borrowing Span<UInt8>, _ position: Int) -> UInt64 {
        var word: UInt64 = 0
        var index = bytes.count
        while index > position {
            index -= 1
            word = word << 8 | UInt64(bytes[index])
        }
        return word
    }

    /// Whether all of a header but its first eight bytes is at a position, too.
    @inline(__always)
    private static func isRest(
        _ text: borrowing Span<UInt8>,
        _ header: Range<Int>,
        _ bytes: borrowing Span<UInt8>,
        _ position: Int
    ) -> Bool {
        guard bytes.count &- position >= header.count else { return false }
        var index = 8
        while index < header.count {
            // The last word may begin in the one before it.
            let offset = Swift.min(index, header.count &- 8)
            if JSONScanner.word(bytes, position &+ offset)
                != JSONScanner.word(text, header.lowerBound &+ offset)
            {
                return false
            }
            index &+= 8
        }
        return true
    }

    /// Moves behind a value and tells whether it is text with escapes; nil when it is none.
    @inline(__always)
    static func skipValue(_ bytes: borrowing Span<UInt8>, _ position: inout Int) -> Bool? {
        guard position < bytes.count else { return nil }
        switch bytes[position] {
        case UInt8(ascii: "\""): return (try? JSONScanner.skipString(bytes, &position))?.hasEscapes
        case 48...57, UInt8(ascii: "-"):
            return (try? JSONScanner.skipNumber(bytes, &position)) == nil ? nil : false
        default: return (try? JSONScanner.skipValue(bytes, &position, depth: 1)) == nil ? nil : false
        }
    }
}

// Learning.
extension JSONShape {
    /// Takes the members of an object, and finds its values.
    ///
    /// - Parameters:
    ///   - bytes: JSON.
    ///   - start: Where the object starts.
    ///   - places: Where its values lie.
    /// - Returns: The position behind the object.
    /// - Throws: What is wrong; also with an object whose members two readers may tell apart in other ways: names with escapes or
    ///   beyond ASCII, and two of one name; and with one too large to be looked through. Then there are no members.
    @discardableResult
    mutating func learn(
        _ bytes: borrowing Span<UInt8>,
        from start: Int,
        _ places: inout [Place]
    ) throws(JSONSyntaxError) -> Int {
        text.removeAll(keepingCapacity: true)
        headers.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
        do throws(JSONSyntaxError) { return try take(bytes, from: start, &places) } catch {
            headers.removeAll()
            places.removeAll()
            throw error
        }
    }

    private mutating func take(
        _ bytes: borrowing Span<UInt8>,
        from start: Int,
        _ places: inout [Place]
    ) throws(JSONSyntaxError) -> Int {
        guard bytes.count <= Self.sizeLimit else { throw Self.unsure(start) }
        var position = start
        var seen: UInt64 = 0
        var members = try JSONScanner.Members(bytes, &position, depth: 0)
        while let name = try members.next(bytes, &position) {
            let value = position
            guard headers.count < Self.limit, !name.hasEscapes, let mark = Self.mark(name.range, bytes) else {
                throw Self.unsure(value)
            }
            if seen & mark != 0, number(of: bytes.extracting(name.range)) != nil { throw Self.unsure(value) }
            seen |= mark
            add(bytes, (name.range.lowerBound - 1)..<value, nameLength: name.range.count)
            guard let hasEscapes = Self.skipValue(bytes, &position) else {
                position = value
                try JSONScanner.skipValue(bytes, &position, depth: 1)
                throw Self.unsure(value)
            }
            places.append(Place(value, position, hasEscapes: hasEscapes))
        }
        return position
    }

    private mutating func add(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>, nameLength: Int) {
        let start = text.count
        for index in range { text.append(bytes[index]) }
        let count = range.count
        headers.append(
            Header(
                first: Self.word(text.span, start),
                mask: count >= 8 ? .max : (1 << UInt64(8 * count)) - 1,
                range: start..<text.count,
                nameLength: nameLength
            )
        )
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
