import Foundation
import RemoteData
import RemoteDataNetwork
import Synchronization

/// Sends the requests of everything that uses one Backendless application.
final class BackendlessClient: Sendable {
    let base: BaseURL
    let timeouts: HTTPTimeouts
    /// Whether there is an account, or somebody who gives tokens.
    let hasAccount: Bool
    private let client: HTTPClient
    private let requests = Atomic<Int>(0)

    init(_ base: BaseURL, _ timeouts: HTTPTimeouts, _ client: HTTPClient, hasAccount: Bool) {
        (self.base, self.timeouts, self.client, self.hasAccount) = (base, timeouts, client, hasAccount)
    }

    /// Sends a request with retries and a token; any status is an answer.
    ///
    /// Who is refused for the token signs in again, and repeats the request once.
    /// - Throws: `RemoteDataError` when there is no answer; `unauthorized` when signing in is refused.
    func send(_ request: HTTPRequest) async throws(RemoteDataError) -> HTTPResponse {
        var request = request
        request.number = requests.wrappingAdd(1, ordering: .relaxed).newValue
        do throws(NetworkError) { return try await client.send(request) } catch { throw Self.error(error) }
    }

    /// The current token, got by signing in where there is none; nil for a guest.
    ///
    /// - Parameter isRejected: Whether the server does not take the one there is: another is got.
    /// - Returns: The token.
    /// - Throws: `RemoteDataError` when there is none to be had.
    func token(isRejected: Bool) async throws(RemoteDataError) -> String? {
        guard hasAccount else { return nil }
        do throws(NetworkError) {
            let handshake = WebSocketRequest(base.text)
            let request = try await client.authorized(handshake, reason: isRejected ? .rejected : .needed)
            return request.headers[CredentialsHeader.userToken.name]
        } catch { throw Self.error(error) }
    }

    /// A server that cannot be asked for a token now is not one that refuses it.
    private static func error(_ error: NetworkError) -> RemoteDataError {
        guard error.code == .credentials, let cause = error.cause as? RemoteDataError, cause.isTransient
        else { return RemoteDataError(error) }
        return cause
    }
}

// MARK: - Where changes are told

extension BackendlessClient {
    /// Where an application tells changes.
    struct Place: Sendable, Equatable {
        let url: String
        let application: String
        let key: String
    }

    /// Asks where changes are told; one request, or two of older servers.
    ///
    /// - Throws: `RemoteDataError` when there is no such application, or it cannot be asked; `invalidAnswer` where nobody should
    ///   connect to what it says.
    func place() async throws(RemoteDataError) -> Place {
        let answer = try await send(get("info"))
        var members: [String: Value] = [:]
        if answer.isSuccess {
            let parts = (try? JSONObject.members(of: answer.body[...])) ?? []
            members = Dictionary(parts.map { ($0.name, Value(json: $0.json) ?? .null) }) { first, _ in first }
        } else if answer.status != 404 {
            throw .backendless(answer, "to tell where changes are told", now: .now)
        }
        // The URL of an application ends in its id and the key.
        let ends = base.text.split(separator: "/").suffix(2).map { PercentEncoding.decoded($0) ?? "" }
        let url = if case .text(let url)? = members["rtURL"] { url } else { try await lookUp() }
        try check(url)
        let application = if case .text(let id)? = members["appId"] { id } else { ends[0] }
        let key = if case .text(let key)? = members["apiKey"] { key } else { ends[1] }
        return Place(url: url, application: application, key: key)
    }

    /// Refuses what is no URL, and to be shown in the clear what the application is told in secret.
    private func check(_ url: String) throws(RemoteDataError) {
        guard let place = try? Endpoint(url) else {
            throw RemoteDataError(.invalidAnswer, "Backendless tells changes at something that is no URL.")
        }
        guard place.isSecure || (try? Endpoint(base.text))?.isSecure != true else {
            throw RemoteDataError(
                .invalidAnswer,
                "Backendless tells changes at an http URL, though the application has an https one."
            )
        }
    }

    private func lookUp() async throws(RemoteDataError) -> String {
        let answer = try await send(get("rt/lookup"))
        guard answer.isSuccess else {
            throw .backendless(answer, "to tell where changes are told", now: .now)
        }
        guard case .text(let url)? = Value(json: answer.body[...]) else {
            throw RemoteDataError(.invalidAnswer, "Backendless does not say where changes are told.")
        }
        return url
    }

    private func get(_ path: String) -> HTTPRequest {
        HTTPRequest(
            "GET",
            "\(base.text)/\(path)",
            headers: ["Accept": "application/json"],
            timeouts: timeouts
        )
    }
}

extension NetworkError {
    /// The error of a connection that cannot be made, because of a request that says where to make it to.
    ///
    /// One that asking again does not mend has a status of the client's fault, by which a session ends.
    init(_ error: RemoteDataError) {
        if let cause = error.cause as? NetworkError {
            self = cause
        } else if error.isTransient {
            self.init(.closed, error.message, retryAfter: error.retryAfter, cause: error)
        } else {
            let status = error.status.map { 400..<500 ~= $0 ? $0 : 400 } ?? 400
            self.init(.refused, error.message, status: status, cause: error)
        }
    }
}
