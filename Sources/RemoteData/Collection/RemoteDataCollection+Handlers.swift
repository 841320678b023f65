import Synchronization

// What the caller wants to hear of.
extension RemoteDataCollection {
    /// Called when a request to the table begins; each is followed by a ``requestCompletedHandler`` call.
    ///
    /// Called on the delivery queue, like every handler. It may call the collection; a blocking call holds up further
    /// deliveries. The collection holds its handlers: one that holds the collection keeps it alive until it is set to nil.
    public var requestStartedHandler: (@Sendable () -> Void)? {
        get { state.withLock { $0.handlers.requestStarted } }
        set {
            // What the old one held is freed outside the lock: its end may call the collection.
            var handler = newValue
            state.withLock { swap(&$0.handlers.requestStarted, &handler) }
        }
    }

    /// Called when a request to the table has ended, well or not.
    public var requestCompletedHandler: (@Sendable () -> Void)? {
        get { state.withLock { $0.handlers.requestCompleted } }
        set {
            // What the old one held is freed outside the lock: its end may call the collection.
            var handler = newValue
            state.withLock { swap(&$0.handlers.requestCompleted, &handler) }
        }
    }

    /// Called for each failure: of a request, of a row that does not decode, of a delivery queue that is
    /// slower than the changes come, and when the connection for changes fails or fails with another code.
    public var errorHandler: (@Sendable (RemoteDataError) -> Void)? {
        get { state.withLock { $0.handlers.error } }
        set {
            // What the old one held is freed outside the lock: its end may call the collection.
            var handler = newValue
            state.withLock { swap(&$0.handlers.error, &handler) }
        }
    }

    /// Called after each change of the collection, whoever made it, once.
    public var dataChangedHandler: (@Sendable (EventType) -> Void)? {
        get { state.withLock { $0.handlers.dataChanged } }
        set {
            // What the old one held is freed outside the lock: its end may call the collection.
            var handler = newValue
            state.withLock { swap(&$0.handlers.dataChanged, &handler) }
        }
    }

    /// The changes from now on, with rows and positions, for one `for await` loop.
    ///
    /// Each access makes a stream of its own, of which at most 1,000 changes wait for a slow reader: the same as
    /// ``changes(buffering:)`` with ``ChangeBuffering/buffer(_:)`` of 1,000.
    public var changes: ChangeStream<CollectionChange<Element>> { changes(buffering: .buffer(1_000)) }

    /// The changes from now on, for one `for await` loop.
    ///
    /// Never blocks, never asks the table. Each call makes a stream of its own. Changes are decoded for each collection once,
    /// however many streams there are.
    ///
    /// - Parameter policy: What waits for a reader that is slower than the changes come.
    /// - Returns: The stream.
    public func changes(buffering policy: ChangeBuffering) -> ChangeStream<CollectionChange<Element>> {
        let buffer = ChangeBuffer(policy.queue(of: Element.self))
        let id = state.withLock { state in
            state.lastListener += 1
            state.listeners[state.lastListener] = buffer
            state.core.index.keepsAllVersions = true
            return state.lastListener
        }
        return ChangeStream(buffer) { [weak self] in
            _ = self?.state.withLock { $0.listeners.removeValue(forKey: id) }
        }
    }

    /// How it is with the delivery of changes, now and whenever that changes, for one `for await` loop.
    ///
    /// Each access makes a stream of its own. A slow reader gets the newest status only. That changes are
    /// missing is delivered at once, however long handlers take; `live` is delivered after the changes that
    /// wait for them.
    public var liveStatuses: ChangeStream<LiveStatus> {
        let buffer = ChangeBuffer<LiveStatus>(NewestOnly())
        let id = state.withLock { state in
            state.lastListener += 1
            state.statusListeners[state.lastListener] = buffer
            // Nobody reads yet, so nobody is woken under the lock.
            buffer.send(state.deliveredStatus ?? state.status)
            return state.lastListener
        }
        return ChangeStream(buffer) { [weak self] in
            _ = self?.state.withLock { $0.statusListeners.removeValue(forKey: id) }
        }
    }
}
