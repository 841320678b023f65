import RemoteData
import RemoteDataNetwork
import RemoteDataTesting
import Synchronization
import Testing

@testable import RemoteDataBackends

/// Keeps what an observer is told.
final class TrafficRecorder: TrafficObserver {
    private let kept = Mutex<[TrafficEvent]>([])

    var events: [TrafficEvent] { kept.withLock { $0 } }

    func observe(_ event: TrafficEvent) { kept.withLock { $0.append(event) } }
}

@Suite(.timeLimit(.minutes(1))) struct TrafficTests {
    private let clock = ManualClock()
    private let recorder = TrafficRecorder()

    private func configuration() -> RESTConfiguration {
        var configuration = RESTConfiguration()
        configuration.observer = recorder
        configuration.clock = clock
        return configuration
    }

    @Test func aRequestAndItsRepetitionHaveOneNumber() async throws {
        let transport = StubTransport(.json("", status: 503), .json("3"), .json("4"))
        let table = try transport.table(configuration())
        async let count = table.count(nil)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        #expect(try await count.value == 3)
        #expect(try await table.count(nil).value == 4)
        let events = recorder.events
        #expect(
            events.map(\.kind.description)
                == ["request", "reply", "retry", "request", "reply", "request", "reply"]
        )
        #expect(events.map(\.request) == [1, 1, 1, 1, 1, 2, 2])
        #expect(events.map(\.status) == [nil, 503, nil, nil, 200, nil, 200])
        #expect(events.map(\.attempt) == [1, nil, 2, 2, nil, 1, nil])
        #expect(
            events.allSatisfy { $0.url == "http://example.com/api/data/people/count" && $0.method == "GET" }
        )
    }

    @Test func writesAreRepeatedUnderTheSameKey() async throws {
        let transport = StubTransport(.json("", status: 503), .json("3"))
        let table = try transport.table(configuration())
        async let outcome = table.commit(.deleteAll(nil))
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        #expect(try await outcome.count == 3)
        let keys = transport.sent.map { $0.headers["Idempotency-Key"] }
        #expect(keys.count == 2 && keys[0] == keys[1] && keys[0] != nil)
    }

    @Test func credentialsAreAskedForOnceByAllWhoWereRefused() async throws {
        let asked = Mutex<[Bool]>([])
        var configuration = configuration()
        configuration.credentials = { reason in
            asked.withLock { $0.append(reason == .rejected) }
            return reason == .needed ? "old-secret" : "new-secret"
        }
        let transport = StubTransport { request in
            request.headers["Authorization"] == "Bearer new-secret" ? .json("1") : .json("", status: 401)
        }
        let table = try transport.table(configuration)
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 { group.addTask { try await table.count(nil).value } }
            return try await group.reduce(0, +)
        }
        #expect(counts == 20)
        #expect(asked.withLock { $0 } == [false, true])
        #expect(!recorder.events.contains { "\($0)".contains("secret") })
    }

    @Test func credentialsRefusedTwiceAreAnErrorWithoutThem() async throws {
        var configuration = configuration()
        configuration.credentials = { _ in "my-secret" }
        let transport = StubTransport(.json(#"{"code":3064,"message":"a wrong token"}"#, status: 401))
        let table = try transport.table(configuration)
        let error = await failure { () throws(RemoteDataError) in try await table.count(nil) }
        #expect(error?.code == .unauthorized)
        #expect(error.map { "\($0)".contains("secret") } == false)
        #expect(transport.sent.count == 2)
    }

    @Test func credentialsThatCannotBeHadAreAnErrorWithTheReason() async throws {
        struct SignedOut: Error {}
        var configuration = configuration()
        configuration.credentials = { _ in throw SignedOut() }
        let table = try StubTransport(.json("1")).table(configuration)
        let error = await failure { () throws(RemoteDataError) in try await table.count(nil) }
        #expect(error?.code == .unauthorized)
        #expect((error?.cause as? NetworkError)?.cause is SignedOut)
    }

    @Test func aHostThatSwallowsEverythingIsGivenUpBeforeACollectionGivesUp() async throws {
        let clock = clock
        let transport = StubTransport { request throws(NetworkError) in
            clock.advance(
                by: min(request.timeouts.connect, request.timeouts.total ?? request.timeouts.connect)
            )
            throw NetworkError(.timedOut, "There was no connection.")
        }
        let table = try transport.table(configuration())
        async let error = failure { () throws(RemoteDataError) in try await table.count(nil) }
        for _ in 1..<RESTConfiguration().attempts {
            await clock.waitForSleepers(1)
            clock.advance(by: .seconds(1))
        }
        let message = try #require(await error?.message)
        #expect(await error?.code == .timedOut)
        #expect(message.hasPrefix("http://example.com did not answer for 23 s. Check that the server runs"))
        #expect(transport.sent.count == RESTConfiguration().attempts)
        #expect(RESTConfiguration().deadline < CollectionOptions().deadline)
        #expect(RESTConfiguration().stallTimeout < RESTConfiguration().deadline)
    }

    @Test func tokensInTheURLOfASocketAreNotSeen() {
        TrafficReporter(observer: recorder).report(.connecting(url: "ws://host/path/?apiKey=k&userToken=t"))
        #expect(recorder.events.map(\.url) == ["ws://host/path/"])
    }

    @Test func framesAndReconnectsAreSeen() async throws {
        let events: [NetworkEvent] = [
            .connecting(url: "u"), .connected(url: "u", subprotocol: nil), .sent(url: "u", bytes: 3),
            .received(url: "u", bytes: 4), .pinged(url: "u"), .ponged(url: "u", after: .seconds(1)),
            .closed(url: "u", NetworkError(.closed, "x")),
            .reconnecting(url: "u", attempt: 2, after: .seconds(5)),
            .refreshingCredentials,
            .failed(HTTPRequest("GET", "u"), NetworkError(.timedOut, "x"), duration: .zero),
        ]
        let reporter = TrafficReporter(observer: recorder)
        for event in events { reporter.report(event) }
        #expect(
            recorder.events.map(\.kind.description) == [
                "connecting", "connected", "frame sent", "frame received", "ping", "pong", "disconnected",
                "reconnect", "credentials", "failure",
            ]
        )
        #expect(recorder.events[6].error?.code == .unreachable)
        #expect(recorder.events[7].delay == .seconds(5) && recorder.events[7].attempt == 2)
    }
}
