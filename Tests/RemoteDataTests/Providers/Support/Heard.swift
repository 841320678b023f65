import Synchronization

/// What was said, in its order.
final class Heard<Event: Sendable>: Sendable {
    private let all = Mutex<[Event]>([])

    func note(_ event: Event) { all.withLock { $0.append(event) } }

    var events: [Event] { all.withLock { $0 } }
}
