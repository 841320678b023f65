/// The position of a row among others, as text that sorts: between any two there is room for another one, so a row is put
/// anywhere without changing the others.
///
/// Texts are made of the digits `0`–`9`, `A`–`Z`, `a`–`z` and compare byte by byte. A first letter says how many digits of an
/// integer follow, and a fraction of any length comes behind: so rows added at an end get keys that grow like a number does
/// ("Implementing Fractional Indexing", D. Greenspan, 2020). A random tail keeps keys apart that are made on two devices for the
/// same place.
public struct PositionKey: RawRepresentable, Hashable, Sendable {
    /// The text.
    public let rawValue: String

    /// Takes a text that was made here; nil for any other.
    public init?(rawValue: String) {
        guard Self.isValid(Array(rawValue.utf8)) else { return nil }
        self.rawValue = rawValue
    }

    private init(_ digits: [UInt8]) { rawValue = String(decoding: digits, as: UTF8.self) }

    /// A key between two others.
    ///
    /// - Parameters:
    ///   - low: The key in front; nil for none.
    ///   - high: The key behind; nil for none. One that does not come behind `low` is taken for none.
    /// - Returns: A key that comes after `low` and before `high`.
    /// - Complexity: O(length); keys grow by a digit for each six times that the space between two is halved, and by hardly any
    ///   at the ends.
    public static func between(_ low: PositionKey?, _ high: PositionKey?) -> PositionKey {
        var generator = SystemRandomNumberGenerator()
        return between(low, high, using: &generator)
    }

    /// A key between two others, with its tail drawn from a generator; see ``between(_:_:)``.
    public static func between(
        _ low: PositionKey?,
        _ high: PositionKey?,
        using generator: inout some RandomNumberGenerator
    ) -> PositionKey {
        let low = low.map { Array($0.rawValue.utf8) }
        var high = high.map { Array($0.rawValue.utf8) }
        if let low, let bound = high, !low.lexicographicallyPrecedes(bound) { high = nil }
        // No digit of it may be the last one and zero.
        let tail = [
            digit(.random(in: 0..<62, using: &generator)), digit(.random(in: 1..<62, using: &generator)),
        ]
        var middle = middle(low, high)
        // Where the key behind begins like the middle, there may be no room for the tail but in front of that.
        for _ in 0..<8 {
            let key = middle + tail
            guard let high, !key.lexicographicallyPrecedes(high) else { return PositionKey(key) }
            middle = Self.middle(low, middle)
        }
        return PositionKey(middle)
    }

    /// Keys between two others, in order.
    ///
    /// - Complexity: O(count · length); they are spread evenly, so their lengths grow with the logarithm of their number.
    public static func between(_ low: PositionKey?, _ high: PositionKey?, count: Int) -> [PositionKey] {
        guard count > 0 else { return [] }
        let half = high == nil ? 0 : low == nil ? count - 1 : count / 2
        let key = between(low, high)
        return between(low, key, count: half) + [key] + between(key, high, count: count - half - 1)
    }
}

extension PositionKey: Comparable {
    /// Whether the left one comes first.
    public static func < (left: PositionKey, right: PositionKey) -> Bool {
        left.rawValue.utf8.lexicographicallyPrecedes(right.rawValue.utf8)
    }
}

extension PositionKey: CustomStringConvertible, Codable {
    /// The text.
    public var description: String { rawValue }
}

// MARK: - Digits

extension PositionKey {
    private static func digit(_ number: Int) -> UInt8 {
        switch number {
        case 0..<10: UInt8(number) + UInt8(ascii: "0")
        case 10..<36: UInt8(number - 10) + UInt8(ascii: "A")
        default: UInt8(number - 36) + UInt8(ascii: "a")
        }
    }

