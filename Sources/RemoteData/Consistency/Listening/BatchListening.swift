/// Listeners of which somebody is told together, once for all that changes at once.
final class BatchListening: Sendable {
    /// Which of them have changed, what of all these, and what was said with it.
    let tell: @Sendable ([ObjectIdentifier], ModelUpdates, ConsistencyContext) -> Void

    init(_ tell: @escaping @Sendable ([ObjectIdentifier], ModelUpdates, ConsistencyContext) -> Void) {
        self.tell = tell
    }
}
