extension JSONObject {
    /// The value at a path; null when anything on the way is missing or no object.
    static func value(at names: [String], in json: ArraySlice<UInt8>) -> Value {
        let bytes = json.span
        var position = 0
        for name in names {
            JSONScanner.skipSpace(bytes, &position)
            guard let found = member(named: name.utf8Span.span, bytes, position) else { return .null }
            position = found
        }
        let start = position
        guard (try? JSONScanner.skipValue(bytes, &position)) != nil else { return .null }
        return scalar(bytes, start..<position)
    }

    /// Reads one JSON value.
    package static func value(of json: ArraySlice<UInt8>) -> Value { scalar(json.span, 0..<json.count) }

    /// Where the value of a member starts.
    static func member(
        named name: borrowing Span<UInt8>,
        _ bytes: borrowing Span<UInt8>,
        _ start: Int
    ) -> Int? {
        guard start < bytes.count, bytes[start] == UInt8(ascii: "{") else { return nil }
        var position = start
        do throws(JSONSyntaxError) {
            var members = try JSONScanner.Members(bytes, &position, depth: 0)
            while let member = try members.next(bytes, &position) {
                if member.equals(name, in: bytes) { return position }
                try JSONScanner.skipValue(bytes, &position)
            }
        } catch { return nil }
        return nil
    }

    /// The value that the scanner found at a range.
    static func scalar(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> Value {
        switch bytes[range.lowerBound] {
        case UInt8(ascii: "\""):
            var position = range.lowerBound
            guard let string = try? JSONScanner.skipString(bytes, &position) else { return .null }
            return .text(string.text(in: bytes))
        case UInt8(ascii: "t"): return .bool(true)
        case UInt8(ascii: "f"): return .bool(false)
        case UInt8(ascii: "n"): return .null
        case UInt8(ascii: "{"), UInt8(ascii: "["): return .json(minified(bytes, range))
        default: return number(bytes, range)
        }
    }

    private static func number(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> Value {
        if let integer = shortInteger(bytes, range) { return .integer(integer) }
        let text = String(copying: bytes.extracting(range))
        if let integer = Int64(text) { return .integer(integer) }
        return Double(text).map { .double($0) } ?? .null
    }

    /// An integer of so few digits that it fits, read where it lies; nil for every other number.
    private static func shortInteger(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> Int64? {
        let isNegative = bytes[range.lowerBound] == UInt8(ascii: "-")
        let digits = (isNegative ? range.lowerBound + 1 : range.lowerBound)..<range.upperBound
        guard !digits.isEmpty, digits.count < 19 else { return nil }
        var magnitude: Int64 = 0
        for position in digits {
            guard (48...57).contains(bytes[position]) else { return nil }
            magnitude = magnitude * 10 + Int64(bytes[position] - 48)
        }
        return isNegative ? -magnitude : magnitude
    }

    /// The text of a container without the white space between its parts.
    private static func minified(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> String {
        var result: [UInt8] = []
        var position = range.lowerBound
        while position < range.upperBound {
            let start = position
            switch bytes[position] {
            case UInt8(ascii: "\""):
                guard (try? JSONScanner.skipString(bytes, &position)) != nil else { return "" }
                result += Array(copying: bytes.extracting(start..<position))
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default:
                result.append(bytes[position])
                position += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
