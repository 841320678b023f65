import RemoteDataExecution

/// Decides when a session connects, waits and gives up.
///
/// Events that make no sense in a state leave it as it is.
struct SessionState {
    enum Phase: Equatable {
        /// To be connected now, with these credentials.
        case idle(CredentialsReason)
        case connecting
        case open
        /// To be announced: a wait before the next attempt.
        case delayed(attempt: Int, after: Duration)
        case waiting(after: Duration)
        case ended
    }

    private(set) var phase = Phase.idle(.needed)
    /// How long the server asked to wait, as far as that is obeyed.
    private(set) var leastDelay = Duration.zero
    /// Whether an answer to another request ends the wait: not where the server itself has refused.
    private(set) var heedsAnswers = true
    private var backoff: ReconnectBackoff
    private var hasRenewedCredentials = false

    init(_ options: SessionOptions) {
        backoff = ReconnectBackoff(failing: options.backoff)
    }

    /// Whether the session is over.
    var hasEnded: Bool { phase == .ended }

    /// A connection is being made.
    mutating func began() { if case .idle = phase { phase = .connecting } }

    /// The connection is open.
    mutating func connected(now: Duration) {
        guard phase == .connecting else { return }
        phase = .open
        backoff.opened(at: now)
        (hasRenewedCredentials, heedsAnswers) = (false, true)
    }

    /// What was asked over the open connection has been answered.
    mutating func worked() { if phase == .open { backoff.worked() } }

    /// The open connection is given up because of what came over it.
    mutating func givenUp() { if phase == .open { backoff.givenUp() } }

    /// The credentials were refused over the open connection.
    mutating func refused() {
        guard phase == .open else { return }
        backoff.refused()
        heedsAnswers = false
    }

    /// The caller gave up while a connection was being made.
    mutating func abandoned() { if phase == .connecting { phase = .idle(.needed) } }

    /// The connection did not come about.
    ///
    /// A first 401 leads to another attempt with new credentials at once. What no repetition can mend ends
    /// the session.
    mutating func failed(_ error: NetworkError, chance: Double) {
        guard phase == .connecting else { return }
        if error.status == 401, !hasRenewedCredentials {
            hasRenewedCredentials = true
            phase = .idle(.rejected)
        } else if Self.isFinal(error) {
            phase = .ended
        } else {
            heedsAnswers = RetrySignal.isOutage(error.status)
            delay(now: .zero, atLeast: error.retryAfter, chance: chance)
        }
    }

    /// An open connection ended, whatever the reason.
    ///
    /// - Parameters:
    ///   - now: The time since the session began.
    ///   - wish: How long to wait at least, as the server has said.
    ///   - chance: For the jitter.
    mutating func lost(now: Duration, atLeast wish: Duration? = nil, chance: Double) {
        guard phase == .open else { return }
        delay(now: now, atLeast: wish, chance: chance)
    }

    /// The wait was announced and begins.
    mutating func announced() {
        if case .delayed(_, let after) = phase { phase = .waiting(after: after) }
    }

    /// The wait is over.
    mutating func waited() { if case .waiting = phase { phase = .idle(.needed) } }

    /// The session's user has closed it.
    mutating func closed() { phase = .ended }

    private mutating func delay(now: Duration, atLeast wish: Duration?, chance: Double) {
        leastDelay = wish ?? .zero
        let delay = backoff.ended(at: now, atLeast: leastDelay, chance: chance)
        phase = .delayed(attempt: backoff.attempt, after: delay)
    }

    private static func isFinal(_ error: NetworkError) -> Bool {
        if let status = error.status {
            return 400..<500 ~= status && !RetryPolicy.transientStatuses.contains(status)
        }
        return error.code == .invalidRequest || error.code == .unavailable || error.code == .credentials
    }
}
