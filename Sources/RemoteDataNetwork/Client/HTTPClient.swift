package import RemoteDataExecution
package import Foundation

/// Sends requests over a transport, with retries and credentials.
///
/// Reads (``HTTPRequest/isRead``) and writes that carry an `Idempotency-Key` are sent again after transient
/// failures: no connection, a timeout, or one of ``RetryPolicy/transientStatuses``. Other writes are sent
/// once. A 401 makes the client ask for new credentials, once for all requests that wait, and repeat each
/// request once; a second 401 is final.
///
/// ```swift
/// let client = HTTPClient(transport: CurlTransport()) { reason in
///     try await signIn(again: reason == .rejected)
/// }
/// let answer = try await client.send(HTTPRequest("GET", "https://example.com/api/data/people"))
/// ```
package struct HTTPClient: Sendable {
    /// What can be chosen.
    package struct Options: Sendable {
        /// When a request is sent again.
        package var retry = RetryPolicy()
        /// The time for all attempts of a request together, waits and credentials included; nil for no limit.
        package var deadline: Duration? = .seconds(120)
        /// How credentials travel.
        package var placement = CredentialsPlacement.bearer
        /// How long the credentials closure may take.
        package var credentialsTimeout: Duration = .seconds(30)
        /// Header fields for every request that does not have them itself.
        package var headers: HTTPHeaders = [:]
        /// Notified of requests that succeed, so that what waits for the server goes on.
        package var signal: RetrySignal?
        /// Told of every attempt.
        package var observe: NetworkObserver?
        /// Measures the deadline and the waits.
        package var clock: any Clock<Duration> = TimerClock()
        /// Random numbers for the jitter.
        package var chance: Chance = systemChance
        /// The current date, for `Retry-After` with a date.
        package var now: @Sendable () -> Date = { Date() }

        /// Creates the defaults.
        package init() {}
    }

    private let transport: any HTTPTransport
    private let options: Options
    private let tokens: TokenStore?
    private var clock: any Clock<Duration> { options.clock }

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - transport: Sends each attempt.
    ///   - options: Retries, deadline, how credentials travel, whom to tell.
    ///   - credentials: Asked for credentials; nil sends none.
    package init(
        transport: any HTTPTransport,
        options: Options = Options(),
        credentials: CredentialsProvider? = nil
    ) {
        self.transport = transport
        self.options = options
        tokens = credentials.map {
            TokenStore(provider: $0, clock: options.clock, patience: options.credentialsTimeout)
        }
    }

    /// Sends a request and waits for its answer, through retries and new credentials.
    ///
    /// Never blocks the caller's thread. Ends at once when the task is cancelled.
    /// - Parameters:
    ///   - request: What to send.
    ///   - deadline: In place of the one in the options.
    /// - Returns: The last answer, whatever its status: a 503 that outlasted the retries is one.
    /// - Throws: ``NetworkError`` when the last attempt had no answer.
    package func send(
        _ request: HTTPRequest,
        deadline: Duration? = nil
    ) async throws(NetworkError) -> HTTPResponse {
        let limit = deadline ?? options.deadline
        let watch = Stopwatch(clock)
        var plan = RequestPlan(
            policy: options.retry,
            isRepeatable: request.isRepeatable,
            hasCredentials: tokens != nil
        )
        var refused: Int?
        while true {
            let token = try await credentials(rejecting: refused, timeLeft: limit.map { $0 - watch.elapsed })
            refused = nil
            let attempt = prepare(request, token: token?.text, timeLeft: limit.map { $0 - watch.elapsed })
            let outcome = await perform(attempt, number: plan.attempt)
            let timeLeft = limit.map { $0 - watch.elapsed }
            let step =
                switch outcome {
                case .success(let answer):
                    plan.answered(
                        status: answer.status,
                        retryAfter: answer.headers["Retry-After"].flatMap {
                            RetryAfter.duration($0, now: options.now())
                        },
                        timeLeft: timeLeft,
                        chance: options.chance()
                    )
                case .failure(let error): plan.failed(error, timeLeft: timeLeft, chance: options.chance())
                }
            switch step {
            case .deliver:
                var answer = try outcome.get()
                answer.attempts = plan.attempt
                return answer
            case .refresh:
                refused = token?.generation
                options.observe?(.refreshingCredentials)
            case .retry(let delay):
                options.observe?(.retrying(request, attempt: plan.attempt, after: delay))
                try await wait(delay)
            }
        }
    }

    /// Puts the current credentials and the client's own headers on a socket's handshake.
    ///
    /// - Parameters:
    ///   - request: The handshake.
    ///   - reason: `rejected` when the server has just refused the handshake with 401: new ones are asked
    ///     for.
    /// - Returns: The handshake to connect with.
    /// - Throws: ``NetworkError`` when credentials cannot be obtained.
    package func authorized(
        _ request: WebSocketRequest,
        reason: CredentialsReason = .needed
    ) async throws(NetworkError) -> WebSocketRequest {
        var request = request
        var token = try await credentials(rejecting: nil)
        if reason == .rejected, let refused = token {
            token = try await credentials(rejecting: refused.generation)
        }
        request.headers.addMissing(from: options.headers)
        if let text = token?.text { options.placement(text, &request.headers) }
        return request
    }

    /// Which credentials are in use, for ``renewCredentials(_:)``.
    package var credentialsGeneration: Int { tokens?.generation ?? 0 }

    /// Has the next request ask for credentials again, where those of a generation are still in use.
    ///
    /// However many callers renew the same ones, they are asked for once.
    package func renewCredentials(_ generation: Int) { tokens?.renew(generation) }

    /// Asks for credentials again and waits for them; callers at the same time share a question.
    ///
    /// Never blocks. A question that is open already is waited for and does not count.
    /// - Throws: ``NetworkError`` when credentials cannot be obtained.
    package func confirmCredentials() async throws(NetworkError) { try await tokens?.confirm() }

    /// Forgets the credentials, as when a user signs out; the next request asks for them.
    package func forgetCredentials() { tokens?.forget() }
}

