/// Where a row sorts among others, as a label that compares by itself.
///
/// It stands for the order of a table that sorts in a way of its own. Between any two places there is another one: the digits
/// are those of a fraction to the base 2^32, the last of them is never 0.
package struct SortPlace: Hashable, Comparable, Sendable {
    /// At least one.
    let digits: [UInt32]

    /// How long the place is.
    var digitCount: Int { digits.count }

    /// How far apart places are made at the ends, where many are made in a row.
    private static let step: UInt64 = 1 << 12

    /// A place between two others.
    ///
    /// - Parameters:
    ///   - lower: The one in front of it; nil for the start.
    ///   - upper: The one behind it; nil for the end. One that is not behind the other counts for nothing.
    /// - Complexity: O(digits); those made at either end, one after another, stay short.
    init(between lower: SortPlace?, and upper: SortPlace?) {
        let upper = upper.flatMap { upper in lower.map { $0 < upper } ?? true ? upper : nil }
        let (low, high) = (lower?.digits ?? [], upper?.digits ?? [])
        var (digits, isBounded) = ([UInt32](), upper != nil)
        search: while true {
            let position = digits.count
            let first = position < low.count ? UInt64(low[position]) : 0
            let last = !isBounded ? 1 << 32 : position < high.count ? UInt64(high[position]) : 0
            if last > first + 1 {
                let half = (last - first) / 2
                let digit: UInt64 =
                    switch (lower, upper) {
                    case (.some, nil): first + min(half, Self.step)
                    case (nil, .some): last - min(half, Self.step)
                    default: first + half
                    }
                digits.append(UInt32(digit))
                break search
            }
            digits.append(UInt32(first))
            // Whatever follows, it is in front of the second one from here on.
            if last > first { isBounded = false }
        }
        self.digits = digits
    }

    /// Places between two others, in order.
    ///
    /// - Complexity: O(count), and O(log count) digits more than the others have.
    static func places(_ count: Int, between lower: SortPlace?, and upper: SortPlace?) -> [SortPlace] {
        guard count > 0 else { return [] }
        guard upper != nil else {
            var places = [SortPlace(between: lower, and: nil)]
            while places.count < count {
                places.append(SortPlace(between: places[places.count - 1], and: nil))
            }
            return places
        }
        let middle = SortPlace(between: lower, and: upper)
        let before = places(count / 2, between: lower, and: middle)
        return before + [middle] + places(count - count / 2 - 1, between: middle, and: upper)
    }

    package static func < (left: SortPlace, right: SortPlace) -> Bool {
        left.digits.lexicographicallyPrecedes(right.digits)
    }
}

extension SortPlace {
    /// The digits as bytes, which compare like them.
    package var bytes: [UInt8] {
        digits.flatMap { digit in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: digit >> $0) } }
    }

    /// Reads what ``bytes`` wrote; nil for what is none.
    package init?(bytes: [UInt8]) {
        guard !bytes.isEmpty, bytes.count % 4 == 0 else { return nil }
        digits = stride(from: 0, to: bytes.count, by: 4).map { start in
            bytes[start..<(start + 4)].reduce(0) { $0 << 8 | UInt32($1) }
        }
    }
}
