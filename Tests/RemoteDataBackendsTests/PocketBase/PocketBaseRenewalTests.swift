import Foundation
import RemoteData
import RemoteDataNetwork
import RemoteDataTesting
import Synchronization
import Testing

@testable import RemoteDataBackends

/// A token of an account that is renewed for several requests at the same time.
@Suite(.timeLimit(.minutes(1))) struct PocketBaseRenewalTests {
    /// A PocketBase whose answers to `auth-refresh` wait for the test's clock.
    private final class SlowServer: HTTPTransport, HTTPStreamTransport {
        let clock = ManualClock()
        let paths = Mutex<[String]>([])
        let time = Mutex(Date(timeIntervalSince1970: 1_000_000))

        func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
            let path = request.url.split(separator: "/").last.map(String.init) ?? ""
            paths.withLock { $0.append(path) }
            guard path.hasPrefix("auth-") else { return .json(#"{"id":"a"}"#) }
            if path == "auth-refresh" { try? await clock.sleep(for: .seconds(1)) }
            return .json(#"{"token":"t"}"#)
        }

        func open(_ request: HTTPRequest) async throws(NetworkError) -> HTTPStream {
            throw NetworkError(.unreachable, "There is no stream.")
        }
    }

    private let transport = SlowServer()

    private func server() throws -> PocketBaseServer {
        var configuration = RESTConfiguration()
        configuration.attempts = 1
        return try PocketBaseServer(
            "http://example.com",
            as: .init("ann", password: "secret"),
            configuration: configuration,
            transport: transport,
            now: { [transport] in transport.time.withLock { $0 } }
        )
    }

    @Test("A token that is being renewed is renewed once for all who find it old", arguments: [100, 400])
    func renewalsAreShared(age: Int) async throws {
        let server = try server()
        let table = server.table("people")
        _ = try await table.row("a")
        transport.time.withLock { $0 += TimeInterval(age) }
        server.client.renewToken(olderThan: .seconds(60))
        let first = Task { try await table.row("a")?.id }
        await transport.clock.waitForSleepers()
        server.client.renewToken(olderThan: .seconds(60))
        let second = Task { try await table.row("a")?.id }
        transport.clock.advance(by: .seconds(1))
        #expect(try await first.value == "a")
        #expect(try await second.value == "a")
        #expect(transport.paths.withLock { $0 } == ["auth-with-password", "a", "auth-refresh", "a", "a"])
    }
}
