import Foundation
import RemoteDataNetwork
import RemoteDataTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct HTTPClientTests {
    let clock = HurriedClock()
    let get = HTTPRequest("GET", "http://a/")

    private func client(
        _ transport: StubTransport,
        _ change: (inout HTTPClient.Options) -> Void = { _ in },
        observe: NetworkObserver? = nil
    ) -> HTTPClient {
        var options = HTTPClient.Options()
        change(&options)
        let now = Date(timeIntervalSince1970: 784_111_777)
        options.clock = clock
        options.chance = { 1 }
        options.now = { now }
        options.observe = observe
        return HTTPClient(transport: transport, options: options)
    }

    @Test func aTransientStatusIsRetriedWithGrowingWaits() async throws {
        let transport = StubTransport(statuses: 503, 502, 500, 200)
        let answer = try await client(transport).send(get)
        #expect(answer.status == 200 && answer.attempts == 4)
        #expect(clock.sleeps == [.milliseconds(200), .milliseconds(400), .milliseconds(800)])
    }

    @Test func theFourthFailureIsDelivered() async throws {
        let transport = StubTransport(statuses: 503)
        #expect(try await client(transport).send(get).status == 503)
        #expect(transport.sent.value.count == 4)
    }

    @Test func aTransientErrorIsRetriedAndTheLastOneThrown() async {
        let transport = StubTransport { _, number throws(NetworkError) in
            throw NetworkError(.unreachable, "attempt \(number)")
        }
        let client = client(transport)
        let error = await failure { try await client.send(get) }
        #expect(error?.message == "attempt 4")
    }

    @Test func anotherErrorIsThrownAtOnce() async {
        let transport = StubTransport { _, _ throws(NetworkError) in throw NetworkError(.tls, "no") }
        let client = client(transport)
        #expect(await failure { try await client.send(get) }?.code == .tls)
        #expect(transport.sent.value.count == 1)
    }

    @Test(arguments: ["POST", "PUT", "PATCH", "DELETE"]) func aWriteIsSentOnceWithoutAKey(method: String)
        async throws
    {
        let transport = StubTransport(statuses: 503, 200)
        #expect(try await client(transport).send(HTTPRequest(method, "http://a/")).status == 503)
        let keyed = HTTPRequest(method, "http://a/", headers: ["Idempotency-Key": "k"])
        let other = StubTransport(statuses: 503, 200)
        #expect(try await client(other).send(keyed).status == 200)
        #expect(other.sent.value.allSatisfy { $0.headers["Idempotency-Key"] == "k" })
    }

    @Test(arguments: ["7": 7, "Sun, 06 Nov 1994 08:49:47 GMT": 10])
    func theServersWishIsObeyed(text: String, seconds: Int) async throws {
        let transport = StubTransport { _, number in
            HTTPResponse(status: number == 1 ? 503 : 200, headers: ["Retry-After": text])
        }
        #expect(try await client(transport).send(get).status == 200)
        #expect(clock.sleeps == [.seconds(seconds)])
    }

    @Test func aWishBeyondReasonIsHandedToTheCaller() async throws {
        let transport = StubTransport(statuses: 503, headers: ["Retry-After": "3600"])
        let answer = try await client(transport).send(get)
        #expect(answer.headers["Retry-After"] == "3600")
        #expect(transport.sent.value.count == 1)
    }

    @Test func theDeadlineBoundsAllAttemptsTogether() async throws {
        let transport = StubTransport { [clock] _, _ throws(NetworkError) in
            clock.advance(by: .seconds(3))
            throw NetworkError(.timedOut, "slow")
        }
        let client = client(transport) { $0.deadline = .seconds(7) }
        let error = await failure { try await client.send(get) }
        #expect(error?.code == .timedOut)
        // 3 s + 0.2 s, 3 s + 0.4 s, and the third attempt has what is left.
        let totals = transport.sent.value.map { $0.timeouts.total }
        #expect(totals == [.seconds(7), .milliseconds(3_800), .milliseconds(400)])
    }

    @Test func aRequestsOwnTotalIsKeptWhenShorter() async throws {
        let transport = StubTransport(statuses: 200)
        var request = get
        request.timeouts.total = .seconds(2)
        _ = try await client(transport).send(request)
        #expect(transport.sent.value.first?.timeouts.total == .seconds(2))
    }

    @Test func theClientsHeadersDoNotReplaceTheRequests() async throws {
        let transport = StubTransport(statuses: 200)
        let request = HTTPRequest("GET", "http://a/", headers: ["accept": "mine"])
        _ = try await client(transport) { $0.headers = ["Accept": "theirs", "X": "1"] }.send(request)
        #expect(transport.sent.value.first?.headers == ["accept": "mine", "X": "1"])
    }

    @Test func cancellingEndsTheWait() async {
        let clock = ManualClock()
        let transport = StubTransport(statuses: 503)
        var options = HTTPClient.Options()
        options.clock = clock
        options.chance = { 1 }
        let client = HTTPClient(transport: transport, options: options)
        let task = Task { try await client.send(get) }
        await clock.waitForSleepers(1)
        task.cancel()
        #expect(await failure { try await task.value }?.code == .cancelled)
        #expect(transport.sent.value.count == 1)
    }

    @Test func anObserverSeesEachAttempt() async throws {
        let events = Watched<[String]>([])
        let transport = StubTransport { _, number throws(NetworkError) in
            if number == 2 { throw NetworkError(.closed, "") }
            return HTTPResponse(status: number == 1 ? 503 : 200, body: [1, 2])
        }
        let client = client(transport) { event in
            events.change { events in
                switch event {
                case .started(_, let attempt): events.append("started \(attempt)")
                case .answered(_, let status, let bytes, _): events.append("answered \(status) \(bytes)")
                case .failed(_, let error, _): events.append("failed \(error.code)")
                case .retrying(_, let attempt, let delay): events.append("retrying \(attempt) \(delay)")
                default: events.append("?")
                }
            }
        }
        _ = try await client.send(get)
        #expect(
            events.value == [
                "started 1", "answered 503 2", "retrying 2 0.2 seconds", "started 2", "failed closed",
                "retrying 3 0.4 seconds", "started 3", "answered 200 2",
            ]
        )
    }

    private func client(_ transport: StubTransport, observe: @escaping NetworkObserver) -> HTTPClient {
        client(transport, { _ in }, observe: observe)
    }
}
