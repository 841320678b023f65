/// Runs generated lives of tables that are kept in step with a server's: devices of several users that write, lose connections and
/// answers, crash between any two commits, and change users, each from a number.
///
/// The same number makes the same run in every process.
public struct SyncSimulator: Sendable {
    /// What came of a run.
    public struct Result: Sendable {
        /// What was not as it has to be; empty when everything was.
        public let failures: [String]
        /// What was done, step by step, where that was asked for.
        public let story: [String]
        /// How many writes were accepted.
        public let writes: Int
        /// How many steps it took.
        public let steps: Int
        /// A hash of everything that happened.
        public let trace: UInt64
    }

    private let defect: SyncDefect?

    /// Creates a simulator.
    public init() { defect = nil }

    /// Creates a simulator of something broken.
    package init(defect: SyncDefect) { self.defect = defect }

    /// Runs one life; blocks for as long as the computing takes, about ten milliseconds.
    ///
    /// - Parameters:
    ///   - seed: Its number.
    ///   - tellsStory: Whether to note what was done.
    /// - Returns: What came of it.
    public func run(seed: UInt64, tellsStory: Bool = false) -> Result {
        let world = SyncWorld(seed: seed, tellsStory: tellsStory, defect: defect)
        world.run()
        if !world.scheduler.drain() { world.fail("there was no end of work once everything was closed") }
        return Result(
            failures: world.failures,
            story: world.story,
            writes: world.accepted.count,
            steps: world.scheduler.steps,
            trace: world.scheduler.trace
        )
    }
}
