import Foundation
import RemoteData
import RemoteDataNetwork
import RemoteDataTesting
import Synchronization
import Testing

@testable import RemoteDataBackends

/// Tokens that the configuration gives, another one each time it is asked.
@Suite(.timeLimit(.minutes(1))) final class PocketBaseGivenTokensTests: Sendable {
    private let clock = ManualClock()
    private let stub = StubPocketBase()
    private let time = Mutex(Date(timeIntervalSince1970: 1_000_000))
    private let asked = Atomic<Int>(0)

    /// A table whose server asks for tokens by number.
    private func table(_ token: @escaping @Sendable (Int) -> String) throws -> PocketBaseTable {
        var configuration = RESTConfiguration()
        (configuration.clock, configuration.attempts) = (clock, 1)
        configuration.auditInterval = nil
        configuration.credentials = { [self] _ in token(asked.wrappingAdd(1, ordering: .relaxed).newValue) }
        return try PocketBaseServer(
            "http://example.com",
            as: nil,
            configuration: configuration,
            transport: stub,
            chance: { 0.5 },
            now: { [self] in time.withLock { $0 } }
        ).table("people")
    }

    /// Has reading be refused, as to a guest, to tokens of the past.
    private func refuse() {
        stub.state.withLock {
            $0.refusal = .json(#"{"message":"The requested resource wasn't found.","data":{}}"#, status: 404)
        }
        time.withLock { $0 += 20 }
    }

    @Test("A missing row is asked for with another token, and leaves subscriptions alone")
    func missingRowsLeaveStreamsAlone() async throws {
        let table = try table { StubPocketBase.token($0) }
        let reader = FeedReader(try await table.subscribe(to: Query(), since: nil))
        #expect(await reader.said() == "live -")
        refuse()
        #expect(try await table.row("x") == nil)
        #expect(asked.load(ordering: .relaxed) == 2)
        stub.emit("people/*", #"{"action":"create","record":{"id":"c"}}"#)
        #expect(await reader.said() == "created c")
        #expect(stub.state.withLock { $0.streamCount } == 1)
    }

    @Test("Where another token finds what was missing, streams are opened with it")
    func refusedTokensOpenStreamsAnew() async throws {
        let table = try table { [stub] number in
            if number > 1 { stub.state.withLock { $0.refusal = nil } }
            return StubPocketBase.token(number)
        }
        let reader = FeedReader(try await table.subscribe(to: Query(), since: nil))
        #expect(await reader.said() == "live -")
        refuse()
        #expect(try await table.count(nil).value == 2)
        #expect(await reader.said(3) == ["interrupted unreachable", "reset", "live -"])
        #expect(stub.state.withLock { $0.streamCount } == 2)
    }

    @Test("A token that the server does not take is an error, and its bearer no guest")
    func refusedToken() async throws {
        stub.state.withLock { $0.refreshStatus = 401 }
        let table = try table { StubPocketBase.token($0) }
        let error = await #expect(throws: RemoteDataError.self) { try await table.count(nil) }
        #expect(error?.code == .unauthorized)
        // Another one was asked for, and refused as well.
        #expect(asked.load(ordering: .relaxed) == 2)
        #expect(stub.lines.allSatisfy { $0 == "POST auth-refresh" })
    }

    @Test("A token that is accepted and cannot be refreshed, such as an API key, is used")
    func tokenThatCannotBeRefreshed() async throws {
        stub.state.withLock { $0.refreshStatus = 403 }
        let table = try table { StubPocketBase.token($0) }
        #expect(try await table.count(nil).value == 2)
        #expect(asked.load(ordering: .relaxed) == 1)
    }

    @Test(
        "What is no token of PocketBase is refused without a request",
        arguments: ["", "abc", "a.b.c", "e30.e30.x"]
    )
    func noToken(text: String) async throws {
        let table = try table { _ in text }
        let error = await #expect(throws: RemoteDataError.self) { try await table.count(nil) }
        #expect(error?.code == .unauthorized)
        #expect(stub.lines.isEmpty)
    }
}
