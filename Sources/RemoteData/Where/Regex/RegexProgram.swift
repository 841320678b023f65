/// A regular expression as instructions for a machine that follows all ways at once.
///
/// Source: Russ Cox, "Regular Expression Matching Can Be Simple And Fast" (2007), after Ken Thompson, "Regular Expression
/// Search Algorithm" (1968).
struct RegexProgram: Sendable {
    enum Instruction: Sendable {
        /// Reads one scalar of this value; its lowercase mapping when case is ignored.
        case scalar(UInt32)
        /// Reads one scalar.
        case any
        /// Reads one scalar that is no line feed.
        case anyInLine
        /// Reads one scalar of a class, by its number.
        case set(Int)
        /// Goes on where this is so, and reads nothing.
        case assert(RegexAssertion)
        /// Goes on at both.
        case split(Int, Int)
        /// Goes on elsewhere.
        case jump(Int)
        /// The pattern is found.
        case match
    }

    private(set) var instructions: [Instruction] = []
    private(set) var sets: [RegexSet] = []
    let ignoresCase: Bool

    /// Whether there is no match but at the start of the text.
    var isAnchored: Bool {
        if case .assert(.textStart)? = instructions.first { true } else { false }
    }

    /// - Complexity: O(size of the expression), which the parser has bounded.
    init(_ expression: RegexNode, _ flags: RegexFlags) {
        ignoresCase = flags.ignoresCase
        var numbers: [RegexSet: Int] = [:]
        append(expression, &numbers)
        instructions.append(.match)
    }

    private mutating func append(_ node: RegexNode, _ numbers: inout [RegexSet: Int]) {
        switch node.kind {
        case .scalar(let value): instructions.append(.scalar(value))
        case .any: instructions.append(.any)
        case .anyInLine: instructions.append(.anyInLine)
        case .assertion(let assertion): instructions.append(.assert(assertion))
        case .set(let set):
            let number = numbers[set] ?? sets.count
            if number == sets.count {
                numbers[set] = number
                sets.append(set)
            }
            instructions.append(.set(number))
        case .sequence(let parts): for part in parts { append(part, &numbers) }
        case .choice(let parts): appendChoice(parts[...], &numbers)
        case .repetition(let part, let least, let most): appendRepetition(part, least, most, &numbers)
        }
    }

    private mutating func appendChoice(_ parts: ArraySlice<RegexNode>, _ numbers: inout [RegexSet: Int]) {
        var jumps: [Int] = []
        for part in parts.dropLast() {
            let split = instructions.count
            instructions.append(.match)
            append(part, &numbers)
            jumps.append(instructions.count)
            instructions.append(.match)
            instructions[split] = .split(split + 1, instructions.count)
        }
        if let last = parts.last { append(last, &numbers) }
        for jump in jumps { instructions[jump] = .jump(instructions.count) }
    }

    private mutating func appendRepetition(
        _ part: RegexNode,
        _ least: Int,
        _ most: Int?,
        _ numbers: inout [RegexSet: Int]
    ) {
        // However often nothing is repeated, it is nothing.
        guard part.size > 0 else { return }
        for _ in 0..<least { append(part, &numbers) }
        guard let most else {
            let split = instructions.count
            instructions.append(.match)
            append(part, &numbers)
            instructions.append(.jump(split))
            instructions[split] = .split(split + 1, instructions.count)
            return
        }
        var splits: [Int] = []
        for _ in least..<most {
            splits.append(instructions.count)
            instructions.append(.match)
            append(part, &numbers)
        }
        for split in splits { instructions[split] = .split(split + 1, instructions.count) }
    }
}
