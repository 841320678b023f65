extension JSONObject {
    /// Refuses what others who read JSON understand otherwise, or not at all: half a surrogate pair, a number
    /// beyond the range of doubles, a name that is twice in one object (I-JSON: RFC 7493, 2).
    ///
    /// - Parameter json: A valid value.
    /// - Throws: ``RemoteDataError`` with code `invalidRow` that says what is where.
    /// - Complexity: O(bytes).
    package static func checkInterchange(_ json: ArraySlice<UInt8>) throws(RemoteDataError) {
        let bytes = json.span
        var position = 0
        do throws(JSONSyntaxError) {
            JSONScanner.skipSpace(bytes, &position)
            try JSONScanner.checkInterchange(bytes, &position, depth: 0)
        } catch { throw error.asInvalidRow("The row cannot be written") }
    }
}

extension JSONScanner {
    fileprivate static func checkInterchange(
        _ bytes: borrowing Span<UInt8>,
        _ position: inout Int,
        depth: Int
    ) throws(JSONSyntaxError) {
        guard position < bytes.count else {
            throw JSONSyntaxError(offset: position, problem: "the text ends early")
        }
        switch bytes[position] {
        case UInt8(ascii: "{"):
            var (members, names) = (try Members(bytes, &position, depth: depth), NamesSeen())
            while let name = try members.next(bytes, &position) {
                try name.checkSurrogates(bytes)
                try names.add(name, bytes)
                try checkInterchange(bytes, &position, depth: depth + 1)
            }
        case UInt8(ascii: "["):
            var elements = try Elements(bytes, &position, depth: depth)
            while try elements.next(bytes, &position) {
                try checkInterchange(bytes, &position, depth: depth + 1)
            }
        case UInt8(ascii: "\""): try skipString(bytes, &position).checkSurrogates(bytes)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try checkNumber(bytes, &position)
        default: try skipValue(bytes, &position, depth: depth)
        }
    }

    private static func checkNumber(
        _ bytes: borrowing Span<UInt8>,
        _ position: inout Int
    ) throws(JSONSyntaxError) {
        let start = position
        try skipNumber(bytes, &position)
        let number = bytes.extracting(start..<position)
        // Without an exponent it takes 309 digits to be beyond.
        var isLong = number.count > 300
        for index in number.indices where number[index] | 0x20 == UInt8(ascii: "e") { isLong = true }
        guard isLong, !(Double(String(copying: number))?.isFinite ?? false) else { return }
        throw JSONSyntaxError(offset: start, problem: "a number beyond the range of doubles")
    }
}

/// The names of an object so far.
private struct NamesSeen {
    private var names: [(hash: UInt64, name: JSONString)] = []
    /// Where there are many.
    private var hashes: Set<UInt64> = []

    mutating func add(_ name: JSONString, _ bytes: borrowing Span<UInt8>) throws(JSONSyntaxError) {
        let hash = name.hash(bytes)
        let isMaybeHere =
            names.count > 16 ? hashes.contains(hash) : names.contains { $0.hash == hash }
        if isMaybeHere {
            let text = name.text(in: bytes).utf8Array
            for other in names where other.hash == hash && other.name.equals(text.span, in: bytes) {
                let shown = String(decoding: text.prefix(100), as: UTF8.self)
                throw JSONSyntaxError(offset: name.range.lowerBound, problem: "\(shown) is there twice")
            }
        }
        names.append((hash, name))
        if names.count == 17 {
            hashes = Set(names.map(\.hash))
        } else if names.count > 17 {
            hashes.insert(hash)
        }
    }
}

extension JSONString {
    /// A hash of the contents (FNV-1a), the same for the same bytes.
    fileprivate func hash(_ bytes: borrowing Span<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        if hasEscapes {
            for byte in text(in: bytes).utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        } else {
            for index in range { hash = (hash ^ UInt64(bytes[index])) &* 0x100_0000_01B3 }
        }
        return hash
    }

    /// Refuses half a surrogate pair.
    fileprivate func checkSurrogates(_ bytes: borrowing Span<UInt8>) throws(JSONSyntaxError) {
        guard hasEscapes else { return }
        var position = range.lowerBound
        while position < range.upperBound {
            guard bytes[position] == UInt8(ascii: "\\") else {
                position += 1
                continue
            }
            guard let unit = unit(bytes, at: position) else {
                position += 2
                continue
            }
            let isPair = isHigh(unit) && isLow(self.unit(bytes, at: position + 6) ?? 0)
            guard isPair || !isHigh(unit) && !isLow(unit) else {
                throw JSONSyntaxError(offset: position, problem: "half a surrogate pair, which is no text")
            }
            position += isPair ? 12 : 6
        }
    }

    private func isHigh(_ unit: UInt16) -> Bool { (0xD800..<0xDC00).contains(unit) }

    private func isLow(_ unit: UInt16) -> Bool { (0xDC00..<0xE000).contains(unit) }

    /// The unit of UTF-16 whose escape is at a position; nil where there is none.
    private func unit(_ bytes: borrowing Span<UInt8>, at position: Int) -> UInt16? {
        guard position + 6 <= range.upperBound, bytes[position] == UInt8(ascii: "\\"),
            bytes[position + 1] == UInt8(ascii: "u")
        else { return nil }
        return (position + 2..<position + 6).reduce(0) { $0 << 4 | JSONScanner.hexDigit(bytes[$1]) }
    }
}
