import Foundation
import RemoteData

/// What Foundation makes of JSON text.
///
/// It differs from the scanner in what RFC 8259 leaves open, and is given what both read:
/// - It refuses an escaped half of a surrogate pair, which the scanner reads as U+FFFD: such halves are replaced.
/// - It reads UTF-16, UTF-32 and text behind a byte order mark, which the scanner refuses: such text is none here.
/// - It nests 512 deep, the scanner 128.
enum FoundationJSON {
    /// The object that the bytes are; nil when they are none, or no JSON in plain UTF-8.
    static func object(_ bytes: ArraySlice<UInt8>) -> [String: Any]? {
        guard !bytes.contains(0), !bytes.starts(with: [0xEF, 0xBB, 0xBF]) else { return nil }
        let json = withoutHalfPairs(Array(bytes))
        return (try? JSONSerialization.jsonObject(with: Data(json))) as? [String: Any]
    }

    /// How deep brackets nest outside strings.
    static func depth(_ bytes: ArraySlice<UInt8>) -> Int {
        var (depth, most, isInString, isEscaped) = (0, 0, false, false)
        for byte in bytes {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
            most = max(most, depth)
        }
        return most
    }

    /// Whether a value is what Foundation read; containers count as the same.
    static func isSame(_ value: Value, _ other: Any) -> Bool {
        switch value {
        case .null: other is NSNull
        case .bool(let value): other as? Bool == value
        case .integer(let value): (other as? NSNumber)?.int64Value == value
        case .double(let value): (other as? NSNumber)?.doubleValue == value
        case .text(let text): (other as? String)?.utf8.elementsEqual(text.utf8) ?? false
        case .json(let text): text.hasPrefix("{") ? other is [String: Any] : other is [Any]
        }
    }

    /// The bytes with U+FFFD escaped in place of each escaped half of a surrogate pair.
    private static func withoutHalfPairs(_ bytes: [UInt8]) -> [UInt8] {
        var result = bytes
        var position = 0
        while position < bytes.count {
            guard bytes[position] == UInt8(ascii: "\\") else {
                position += 1
                continue
            }
            guard let unit = unit(bytes, position) else {
                position += 2
                continue
            }
            let next = self.unit(bytes, position + 6)
            if (0xD800..<0xDC00).contains(unit), let next, (0xDC00..<0xE000).contains(next) {
                position += 12
            } else {
                if (0xD800..<0xE000).contains(unit) {
                    result.replaceSubrange(position..<(position + 6), with: #"\ufffd"#.utf8)
                }
                position += 6
            }
        }
        return result
    }

    /// The UTF-16 unit of `\u0041` at a position; nil when something else is there.
    private static func unit(_ bytes: [UInt8], _ position: Int) -> UInt16? {
        guard position + 6 <= bytes.count, bytes[position] == UInt8(ascii: "\\"),
            bytes[position + 1] == UInt8(ascii: "u")
        else { return nil }
        let digits = bytes[(position + 2)..<(position + 6)]
        guard digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }) else { return nil }
        return UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}
