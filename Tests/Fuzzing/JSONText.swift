/// JSON text cut into strings, numbers and what lies between them, as far as Foundation and the scanner differ in it.
struct JSONText {
    /// The text with what Foundation refuses replaced: escaped halves of surrogate pairs and numbers past the
    /// range of `Double`.
    private(set) var replaced: [UInt8] = []
    /// How deep objects and arrays lie in each other.
    private(set) var depth = 0
    /// Whether a comma stands in front of a closing bracket.
    private(set) var hasNeedlessComma = false

    private let bytes: [UInt8]
    private var position = 0

    init(_ json: ArraySlice<UInt8>) {
        bytes = Array(json)
        var open = 0
        var last: UInt8 = 0
        while position < bytes.count {
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: "\""): takeString()
            case UInt8(ascii: "-"), 48...57: takeNumber()
            default:
                if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") { open += 1 }
                if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
                    open -= 1
                    if last == UInt8(ascii: ",") { hasNeedlessComma = true }
                }
                take(1)
            }
            depth = max(depth, open)
            if ![0x20, 0x0A, 0x0D, 0x09].contains(byte) { last = byte }
        }
    }

    private mutating func take(_ count: Int) {
        let end = min(position + count, bytes.count)
        replaced += bytes[position..<end]
        position = end
    }

    private mutating func takeNumber() {
        let digits = bytes[position...].prefix { (48...57).contains($0) || "+-.eE".utf8.contains($0) }
        guard Double(String(decoding: digits, as: UTF8.self))?.isInfinite ?? false else {
            return take(digits.count)
        }
        // Shorter in front of the point and with another exponent, but with the same mistakes in its grammar.
        let whole = digits.prefix { $0 == UInt8(ascii: "-") || (48...57).contains($0) }
        let fraction = digits.dropFirst(whole.count).prefix { $0 | 0x20 != UInt8(ascii: "e") }
        replaced += whole.prefix(20) + fraction
        if whole.count + fraction.count < digits.count { replaced += "e0".utf8 }
        position += digits.count
    }

    private mutating func takeString() {
        take(1)
        while position < bytes.count {
            let byte = bytes[position]
            guard byte == UInt8(ascii: "\\") else {
                take(1)
                if byte == UInt8(ascii: "\"") { return }
                continue
            }
            takeEscape()
        }
    }

    private mutating func takeEscape() {
        guard let unit = unit(at: position) else { return take(2) }
        let next = self.unit(at: position + 6) ?? 0
        if (0xD800..<0xDC00).contains(unit), (0xDC00..<0xE000).contains(next) { return take(12) }
        guard (0xD800..<0xE000).contains(unit) else { return take(6) }
        replaced += Array(#"\ufffd"#.utf8)
        position += 6
    }

    /// The UTF-16 unit of an escape such as `\u0041`; nil when something else is there.
    private func unit(at place: Int) -> UInt16? {
        guard place + 6 <= bytes.count, bytes[place...].starts(with: #"\u"#.utf8) else { return nil }
        let digits = bytes[(place + 2)..<(place + 6)]
        guard digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }) else { return nil }
        return UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}
