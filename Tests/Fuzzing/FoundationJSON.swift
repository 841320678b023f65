import Foundation
import RemoteData

/// What Foundation makes of JSON text.
///
/// Foundation differs from the scanner in what RFC 8259 leaves open, and in two points from the RFC:
/// - It refuses an escaped half of a surrogate pair, which the scanner reads as U+FFFD, and a number past the range of
///   `Double`, which the scanner reads as infinity. Both are replaced here.
/// - It reads UTF-16, UTF-32 and text behind a byte order mark, which the scanner refuses: that is no JSON here.
/// - It reads a comma behind the last element, which the RFC does not have: that is no JSON here.
/// - It may read a number as a decimal one, whose value as `Double` is off in its last bits: such count as the same.
/// - It leaves out a byte order mark behind an escape: those are left out of what is compared.
/// - It nests 512 deep, the scanner 128.
struct FoundationJSON {
    /// The object; nil when the text is none.
    let object: [String: Any]?
    /// How deep objects and arrays lie in each other.
    let depth: Int

    init(_ bytes: ArraySlice<UInt8>) {
        let text = JSONText(bytes)
        depth = text.depth
        if bytes.contains(0) || bytes.starts(with: [0xEF, 0xBB, 0xBF]) || text.hasNeedlessComma {
            object = nil
        } else {
            object = (try? JSONSerialization.jsonObject(with: Data(text.replaced))) as? [String: Any]
        }
    }

    /// The value of a member.
    subscript(name: String) -> Any? {
        object?[name] ?? object?.first { Self.isSame($0.key, name) }?.value
    }

    /// Whether bytes are an object.
    static func isObject(_ bytes: ArraySlice<UInt8>) -> Bool { FoundationJSON(bytes).object != nil }

    /// Whether a value is what Foundation read; containers of one kind count as the same.
    static func isSame(_ value: Value, _ other: Any) -> Bool {
        switch value {
        case .null: other is NSNull
        case .bool(let value): other as? Bool == value
        case .integer(let value): (other as? NSNumber)?.int64Value == value
        case .double(let value): isNear(value, (other as? NSNumber)?.doubleValue)
        case .text(let text): (other as? String).map { isSame(text, $0) } ?? false
        case .json(let text): text.utf8.first == UInt8(ascii: "{") ? other is [String: Any] : other is [Any]
        }
    }

    private static func isSame(_ left: String, _ right: String) -> Bool {
        left.unicodeScalars.filter { $0 != "\u{FEFF}" } == right.unicodeScalars.filter { $0 != "\u{FEFF}" }
    }

    private static func isNear(_ value: Double, _ other: Double?) -> Bool {
        guard value.isFinite, let other else { return value.isInfinite && other != nil }
        return abs(value - other) <= max(abs(value) * 1e-12, .leastNormalMagnitude)
    }
}
