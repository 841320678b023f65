/// A place in JSON text that breaks the grammar (RFC 8259) or UTF-8, or is well formed but no row.
struct JSONSyntaxError: Error, Equatable {
    let offset: Int
    let problem: String
    var isWellFormed = false
}

/// Walks JSON text byte by byte, checking it whole and copying nothing.
///
/// Every function takes the position of the first byte of what it reads and leaves it behind the last one.
enum JSONScanner {
    /// Containers inside containers; what a table stores is flat or nearly so, and recursion must end.
    static let depthLimit = 128

    @inline(__always)
    static func skipSpace(_ bytes: borrowing Span<UInt8>, _ position: inout Int) {
        while position < bytes.count, bytes[position] <= 0x20 {
            switch bytes[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
        }
    }

    static func skipValue(
        _ bytes: borrowing Span<UInt8>,
        _ position: inout Int,
        depth: Int = 0
    ) throws(JSONSyntaxError) {
        guard position < bytes.count else {
            throw JSONSyntaxError(offset: position, problem: "the text ends early")
        }
        switch bytes[position] {
        case UInt8(ascii: "\""): _ = try skipString(bytes, &position)
        case UInt8(ascii: "{"): try skipObject(bytes, &position, depth: depth)
        case UInt8(ascii: "["): try skipArray(bytes, &position, depth: depth)
        // The letters as numbers, the first of them lowest.
        case UInt8(ascii: "t") where isNext(0x6575_7274, bytes, position): position += 4
        case UInt8(ascii: "n") where isNext(0x6C6C_756E, bytes, position): position += 4
        case UInt8(ascii: "f") where isNext(0x6573_6C61, bytes, position &+ 1): position += 5
        case UInt8(ascii: "t"): try skipWord("true", bytes, &position)
        case UInt8(ascii: "f"): try skipWord("false", bytes, &position)
        case UInt8(ascii: "n"): try skipWord("null", bytes, &position)
        default: try skipNumber(bytes, &position)
        }
    }

    @inline(__always)
    static func expect(
        _ byte: UInt8,
        _ bytes: borrowing Span<UInt8>,
        _ position: inout Int
    ) throws(JSONSyntaxError) {
        guard position < bytes.count, bytes[position] == byte else {
            throw missing(byte, at: position, isEnd: position >= bytes.count)
        }
        position += 1
    }

    private static func missing(_ byte: UInt8, at position: Int, isEnd: Bool) -> JSONSyntaxError {
        let expected = Character(UnicodeScalar(byte))
        return JSONSyntaxError(
            offset: position,
            problem: isEnd ? "the text ends early" : "'\(expected)' expected"
        )
    }

    private static func skipObject(
        _ bytes: borrowing Span<UInt8>,
        _ position: inout Int,
        depth: Int
    ) throws(JSONSyntaxError) {
        var members = try Members(bytes, &position, depth: depth)
        while try members.next(bytes, &position) != nil {
            try skipValue(bytes, &position, depth: depth + 1)
        }
    }

    private static func skipArray(
        _ bytes: borrowing Span<UInt8>,
        _ position: inout Int,
        depth: Int
    ) throws(JSONSyntaxError) {
        var elements = try Elements(bytes, &position, depth: depth)
        while try elements.next(bytes, &position) {
            try skipValue(bytes, &position, depth: depth + 1)
        }
    }

    @inline(__always)
    private static func isNext(_ four: UInt32, _ bytes: borrowing Span<UInt8>, _ position: Int) -> Bool {
        guard bytes.count &- position >= 4 else { return false }
        let part = bytes.extracting(position..<(position &+ 4))
        let low = UInt32(part[0]) | UInt32(part[1]) << 8
        return low | UInt32(part[2]) << 16 | UInt32(part[3]) << 24 == four
    }

    private static func skipWord(
        _ word: String,
        _ bytes: borrowing Span<UInt8>,
        _ position: inout Int
    ) throws(JSONSyntaxError) {
        for byte in word.utf8 {
            guard position < bytes.count, bytes[position] == byte else {
                throw JSONSyntaxError(offset: position, problem: "\(word) expected")
            }
            position += 1
        }
    }

    static func skipNumber(
        _ bytes: borrowing Span<UInt8>,
        _ position: inout Int
    ) throws(JSONSyntaxError) {
        let start = position
        if position < bytes.count, bytes[position] == UInt8(ascii: "-") { position += 1 }
        let leading = position
        try skipDigits(bytes, &position, start)
        if position - leading > 1, bytes[leading] == UInt8(ascii: "0") {
            throw JSONSyntaxError(offset: leading, problem: "a number starts with a needless 0")
        }
        if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
            position += 1
            try skipDigits(bytes, &position, start)
        }
        if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
            position += 1
            if position < bytes.count,
                bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-")
            {
                position += 1
            }
            try skipDigits(bytes, &position, start)
        }
    }

    /// How many of eight bytes, from the lowest on, are digits.
    @inline(__always)
    private static func digitCount(_ word: UInt64) -> Int {
        // The upper half of a digit is 3, also after adding 6; what that carries over to is behind the first other byte.
        let (high, six) = (ones &* 0xF0, ones &* 0x06)
        let others = (word & high | ((word &+ six) & high) >> 4) ^ (ones &* 0x33)
        return others.trailingZeroBitCount / 8
    }

    @inline(__always)
    private static func skipDigits(
        _ bytes: borrowing Span<UInt8>,
        _ position: inout Int,
        _ start: Int
    ) throws(JSONSyntaxError) {
        let first = position
        while bytes.count &- position >= 8 {
            let digits = digitCount(word(bytes, position))
            position &+= digits
            if digits < 8 { break }
        }
        while position < bytes.count, (48...57).contains(bytes[position]) { position += 1 }
        guard position > first else { throw JSONSyntaxError(offset: start, problem: "a value expected") }
    }
}

