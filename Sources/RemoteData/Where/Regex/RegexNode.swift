/// A part of a regular expression.
struct RegexNode: Sendable {
    indirect enum Kind: Sendable {
        case scalar(UInt32)
        case any
        case anyInLine
        case set(RegexSet)
        case assertion(RegexAssertion)
        case sequence([RegexNode])
        case choice([RegexNode])
        /// At least, and at most; nil for any number.
        case repetition(RegexNode, Int, Int?)
    }

    let kind: Kind
    /// How many states it takes; more than fit an `Int` count as all that fit.
    let size: Int

    init(_ kind: Kind) {
        self.kind = kind
        switch kind {
        case .scalar, .any, .anyInLine, .set, .assertion: size = 1
        case .sequence(let parts): size = parts.reduce(0) { Self.sum($0, $1.size) }
        case .choice(let parts): size = parts.reduce(2 * (parts.count - 1)) { Self.sum($0, $1.size) }
        case .repetition(let part, let least, let most):
            if part.size == 0 {
                size = 0
            } else if let most {
                size = Self.sum(Self.product(part.size, most), most - least)
            } else {
                size = Self.sum(Self.product(part.size, least + 1), 2)
            }
        }
    }

    static var empty: RegexNode { RegexNode(.sequence([])) }

    private static func sum(_ left: Int, _ right: Int) -> Int {
        let (sum, overflow) = left.addingReportingOverflow(right)
        return overflow ? .max : sum
    }

    private static func product(_ left: Int, _ right: Int) -> Int {
        let (product, overflow) = left.multipliedReportingOverflow(by: right)
        return overflow ? .max : product
    }
}

/// What is so between two scalars.
enum RegexAssertion: Sendable {
    case textStart
    case textEnd
    case lineStart
    case lineEnd
    case wordBoundary
    case noWordBoundary

    /// Whether this is so between two scalars; nil stands for the ends of the text.
    func holds(_ left: UInt32?, _ right: UInt32?) -> Bool {
        switch self {
        case .textStart: left == nil
        case .textEnd: right == nil
        case .lineStart: left == nil || left == 0x0A
        case .lineEnd: right == nil || right == 0x0A
        case .wordBoundary: Self.isInWord(left) != Self.isInWord(right)
        case .noWordBoundary: Self.isInWord(left) == Self.isInWord(right)
        }
    }

    private static func isInWord(_ scalar: UInt32?) -> Bool {
        guard let scalar else { return false }
        return RegexSet.word.contains { $0.contains(scalar) }
    }
}

/// How a regular expression is meant.
struct RegexFlags: Sendable {
    /// The flag `i`.
    var ignoresCase = false
    /// The flag `m`.
    var hasLines = false
    /// The flag `s`.
    var takesLineFeeds = false
    /// The flag `x`.
    var passesSpace = false
}
