/// Somebody who is told what a ``ConsistencyManager`` is told, until this is let go of.
public final class ConsistencyObservation: Sendable {
    private let end: @Sendable () -> Void

    init(_ end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { end() }

    /// Ends it now.
    public func cancel() { end() }
}