extension JSONScanner {
    /// The members of an object, one after another.
    struct Members {
        private var isFirst = true

        init(
            _ bytes: borrowing Span<UInt8>,
            _ position: inout Int,
            depth: Int
        ) throws(JSONSyntaxError) {
            guard depth < depthLimit else {
                throw JSONSyntaxError(offset: position, problem: "more than \(depthLimit) levels of nesting")
            }
            try expect(UInt8(ascii: "{"), bytes, &position)
        }

        /// The next member's name; the position is then at its value, and the caller moves behind that.
        mutating func next(
            _ bytes: borrowing Span<UInt8>,
            _ position: inout Int
        ) throws(JSONSyntaxError) -> JSONString? {
            guard try hasNext(bytes, &position) else { return nil }
            return try name(bytes, &position)
        }

        /// Whether there is another member; the position is then at its name.
        @inline(__always)
        mutating func hasNext(
            _ bytes: borrowing Span<UInt8>,
            _ position: inout Int
        ) throws(JSONSyntaxError) -> Bool {
            skipSpace(bytes, &position)
            if position < bytes.count, bytes[position] == UInt8(ascii: "}") {
                position += 1
                return false
            }
            if !isFirst {
                try expect(UInt8(ascii: ","), bytes, &position)
                skipSpace(bytes, &position)
            }
            isFirst = false
            return true
        }

        /// Reads the name of a member and moves to its value.
        func name(
            _ bytes: borrowing Span<UInt8>,
            _ position: inout Int
        ) throws(JSONSyntaxError) -> JSONString {
            guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
                throw JSONSyntaxError(offset: position, problem: "a name in double quotes expected")
            }
            let name = try skipString(bytes, &position)
            skipSpace(bytes, &position)
            try expect(UInt8(ascii: ":"), bytes, &position)
            skipSpace(bytes, &position)
            return name
        }
    }

    /// The elements of an array, one after another.
    struct Elements {
        private var isFirst = true

        init(
            _ bytes: borrowing Span<UInt8>,
            _ position: inout Int,
            depth: Int
        ) throws(JSONSyntaxError) {
            guard depth < depthLimit else {
                throw JSONSyntaxError(offset: position, problem: "more than \(depthLimit) levels of nesting")
            }
            try expect(UInt8(ascii: "["), bytes, &position)
        }

        /// Whether there is another element; the position is then at it, and the caller moves behind it.
        mutating func next(
            _ bytes: borrowing Span<UInt8>,
            _ position: inout Int
        ) throws(JSONSyntaxError) -> Bool {
            skipSpace(bytes, &position)
            if position < bytes.count, bytes[position] == UInt8(ascii: "]") {
                position += 1
                return false
            }
            if !isFirst {
                try expect(UInt8(ascii: ","), bytes, &position)
                skipSpace(bytes, &position)
            }
            isFirst = false
            return true
        }
    }
}
