/// A key that means something to the browser.
enum Key: Sendable, Equatable {
    case up, down, left, right, pageUp, pageDown, home, end, quit
}

/// Turns the bytes a terminal sends into keys; a sequence may come in pieces.
struct KeyDecoder: Sendable {
    private var pending: [UInt8] = []

    /// The keys that these bytes complete; bytes that mean nothing are left out.
    mutating func keys(_ bytes: some Sequence<UInt8>) -> [Key] {
        var keys: [Key] = []
        for byte in bytes {
            pending.append(byte)
            switch Self.meaning(of: pending) {
            case .incomplete: break
            case .nothing:
                // An escape that begins nothing does not swallow the key behind it.
                let isEscaped = pending.count == 2 && pending[0] == 0x1B
                pending = []
                if isEscaped, case .key(let key) = Self.meaning(of: [byte]) { keys.append(key) }
            case .key(let key):
                pending = []
                keys.append(key)
            }
        }
        return keys
    }

    private enum Meaning {
        case incomplete, nothing
        case key(Key)
    }

    private static func meaning(of bytes: [UInt8]) -> Meaning {
        guard bytes[0] == 0x1B else { return plain[bytes[0]].map { .key($0) } ?? .nothing }
        guard bytes.count > 1 else { return .incomplete }
        switch bytes[1] {
        case UInt8(ascii: "O"):
            guard bytes.count > 2 else { return .incomplete }
            return letters[bytes[2]].map { .key($0) } ?? .nothing
        case UInt8(ascii: "["):
            guard let last = bytes.dropFirst(2).last else { return .incomplete }
            // Parameters such as 1;5 (with Ctrl) until a letter or ~ ends the sequence.
            guard (0x40...0x7E).contains(last) else { return bytes.count < 16 ? .incomplete : .nothing }
            if last != UInt8(ascii: "~") { return letters[last].map { .key($0) } ?? .nothing }
            let digits = bytes.dropFirst(2).prefix { (0x30...0x39).contains($0) }
            return numbers[String(decoding: digits, as: UTF8.self)].map { .key($0) } ?? .nothing
        default: return .nothing
        }
    }

    private static let letters: [UInt8: Key] = [
        UInt8(ascii: "A"): .up, UInt8(ascii: "B"): .down, UInt8(ascii: "C"): .right, UInt8(ascii: "D"): .left,
        UInt8(ascii: "H"): .home, UInt8(ascii: "F"): .end,
    ]

    private static let numbers: [String: Key] = [
        "1": .home, "4": .end, "5": .pageUp, "6": .pageDown, "7": .home, "8": .end,
    ]

    private static let plain: [UInt8: Key] = [
        UInt8(ascii: "k"): .up, UInt8(ascii: "j"): .down, UInt8(ascii: "h"): .left, UInt8(ascii: "l"): .right,
        UInt8(ascii: "g"): .home, UInt8(ascii: "G"): .end, UInt8(ascii: "b"): .pageUp,
        UInt8(ascii: " "): .pageDown,
        0x02: .pageUp, 0x06: .pageDown, UInt8(ascii: "q"): .quit, UInt8(ascii: "Q"): .quit, 0x03: .quit,
    ]
}
