import Foundation
import RemoteData
import RemoteDataExecution
import RemoteDataNetwork
import Synchronization

/// Gets the tokens of an account by signing in, or whoever else has them, and tells of each.
///
/// Backendless says when it does not take a token any more, and has no way to renew one: whoever is refused signs in again.
final class BackendlessTokens: Sendable {
    private let account: BackendlessAuthentication?
    private let given: (@Sendable (RemoteDataBackends.CredentialsReason) async throws -> String?)?
    private let base: BaseURL
    private let timeouts: HTTPTimeouts
    private let client: HTTPClient
    private let listener = Mutex(Listener())

    /// Who is told, in a struct, since a closure by itself is wrapped once more each time it is taken out of a lock.
    private struct Listener: Sendable {
        var hear: (@Sendable (String) -> Void)?
    }

    /// - Returns: Nil where nobody has an account or tokens.
    init?(
        _ account: BackendlessAuthentication?,
        _ configuration: RESTConfiguration,
        _ base: BaseURL,
        _ transport: any HTTPTransport,
        _ chance: @escaping Chance
    ) {
        guard account != nil || configuration.credentials != nil else { return nil }
        (self.account, given, self.base) = (account, configuration.credentials, base)
        timeouts = configuration.timeouts
        var plain = configuration
        plain.credentials = nil
        client = plain.client(transport, chance: chance)
    }

    /// Has somebody told of each new token; called under no lock.
    func listen(_ listener: @escaping @Sendable (String) -> Void) {
        self.listener.withLock { $0.hear = listener }
    }

    /// What a client asks for tokens.
    var provider: CredentialsProvider {
        { [self] reason in
            let token = try await next(reason)
            let listener = listener.withLock { $0 }
            if let token { listener.hear?(token) }
            return token
        }
    }

    private func next(_ reason: RemoteDataNetwork.CredentialsReason) async throws -> String? {
        guard let account else { return try await given?(reason == .rejected ? .rejected : .needed) }
        var body = JSONBody()
        body.member("login", account.login)
        body.member("password", account.password)
        var request = HTTPRequest(
            "POST",
            base.text + "/users/login",
            body: body.closed,
            timeouts: timeouts,
            isIdempotent: true
        )
        request.headers["Content-Type"] = "application/json"
        let answer: HTTPResponse
        do throws(NetworkError) { answer = try await client.send(request) } catch {
            throw RemoteDataError(error)
        }
        guard answer.isSuccess else {
            throw RemoteDataError.backendless(answer, "to sign in as \(account)", now: .now)
        }
        let members = (try? JSONObject.members(of: answer.body[...])) ?? []
        guard let member = members.first(where: { $0.name == "user-token" }),
            case .text(let token)? = Value(json: member.json)
        else {
            throw RemoteDataError(.invalidAnswer, "Backendless' answer to signing in has no token.")
        }
        return token
    }
}