extension HTTPClient {
    private func credentials(
        rejecting refused: Int?,
        timeLeft: Duration? = nil
    ) async throws(NetworkError) -> TokenState.Token? {
        guard let tokens else { return nil }
        return try await tokens.token(rejecting: refused, timeLeft: timeLeft)
    }

    private func prepare(_ request: HTTPRequest, token: String?, timeLeft: Duration?) -> HTTPRequest {
        var request = request
        request.headers.addMissing(from: options.headers)
        if let token { options.placement(token, &request.headers) }
        if let timeLeft { request.timeouts.total = min(request.timeouts.total ?? timeLeft, timeLeft) }
        return request
    }

    private func perform(_ request: HTTPRequest, number: Int) async -> Result<HTTPResponse, NetworkError> {
        guard request.timeouts.total ?? .seconds(1) > .zero else {
            return .failure(NetworkError(.timedOut, "The request's deadline has passed."))
        }
        options.observe?(.started(request, attempt: number))
        let watch = Stopwatch(clock)
        do {
            let answer = try await transport.send(request)
            if answer.isSuccess { options.signal?.answered() }
            options.observe?(
                .answered(request, status: answer.status, bytes: answer.body.count, duration: watch.elapsed)
            )
            return .success(answer)
        } catch {
            options.observe?(.failed(request, error, duration: watch.elapsed))
            return .failure(error)
        }
    }

    private func wait(_ delay: Duration) async throws(NetworkError) {
        do {
            try await clock.sleep(for: delay)
        } catch {
            throw .cancelled
        }
    }
}

extension HTTPHeaders {
    /// Adds the fields whose names are not there yet.
    mutating func addMissing(from others: HTTPHeaders) {
        for field in others.fields where self[field.name] == nil {
            add(field.name, field.value, isSensitive: field.isSensitive)
        }
    }
}
