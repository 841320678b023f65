import Foundation
package import RemoteDataExecution

/// What a collection takes from the world around it: threads, real time, chance.
///
/// ``CollectionOptions/clock`` says what time it is for everything the collection does by itself. Deadlines of requests go by
/// a clock of their own: they are there for a table that never answers, also in a test that holds the other one still.
package struct Surroundings: Sendable {
    /// Where every task of the collection runs.
    package var executor: any TaskExecutor
    /// What the deadlines of requests go by.
    package var deadlineClock: any Clock<Duration>
    /// What the delays between attempts are drawn from.
    package var chance: Chance
    /// Makes the idempotency keys of writes; no two may be alike.
    package var makeKey: @Sendable () -> String
    /// How many changes may wait to be applied; more become a gap, and the rows are compared with the table.
    package var backlogLimit = 100_000
    /// Prints a line for the program's developer: on standard error.
    package var log: @Sendable (String) -> Void = { line in
        try? FileHandle.standardError.write(contentsOf: Data("\(line)\n".utf8))
    }
    /// Ends the waits between attempts early.
    package var retrySignal: RetrySignal

    /// The library's own threads, real time, and the system's random numbers, unless said otherwise.
    package init(
        executor: any TaskExecutor = WorkerExecutor.shared,
        deadlineClock: any Clock<Duration> = TimerClock(),
        chance: @escaping Chance = systemChance,
        makeKey: @escaping @Sendable () -> String = { UUID.random().uuidString },
        retrySignal: RetrySignal = RetrySignal()
    ) {
        self.executor = executor
        self.deadlineClock = deadlineClock
        self.chance = chance
        self.makeKey = makeKey
        self.retrySignal = retrySignal
    }

    /// The delay after a number of failed attempts, the last of them for the reason given.
    func delay(afterFailures failures: Int, because error: RemoteDataError? = nil) -> Duration {
        let backoff = error?.isRefusal ?? false ? ReconnectBackoff.refused : Backoff()
        return backoff.delay(afterFailures: failures, atLeast: error?.retryAfter, chance: chance())
    }

    /// The delay that fits into the remaining time, but no shorter than the server asked for.
    ///
    /// - Returns: Nil when no further attempt fits.
    func delay(
        afterFailures failures: Int,
        because error: RemoteDataError,
        within time: Duration
    ) -> Duration? {
        let delay = min(delay(afterFailures: failures, because: error), time * 0.75)
        let wait = max(delay, error.retryAfter ?? .zero)
        return time > .milliseconds(50) && wait < time ? wait : nil
    }

    /// Waits before another attempt, unless the wait is ended early.
    ///
    /// - Parameters:
    ///   - failures: How many attempts have failed, one or more.
    ///   - error: Why the last of them has.
    /// - Returns: False when the task is cancelled.
    func pause(afterFailures failures: Int, because error: RemoteDataError) async -> Bool {
        let delay = delay(afterFailures: failures, because: error)
        return await pause(for: delay, because: error, clock: deadlineClock)
    }

    /// The same for a delay by a clock.
    func pause(
        for delay: Duration,
        because error: RemoteDataError?,
        clock: any Clock<Duration>
    ) async -> Bool {
        let wait: Void? = try? await retrySignal.sleep(
            for: delay,
            atLeast: error?.retryAfter,
            heedsAnswers: error?.isOutage ?? true,
            clock: clock
        )
        return wait != nil
    }

    /// Starts a task.
    @discardableResult
    package func start(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task(executorPreference: executor) { await body() }
    }
}
