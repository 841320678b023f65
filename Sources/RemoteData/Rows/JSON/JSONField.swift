/// The value of a column as it lies in a row's JSON, for storage that reads rows where they are.
package enum JSONField {
    /// Missing, or JSON's null.
    case null
    /// True or false.
    case bool(Bool)
    /// A number without fraction and exponent that fits 64 bits.
    case integer(Int64)
    /// Any other number.
    case double(Double)
    /// Text without escapes: the bytes between the quotes.
    case plainText(Range<Int>)
    /// Text with its escapes decoded.
    case text(String)
    /// An array or object as text without white space between its parts.
    case container(String)
}

extension JSONField {
    /// Moves from an object to the value of one of its members.
    ///
    /// - Parameters:
    ///   - name: The member's name, decoded, as UTF-8.
    ///   - bytes: Valid JSON.
    ///   - position: Where the object starts.
    /// - Returns: Where the first member of that name has its value; nil when there is none or no object.
    package static func find(
        _ name: borrowing Span<UInt8>,
        in bytes: borrowing Span<UInt8>,
        at position: Int
    ) -> Int? {
        var position = position
        JSONScanner.skipSpace(bytes, &position)
        return JSONObject.member(named: name, bytes, position)
    }

    /// Reads the value that starts at a position of valid JSON.
    package init(in bytes: borrowing Span<UInt8>, at start: Int) {
        var position = start
        JSONScanner.skipSpace(bytes, &position)
        let start = position
        guard position < bytes.count else {
            self = .null
            return
        }
        switch bytes[start] {
        case UInt8(ascii: "\""):
            guard let string = try? JSONScanner.skipString(bytes, &position) else {
                self = .null
                return
            }
            self = string.hasEscapes ? .text(string.text(in: bytes)) : .plainText(string.range)
        case UInt8(ascii: "-"), 48...57: self = Self.number(bytes, start)
        default:
            guard (try? JSONScanner.skipValue(bytes, &position)) != nil else {
                self = .null
                return
            }
            self.init(JSONObject.scalar(bytes, start..<position))
        }
    }

    private init(_ value: Value) {
        switch value {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .integer(value)
        case .double(let value): self = .double(value)
        case .text(let text): self = .text(text)
        case .json(let text): self = .container(text)
        }
    }

    /// Reads a number; a short integer without making text of it.
    private static func number(_ bytes: borrowing Span<UInt8>, _ start: Int) -> JSONField {
        let isNegative = bytes[start] == UInt8(ascii: "-")
        let first = isNegative ? start + 1 : start
        var position = first
        var magnitude: Int64 = 0
        while position < bytes.count, position - first < 18, (48...57).contains(bytes[position]) {
            magnitude = magnitude * 10 + Int64(bytes[position] - 48)
            position += 1
        }
        let isDone: Bool
        if position < bytes.count {
            let next = bytes[position]
            isDone =
                !(48...57).contains(next) && next != UInt8(ascii: ".") && next | 0x20 != UInt8(ascii: "e")
        } else {
            isDone = true
        }
        if isDone { return .integer(isNegative ? -magnitude : magnitude) }
        var end = start
        guard (try? JSONScanner.skipValue(bytes, &end)) != nil else { return .null }
        return JSONField(JSONObject.scalar(bytes, start..<end))
    }
}
