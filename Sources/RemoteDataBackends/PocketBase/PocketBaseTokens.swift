import Foundation
import RemoteData
import RemoteDataExecution
import RemoteDataNetwork
import Synchronization

/// Gets the tokens of an account, and knows when they end.
///
/// PocketBase does not refuse a token that has ended, or was withdrawn: it takes whoever shows it for a guest, who sees less. So a
/// token is replaced before its end and every few minutes, by a newer one or, when it is too late for that, by signing in again;
/// and when something is forbidden, which may only be so for guests.
final class PocketBaseTokens: Sendable {
    private let account: PocketBaseAuthentication?
    private let given: (@Sendable (RemoteDataBackends.CredentialsReason) async throws -> String?)?
    private let base: BaseURL
    private let timeouts: HTTPTimeouts
    private let client: HTTPClient
    private let now: @Sendable () -> Date
    private let token = Mutex<PocketBaseToken?>(nil)
    private let replaced = Mutex<(@Sendable () -> Void)?>(nil)
    private let replacements = Atomic<Int>(0)

    /// - Returns: Nil where nobody has an account or tokens.
    init?(
        _ account: PocketBaseAuthentication?,
        _ configuration: RESTConfiguration,
        _ base: BaseURL,
        _ transport: any HTTPTransport,
        _ chance: @escaping Chance,
        _ now: @escaping @Sendable () -> Date
    ) {
        guard account != nil || configuration.credentials != nil else { return nil }
        (self.account, given, self.base, self.now) = (account, configuration.credentials, base, now)
        timeouts = configuration.timeouts
        var plain = configuration
        plain.credentials = nil
        client = plain.client(transport, chance: chance)
    }

    /// How long a token of an account is used before the server is asked whether it still knows it.
    static let trust: TimeInterval = 300

    /// Whether the token has to be replaced before the next request.
    var hasEnded: Bool {
        let now = now()
        return token.withLock { token in
            guard let token else { return false }
            return !token.isValid(now) || (account != nil && now.timeIntervalSince(token.start) > Self.trust)
        }
    }

    /// Whether tokens come from signing in.
    var hasAccount: Bool { account != nil }

    /// The age of the token in seconds; nil without one.
    var age: TimeInterval? {
        let now = now()
        return token.withLock { $0.map { now.timeIntervalSince($0.start) } }
    }

    /// The token that is in use.
    var current: PocketBaseToken? { token.withLock { $0 } }

    /// Notes that a request was answered otherwise with the current token than with an earlier one.
    ///
    /// Only then is a token of the configuration known to replace a refused one: each may be a new one.
    func noteRefusal(of old: PocketBaseToken?) {
        guard given != nil, let old, let current, current.text != old.text, old.isValid(now()) else { return }
        replaced.withLock { $0 }?()
    }

    /// Whether what is forbidden may be allowed with another token of the configuration.
    var isDoubtful: Bool { age.map { $0 > 10 } ?? false }

    /// How many tokens have replaced one that the server has refused.
    var replacementCount: Int { replacements.load(ordering: .relaxed) }

    /// What a client asks for tokens.
    var provider: CredentialsProvider {
        { [self] reason in
            let next = try await next(reason)
            token.withLock { $0 = next }
            return next?.text
        }
    }

    /// Sets what is called when a token replaces one that the server has refused, with which the program was
    /// a guest.
    func whenReplaced(_ body: @escaping @Sendable () -> Void) { replaced.withLock { $0 = body } }

