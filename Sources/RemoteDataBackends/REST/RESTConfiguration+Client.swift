import RemoteData
import RemoteDataExecution
import RemoteDataNetwork

// What a configuration comes to.
extension RESTConfiguration {
    /// Tells the observer, if there is one.
    var report: NetworkObserver? {
        guard let observer else { return nil }
        let reporter = TrafficReporter(observer: observer)
        return { event in reporter.report(event) }
    }

    /// A client over a transport.
    ///
    /// - Parameters:
    ///   - transport: Sends each attempt.
    ///   - credentials: Gives the token; the configuration's own closure unless given.
    ///   - signal: Notified of requests that succeed.
    ///   - chance: For the jitter.
    /// - Returns: The client.
    func client(
        _ transport: any HTTPTransport,
        credentials: CredentialsProvider? = nil,
        signal: RetrySignal? = nil,
        chance: @escaping Chance
    ) -> HTTPClient {
        var options = HTTPClient.Options()
        options.retry.attempts = max(1, attempts)
        options.deadline = deadline
        options.credentialsTimeout = credentialsTimeout
        options.placement = CredentialsPlacement { [credentialsHeader] token, headers in
            headers.set(credentialsHeader.name, credentialsHeader.value(token), isSensitive: true)
        }
        (options.clock, options.chance, options.observe) = (clock, chance, report)
        options.signal = signal
        return HTTPClient(
            transport: transport,
            options: options,
            credentials: credentials ?? self.credentials.map(Self.provider)
        )
    }

    private static func provider(
        _ credentials: @escaping @Sendable (CredentialsReason) async throws -> String?
    ) -> CredentialsProvider {
        { reason in try await credentials(reason == .rejected ? .rejected : .needed) }
    }

    /// The times for each attempt of a request.
    var timeouts: HTTPTimeouts { HTTPTimeouts(connect: connectTimeout, stall: stallTimeout) }
}
