import RemoteData
import RemoteDataExecution
import RemoteDataNetwork
import RemoteDataTesting
import Synchronization
import Testing

@testable import RemoteDataBackends

/// Who follows a table, over a server that answers from memory; the clock is the test's.
@Suite(.timeLimit(.minutes(1))) struct KintoChangesTests {
    /// A collection of Kinto: what is listed of its changes, and whether it answers.
    private final class Shelf: Sendable {
        struct State {
            var changes: [String] = []
            var revision = 1_000
            var refusal: HTTPResponse?
        }

        let state = Mutex(State())

        func answer(_ request: HTTPRequest) -> HTTPResponse {
            state.withLock { state in
                if let refusal = state.refusal { return refusal }
                if let answer = HTTPResponse.kintoLook(request) { return answer }
                guard request.method == "GET" else {
                    state.revision += 10
                    state.changes.append(#"{"id":"own","last_modified":\#(state.revision)}"#)
                    return .kinto(
                        #"{"data":{"id":"own","last_modified":\#(state.revision)}}"#,
                        revision: state.revision
                    )
                }
                let list = request.url.contains("_since=\(state.revision)&") ? [] : state.changes
                return .kinto(#"{"data":[\#(list.joined(separator: ","))]}"#, revision: state.revision)
            }
        }

        func change(_ id: String) {
            state.withLock { state in
                state.revision += 10
                state.changes = [#"{"id":"\#(id)","last_modified":\#(state.revision)}"#]
            }
        }
    }

    private let clock = ManualClock()
    private let shelf = Shelf()

    private func server(_ stub: StubTransport, pollInterval: Duration = .seconds(5)) throws -> KintoServer {
        var configuration = RESTConfiguration()
        (configuration.clock, configuration.attempts) = (clock, 1)
        return try stub.kinto(pollInterval: pollInterval, configuration: configuration)
    }

    @Test func changesAreAskedForAgainAndAgain() async throws {
        let stub = StubTransport { shelf.answer($0) }
        let table = try server(stub).table("t")
        let reader = FeedReader(try await table.subscribe(to: Query(), since: nil))
        #expect(await reader.said() == "live 1000")
        // The second asks for a row that is not there.
        #expect(stub.lines.count == 5 && stub.lines[1].hasPrefix("GET …/"))
        #expect(
            [stub.lines[0]] + stub.lines[2...] == [
                "GET /buckets/b/collections/t", "HEAD …",
                "GET …?_sort=id&_limit=200&_fields=last_modified",
                "GET …?_since=1000&_sort=last_modified&_limit=1000",
            ]
        )
        await clock.waitForSleepers()
        #expect(clock.sleepers == [.seconds(5)])
        shelf.change("a")
        clock.advance(by: .seconds(5))
        #expect(await reader.said() == "updated a")
    }

    @Test func tablesThatAreFollowedTwiceAreAskedOnce() async throws {
        let stub = StubTransport { shelf.answer($0) }
        let table = try server(stub).table("t")
        let first = FeedReader(try await table.subscribe(to: Query(), since: nil))
        #expect(await first.said() == "live 1000")
        let second = FeedReader(try await table.subscribe(to: Query(), since: nil))
        #expect(await second.said() == "live 1000")
        let count = stub.sent.count
        shelf.change("a")
        _ = try await table.page(PageRequest(Query()))
        #expect(await first.said() == "updated a")
        #expect(await second.said() == "updated a")
        // The page, and what it showed to be newer.
        #expect(stub.sent.count == count + 2)
    }

    @Test func ownWritesAreAskedForAtOnce() async throws {
        let stub = StubTransport { shelf.answer($0) }
        let table = try server(stub).table("t")
        let reader = FeedReader(try await table.subscribe(to: Query(), since: nil))
        #expect(await reader.said() == "live 1000")
        _ = try await table.commit(.create([Draft(Array(#"{"id":"own"}"#.utf8)[...], idColumn: "id")]))
        #expect(await reader.said() == "updated own")
    }

    @Test func whatAPageShowsToBeNewerIsAskedForAtOnce() async throws {
        let stub = StubTransport { shelf.answer($0) }
        let table = try server(stub).table("t")
        let reader = FeedReader(try await table.subscribe(to: Query(), since: nil))
        #expect(await reader.said() == "live 1000")
        shelf.change("a")
        _ = try await table.page(PageRequest(Query()))
        #expect(await reader.said() == "updated a")
    }

    @Test func aServerThatDoesNotAnswerIsAskedLessOften() async throws {
        let stub = StubTransport { shelf.answer($0) }
        let table = try server(stub).table("t")
        let reader = FeedReader(try await table.subscribe(to: Query(), since: nil))
        #expect(await reader.said() == "live 1000")
        shelf.state.withLock {
            $0.refusal = .kinto(#"{"errno":201}"#, status: 503, revision: nil, ["Retry-After": "30"])
        }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(5))
        #expect(await reader.said() == "interrupted unavailable")
        await clock.waitForSleepers()
        #expect(clock.sleepers == [.seconds(30)])
        shelf.state.withLock { $0.refusal = nil }
        shelf.change("a")
        clock.advance(by: .seconds(30))
        #expect(await reader.said(2) == ["live 1000", "updated a"])
    }

    enum Occasion: CaseIterable { case time, request, user, network }

    @Test(
        "A server that is away is asked within seconds, or once it may be there",
        arguments: Occasion.allCases,
        [Duration.seconds(5), .seconds(60)]
    )
    func aServerThatIsAwayIsAskedSoon(occasion: Occasion, pollInterval: Duration) async throws {
        let stub = StubTransport { shelf.answer($0) }
        let server = try server(stub, pollInterval: pollInterval)
        let table = server.table("t")
        let reader = FeedReader(try await table.subscribe(to: Query(), since: nil))
        #expect(await reader.said() == "live 1000")
        shelf.state.withLock { $0.refusal = .kinto(#"{"errno":201}"#, status: 503, revision: nil) }
        await clock.waitForSleepers()
        clock.advance(by: pollInterval)
        #expect(await reader.said() == "interrupted unavailable")
        var waits: [Duration] = []
        for _ in 0..<8 {
            clock.advance(by: waits.last ?? .zero)
            await clock.waitForSleepers()
            waits += clock.sleepers
        }
        #expect(waits == [100, 200, 400, 800, 1_600, 2_500, 2_500, 2_500].map { .milliseconds($0) })
        shelf.state.withLock { $0.refusal = nil }
        switch occasion {
        case .time: clock.advance(by: .milliseconds(2_500))
        case .request: _ = try await table.page(PageRequest(Query()))
        case .user: table.reconnect()
        case .network: server.setNetworkAvailable(true)
        }
        #expect(await reader.said() == "live 1000")
    }

    @Test("A table that the server refuses is asked no sooner because other requests succeed")
    func answersEndNoWaitOfARefusedTable() async throws {
        let stub = StubTransport { shelf.answer($0) }
        let server = try server(stub)
        let table = server.table("t")
        let reader = FeedReader(try await table.subscribe(to: Query(), since: nil))
        #expect(await reader.said() == "live 1000")
        shelf.state.withLock { $0.refusal = .kinto(#"{"errno":999}"#, status: 500, revision: nil) }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(5))
        #expect(await reader.said() == "interrupted unavailable")
        await clock.waitForSleepers()
        shelf.state.withLock { $0.refusal = nil }
        _ = try await table.page(PageRequest(Query()))
        #expect(server.signal.waiterCount == 1)
        clock.advance(by: .milliseconds(100))
        #expect(await reader.said() == "live 1000")
    }

    @Test func aPauseHoldsForChangesToo() async throws {
        let isPaused = Atomic(false)
        let stub = StubTransport { request in
            var answer = shelf.answer(request)
            if isPaused.load(ordering: .relaxed) { answer.headers["Backoff"] = "60" }
            return answer
        }
        let table = try server(stub).table("t")
        let reader = FeedReader(try await table.subscribe(to: Query(), since: nil))
        #expect(await reader.said() == "live 1000")
        await clock.waitForSleepers()
        isPaused.store(true, ordering: .relaxed)
        shelf.change("a")
        clock.advance(by: .seconds(5))
        #expect(await reader.said() == "updated a")
        await clock.waitForSleepers()
        #expect(clock.sleepers == [.seconds(60)])
    }

    @Test func aMissingCollectionRefusesTheFeed() async throws {
        let stub = StubTransport(
            .kinto(
                #"{"errno":110,"details":{"id":"t","resource_name":"collection"}}"#,
                status: 404,
                revision: nil
            )
        )
        let table = try server(stub).table("t")
        let reader = FeedReader(try await table.subscribe(to: Query(), since: nil))
        #expect(await reader.said(2) == ["interrupted not found", "end"])
    }

    @Test func afterTheLastSubscriberNothingWaits() async throws {
        let stub = StubTransport { shelf.answer($0) }
        let table = try server(stub).table("t")
        let feed = try await table.subscribe(to: Query(), since: nil)
        #expect(await feed.nextBatch().count == 1)
        await clock.waitForSleepers()
        feed.cancel()
        // Whoever is at it does it.
        while !clock.sleepers.isEmpty { await Task.yield() }
    }

    @Test func whoFollowsNothingSaysSo() async throws {
        let server = try KintoServer("http://example.com", pollInterval: nil, transport: StubTransport())
        let table = server.table("t")
        #expect(!table.capabilities.liveChanges && table.capabilities.resume)
        let error = await failure { () throws(RemoteDataError) in
            try await table.subscribe(to: Query(), since: nil)
        }
        #expect(error?.code == .invalidRequest)
    }
}
