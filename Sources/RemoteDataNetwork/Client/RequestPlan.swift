import RemoteDataExecution

/// Decides, for one request, what follows each attempt.
///
/// Holds no clock, no network and no credentials; ``HTTPClient`` does what it says.
struct RequestPlan {
    enum Step: Equatable {
        /// Hand what came to the caller.
        case deliver
        /// Get new credentials, then send again at once.
        case refresh
        /// Wait, then send again.
        case retry(after: Duration)
    }

    private let policy: RetryPolicy
    private let isRepeatable: Bool
    private let hasCredentials: Bool
    private var failures = 0
    private var hasRefreshed = false

    init(policy: RetryPolicy, isRepeatable: Bool, hasCredentials: Bool) {
        self.policy = policy
        self.isRepeatable = isRepeatable
        self.hasCredentials = hasCredentials
    }

    /// The number of the attempt that is next or under way, from one.
    var attempt: Int { failures + 1 }

    /// An attempt was answered.
    ///
    /// A 401 says that nothing was done, so any request may follow it with new credentials, once.
    /// - Parameters:
    ///   - status: The status of the answer.
    ///   - retryAfter: What the server asked for.
    ///   - timeLeft: How long there is still.
    ///   - chance: A random number of 0 to 1, asked for where something is sent again.
    /// - Returns: What follows.
    mutating func answered(
        status: Int,
        retryAfter: Duration?,
        timeLeft: Duration?,
        chance: @autoclosure () -> Double
    ) -> Step {
        if status == 401, hasCredentials, !hasRefreshed {
            hasRefreshed = true
            return .refresh
        }
        guard RetryPolicy.transientStatuses.contains(status) else { return .deliver }
        let chance = chance()
        // Not to the moment, or what was refused together would come back together.
        let window =
            RetryPolicy.limitWindow + policy.backoff.delay(afterFailures: failures + 1, chance: chance)
        return retry(after: retryAfter ?? (status == 429 ? window : nil), timeLeft: timeLeft, chance: chance)
    }

    /// An attempt got no answer.
    mutating func failed(
        _ error: NetworkError,
        timeLeft: Duration?,
        chance: @autoclosure () -> Double
    ) -> Step {
        guard error.isTransient else { return .deliver }
        let chance = chance()
        return retry(after: error.retryAfter, timeLeft: timeLeft, chance: chance)
    }

    private mutating func retry(after wish: Duration?, timeLeft: Duration?, chance: Double) -> Step {
        guard isRepeatable else { return .deliver }
        let failures = failures + 1
        let delay = policy.delay(
            afterFailures: failures,
            retryAfter: wish,
            timeLeft: timeLeft,
            chance: chance
        )
        guard let delay else { return .deliver }
        self.failures = failures
        return .retry(after: delay)
    }
}
