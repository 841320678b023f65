/// A random number generator that gives the same numbers for the same seed (SplitMix64).
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Starts from a seed; any number will do.
    public init(seed: UInt64) { state = seed }

    /// The next 64 random bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number of a range that is not empty.
    public mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &self) }

    /// True in one of `count` cases.
    public mutating func chance(_ count: Int) -> Bool { number(0..<count) == 0 }

    /// One of some choices, of which there is at least one.
    public mutating func pick<Choice>(_ choices: [Choice]) -> Choice { choices[number(0..<choices.count)] }

    /// Up to `count` of some parts, one after another.
    public mutating func text(of parts: [String], upTo count: Int) -> String {
        (0..<number(0..<(count + 1))).map { _ in pick(parts) }.joined()
    }
}
