import RemoteDataExecution
import Synchronization

/// The changes of a query, delivered in order to one consumer through a bounded buffer.
///
/// A table sends, one consumer iterates. When the consumer falls behind by more than the capacity, what is
/// buffered is dropped and one ``ChangeEvent/reset`` takes its place: a gap that is known, never lost silently.
public final class ChangeFeed: Sendable, AsyncSequence {
    /// What the feed delivers.
    public typealias Element = ChangeEvent

    fileprivate struct State {
        var buffer: [ChangeEvent] = []
        var waiter: CheckedContinuation<[ChangeEvent], Never>?
        var isFinished = false
        var onCancel: (@Sendable () -> Void)?
        /// Who waits for room.
        var sender: OneShot<Void>?
        /// Whether the consumer has let a sender wait in vain since it read last.
        var isStuck = false
        var taker: Taker?
        /// Whether the taker is at it; the consumer waits meanwhile.
        var isTaking = false

        /// The consumer, if it waits and nothing is being taken in its place.
        mutating func takeWaiter() -> CheckedContinuation<[ChangeEvent], Never>? {
            isTaking ? nil : waiter.take()
        }

        /// What waits; whoever waits for room has it.
        mutating func takeAll() -> (events: [ChangeEvent], sender: OneShot<Void>?) {
            defer { (buffer, isStuck) = ([], false) }
            return (buffer, sender.take())
        }
    }

    /// Takes events in the consumer's place, or leaves them to it: whether it has taken them.
    package typealias Taker = @Sendable ([ChangeEvent]) -> Bool

    private let state: Mutex<State>
    private let capacity: Int

    /// Creates a feed.
    ///
    /// - Parameters:
    ///   - capacity: How many events may wait for the consumer; at least two, a gap and what it ends with.
    ///   - onCancel: Called once, outside any lock, when the consumer is done.
    public init(capacity: Int = 10_000, onCancel: (@Sendable () -> Void)? = nil) {
        self.capacity = Swift.max(2, capacity)
        state = Mutex(State(onCancel: onCancel))
    }

    /// Hands an event to the consumer.
    ///
    /// Never blocks. Does nothing once the feed has ended.
    /// - Returns: False when the buffer was full, so that it was replaced by a `reset`.
    @discardableResult
    public func send(_ event: ChangeEvent) -> Bool { send(contentsOf: CollectionOfOne(event)) }

    /// Hands events to the consumer, in order and at once.
    ///
    /// Never blocks. Does nothing once the feed has ended. Costs little more than a single event.
    /// - Returns: False when the buffer could not take them all, so that it and they were replaced by a `reset`.
    @discardableResult
    public func send(contentsOf events: some Collection<ChangeEvent>) -> Bool {
        guard let first = events.first else { return true }
        let (waiter, kept) = state.withLock { state -> (CheckedContinuation<[ChangeEvent], Never>?, Bool) in
            guard !state.isFinished else { return (nil, true) }
            if let waiter = state.takeWaiter() { return (waiter, true) }
            if case .progress = first, case .progress? = state.buffer.last {
                // The later one says all the earlier one did, so progress alone never fills the buffer.
                state.buffer.removeLast()
            }
            guard state.buffer.count + events.count <= capacity else {
                state.buffer = [.reset]
                return (nil, false)
            }
            state.buffer += events
            return (nil, true)
        }
        waiter?.resume(returning: Array(events))
        return kept
    }

    /// Whether nothing that is sent reaches the consumer any more.
    var hasEnded: Bool { state.withLock { $0.isFinished } }

    /// Ends the feed after what is buffered.
    public func finish() {
        let (waiter, sender) = state.withLock { state in
            state.isFinished = true
            state.onCancel = nil
            return (state.takeWaiter(), state.sender.take())
        }
        waiter?.resume(returning: [])
        sender?.resume(.success(()))
    }

    /// Ends the feed at once and tells the table.
    public func cancel() {
        let (waiter, sender, onCancel) = state.withLock { state in
            state.isFinished = true
            return (state.waiter.take(), state.takeAll().sender, state.onCancel.take())
        }
        waiter?.resume(returning: [])
        sender?.resume(.success(()))
        onCancel?()
    }

    deinit { cancel() }

    /// Starts consuming; there can be one consumer.
    public func makeAsyncIterator() -> Iterator { Iterator(feed: self) }

