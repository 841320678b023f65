/// Scalars of which a regular expression reads one.
struct RegexSet: Hashable, Sendable {
    /// The ends of ranges, ascending and apart, of scalars as they are.
    private let plain: [ClosedRange<UInt32>]
    /// The same of lowercase mappings, where case is ignored.
    private let lowercase: [ClosedRange<UInt32>]
    private let isNegated: Bool

    /// - Parameters:
    ///   - plain: Scalars whose case matters.
    ///   - other: Scalars that match as `ignoresCase` says.
    ///   - isNegated: Whether all but these are meant.
    ///   - ignoresCase: Whether each of the others stands for all scalars of the same lowercase mapping.
    init(
        _ plain: [ClosedRange<UInt32>],
        _ other: [ClosedRange<UInt32>] = [],
        isNegated: Bool = false,
        ignoresCase: Bool = false
    ) {
        self.plain = Self.joined(ignoresCase ? plain : plain + other)
        lowercase = ignoresCase ? Self.joined(Self.lowercased(Self.joined(other))) : []
        self.isNegated = isNegated
    }

    /// Whether a scalar is in the set, given with its lowercase mapping.
    func contains(_ scalar: UInt32, lowercased: UInt32) -> Bool {
        (Self.contains(plain, scalar) || Self.contains(lowercase, lowercased)) != isNegated
    }

    private static func contains(_ ranges: [ClosedRange<UInt32>], _ scalar: UInt32) -> Bool {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if scalar < ranges[middle].lowerBound {
                high = middle
            } else if scalar > ranges[middle].upperBound {
                low = middle + 1
            } else {
                return true
            }
        }
        return false
    }

    private static func joined(_ ranges: [ClosedRange<UInt32>]) -> [ClosedRange<UInt32>] {
        ranges.sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { joined, range in
            guard let last = joined.last, range.lowerBound <= last.upperBound + 1 else {
                return joined.append(range)
            }
            joined[joined.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
        }
    }

    /// The scalars with their lowercase mappings.
    ///
    /// - Complexity: O(ranges × log(scalars in upper case) + scalars in upper case).
    private static func lowercased(_ ranges: [ClosedRange<UInt32>]) -> [ClosedRange<UInt32>] {
        guard let last = ranges.last else { return [] }
        let mapped = uppercase.prefix { $0 <= last.upperBound }.filter { contains(ranges, $0) }
        return ranges + mapped.map { CaseFolding.lowercased($0) }.map { $0...$0 }
    }

    /// Every scalar that is not its own lowercase mapping; they are all in the first planes.
    private static let uppercase: [UInt32] = (0..<0x4_0000).filter { value in
        Unicode.Scalar(value)?.properties.changesWhenLowercased ?? false
    }
}

extension RegexSet {
    static let digits: [ClosedRange<UInt32>] = [0x30...0x39]
    static let word: [ClosedRange<UInt32>] = [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A]
    static let space: [ClosedRange<UInt32>] = [0x09...0x0A, 0x0C...0x0D, 0x20...0x20]

    /// Every scalar that is in none of some ranges, ascending and apart.
    static func complement(_ ranges: [ClosedRange<UInt32>]) -> [ClosedRange<UInt32>] {
        var result: [ClosedRange<UInt32>] = []
        var next: UInt32 = 0
        for range in ranges {
            if range.lowerBound > next { result.append(next...(range.lowerBound - 1)) }
            next = range.upperBound + 1
        }
        return next > 0x10_FFFF ? result : result + [next...0x10_FFFF]
    }
}
