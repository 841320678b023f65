import Foundation

// Values of one kind each, as they lie in JSON without white space around them; all of them plain, or as Foundation has them.
extension ValueDecoder {
    /// Whether a value is null.
    @inline(__always)
    func isNull(_ json: [UInt8], _ range: Range<Int>) -> Bool {
        !range.isEmpty && json.span[range.lowerBound] == UInt8(ascii: "n")
    }

    /// Text; whether it has escapes need not be known.
    func text(_ json: [UInt8], _ range: Range<Int>, hasEscapes: Bool = true) throws -> String {
        let bytes = json.span.extracting(range)
        guard bytes.count > 1, bytes[0] == UInt8(ascii: "\"") else { throw NotPlain() }
        let contents = bytes.extracting(1..<(bytes.count - 1))
        if hasEscapes {
            guard let escapes = Self.escapes(in: contents) else {
                return try unusual(String.self, json, range)
            }
            if escapes { return JSONString(range: 0..<contents.count, hasEscapes: true).text(in: contents) }
        }
        // The scanner has seen that it is UTF-8.
        return String(decoding: json[(range.lowerBound + 1)..<(range.upperBound - 1)], as: UTF8.self)
    }

    /// Whether there are escapes; nil where they may stand for half a surrogate pair, which is an error to Foundation and a
    /// replacement character elsewhere.
    private static func escapes(in contents: borrowing Span<UInt8>) -> Bool? {
        var position = 0
        var found = false
        while position < contents.count {
            guard contents[position] == UInt8(ascii: "\\") else {
                position += 1
                continue
            }
            if contents[position + 1] == UInt8(ascii: "u") { return nil }
            found = true
            position += 2
        }
        return found
    }

    func bool(_ json: [UInt8], _ range: Range<Int>) throws -> Bool {
        let bytes = json.span.extracting(range)
        switch bytes.count > 0 ? bytes[0] : 0 {
        case UInt8(ascii: "t"): return true
        case UInt8(ascii: "f"): return false
        default: throw NotPlain()
        }
    }

    func integer<Integer: FixedWidthInteger & Decodable>(_ json: [UInt8], _ range: Range<Int>)
        throws -> Integer
    {
        let bytes = json.span.extracting(range)
        var position = 0
        let isNegative = bytes.count > 1 && bytes[0] == UInt8(ascii: "-")
        if isNegative { position = 1 }
        // 18 digits always fit.
        guard bytes.count - position <= 18 else { return try unusual(Integer.self, json, range) }
        var magnitude: Int64 = 0
        while position < bytes.count {
            let digit = bytes[position] &- 48
            guard digit < 10 else { return try unusual(Integer.self, json, range) }
            magnitude = magnitude &* 10 &+ Int64(digit)
            position &+= 1
        }
        guard let value = Integer(exactly: isNegative ? -magnitude : magnitude) else { throw NotPlain() }
        return value
    }

    /// A number whose digits make an integer that a double holds exactly, divided by a power of ten that one holds exactly: that is
    /// rounded once and so right (Clinger, How to read floating point numbers accurately, 1990).
    func double(_ json: [UInt8], _ range: Range<Int>) throws -> Double {
        let bytes = json.span.extracting(range)
        var position = 0
        let isNegative = bytes.count > 1 && bytes[0] == UInt8(ascii: "-")
        if isNegative { position = 1 }
        guard bytes.count - position <= 16 else { return try unusual(Double.self, json, range) }
        var digits: Int64 = 0
        var point: Int?
        while position < bytes.count {
            let digit = bytes[position] &- 48
            if digit < 10 {
                digits = digits &* 10 &+ Int64(digit)
            } else if bytes[position] == UInt8(ascii: "."), point == nil {
                point = position
            } else {
                return try unusual(Double.self, json, range)
            }
            position &+= 1
        }
        let value = Double(digits) / Self.powers[point.map { bytes.count - $0 - 1 } ?? 0]
        return isNegative ? -value : value
    }

    private static let powers: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    ]

    /// A value of any type.
    @inline(__always)
    func value<Value: Decodable>(
        _ type: Value.Type,
        _ json: [UInt8],
        _ range: Range<Int>,
        path: @autoclosure () -> RowPath?
    ) throws -> Value {
        if type == Date.self {
            if let dateScale, !isNull(json, range) {
                let date = Date(timeIntervalSince1970: try double(json, range) / dateScale)
                if let date = date as? Value { return date }
            }
            return try unusual(type, json, range)
        }
        if type == Data.self || type == URL.self || type == Decimal.self {
            return try unusual(type, json, range)
        }
        return try Value(from: RowValue(json: json, range: range, path: path(), self))
    }
}
