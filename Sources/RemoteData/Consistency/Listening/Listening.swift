import Synchronization

/// One listener: what it has been told last, and what it does not want to be told.
final class Listening: Sendable {
    /// Somebody who is told.
    enum Target: Sendable {
        /// Holds its model itself and is asked for it.
        case listener(WeakListener)
        /// Is called with what has changed, and when that was initiated.
        case handler(ConsistencyManager.Handler)
    }

    /// A listener as long as there is one.
    final class WeakListener: Sendable {
        weak let listener: (any ConsistencyListener)?

        init(_ listener: any ConsistencyListener) { self.listener = listener }
    }

    /// Whether it is to be told something.
    enum Turn {
        case isDeaf
        /// It is, and then its batch, if it is in one.
        case isTold(BatchListening?)
    }

    private struct State {
        /// The model as it knows it.
        var seen: (any SharedModel)?
        /// What is of an earlier time is not told: it has another model since, which the manager has yet to learn.
        var deafBefore: UInt64 = 0
        var isPaused = false
        var hasEnded = false
        var batch: BatchListening?
    }

    let target: Target
    /// Whether a model is of the type that it listens for.
    let accepts: @Sendable (any ConsistentModel) -> Bool
    private let state: Mutex<State>

    init(
        _ target: Target,
        seen: (any SharedModel)?,
        accepts: @escaping @Sendable (any ConsistentModel) -> Bool = { _ in true }
    ) {
        self.target = target
        self.accepts = accepts
        state = Mutex(State(seen: seen))
    }

    var seen: (any SharedModel)? { state.withLock { $0.seen } }
    var isPaused: Bool { state.withLock { $0.isPaused } }
    /// Whether it wants to be told no more, or there is nobody any more to be told.
    var hasEnded: Bool {
        if case .listener(let weak) = target, weak.listener == nil { return true }
        return state.withLock { $0.hasEnded }
    }

    func end() {
        // Let go of when the lock is open: its handler may hold this.
        _ = state.withLock { state in
            defer { (state.hasEnded, state.batch) = (true, nil) }
            return state.batch
        }
    }

    /// Joins a batch, which tells of it from now on; nil for none.
    func join(_ batch: BatchListening?) {
        _ = state.withLock { state in
            defer { if !state.hasEnded { state.batch = batch } }
            return state.batch
        }
    }

    /// Holds another model from a time on.
    ///
    /// - Returns: The model that it held.
    func replace(_ model: (any ConsistentModel)?, at time: UInt64) -> (any ConsistentModel)? {
        let model = model.map { share($0) }
        let old = state.withLock { state in
            defer { (state.seen, state.deafBefore) = (model, max(state.deafBefore, time)) }
            return state.seen
        }
        return old?.model
    }

    /// Is told nothing from a time on.
    ///
    /// - Returns: The model that it holds; nil at the second call.
    func pause(at time: UInt64) -> (any ConsistentModel)?? {
        state.withLock { state in
            guard !state.isPaused else { return nil }
            (state.isPaused, state.deafBefore) = (true, max(state.deafBefore, time))
            return .some(state.seen?.model)
        }
    }

    /// - Returns: Whether it was paused.
    func resume() -> Bool {
        state.withLock { state in
            defer { state.isPaused = false }
            return state.isPaused
        }
    }

    /// The model as it knows it, and whether it does not want to be told what is of a time.
    func view(at time: UInt64) -> (seen: (any ConsistentModel)?, isDeaf: Bool) {
        state.withLock { ($0.seen?.model, $0.hasEnded || time < $0.deafBefore) }
    }

    /// The handler is to be called with a model as of a time.
    ///
    /// - Returns: Whether it is still to be.
    func take(_ model: (any SharedModel)?, at time: UInt64) -> Turn {
        let (turn, old) = state.withLock { state -> (Turn, (any SharedModel)?) in
            guard !state.hasEnded, time >= state.deafBefore else { return (.isDeaf, nil) }
            defer { state.seen = model }
            return (.isTold(state.batch), state.seen)
        }
        // Let go of when the lock is open: whatever it holds may have something to do with this.
        withExtendedLifetime(old) {}
        return turn
    }
}
