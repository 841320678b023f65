/// The identity of a store's history, made anew when a store begins.
///
/// It goes wherever revisions go: a server that lost its data and begins again counts from the start, and
/// only the epoch distinguishes its revision 17 from the one before. On the wire it is eight hexadecimal
/// digits.
public struct Epoch: RawRepresentable, Hashable, Sendable {
    /// The number, which is never 0.
    public let rawValue: UInt32

    /// Creates an epoch from its number; nil for 0, which stands for none.
    public init?(rawValue: UInt32) {
        guard rawValue != 0 else { return nil }
        self.rawValue = rawValue
    }

    /// Reads the eight hexadecimal digits of ``description``; nil for any other text.
    public init?(_ text: some StringProtocol) {
        let digits = text.utf8
        guard digits.count == Self.digitCount, digits.allSatisfy(\.isHexadecimalDigit),
            let number = UInt32(text, radix: 16)
        else { return nil }
        self.init(rawValue: number)
    }

    /// Creates an epoch that no other store is likely to have.
    public static func random() -> Epoch {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }

    /// Creates an epoch from a source of random numbers.
    public static func random(using generator: inout some RandomNumberGenerator) -> Epoch {
        Epoch(number: .random(in: 1 ... .max, using: &generator))
    }

    private init(number: UInt32) { rawValue = number }

    private static let digitCount = 8
}

extension Epoch: CustomStringConvertible {
    /// The eight hexadecimal digits, lower-case.
    public var description: String {
        let digits = String(rawValue, radix: 16)
        return String(repeating: "0", count: Self.digitCount - digits.count) + digits
    }
}

extension UInt8 {
    fileprivate var isHexadecimalDigit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}
