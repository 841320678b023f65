import RemoteData
import RemoteDataExecution
import RemoteDataNetwork
import Synchronization

/// Sees to it that a server knows who the program is: once for all requests that wait for that.
final class KintoSignIn: Sendable {
    private typealias Waiter = Handoff<Void, RemoteDataError>

    private struct State {
        var login = KintoLogin()
        var waiters: [Waiter] = []
        /// Whether the server does not know the last token.
        var isUnknown = false
        /// Whether there was no token to be had: the program is a guest then, and means to be.
        var isGuest = false
    }

    private let given: (@Sendable (RemoteDataBackends.CredentialsReason) async throws -> String?)?
    private let watch: Stopwatch
    private let state = Mutex(State())

    /// - Parameters:
    ///   - given: Gives tokens; nil for an account with a password.
    ///   - clock: Measures how old an answer is.
    init(
        _ given: (@Sendable (RemoteDataBackends.CredentialsReason) async throws -> String?)?,
        _ clock: any Clock<Duration>
    ) {
        self.given = given
        watch = Stopwatch(clock)
    }

    /// How many requests wait.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// What a client asks for tokens; nil for an account.
    var provider: CredentialsProvider? {
        guard let given else { return nil }
        return { [self] reason in
            let isRejected = state.withLock { state in
                if reason == .rejected { state.login.doubt() }
                return state.isUnknown || reason == .rejected
            }
            let token = try await given(isRejected ? .rejected : .needed)
            state.withLock { ($0.isUnknown, $0.isGuest) = (false, token == nil) }
            return token
        }
    }

    /// Waits until the server has said that it knows the program, unless it did so a short while ago.
    ///
    /// - Parameter ask: Asks who the program is; whether the server knows it.
    /// - Throws: `RemoteDataError` with code `unauthorized` when it does not, or why it cannot be asked.
    func confirm(
        _ ask: @escaping @Sendable () async -> Result<Bool, RemoteDataError>
    ) async throws(RemoteDataError) {
        let waiter = Waiter()
        let isFirst = state.withLock { state -> Bool? in
            guard state.login.isInDoubt(at: watch.elapsed) else { return nil }
            state.waiters.append(waiter)
            return state.waiters.count == 1
        }
        guard let isFirst else { return }
        if isFirst {
            // In a task of its own, so that a caller who gives up does not spoil it for the others.
            Task(executorPreference: WorkerExecutor.background) { [self] in finish(await question(ask)) }
        }
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { _ = waiter.start($0) }
        } onCancel: {
            waiter.finish(.failure(RemoteDataError(.cancelled, "The request was cancelled.")))
        }
        try answer.get()
    }

    private func question(
        _ ask: @Sendable () async -> Result<Bool, RemoteDataError>
    ) async -> Result<Void, RemoteDataError> {
        let (question, time) = (state.withLock { $0.login.question }, watch.elapsed)
        switch await ask() {
        case .failure(let error): return .failure(error)
        case .success(let isKnown):
            return state.withLock { state in
                guard isKnown || state.isGuest else {
                    state.login.doubt()
                    return .failure(.kintoStranger)
                }
                state.login.confirm(question, at: time)
                return .success(())
            }
        }
    }

    private func finish(_ answer: Result<Void, RemoteDataError>) {
        let waiters = state.withLock { state in
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.finish(answer) }
    }

    /// The server does not know the token it was shown.
    ///
    /// - Returns: Whether another one can be had.
    func rejectToken() -> Bool {
        guard given != nil else { return false }
        return state.withLock { state in
            guard !state.isGuest else { return false }
            state.isUnknown = true
            return true
        }
    }
}

extension RemoteDataError {
    /// A server takes the program for a guest.
    fileprivate static var kintoStranger: RemoteDataError {
        RemoteDataError(
            .unauthorized,
            "Kinto takes the program for a guest: the account's name or password is wrong, the account is gone, or the token has ended."
        )
    }
}
