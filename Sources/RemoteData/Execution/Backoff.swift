/// How long to wait before trying again: full jitter, as in "Exponential Backoff and Jitter" (AWS, 2015).
struct Backoff: Sendable {
    var base: Duration = .milliseconds(200)
    var limit: Duration = .seconds(30)

    /// The longest wait before attempt number `attempt`, counted from zero.
    func ceiling(_ attempt: Int) -> Duration { min(limit, base * (1 << min(max(attempt, 0), 16))) }

    /// A wait between nothing and the ceiling, or what the server asked for when that is longer.
    func wait(_ attempt: Int, after error: RemoteDataError? = nil, random: Double) -> Duration {
        max(ceiling(attempt) * random, error?.retryAfter ?? .zero)
    }
}