    private func next(_ reason: RemoteDataNetwork.CredentialsReason) async throws -> PocketBaseToken? {
        let old = token.withLock { $0 }
        if let given {
            let next = try await next(given, reason, old)
            if reason == .rejected, let old, let next, next.text != old.text, old.isValid(now()) {
                replaced.withLock { $0 }?()
            }
            return next
        }
        guard let account else { return nil }
        if let old, reason == .needed, old.end.map({ now() < $0 }) ?? true {
            do throws(RemoteDataError) { return try await refreshed(old, account) } catch {
                // Whatever the server says, it does not take the token; signing in shows whether it takes the account.
                guard error.status != nil else { throw error }
            }
        }
        var body = JSONBody()
        body.member("identity", account.identity)
        body.member("password", account.password)
        let request = request(account.collection, "auth-with-password", body.closed)
        let next = try await token(from: request, account)
        if old != nil {
            replacements.wrappingAdd(1, ordering: .relaxed)
            replaced.withLock { $0 }?()
        }
        return next
    }

    /// The next token of the configuration, which the server takes.
    ///
    /// Anyone with another one would be a guest, and see no rows rather than an error.
    private func next(
        _ given: @Sendable (RemoteDataBackends.CredentialsReason) async throws -> String?,
        _ reason: RemoteDataNetwork.CredentialsReason,
        _ old: PocketBaseToken?
    ) async throws -> PocketBaseToken? {
        guard let text = try await given(reason == .rejected ? .rejected : .needed) else { return nil }
        if let old, old.text == text, old.isValid(now()) { return PocketBaseToken(text, now: now()) }
        do throws(RemoteDataError) { return try await confirmed(text) } catch {
            guard error.code == .unauthorized, reason != .rejected,
                let other = try await given(.rejected), other != text
            else { throw error }
            return try await confirmed(other)
        }
    }

    /// A token of the configuration, once the server has taken it; one request.
    private func confirmed(_ text: String) async throws(RemoteDataError) -> PocketBaseToken {
        guard let collection = PocketBaseToken.collection(of: text) else {
            throw RemoteDataError(.unauthorized, "The credentials are no token of PocketBase.")
        }
        var request = request(collection, "auth-refresh", [])
        request.headers.set("Authorization", text, isSensitive: true)
        let answer: HTTPResponse
        do throws(NetworkError) { answer = try await client.send(request) } catch {
            throw RemoteDataError(error)
        }
        // Refreshing a token such as an API key is forbidden, once the token has been accepted.
        guard answer.isSuccess || answer.status == 403 else {
            throw RemoteDataError.pocketBase(answer, "the token, which may have ended", now: now())
        }
        return PocketBaseToken(text, now: now(), serverDate: answer.headers["Date"].flatMap(RetryAfter.date))
    }

    private func refreshed(
        _ token: PocketBaseToken,
        _ account: PocketBaseAuthentication
    ) async throws(RemoteDataError) -> PocketBaseToken {
        var request = request(account.collection, "auth-refresh", [])
        request.headers.set("Authorization", token.text, isSensitive: true)
        return try await self.token(from: request, account)
    }

    private func request(_ collection: String, _ word: String, _ body: [UInt8]) -> HTTPRequest {
        let url = "\(base.text)/api/collections/\(PercentEncoding.query(collection))/\(word)"
        var request = HTTPRequest("POST", url, body: body, timeouts: timeouts, isIdempotent: true)
        request.headers["Content-Type"] = "application/json"
        return request
    }

    private func token(
        from request: HTTPRequest,
        _ account: PocketBaseAuthentication
    ) async throws(RemoteDataError) -> PocketBaseToken {
        let answer: HTTPResponse
        do throws(NetworkError) { answer = try await client.send(request) } catch {
            throw RemoteDataError(error)
        }
        guard answer.isSuccess else {
            throw RemoteDataError.pocketBase(answer, "to sign in as \(account)", now: now())
        }
        let members = (try? JSONObject.members(of: answer.body[...])) ?? []
        guard let member = members.first(where: { $0.name == "token" }),
            case .text(let text)? = Value(json: member.json)
        else {
            throw RemoteDataError(.invalidAnswer, "PocketBase's answer to signing in has no token.")
        }
        return PocketBaseToken(text, now: now(), serverDate: answer.headers["Date"].flatMap(RetryAfter.date))
    }
}