    private static func number(_ digit: UInt8) -> Int? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(digit - UInt8(ascii: "0"))
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(digit - UInt8(ascii: "A")) + 10
        case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(digit - UInt8(ascii: "a")) + 36
        default: nil
        }
    }

    private static let zero = UInt8(ascii: "0")
    private static let last = UInt8(ascii: "z")

    /// How long the integer with a first letter is, the letter included; nil for no letter.
    private static func length(_ letter: UInt8?) -> Int? {
        switch letter {
        case let letter? where (UInt8(ascii: "a")...last).contains(letter):
            Int(letter - UInt8(ascii: "a")) + 2
        case let letter? where (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(letter):
            Int(UInt8(ascii: "Z") - letter) + 2
        default: nil
        }
    }

    private static func isValid(_ key: [UInt8]) -> Bool {
        guard let length = length(key.first), key.count >= length, key.allSatisfy({ number($0) != nil })
        else {
            return false
        }
        // Nothing could come before these, nor right before a fraction that ends in zero.
        return key != smallest && (key.count == length || key.last != zero)
    }

    private static let smallest = [UInt8(ascii: "A")] + Array(repeating: zero, count: 26)

    private static func middle(_ low: [UInt8]?, _ high: [UInt8]?) -> [UInt8] {
        switch (low, high) {
        case (nil, nil): return [UInt8(ascii: "a"), zero]
        case (nil, let high?):
            let (integer, fraction) = parts(high)
            if integer == smallest { return integer + middle(of: [], fraction) }
            return fraction.isEmpty ? before(integer) : integer
        case (let low?, nil):
            let (integer, fraction) = parts(low)
            return after(integer) ?? (integer + middle(of: fraction, nil))
        case (let low?, let high?):
            let (integer, fraction) = parts(low)
            let (bound, rest) = parts(high)
            if integer == bound { return integer + middle(of: fraction, rest) }
            if let next = after(integer), next.lexicographicallyPrecedes(high) { return next }
            return integer + middle(of: fraction, nil)
        }
    }

    private static func parts(_ key: [UInt8]) -> (integer: [UInt8], fraction: [UInt8]) {
        let length = min(length(key.first) ?? 0, key.count)
        return (Array(key[..<length]), Array(key[length...]))
    }

    /// The next integer; nil behind the last one.
    private static func after(_ integer: [UInt8]) -> [UInt8]? {
        var digits = Array(integer.dropFirst())
        for index in digits.indices.reversed() {
            if digits[index] != last {
                digits[index] = digit((number(digits[index]) ?? 0) + 1)
                return [integer[0]] + digits
            }
            digits[index] = zero
        }
        switch integer[0] {
        case last: return nil
        case UInt8(ascii: "Z"): return [UInt8(ascii: "a"), zero]
        case let letter:
            let count = (length(letter + 1) ?? 2) - 1
            return [letter + 1] + Array(repeating: zero, count: count)
        }
    }

    /// The integer before one that is not the smallest.
    private static func before(_ integer: [UInt8]) -> [UInt8] {
        var digits = Array(integer.dropFirst())
        for index in digits.indices.reversed() {
            if digits[index] != zero {
                digits[index] = digit((number(digits[index]) ?? 1) - 1)
                let result = [integer[0]] + digits
                // The smallest integer is no key by itself.
                return result == smallest ? result + [digit(31)] : result
            }
            digits[index] = last
        }
        let letter = integer[0] == UInt8(ascii: "a") ? UInt8(ascii: "Z") : integer[0] - 1
        return [letter] + Array(repeating: last, count: (length(letter) ?? 2) - 1)
    }

    /// A fraction between two, without a zero at its end; nil stands for one.
    private static func middle(of low: [UInt8], _ high: [UInt8]?) -> [UInt8] {
        var result: [UInt8] = []
        var (index, bound) = (0, high)
        while true {
            let first = index < low.count ? number(low[index]) ?? 0 : 0
            let second = bound.map { index < $0.count ? number($0[index]) ?? 0 : 0 } ?? 62
            if first == second {
                result.append(digit(first))
            } else if second - first > 1 {
                return result + [digit((first + second) / 2)]
            } else {
                // They are neighbours: behind the lower one there is room up to the end.
                result.append(digit(first))
                bound = nil
            }
            index += 1
        }
    }
}
