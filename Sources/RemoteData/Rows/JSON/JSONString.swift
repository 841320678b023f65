/// Where a string's contents lie in JSON text, without the quotes.
struct JSONString: Equatable {
    let range: Range<Int>
    let hasEscapes: Bool

    /// Whether the contents are exactly these bytes, escapes decoded.
    func equals(_ name: borrowing Span<UInt8>, in bytes: borrowing Span<UInt8>) -> Bool {
        if hasEscapes { return text(in: bytes).utf8.elementsEqual(Array(copying: name)) }
        return bytes.extracting(range).hasSameBytes(as: name)
    }

    /// The contents with escapes decoded; half a surrogate pair becomes U+FFFD.
    func text(in bytes: borrowing Span<UInt8>) -> String {
        guard hasEscapes else { return String(copying: bytes.extracting(range)) }
        var units: [UInt16] = []
        var text = String()
        var position = range.lowerBound
        var plainStart = position
        while position < range.upperBound {
            guard bytes[position] == UInt8(ascii: "\\") else {
                position += 1
                continue
            }
            if plainStart < position {
                flush(&units, to: &text)
                text += String(copying: bytes.extracting(plainStart..<position))
            }
            units.append(Self.unit(bytes, &position))
            plainStart = position
        }
        flush(&units, to: &text)
        return text + String(copying: bytes.extracting(plainStart..<position))
    }

    private func flush(_ units: inout [UInt16], to text: inout String) {
        guard !units.isEmpty else { return }
        text += String(decoding: units, as: UTF16.self)
        units = []
    }

    /// The UTF-16 unit of the escape at `position`, which the scanner found to be well formed.
    private static func unit(_ bytes: borrowing Span<UInt8>, _ position: inout Int) -> UInt16 {
        let letter = bytes[position + 1]
        position += 2
        switch letter {
        case UInt8(ascii: "n"): return 0x0A
        case UInt8(ascii: "t"): return 0x09
        case UInt8(ascii: "r"): return 0x0D
        case UInt8(ascii: "b"): return 0x08
        case UInt8(ascii: "f"): return 0x0C
        case UInt8(ascii: "u"):
            var unit: UInt16 = 0
            for _ in 0..<4 {
                unit = unit << 4 | JSONScanner.hexDigit(bytes[position])
                position += 1
            }
            return unit
        default: return UInt16(letter)
        }
    }
}

extension JSONScanner {
    /// Reads a string from its opening quote, checking escapes and UTF-8.
    static func skipString(
        _ bytes: borrowing Span<UInt8>,
        _ position: inout Int
    ) throws(JSONSyntaxError) -> JSONString {
        let start = position + 1
        var hasEscapes = false
        position = start
        while true {
            skipPlain(bytes, &position)
            guard position < bytes.count else { break }
            switch bytes[position] {
            case UInt8(ascii: "\""):
                position += 1
                return JSONString(range: start..<(position - 1), hasEscapes: hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                try skipEscape(bytes, &position)
            case 0..<0x20:
                throw JSONSyntaxError(offset: position, problem: "a control character inside a string")
            default: try skipMultibyte(bytes, &position)
            }
        }
        throw JSONSyntaxError(offset: position, problem: "the text ends inside a string")
    }

    /// Moves to the next byte that is no plain letter: a quote, a backslash, a control character or a byte of UTF-8, looking at
    /// eight at a time.
    @inline(__always)
    private static func skipPlain(_ bytes: borrowing Span<UInt8>, _ position: inout Int) {
        while bytes.count &- position >= 8 {
            let word = word(bytes, position)
            // The high bit of each byte, and of those below that borrow from it: the lowest one set is right.
            let quotes = (word ^ (Self.ones &* 0x22)) &- Self.ones
            let backslashes = (word ^ (Self.ones &* 0x5C)) &- Self.ones
            let controls = word &- (Self.ones &* 0x20)
            let special = (quotes | backslashes | controls | word) & (Self.ones &* 0x80)
            guard special == 0 else {
                position += special.trailingZeroBitCount / 8
                return
            }
            position += 8
        }
        while position < bytes.count, Self.isPlain(bytes[position]) { position += 1 }
    }

    /// Eight bytes, the first of them lowest; the compiler makes one load of it, as it knows how many the part has.
    @inline(__always)
    static func word(_ bytes: borrowing Span<UInt8>, _ position: Int) -> UInt64 {
        let part = bytes.extracting(position..<(position &+ 8))
        let low = UInt64(part[0]) | UInt64(part[1]) << 8 | UInt64(part[2]) << 16 | UInt64(part[3]) << 24
        let high = UInt64(part[4]) | UInt64(part[5]) << 8 | UInt64(part[6]) << 16 | UInt64(part[7]) << 24
        return high << 32 | low
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20..<0x80).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    /// A one in each byte.
    static var ones: UInt64 { 0x0101_0101_0101_0101 }

    private static func skipEscape(
        _ bytes: borrowing Span<UInt8>,
        _ position: inout Int
    ) throws(JSONSyntaxError) {
        guard position + 1 < bytes.count else {
            throw JSONSyntaxError(offset: position, problem: "the text ends inside a string")
        }
        switch bytes[position + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 2
        case UInt8(ascii: "u"):
            for index in (position + 2)..<(position + 6) {
                guard index < bytes.count, hexDigit(bytes[index]) < 16 else {
                    throw JSONSyntaxError(
                        offset: position,
                        problem: "four hexadecimal digits expected after \\u"
                    )
                }
            }
            position += 6
        default: throw JSONSyntaxError(offset: position, problem: "an unknown escape")
        }
    }

    /// The digit's value; 16 or more when it is none.
    static func hexDigit(_ byte: UInt8) -> UInt16 {
        switch byte {
        case 48...57: UInt16(byte) - 48
        case 65...70: UInt16(byte) - 55
        case 97...102: UInt16(byte) - 87
        default: 16
        }
    }

    /// Reads one character of two to four bytes, refusing overlong forms, surrogates and what is past U+10FFFF
    /// (Unicode 15, table 3-7).
    private static func skipMultibyte(
        _ bytes: borrowing Span<UInt8>,
        _ position: inout Int
    ) throws(JSONSyntaxError) {
        let lead = bytes[position]
        let second: ClosedRange<UInt8>
        let length: Int
        switch lead {
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xE1...0xEC, 0xEE...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: throw JSONSyntaxError(offset: position, problem: "invalid UTF-8")
        }
        guard position + length <= bytes.count, second.contains(bytes[position + 1]) else {
            throw JSONSyntaxError(offset: position, problem: "invalid UTF-8")
        }
        for index in (position + 2)..<(position + length) where bytes[index] & 0xC0 != 0x80 {
            throw JSONSyntaxError(offset: position, problem: "invalid UTF-8")
        }
        position += length
    }
}

extension String {
    /// The text of bytes already known to be UTF-8.
    init(copying bytes: Span<UInt8>) {
        if let text = try? UTF8Span(validating: bytes) {
            self.init(copying: text)
        } else {
            self.init(decoding: Array(copying: bytes), as: UTF8.self)
        }
    }
}

extension Array where Element == UInt8 {
    /// The bytes of a span.
    init(copying bytes: borrowing Span<UInt8>) {
        self.init()
        reserveCapacity(bytes.count)
        for index in bytes.indices { append(bytes[index]) }
    }
}
