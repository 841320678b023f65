import RemoteData
import RemoteDataExecution
import RemoteDataNetwork
import RemoteDataTesting
import Synchronization
import Testing

@testable import RemoteDataBackends

@Suite(.timeLimit(.minutes(1))) struct KintoClientTests {
    private static let ann = KintoAuthentication("ann", password: "secret")
    private static let known = HTTPResponse.kinto(#"{"project_name":"kinto","user":{"id":"account:ann"}}"#)
    private static let stranger = HTTPResponse.kinto(#"{"project_name":"kinto"}"#)
    private static let row = HTTPResponse.kinto(#"{"data":{"id":"a","last_modified":1000}}"#)

    private static func greeting(_ request: HTTPRequest) -> Bool { request.url == "http://example.com/v1/" }

    // MARK: Who the program is

    @Test func theServerIsAskedFirstWhomItTakesTheProgramFor() async throws {
        let stub = StubTransport { Self.greeting($0) ? Self.known : Self.row }
        let table = try stub.kinto(as: Self.ann).table("t")
        _ = try await table.row("a")
        _ = try await table.row("a")
        #expect(stub.lines == ["GET /", "GET …/a", "GET …/a"])
        #expect(stub.sent.allSatisfy { $0.headers["Authorization"] == "Basic YW5uOnNlY3JldA==" })
        #expect(
            stub.sent.allSatisfy {
                $0.headers.fields.first { $0.name == "Authorization" }?.isSensitive ?? false
            }
        )
    }

    @Test func aMinuteLaterItIsAskedAgain() async throws {
        let clock = ManualClock()
        var configuration = RESTConfiguration()
        configuration.clock = clock
        let stub = StubTransport { Self.greeting($0) ? Self.known : Self.row }
        let table = try stub.kinto(as: Self.ann, configuration: configuration).table("t")
        _ = try await table.row("a")
        clock.advance(by: .seconds(59))
        _ = try await table.row("a")
        #expect(stub.lines.count { $0 == "GET /" } == 1)
        clock.advance(by: .seconds(1))
        _ = try await table.row("a")
        #expect(stub.lines.count { $0 == "GET /" } == 2)
    }

    /// As a guest it would see what guests may see, as if the rest had been removed.
    @Test func aStrangerIsToldSoAndAsksForNothing() async throws {
        let stub = StubTransport { Self.greeting($0) ? Self.stranger : Self.row }
        let table = try stub.kinto(as: Self.ann).table("t")
        let error = await failure { () throws(RemoteDataError) in try await table.row("a") }
        #expect(error?.code == .unauthorized)
        #expect(error?.message.contains("guest") == true && error?.message.contains("ann") == false)
        #expect(stub.lines == ["GET /"])
    }

    @Test func aGuestIsNotAskedWhoItIs() async throws {
        let stub = StubTransport(Self.row)
        _ = try await stub.kinto().table("t").row("a")
        #expect(stub.lines == ["GET …/a"])
    }

    @Test func aTokenThatHasEndedIsReplaced() async throws {
        let reasons = Mutex<[RemoteDataBackends.CredentialsReason]>([])
        var configuration = RESTConfiguration()
        configuration.credentials = { reason in
            reasons.withLock { reasons in
                reasons.append(reason)
                return "token\(reasons.count)"
            }
        }
        let stub = StubTransport { request in
            guard Self.greeting(request) else { return Self.row }
            return request.headers["Authorization"] == "Bearer token2" ? Self.known : Self.stranger
        }
        let table = try stub.kinto(configuration: configuration).table("t")
        _ = try await table.row("a")
        _ = try await table.row("a")
        #expect(stub.lines == ["GET /", "GET /", "GET …/a", "GET …/a"])
        #expect(reasons.withLock { $0 } == [.needed, .rejected])
    }

    @Test func whoHasNoTokenIsAGuestAndMeansToBe() async throws {
        var configuration = RESTConfiguration()
        configuration.credentials = { _ in nil }
        let stub = StubTransport { Self.greeting($0) ? Self.stranger : Self.row }
        let table = try stub.kinto(configuration: configuration).table("t")
        _ = try await table.row("a")
        _ = try await table.row("a")
        #expect(stub.lines == ["GET /", "GET …/a", "GET …/a"])
    }

    @Test func afterARefusedTokenItIsAskedAgain() async throws {
        var configuration = RESTConfiguration()
        configuration.credentials = { _ in "token" }
        let isRefused = Atomic(true)
        let stub = StubTransport { request in
            if Self.greeting(request) { return Self.known }
            let refused = isRefused.exchange(false, ordering: .relaxed)
            return refused ? .kinto(#"{"errno":104}"#, status: 401, revision: nil) : Self.row
        }
        let table = try stub.kinto(configuration: configuration).table("t")
        _ = try await table.row("a")
        _ = try await table.row("a")
        #expect(stub.lines == ["GET /", "GET …/a", "GET …/a", "GET /", "GET …/a"])
    }

    @Test func requestsAtOnceShareOneQuestion() async throws {
        let signIn = KintoSignIn(nil, TimerClock())
        // It can be awaited once.
        let answer = OneShot<Void>()
        let ask: @Sendable () async -> Result<Bool, RemoteDataError> = {
            try? await answer.value()
            return .success(true)
        }
        let tasks = (0..<8).map { _ in Task { try await signIn.confirm(ask) } }
        while signIn.waiterCount < 8 { await Task.yield() }
        answer.resume(.success(()))
        for task in tasks { try await task.value }
    }

    @Test func whoGivesUpWaitingEndsAtOnce() async throws {
        let signIn = KintoSignIn(nil, TimerClock())
        let answer = OneShot<Void>()
        let task = Task {
            await failure { () throws(RemoteDataError) in
                try await signIn.confirm {
                    try? await answer.value()
                    return .success(true)
                }
            }
        }
        while signIn.waiterCount < 1 { await Task.yield() }
        task.cancel()
        #expect(await task.value?.code == .cancelled)
        answer.resume(.success(()))
    }
}

// MARK: - Pauses

extension KintoClientTests {
    private func paused(_ clock: ManualClock, deadline: Duration = .seconds(25)) async throws -> (
        StubTransport, KintoTable
    ) {
        var configuration = RESTConfiguration()
        (configuration.clock, configuration.deadline) = (clock, deadline)
        let isFirst = Atomic(true)
        let stub = StubTransport { _ in
            let isFirst = isFirst.exchange(false, ordering: .relaxed)
            return .kinto(#"{"data":{"id":"a","last_modified":1000}}"#, isFirst ? ["Backoff": "10"] : [:])
        }
        let table = try stub.kinto(configuration: configuration).table("t")
        _ = try await table.row("a")
        #expect(table.server.client.rest == .seconds(10))
        return (stub, table)
    }

    @Test func nothingIsSentWhileTheServerWantsToBeLeftAlone() async throws {
        let clock = ManualClock()
        let (stub, table) = try await paused(clock)
        async let row = table.row("a")
        await clock.waitForSleepers()
        #expect(stub.sent.count == 1)
        #expect(clock.sleepers == [.seconds(10)])
        clock.advance(by: .seconds(10))
        #expect(try await row?.id == "a")
        #expect(stub.sent.count == 2)
        // The wait counts.
        #expect(stub.sent.last?.timeouts.total == .seconds(15))
    }

    @Test func aRequestThatCannotWaitSoLongFailsAtOnce() async throws {
        let clock = ManualClock()
        let (stub, table) = try await paused(clock, deadline: .seconds(10))
        let error = await failure { () throws(RemoteDataError) in try await table.row("a") }
        #expect(error?.code == .unavailable)
        #expect(error?.retryAfter == .seconds(10))
        #expect(stub.sent.count == 1)
    }
}
