/// Decides when a transfer has stood still for too long.
///
/// It is looked at rarely: when it might have stalled, and then the bytes are counted. So what moves in between counts from
/// the time of the look, and a stall is found after one to two times the limit.
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
    var firstLook: ContinuousClock.Instant { lastMove + limit }

    /// Looks, with the number of bytes that have moved; nil while the connection is being made, which has a limit of its own.
    mutating func look(at now: ContinuousClock.Instant, bytes moved: @autoclosure () -> Int64?) -> Step {
        guard now >= lastMove + limit else { return .look(at: lastMove + limit) }
        let moved = moved()
        if let moved, moved == bytes { return .stalled }
        bytes = moved ?? bytes
        lastMove = now
        return .look(at: now + limit)
    }
}
