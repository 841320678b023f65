/// Turns the bytes a terminal sends into keys; a sequence may come in pieces.
struct KeyDecoder: Sendable {
    private var pending: [UInt8] = []

    /// Whether the last byte was an escape, which may be a key or begin a sequence.
    var hasEscape: Bool { pending == [Self.escape] }

    /// The keys that these bytes complete; bytes that mean nothing are left out.
    mutating func keys(_ bytes: some Sequence<UInt8>) -> [Key] {
        var keys: [Key] = []
        for byte in bytes {
            pending.append(byte)
            switch Self.meaning(of: pending) {
            case .incomplete: break
            case .nothing:
                let broken = pending
                pending = []
                if broken.count == 2, broken[0] == Self.escape { keys.append(.escape) }
                // What breaks a sequence off is not swallowed with it.
                let isOfNext = broken.count == 2 || byte < 0x20 || broken[0] != Self.escape
                if broken.count > 1, isOfNext { keys += self.keys([byte]) }
            case .key(let key):
                pending = []
                keys.append(key)
            }
        }
        return keys
    }

    /// The key of an escape that began no sequence.
    mutating func flush() -> [Key] {
        guard hasEscape else { return [] }
        pending = []
        return [.escape]
    }

    private enum Meaning {
        case incomplete, nothing
        case key(Key)
    }

    private static let escape: UInt8 = 0x1B

    private static func meaning(of bytes: [UInt8]) -> Meaning {
        guard bytes[0] == escape else { return plain(bytes) }
        guard bytes.count > 1 else { return .incomplete }
        switch bytes[1] {
        case UInt8(ascii: "O"):
            guard bytes.count > 2 else { return .incomplete }
            return letters[bytes[2]].map { .key($0) } ?? .nothing
        case UInt8(ascii: "["):
            guard let last = bytes.dropFirst(2).last else { return .incomplete }
            // Parameters such as 1;5 (with Ctrl) until a letter or ~ ends the sequence.
            guard (0x40...0x7E).contains(last) else {
                return (0x20...0x3F).contains(last) && bytes.count < 16 ? .incomplete : .nothing
            }
            if last != UInt8(ascii: "~") { return letters[last].map { .key($0) } ?? .nothing }
            let digits = bytes.dropFirst(2).prefix { (0x30...0x39).contains($0) }
            return numbers[String(decoding: digits, as: UTF8.self)].map { .key($0) } ?? .nothing
        default: return .nothing
        }
    }

    /// A control character, or one of UTF-8, which takes up to four bytes.
    private static func plain(_ bytes: [UInt8]) -> Meaning {
        let length =
            switch bytes[0] {
            case 0..<0x80: 1
            case 0xC2...0xDF: 2
            case 0xE0...0xEF: 3
            case 0xF0...0xF4: 4
            default: 0
            }
        if length == 1 { return single(bytes[0]).map { .key($0) } ?? .nothing }
        guard length > 0, bytes.dropFirst().allSatisfy({ (0x80...0xBF).contains($0) }) else {
            return .nothing
        }
        guard bytes.count == length else { return .incomplete }
        guard let text = String(validating: bytes, as: UTF8.self), let character = text.first else {
            return .nothing
        }
        return .key(.character(character))
    }

    private static func single(_ byte: UInt8) -> Key? {
        (0x20..<0x7F).contains(byte) ? .character(Character(Unicode.Scalar(byte))) : controls[byte]
    }

    private static let controls: [UInt8: Key] = [
        0x02: .pageUp, 0x06: .pageDown, 0x03: .interrupt, 0x1A: .suspend,
        0x0D: .enter, 0x0A: .enter, 0x08: .backspace, 0x7F: .backspace,
    ]

    private static let letters: [UInt8: Key] = [
        UInt8(ascii: "A"): .up, UInt8(ascii: "B"): .down, UInt8(ascii: "C"): .right, UInt8(ascii: "D"): .left,
        UInt8(ascii: "H"): .home, UInt8(ascii: "F"): .end, UInt8(ascii: "M"): .enter,
    ]

    private static let numbers: [String: Key] = [
        "1": .home, "4": .end, "5": .pageUp, "6": .pageDown, "7": .home, "8": .end,
    ]
}
