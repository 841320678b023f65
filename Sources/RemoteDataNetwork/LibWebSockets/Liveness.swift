/// Decides when a socket is pinged and when it counts as dead.
///
/// Whatever is received shows that the other side lives. While reading is paused nothing can be, so nothing
/// is concluded. Times are since any fixed moment.
struct Liveness {
    enum Step: Equatable {
        case wait(Duration)
        case ping(thenWait: Duration)
        case dead
    }

    private let interval: Duration
    private let deadline: Duration
    private var lastHeard: Duration
    private var pinged: Duration?
    private var isPaused = false

    init(_ limits: WebSocketLimits, now: Duration) {
        interval = limits.pingInterval
        deadline = limits.pongDeadline
        lastHeard = now
    }

    /// Something was received; the time since an unanswered ping, if there was one.
    mutating func heard(now: Duration) -> Duration? {
        lastHeard = now
        defer { pinged = nil }
        return pinged.map { now - $0 }
    }

    mutating func paused() {
        isPaused = true
        pinged = nil
    }

    mutating func resumed(now: Duration) {
        isPaused = false
        lastHeard = now
        pinged = nil
    }

    /// The wait is over.
    mutating func timerFired(now: Duration) -> Step {
        guard !isPaused else { return .wait(interval) }
        if let pinged {
            let left = deadline - (now - pinged)
            return left > .zero ? .wait(left) : .dead
        }
        let left = interval - (now - lastHeard)
        guard left <= .zero else { return .wait(left) }
        pinged = now
        return .ping(thenWait: deadline)
    }
}
