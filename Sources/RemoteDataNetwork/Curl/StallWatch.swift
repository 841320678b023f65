/// Decides when a transfer has stood still for too long.
///
/// Bytes are counted four times within the limit, and what has moved in between counts from the time of the
/// look. So a stall is found after 1 to 1.25 times the limit, and a short transfer is never looked at.
struct StallWatch {
    enum Step: Equatable {
        case look(at: ContinuousClock.Instant)
        case stalled
    }

    private let limit: Duration
    private var lastMove: ContinuousClock.Instant
    private var bytes: Int64 = 0

    init(limit: Duration, now: ContinuousClock.Instant) {
        self.limit = limit
        lastMove = now
    }

    /// When to look the first time.
    var firstLook: ContinuousClock.Instant { lastMove + limit / 4 }

    /// Looks, with the number of bytes that have moved; nil while the connection is being made, which has a
    /// limit of its own.
    mutating func look(at now: ContinuousClock.Instant, bytes moved: Int64?) -> Step {
        if moved != bytes {
            bytes = moved ?? bytes
            lastMove = now
        }
        guard now < lastMove + limit else { return .stalled }
        return .look(at: min(now + limit / 4, lastMove + limit))
    }
}
