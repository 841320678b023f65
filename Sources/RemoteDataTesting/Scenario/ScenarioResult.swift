/// How a scenario went.
public struct ScenarioResult: Sendable {
    /// What was not as it had to be, the first first.
    public var failures: [ScenarioFailure] = []
    /// A hash of everything that happened: two runs of the same scenario have the same.
    public var trace: UInt64 = 0
    /// How many jobs and messages there were.
    public var steps = 0

    /// Whether everything was as it had to be.
    public var isRight: Bool { failures.isEmpty }
}

/// Something that was not as it had to be.
public struct ScenarioFailure: Sendable, Hashable, CustomStringConvertible {
    /// Which step, counted from zero; nil for what was found at the end.
    public let step: Int?
    /// Which guarantee or expectation, in a word.
    public let what: String
    /// What was found.
    public let message: String

    /// All of it in a line.
    public var description: String { (step.map { "Step \($0)" } ?? "At the end") + ", \(what): \(message)" }
}
