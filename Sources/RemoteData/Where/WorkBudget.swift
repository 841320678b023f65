import Synchronization

/// How much work may be done for one caller, such as evaluating its clause on rows: counted in steps, and
/// ended by time or from
/// elsewhere.
///
/// What does the work finds the budget in force as ``current`` and takes steps from it: about one for each
/// byte read, each
/// scalar compared and each state of a regular expression looked at, so that one is some nanoseconds. Once
/// it is used up,
/// results are wrong and come soon; who has set it looks at ``isUsedUp`` before using them.
package final class WorkBudget: Sendable {
    /// The budget in force; nil for work without a limit.
    @TaskLocal package static var current: WorkBudget?

    /// After how many steps the time is looked at.
    private static let stride = 1 << 16

    private let parent: WorkBudget?
    private let end: ContinuousClock.Instant?
    private let limit: Int
    /// How many steps have been taken since it was made or renewed.
    let taken = Atomic(0)
    private let isStopped = Atomic(false)

    /// Creates a budget, which the one in force has to have the steps for as well.
    ///
    /// - Parameters:
    ///   - limit: How many steps may be taken.
    ///   - end: When the time is over, which is noticed by taking steps.
    ///   - parent: The budget that this one is a part of.
    package init(
        steps limit: Int = .max,
        until end: ContinuousClock.Instant? = nil,
        within parent: WorkBudget? = current
    ) {
        (self.limit, self.end, self.parent) = (limit, end, parent)
    }

    /// Whether the results of the work done with it cannot be used.
    package var isUsedUp: Bool { isStopped.load(ordering: .relaxed) || parent?.isUsedUp ?? false }

    /// Whether there is a budget in force that is used up.
    package static var isOverrun: Bool { current?.isUsedUp ?? false }

    /// Takes steps: whether there were so many.
    ///
    /// - Complexity: O(1) for each budget that this one is a part of.
    package func take(_ steps: Int) -> Bool {
        guard !isStopped.load(ordering: .relaxed) else { return false }
        let taken = taken.add(steps, ordering: .relaxed).newValue
        if taken > limit {
            stop()
        } else if let end, taken / Self.stride != (taken - steps) / Self.stride, ContinuousClock.now >= end {
            stop()
        }
        let isLeft = parent?.take(steps) ?? true
        return isLeft && !isStopped.load(ordering: .relaxed)
    }

    /// Ends the work at its next step.
    package func stop() { isStopped.store(true, ordering: .relaxed) }

    /// Gives it as many steps again, and some more, unless it is used up.
    package func renew(adding more: Int = 0) { taken.store(-more, ordering: .relaxed) }

    /// Has work done with it.
    ///
    /// - Returns: What came of it; nil when the budget was used up.
    package func run<Result, Failure: Error>(
        _ work: () throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard !isUsedUp else { return nil }
        let result = Self.$current.withValue(self) {
            Swift.Result { () throws(Failure) in try work() }
        }
        return isUsedUp ? nil : try result.get()
    }
}

extension WorkBudget {
    /// The steps after which a query is taken from those that are quick, and made again among those that
    /// take long.
    package static let quickSteps = 10_000_000
    /// The steps that a clause has for one change of a table.
    package static let changeSteps = 10_000_000
}

extension RemoteDataError {
    /// The error of a query that would take more work than there is for it.
    package static var tooMuchWork: RemoteDataError {
        RemoteDataError(
            .unavailable,
            "The query takes more work than there is time for; ask for less at a time, or with a simpler"
                + " clause."
        )
    }

    /// The error of a subscription whose clause takes too much work.
    package static var tooMuchWorkForChanges: RemoteDataError {
        RemoteDataError(
            .tooLarge,
            "The clause takes more than \(WorkBudget.changeSteps) steps for a change of the table; subscribe"
                + " with a simpler one."
        )
    }
}
