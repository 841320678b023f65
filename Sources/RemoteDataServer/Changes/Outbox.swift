import Synchronization

/// What goes out over one WebSocket: filled by the tasks of its subscriptions, emptied by the server's loop.
///
/// Adding never blocks and never waits. The loop is woken once for any number of frames added before it
/// comes.
final class Outbox: Sendable {
    private struct State {
        var queue: FrameQueue
        /// The subscriptions that go on.
        var owners: Set<Int> = []
        /// The subscriptions whose reset has not been sent yet.
        var resetting: Set<Int> = []
        /// Who waits for that.
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var isWaking = false
        var isClosed = false
        var isOverrun = false

        /// Whether the loop has to be woken; it is not twice for the same frames.
        mutating func wantsWaking() -> Bool {
            defer { isWaking = true }
            return !isWaking
        }
    }

    /// What became of a frame.
    enum Delivery: Equatable {
        case queued
        /// There is no room: the client reads too slowly.
        case overflow
        /// The subscription or the connection has ended.
        case ended
    }

    private let state: Mutex<State>
    private let wake: @Sendable () -> Void

    /// Creates an outbox.
    ///
    /// - Parameters:
    ///   - frameLimit: How many frames may wait.
    ///   - byteLimit: How many bytes may wait.
    ///   - room: What the frames of all WebSockets share.
    ///   - wake: Called outside any lock when there is something to send.
    init(
        frameLimit: Int,
        byteLimit: Int,
        sharing room: FrameRoom = FrameRoom(.max),
        wake: @escaping @Sendable () -> Void
    ) {
        let queue = FrameQueue(frameLimit: frameLimit, byteLimit: byteLimit, sharing: room)
        state = Mutex(State(queue: queue))
        self.wake = wake
    }

    /// Lets a subscription add frames from now on.
    func begin(_ owner: Int) { state.withLock { state in _ = state.owners.insert(owner) } }

    /// Drops what waits for a subscription and takes nothing more from it.
    func end(_ owner: Int) {
        let waiter = state.withLock { state in
            state.owners.remove(owner)
            state.resetting.remove(owner)
            state.queue.drop(owner: owner)
            return state.waiters.removeValue(forKey: owner)
        }
        waiter?.resume()
    }

    /// Adds a frame of a subscription.
    func send(_ frame: ServerFrame, from owner: Int) -> Delivery {
        let (delivery, wakes) = state.withLock { state -> (Delivery, Bool) in
            guard !state.isClosed, state.owners.contains(owner) else { return (.ended, false) }
            guard state.queue.append(frame.json, owner: owner) else { return (.overflow, false) }
            return (.queued, state.wantsWaking())
        }
        if wakes { wake() }
        return delivery
    }

    /// Drops what waits for a subscription and tells the client so, whatever the limits.
    func reset(_ frame: ServerFrame, from owner: Int) {
        let wakes = state.withLock { state in
            guard !state.isClosed, state.owners.contains(owner) else { return false }
            state.queue.drop(owner: owner)
            state.resetting.insert(owner)
            state.isOverrun = !state.queue.appendControl(frame.json, mark: owner) || state.isOverrun
            return state.wantsWaking()
        }
        if wakes { wake() }
    }

    /// Adds the last frame of a subscription, behind what waits for it.
    func finish(_ frame: ServerFrame, from owner: Int) {
        let wakes = state.withLock { state in
            guard !state.isClosed, state.owners.remove(owner) != nil else { return false }
            state.isOverrun = !state.queue.appendControl(frame.json) || state.isOverrun
            return state.wantsWaking()
        }
        if wakes { wake() }
    }

    /// Adds a frame that answers the client.
    func answer(_ frame: ServerFrame) {
        let wakes = state.withLock { state in
            guard !state.isClosed else { return false }
            state.isOverrun = !state.queue.appendControl(frame.json) || state.isOverrun
            return state.wantsWaking()
        }
        if wakes { wake() }
    }

    /// Waits until a reset has been handed to the socket, or the subscription or the connection has ended.
    func resetSent(for owner: Int) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isOver = state.withLock { state in
                guard !state.isClosed, state.resetting.contains(owner) else { return true }
                state.waiters[owner] = continuation
                return false
            }
            if isOver { continuation.resume() }
        }
    }

    /// Takes what is to be sent next, for the loop.
    ///
    /// - Parameter maximum: How many bytes the pieces may be with their heads.
    /// - Returns: As many pieces as go out in one write, and whether there are more behind them.
    func nextBatch(maximum: Int) -> (pieces: [FrameQueue.Piece], hasMore: Bool) {
        var waiters: [CheckedContinuation<Void, Never>] = []
        let batch = state.withLock { state in
            let pieces = state.queue.nextBatch(maximum: maximum)
            for mark in pieces.compactMap(\.mark) {
                state.resetting.remove(mark)
                if let waiter = state.waiters.removeValue(forKey: mark) { waiters.append(waiter) }
            }
            state.isWaking = !state.queue.isEmpty
            return (pieces, state.isWaking)
        }
        for waiter in waiters { waiter.resume() }
        return batch
    }

    /// Whether the client has caused more answers than it reads: there is nothing left but to close.
    var isOverrun: Bool { state.withLock { $0.isOverrun } }

    /// Takes nothing more from anybody.
    func close() {
        let waiters = state.withLock { state in
            state.isClosed = true
            state.queue.close()
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume() }
    }
}
