import Foundation
import RemoteData
import RemoteDataExecution
import RemoteDataNetwork
import Synchronization

/// Sends the requests of everything that uses one Kinto server.
final class KintoClient: Sendable {
    let base: BaseURL
    let timeouts: HTTPTimeouts
    let chance: Chance
    let now: @Sendable () -> Date
    let clock: any Clock<Duration>
    /// Ends the waits of everything that uses the server.
    let signal: RetrySignal
    /// How long a request may take, with all its repetitions.
    let deadline: Duration
    private let account: KintoAuthentication?
    private let signIn: KintoSignIn?
    private let pause: KintoPause
    private let client: HTTPClient
    private let requests = Atomic<Int>(0)

    init(
        _ base: BaseURL,
        _ account: KintoAuthentication?,
        _ configuration: RESTConfiguration,
        _ transport: any HTTPTransport,
        _ chance: @escaping Chance,
        _ now: @escaping @Sendable () -> Date
    ) {
        (self.base, self.account, self.chance, self.now) = (base, account, chance, now)
        (timeouts, clock, deadline) = (configuration.timeouts, configuration.clock, configuration.deadline)
        pause = KintoPause(transport, configuration.clock, now)
        let credentials = account == nil ? configuration.credentials : nil
        let isKnown = account != nil || credentials != nil
        signIn = isKnown ? KintoSignIn(credentials, configuration.clock) : nil
        var plain = configuration
        plain.credentials = nil
        signal = RetrySignal(clock: configuration.clock)
        client = plain.client(pause, credentials: signIn?.provider, signal: signal, chance: chance)
    }

    /// How long the server wants to be left alone; zero when it does not.
    var rest: Duration { pause.rest }

    /// Sends a request with retries, as whoever the program is; any status is an answer.
    ///
    /// One more request at times, to make sure that the server knows who that is.
    ///
    /// - Parameters:
    ///   - request: What to send.
    ///   - deadline: How long it may take in place of ``deadline``.
    /// - Returns: The answer.
    /// - Throws: `RemoteDataError` with code `unauthorized` when the server takes the program for a guest, or why there is no
    ///   answer.
    func send(_ request: HTTPRequest, within deadline: Duration? = nil) async throws(RemoteDataError)
        -> HTTPResponse
    {
        let watch = Stopwatch(clock)
        if let signIn {
            try await signIn.confirm { [self] in
                do throws(RemoteDataError) { return .success(try await isKnown()) } catch {
                    return .failure(error)
                }
            }
        }
        return try await attempt(request, within: (deadline ?? self.deadline) - watch.elapsed)
    }

    private func attempt(_ request: HTTPRequest, within deadline: Duration) async throws(RemoteDataError)
        -> HTTPResponse
    {
        var request = request
        request.number = requests.wrappingAdd(1, ordering: .relaxed).newValue
        if let account { request.headers.set("Authorization", account.header, isSensitive: true) }
        do throws(NetworkError) { return try await client.send(request, deadline: deadline) } catch {
            throw RemoteDataError(error)
        }
    }

    /// Whether the server says who the program is, with a new token if it has to be.
    private func isKnown() async throws(RemoteDataError) -> Bool {
        let watch = Stopwatch(clock)
        if try await isGreeted(within: deadline) { return true }
        guard signIn?.rejectToken() ?? false else { return false }
        client.forgetCredentials()
        return try await isGreeted(within: deadline - watch.elapsed)
    }

    private func isGreeted(within deadline: Duration) async throws(RemoteDataError) -> Bool {
        let answer = try await attempt(KintoRequests.greeting(base, timeouts), within: deadline)
        guard answer.isSuccess else { throw .kinto(answer, "to say who the program is", now: now()) }
        guard let members = try? JSONObject.members(of: answer.body[...]) else {
            throw .unreadable(kinto: "itself", "no JSON object")
        }
        return members.contains { $0.name == "user" }
    }
}
