import Foundation
import RemoteData
import RemoteDataExecution
import RemoteDataNetwork
import Synchronization

/// Sends the requests of everything that uses one PocketBase server.
final class PocketBaseClient: Sendable {
    let base: BaseURL
    let timeouts: HTTPTimeouts
    let now: @Sendable () -> Date
    private let client: HTTPClient
    private let tokens: PocketBaseTokens?
    private let requests = Atomic<Int>(0)

    init(
        _ base: BaseURL,
        _ timeouts: HTTPTimeouts,
        _ client: HTTPClient,
        _ tokens: PocketBaseTokens?,
        now: @escaping @Sendable () -> Date
    ) {
        (self.base, self.timeouts, self.client, self.tokens, self.now) = (base, timeouts, client, tokens, now)
    }

    /// Obtains another token before the next request.
    ///
    /// - Parameter age: The age up to which a token of the account is kept, and any that the configuration
    ///   gives; nil
    ///   to keep none.
    func renewToken(olderThan age: Duration? = nil) {
        guard let tokens else { return }
        // Determined before the age: a token that is obtained in between is young.
        let generation = client.credentialsGeneration
        if let age {
            guard tokens.hasAccount, let last = tokens.age, last > age.seconds else { return }
        }
        client.renewCredentials(generation)
    }

    /// How many tokens have replaced a refused one; see ``hasBeenAccount(since:)``.
    var replacementCount: Int { tokens?.replacementCount ?? 0 }

    /// Returns whether the server still takes the token of the account, with which everything was sent since.
    ///
    /// With a revoked token the server answers as to a guest, and leaves rows out. One request; none without
    /// an account.
    ///
    /// - Parameter count: ``replacementCount`` before the requests in question.
    /// - Returns: False where their answers may be those to a guest; there is a new token then.
    /// - Throws: `RemoteDataError` when the server cannot be asked.
    func hasBeenAccount(since count: Int) async throws(RemoteDataError) -> Bool {
        guard let tokens, tokens.hasAccount else { return true }
        guard tokens.replacementCount == count else { return false }
        do throws(NetworkError) { try await client.confirmCredentials() } catch {
            throw RemoteDataError(error)
        }
        return tokens.replacementCount == count
    }

    /// Sends a request with retries and a token that has not ended; any status is an answer.
    ///
    /// What is forbidden, missing or refused without a reason may be so for guests alone: for an account it counts once the server has
    /// confirmed the token, however young that is; where a new one replaces it, and with a token of the
    /// configuration, the request is sent again.
    func send(_ request: HTTPRequest) async throws(RemoteDataError) -> HTTPResponse {
        let former = client.credentialsGeneration
        if tokens?.hasEnded == true { client.renewCredentials(former) }
        var request = request
        request.number = requests.wrappingAdd(1, ordering: .relaxed).newValue
        for _ in 0..<Self.doubts {
            let count = replacementCount
            let answer = try await sendOnce(request)
            if try await isCertain(answer, since: count) { return answer }
        }
        return try await sendOnce(request)
    }

    /// How often at most an answer that was one to a guest is asked for again: no token lasts so little.
    private static let doubts = 2

    /// Whether an answer is one to the account, rather than to a guest.
    private func isCertain(_ answer: HTTPResponse, since count: Int) async throws(RemoteDataError) -> Bool {
        guard Self.isDoubtful(answer), tokens?.hasAccount == true else { return true }
        return try await hasBeenAccount(since: count)
    }

    /// A creation that a rule keeps from guests is answered with 400 and no reason.
    private static func isDoubtful(_ answer: HTTPResponse) -> Bool {
        switch answer.status {
        case 400: PocketBaseProblem(answer)?.fields.isEmpty == true
        case 403, 404: true
        default: false
        }
    }

    private func sendOnce(_ request: HTTPRequest) async throws(RemoteDataError) -> HTTPResponse {
        do throws(NetworkError) {
            let answer = try await client.send(request)
            let generation = client.credentialsGeneration
            guard Self.isDoubtful(answer), let tokens, !tokens.hasAccount, tokens.isDoubtful else {
                return answer
            }
            let doubtful = tokens.current
            client.renewCredentials(generation)
            let next = try await client.send(request)
            if next.status != answer.status { tokens.noteRefusal(of: doubtful) }
            return next
        } catch {
            throw RemoteDataError(error)
        }
    }
}
