/// Looks for a regular expression in one text, following all ways to match at once.
///
/// No state is looked at twice between two scalars, so that a search takes as many steps as the text has scalars times the
/// program's states at most, whatever the pattern is.
struct RegexSearch {
    private let program: RegexProgram
    /// The states that read the next scalar.
    private var readers: [Int] = []
    /// The states to go on from behind the scalar read.
    private var pending: [Int] = []
    private var stack: [Int] = []
    /// For each state, the number of the place in the text at which it was looked at last.
    private var visits: [Int]
    private var place = 0
    /// How many states have been looked at.
    private(set) var steps = 0
    private let budget = WorkBudget.current
    /// How many of these steps have been taken from the budget.
    private var counted = 0

    /// After how many steps they are taken from the budget.
    private static let stride = 1 << 14

    init(_ program: RegexProgram) {
        self.program = program
        visits = Array(repeating: 0, count: program.instructions.count)
    }

    /// Whether the pattern is found in valid UTF-8, as far as there is work left to be done; to be called
    /// once.
    mutating func matches(_ text: borrowing Span<UInt8>) -> Bool {
        defer { _ = budget?.take(steps - counted) }
        var position = 0
        var left: UInt32?
        pending = [0]
        while true {
            let isAtEnd = position >= text.count
            let right = isAtEnd ? nil : UTF8Walk.scalar(text, &position, false)
            if arrives(between: left, right) { return true }
            guard let right, mayGoOn() else { return false }
            read(right)
            if !program.isAnchored { pending.append(0) } else if pending.isEmpty { return false }
            left = right
        }
    }

    private mutating func mayGoOn() -> Bool {
        guard let budget, steps - counted >= Self.stride else { return true }
        defer { counted = steps }
        return budget.take(steps - counted)
    }

    /// Follows all that reads nothing; true when that leads to the end of the pattern.
    private mutating func arrives(between left: UInt32?, _ right: UInt32?) -> Bool {
        place += 1
        readers.removeAll(keepingCapacity: true)
        swap(&stack, &pending)
        pending.removeAll(keepingCapacity: true)
        while let state = stack.popLast() {
            guard visits[state] != place else { continue }
            visits[state] = place
            steps += 1
            switch program.instructions[state] {
            case .match: return true
            case .jump(let next): stack.append(next)
            case .split(let first, let second):
                stack.append(second)
                stack.append(first)
            case .assert(let assertion): if assertion.holds(left, right) { stack.append(state + 1) }
            case .scalar, .any, .anyInLine, .set: readers.append(state)
            }
        }
        return false
    }

    /// Lets every state that takes a scalar read it.
    private mutating func read(_ scalar: UInt32) {
        let lowercased = program.ignoresCase ? CaseFolding.lowercased(scalar) : scalar
        for state in readers {
            let isTaken =
                switch program.instructions[state] {
                case .scalar(let value): value == lowercased
                case .any: true
                case .anyInLine: scalar != 0x0A
                case .set(let number): program.sets[number].contains(scalar, lowercased: lowercased)
                case .assert, .split, .jump, .match: false
                }
            if isTaken { pending.append(state + 1) }
        }
    }
}
