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

    /// Called for each failure: of a request, of the connection for changes, of a row that does not decode.
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
    /// Each access makes a stream of its own. At most 1,000 changes wait for a slow reader; when more come, those waiting are
    /// dropped and one change of type `dataLoaded` without positions takes their place: the reader then has to look at the
    /// whole collection again.
    public var changes: ChangeStream<CollectionChange<Element>> {
        let overflow = CollectionChange<Element>(
            type: .dataLoaded,
            rows: [],
            ids: [],
            inserted: [],
            removedRanges: [],
            updated: [],
            moved: [],
            isOwn: false,
            revision: nil
        )
        let buffer = ChangeBuffer(capacity: 1_000, overflow: overflow)
        let id = state.withLock { state in
            state.lastListener += 1
            state.listeners[state.lastListener] = buffer
            return state.lastListener
        }
        return ChangeStream(buffer) { [weak self] in
            _ = self?.state.withLock { $0.listeners.removeValue(forKey: id) }
        }
    }

    /// How it is with the delivery of changes, now and whenever that changes, for one `for await` loop.
    ///
    /// Each access makes a stream of its own. A slow reader gets the newest status only.
    public var liveStatuses: ChangeStream<LiveStatus> {
        let buffer = ChangeBuffer<LiveStatus>(capacity: 1)
        let id = state.withLock { state in
            state.lastListener += 1
            state.statusListeners[state.lastListener] = buffer
            // Nobody reads yet, so nobody is woken under the lock.
            buffer.send(state.status)
            return state.lastListener
        }
        return ChangeStream(buffer) { [weak self] in
            _ = self?.state.withLock { $0.statusListeners.removeValue(forKey: id) }
        }
    }
}
