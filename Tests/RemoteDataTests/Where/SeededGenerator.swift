/// A random number generator that gives the same numbers for the same seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &self) }

    /// True in one of `count` cases.
    mutating func chance(_ count: Int) -> Bool { number(0..<count) == 0 }

    mutating func pick<T>(_ choices: [T]) -> T { choices[number(0..<choices.count)] }

    mutating func text(of parts: [String], upTo count: Int) -> String {
        (0..<number(0..<(count + 1))).map { _ in pick(parts) }.joined()
    }
}
