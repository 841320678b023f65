package import RemoteDataExecution

/// Says when a request is sent again, and after how long.
package struct RetryPolicy: Sendable, Hashable {
    /// The statuses that may go away by themselves.
    package static let transientStatuses: Set<Int> = Set([408, 421, 423, 425, 429, 500] + Array(502..<600))

    /// How often a request is sent at most, the first time included.
    package var attempts: Int
    /// The delays between attempts.
    package var backoff: Backoff
    /// The longest `Retry-After` that is waited for; a longer one is handed to the caller with the answer.
    package var longestRetryAfter: Duration
    /// What is added to the delay after a 429 without `Retry-After`: limits are counted in windows of a second or more.
    package static let limitWindow = Duration.seconds(1)

    /// Creates a policy.
    package init(
        attempts: Int = 4,
        backoff: Backoff = Backoff(),
        longestRetryAfter: Duration = .seconds(60)
    ) {
        self.attempts = attempts
        self.backoff = backoff
        self.longestRetryAfter = longestRetryAfter
    }

    /// Sends everything once.
    package static let never = RetryPolicy(attempts: 1)

    /// The delay before the next attempt, or nil when there is to be none.
    ///
    /// A server's wish to wait is obeyed: the delay is never shorter. No delay is begun that would outlast
    /// the time left.
    /// - Parameters:
    ///   - failures: How many attempts have failed so far, one or more.
    ///   - retryAfter: What the server asked for.
    ///   - timeLeft: The time until the deadline of all attempts together, if there is one.
    ///   - chance: A random number of 0 to 1.
    /// - Returns: The delay.
    package func delay(
        afterFailures failures: Int,
        retryAfter: Duration?,
        timeLeft: Duration?,
        chance: Double
    ) -> Duration? {
        guard failures < attempts else { return nil }
        if let retryAfter, retryAfter > longestRetryAfter { return nil }
        let delay = backoff.delay(afterFailures: failures, atLeast: retryAfter, chance: chance)
        if let timeLeft, delay >= timeLeft { return nil }
        return delay
    }
}