    /// Reads a feed.
    public struct Iterator: AsyncIteratorProtocol {
        private let feed: ChangeFeed
        private var batch: ArraySlice<ChangeEvent> = []

        init(feed: ChangeFeed) { self.feed = feed }

        /// The next event; nil when the feed has ended or the task is cancelled.
        public mutating func next() async -> ChangeEvent? {
            if batch.isEmpty { batch = await feed.nextBatch()[...] }
            return batch.popFirst()
        }
    }

    /// Everything that waits, at least one event; empty when the feed has ended or the task is cancelled.
    public func nextBatch() async -> [ChangeEvent] {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in wait(continuation) }
        } onCancel: {
            cancel()
        }
    }

    private func wait(_ continuation: CheckedContinuation<[ChangeEvent], Never>) {
        let taken = state.withLock { state -> (events: [ChangeEvent], sender: OneShot<Void>?)? in
            if !state.buffer.isEmpty || state.isFinished { return state.takeAll() }
            precondition(state.waiter == nil, "a change feed has one consumer")
            state.waiter = continuation
            return nil
        }
        guard let taken else { return }
        continuation.resume(returning: taken.events)
        taken.sender?.resume(.success(()))
    }

    /// Whether so much waits that a sender that can wait should: more than half of what there is room for, and a consumer that
    /// may be reading.
    package var isCrowded: Bool { state.withLock { $0.isCrowded(capacity) } }

    /// Waits until the consumer has read, if the feed is crowded; one sender at a time.
    ///
    /// Does not block. A consumer that does not read in time is not waited for again before it does, so that one that never reads
    /// holds up nobody for long.
    /// - Parameters:
    ///   - patience: How long to wait at most.
    ///   - clock: Measures that.
    package func waitForRoom(atMost patience: Duration, _ clock: any Clock<Duration>) async {
        let turn = OneShot<Void>()
        let isCrowded = state.withLock { state in
            guard state.isCrowded(capacity) else { return false }
            state.sender = turn
            return true
        }
        guard isCrowded else { return }
        let timer = Task(executorPreference: WorkerExecutor.background) { [weak self] in
            try? await clock.sleep(for: patience)
            self?.state.withLock { state in
                // A consumer that has read meanwhile is not stuck.
                guard state.sender === turn else { return }
                state.isStuck = true
                state.sender = nil
            }
            turn.resume(.success(()))
        }
        try? await turn.value()
        timer.cancel()
    }
}

extension ChangeFeed.State {
    fileprivate func isCrowded(_ capacity: Int) -> Bool {
        !isFinished && !isStuck && buffer.count > capacity / 2
    }
}

// Without the consumer's task, which takes a while to run.
extension ChangeFeed {
    /// Has few events that are handed on at once while the consumer waits taken in its place; it goes on waiting.
    ///
    /// In order with what the consumer gets, and never while it has something in hand.
    /// - Parameter taker: Called by whoever hands on, under no lock of the feed's.
    package func setTaker(_ taker: @escaping Taker) { state.withLock { $0.taker = taker } }

    /// Hands on as ``handOn(_:)`` does, or has the taker take the events.
    package func handOnAtOnce(_ events: [ChangeEvent]) {
        guard (1...4).contains(events.count), let taker = state.withLock({ $0.beginTaking() }) else {
            return handOn(events)
        }
        let isTaken = taker(events)
        guard let (waiter, rest) = state.withLock({ $0.endTaking(leaving: isTaken ? [] : events) }) else {
            return
        }
        waiter.resume(returning: rest.events)
        rest.sender?.resume(.success(()))
    }
}

extension ChangeFeed.State {
    fileprivate mutating func beginTaking() -> ChangeFeed.Taker? {
        guard !isFinished, !isTaking, waiter != nil, let taker else { return nil }
        isTaking = true
        return taker
    }

    /// - Returns: The consumer and what there is for it.
    fileprivate mutating func endTaking(
        leaving events: [ChangeEvent]
    ) -> (CheckedContinuation<[ChangeEvent], Never>, rest: (events: [ChangeEvent], sender: OneShot<Void>?))? {
        isTaking = false
        // Whoever was cancelled meanwhile wants nothing more.
        guard waiter != nil else { return nil }
        buffer.insert(contentsOf: events, at: 0)
        guard !buffer.isEmpty || isFinished, let waiter = waiter.take() else { return nil }
        return (waiter, takeAll())
    }
}
