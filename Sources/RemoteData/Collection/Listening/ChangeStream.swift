/// What a collection or a table tells, for one `for await` loop; ends when that is gone.
public final class ChangeStream<Change: Sendable>: AsyncSequence, Sendable {
    /// What the stream delivers.
    public typealias Element = Change

    private let buffer: ChangeBuffer<Change>
    private let onEnd: @Sendable () -> Void

    package init(_ buffer: ChangeBuffer<Change>, onEnd: @escaping @Sendable () -> Void) {
        self.buffer = buffer
        self.onEnd = onEnd
    }

    deinit { onEnd() }

    /// Starts reading; one reader at a time.
    public func makeAsyncIterator() -> Iterator { Iterator(stream: self) }

    /// Reads a stream.
    public struct Iterator: AsyncIteratorProtocol {
        private let stream: ChangeStream
        private var batch: ArraySlice<Change> = []

        init(stream: ChangeStream) { self.stream = stream }

        /// What comes next, without blocking; nil when what tells is gone or the task is cancelled.
        public mutating func next() async -> Change? {
            while batch.isEmpty {
                guard let changes = await stream.buffer.take() else { return nil }
                batch = changes[...]
            }
            return batch.popFirst()
        }
    }
}
