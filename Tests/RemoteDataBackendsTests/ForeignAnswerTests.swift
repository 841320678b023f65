import RemoteData
import RemoteDataNetwork
import Testing

@testable import RemoteDataBackends

/// A 404 that does not come of the server itself decides nothing of a write.
@Suite(.timeLimit(.minutes(1))) struct ForeignAnswerTests {
    private static let bodies = [
        "", "404 page not found\n", "<html><body>404 Not Found</body></html>", "{}", "null",
    ]

    private func answer(_ body: String) -> HTTPResponse {
        HTTPResponse(status: 404, body: Array(body.utf8))
    }

    private static var oneAttempt: RESTConfiguration {
        var configuration = RESTConfiguration()
        configuration.attempts = 1
        return configuration
    }

    private func expectUndecided(_ table: any Table) async throws {
        for change in [QueuedChange(.delete), QueuedChange(.update, Array(#"{"n":1}"#.utf8)[...])] {
            for isRepeated in [false, true] {
                let item = Delivery.Item(
                    id: "abc",
                    change: change,
                    baseRevision: nil,
                    key: "k",
                    isRepeated: isRepeated
                )
                let answer = await Delivery(to: table).send(item)
                guard case .failed(let error) = answer else {
                    Issue.record("\(change.kind) was decided: \(answer)")
                    continue
                }
                #expect(error.code == .invalidAnswer && error.status == 404)
            }
        }
    }

    @Test("Of a server of the native protocol", arguments: bodies)
    func nativeProtocol(body: String) async throws {
        try await expectUndecided(StubTransport(answer(body)).table())
    }

    @Test("Of a path that a server of the native protocol does not have")
    func missingPath() async throws {
        let body = #"{"code":1404,"message":"There is nothing at this path."}"#
        try await expectUndecided(StubTransport(answer(body)).table())
    }

    @Test("Of PocketBase", arguments: bodies)
    func pocketBase(body: String) async throws {
        let server = try PocketBaseServer(
            "http://example.com",
            as: nil,
            batchSize: 1,
            configuration: Self.oneAttempt,
            transport: StubTransport(answer(body))
        )
        try await expectUndecided(server.table("people"))
    }

    @Test("Of Backendless", arguments: bodies)
    func backendless(body: String) async throws {
        let server = try BackendlessServer(
            "https://api.example.com/APP/KEY",
            as: nil,
            comparesText: .byBytes,
            configuration: Self.oneAttempt,
            transport: StubTransport(answer(body)),
            sockets: FakeSockets()
        )
        try await expectUndecided(server.table("Person"))
    }
}
