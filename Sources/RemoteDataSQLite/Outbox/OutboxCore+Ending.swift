import RemoteData
import RemoteDataExecution
import Synchronization

// What is under way ends before others go on.
extension OutboxCore {
    /// How long requests under way may take to end by themselves, and then to be cancelled, when the store is
    /// closed.
    static let closingTime: Duration = .seconds(2)

    /// Sends nothing more, and waits until what is under way has ended.
    func disconnect() async {
        state.withLock { state in
            state.remote = nil
            state.tables = [:]
        }
        _ = await isQuiet(within: nil)
    }

    /// Ends for good: no request is made after this returns.
    ///
    /// Those under way may end, for a while; then they are cancelled, and what became of them is found out
    /// when the file is opened again.
    func close() async {
        let (timer, pullers) = state.withLock { state in
            state.isClosed = true
            state.remote = nil
            return (state.timer, state.pullers)
        }
        timer?.task.cancel()
        for item in pullers { item.puller?.stop() }
        if await !isQuiet(within: Self.closingTime) {
            for delivery in state.withLock({ $0.deliveries.values }) { delivery.task.cancel() }
            _ = await isQuiet(within: Self.closingTime)
        }
        // Another process that sends from now on finds what was under way here.
        lock.end()
        let waiters = state.withLock { state in
            defer { state.waiters = [:] }
            return state.waiters
        }
        for waiter in waiters.sorted(by: { $0.key < $1.key }).flatMap(\.value.values) { waiter.end() }
    }

    /// Lets those go on who wait until nothing is being sent.
    func tellIfQuiet() {
        let waiters = state.withLock { state -> [OneShot<Void>] in
            guard state.isQuiet else { return [] }
            defer { state.quietWaiters = [] }
            return state.quietWaiters
        }
        for waiter in waiters { waiter.resume(.success(())) }
    }

    /// Waits until nothing is being sent.
    ///
    /// - Returns: Whether that was so in time.
    private func isQuiet(within limit: Duration?) async -> Bool {
        let waiter = OneShot<Void>()
        let isQuiet = state.withLock { state in
            if !state.isQuiet { state.quietWaiters.append(waiter) }
            return state.isQuiet
        }
        if isQuiet { return true }
        let timer = limit.map { limit in
            surroundings.start { [clock = surroundings.deadlineClock] in
                try? await clock.sleep(for: limit)
                waiter.resume(.failure(CancellationError()))
            }
        }
        defer { timer?.cancel() }
        return (try? await waiter.value()) != nil
    }
}

extension OutboxCore.State {
    fileprivate var isQuiet: Bool { deliveries.isEmpty && !isTaking }
}
