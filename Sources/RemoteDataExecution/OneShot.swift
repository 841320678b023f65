/// A value that arrives once, for one waiter; a second arrival does nothing.
package final class OneShot<Value: Sendable>: Sendable {
    private let handoff = Handoff<Value, any Error>()

    /// Creates one that waits for its value.
    package init() {}

    /// Lets the waiter go on.
    package func resume(_ result: Result<Value, any Error>) { handoff.finish(result) }

    /// Whether there is a value, or nobody waits for one any more.
    package var isFinished: Bool { handoff.isFinished }

    /// The value; to be awaited once.
    package func value() async throws -> Value {
        try await withCheckedContinuation { _ = handoff.start($0) }.get()
    }

    /// Parks the calling thread until there is a value; in place of awaiting it.
    ///
    /// - Parameter limit: How long at most.
    /// - Returns: Nil when there was none in time.
    package func wait(atMost limit: Duration) -> Result<Value, any Error>? { handoff.wait(atMost: limit) }
}
