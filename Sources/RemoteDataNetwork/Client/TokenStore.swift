import RemoteDataExecution
import Synchronization

/// Keeps the current credentials and asks for new ones, once for all who wait.
final class TokenStore: Sendable {
    private typealias Answer = Result<TokenState.Token, NetworkError>

    /// A request that waits for credentials.
    private struct Waiter {
        let continuation: CheckedContinuation<Answer, Never>
        /// Ends the wait at the request's deadline.
        var timer: Task<Void, any Error>?

        func resume(_ answer: Answer) {
            timer?.cancel()
            continuation.resume(returning: answer)
        }
    }

    private struct State {
        var tokens = TokenState()
        var waiters: [Int: Waiter] = [:]
        var nextWaiter = 0
    }

    private let state = Mutex(State())
    private let provider: CredentialsProvider
    private let clock: any Clock<Duration>
    private let patience: Duration

    // `patience` is how long the provider may take.
    init(provider: @escaping CredentialsProvider, clock: any Clock<Duration>, patience: Duration) {
        self.provider = provider
        self.clock = clock
        self.patience = patience
    }

    /// The current credentials, asked for when there are none, or when the server refused the ones there are.
    func token(
        rejecting rejected: Int?,
        timeLeft: Duration? = nil
    ) async throws(NetworkError) -> TokenState.Token {
        if let token = state.withLock({ $0.tokens.current(rejecting: rejected) }) { return token }
        let id = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                join(id, rejecting: rejected, continuation: continuation)
                // Only now is there somebody for the timer to wake, however short the time is.
                if let timeLeft { limit(id, to: timeLeft) }
            }
        } onCancel: {
            leave(id, .cancelled)
        }
        return try answer.get()
    }

    /// Which credentials are the current ones.
    var generation: Int { state.withLock { $0.tokens.generation } }

    /// Has the next request ask again, where the credentials of a generation are still the current ones.
    func renew(_ generation: Int) { state.withLock { $0.tokens.renew(generation) } }

    /// Asks again and waits for the answer to a question that is not older than the call.
    func confirm() async throws(NetworkError) {
        // The current generation, unless a question is open.
        var generation: Int? = state.withLock { $0.tokens.isAsking ? nil : $0.tokens.generation }
        if generation == nil { generation = try await token(rejecting: nil).generation }
        // The first of those who have waited asks, and the others wait with it.
        if let generation { renew(generation) }
        _ = try await token(rejecting: nil)
    }

    /// Forgets the credentials; those who wait, and the next request, ask again.
    func forget() {
        let step = state.withLock { state -> TokenState.Step? in
            state.tokens.forget()
            return state.waiters.isEmpty ? nil : state.tokens.wanted(rejecting: nil)
        }
        if case .ask(let reason, let round) = step { ask(reason, round: round) }
    }

    private func join(_ id: Int, rejecting rejected: Int?, continuation: CheckedContinuation<Answer, Never>) {
        guard !Task.isCancelled else { return continuation.resume(returning: .failure(.cancelled)) }
        let step = state.withLock { state in
            let step = state.tokens.wanted(rejecting: rejected)
            if case .use = step {} else { state.waiters[id] = Waiter(continuation: continuation) }
            return step
        }
        switch step {
        case .use(let token): continuation.resume(returning: .success(token))
        case .ask(let reason, let round): ask(reason, round: round)
        case .wait: break
        }
        // The task may have been cancelled before there was a waiter to remove.
        if Task.isCancelled { leave(id, .cancelled) }
    }

    private func leave(_ id: Int, _ error: NetworkError) {
        let waiter = state.withLock { $0.waiters.removeValue(forKey: id) }
        waiter?.resume(.failure(error))
    }

    /// Ends the wait of a request after a while, unless it is over by then.
    private func limit(_ id: Int, to timeLeft: Duration) {
        guard state.withLock({ $0.waiters[id] != nil }) else { return }
        let timer = Task(executorPreference: WorkerExecutor.background) { [self] in
            try await clock.sleep(for: timeLeft)
            leave(id, NetworkError(.timedOut, "The deadline passed while waiting for credentials."))
        }
        let isWaiting = state.withLock { state in
            state.waiters[id]?.timer = timer
            return state.waiters[id] != nil
        }
        if !isWaiting { timer.cancel() }
    }

    /// Asks in a task of its own, so that a caller who gives up does not spoil it for the others.
    private func ask(_ reason: CredentialsReason, round: Int) {
        Task(executorPreference: WorkerExecutor.background) { [self] in
            await withTaskGroup { group in
                group.addTask { await self.askProvider(reason) }
                group.addTask { await self.runOutOfPatience() }
                if let first = await group.next() { finish(round, first) }
                // Whoever waits has its answer; a provider that does not heed its cancellation holds up
                // only this task.
                group.cancelAll()
            }
        }
    }

    private func askProvider(_ reason: CredentialsReason) async -> Result<String?, NetworkError> {
        do {
            return .success(try await provider(reason))
        } catch {
            return .failure(
                NetworkError(.credentials, "The credentials could not be obtained.", cause: error)
            )
        }
    }

    private func runOutOfPatience() async -> Result<String?, NetworkError> {
        try? await clock.sleep(for: patience)
        return .failure(NetworkError(.timedOut, "The credentials did not come within \(patience)."))
    }

    private func finish(_ round: Int, _ result: Result<String?, NetworkError>) {
        let (answer, waiters) = state.withLock { state -> (Answer?, [Waiter]) in
            let answer: Answer?
            switch result {
            case .success(let text): answer = state.tokens.answered(text, round: round).map { .success($0) }
            case .failure(let error): answer = state.tokens.failed(round: round) ? .failure(error) : nil
            }
            guard answer != nil else { return (nil, []) }
            defer { state.waiters.removeAll() }
            return (answer, Array(state.waiters.values))
        }
        guard let answer else { return }
        for waiter in waiters { waiter.resume(answer) }
    }
}
