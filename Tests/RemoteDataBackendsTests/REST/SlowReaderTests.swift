import RemoteData
import RemoteDataBackends
import RemoteDataNetwork
import RemoteDataTesting
import Testing

/// A subscriber that reads more slowly than changes come.
@Suite(.timeLimit(.minutes(1))) struct SlowReaderTests {
    private let clock = ManualClock()
    private let connection: FakeConnection
    /// The feed that is read slowly or not at all.
    private let feed: ChangeFeed
    /// Another subscriber over the same socket.
    private let other: FeedReader

    init() async throws {
        let sockets = FakeSockets()
        var configuration = RESTConfiguration()
        configuration.clock = clock
        let server = try RESTServer(
            "http://example.com",
            configuration: configuration,
            transport: StubTransport(.json("0")),
            sockets: sockets,
            chance: { 0.5 }
        )
        connection = sockets.accept()
        feed = try await server.table("people").subscribe(to: Query(), since: nil)
        other = FeedReader(try await server.table("people").subscribe(to: Query(), since: nil))
        connection.say(
            #"{"type":"subscribed","id":"s1","revision":0}"#,
            #"{"type":"subscribed","id":"s2","revision":0}"#
        )
        #expect(await other.said(1) == ["live 0"])
    }

    private func receive(_ revisions: ClosedRange<Int>, _ id: String = "s1") {
        connection.receive(messages(revisions, id))
    }

    private func messages(_ revisions: ClosedRange<Int>, _ id: String) -> [WebSocketMessage] {
        revisions.map { revision in
            let row = #"{"objectId":\#(revision)}"#
            return .text(
                #"{"type":"change","id":"\#(id)","revision":\#(revision),"kind":"created","row":\#(row)}"#
            )
        }
    }

    /// Waits until reading waits for a subscriber.
    private func waiting() async { while !clock.sleepers.contains(.seconds(1)) { await Task.yield() } }

    @Test func whatComesWaitsForWhoeverReads() async {
        receive(1...6_000)
        await waiting()
        receive(6_001...12_000)
        receive(1...1, "s2")
        let expected = ["live 0"] + (1...12_000).map { "created \($0)" }
        #expect(await FeedReader(feed).said(12_001) == expected)
        #expect(await other.said(1) == ["created 1"])
    }

    @Test func whoeverDoesNotReadHoldsUpOthersOnce() async {
        receive(1...6_000)
        await waiting()
        receive(6_001...12_000)
        receive(1...1, "s2")
        clock.advance(by: .seconds(1))
        #expect(await other.said(1) == ["created 1"])
        receive(12_001...18_000)
        receive(2...2, "s2")
        #expect(await other.said(1) == ["created 2"])
        #expect(await FeedReader(feed).said(3) == ["reset", "live 12000", "created 12001"])
    }

    @Test func whoeverLeavesHoldsUpNobody() async {
        receive(1...6_000)
        await waiting()
        receive(1...1, "s2")
        feed.cancel()
        #expect(await other.said(1) == ["created 1"])
    }

    @Test func whatComesIsNotTakenWhereItIsReadWhileItHasToWait() async {
        #expect(await connection.offer(messages(1...6_000, "s1")))
        #expect(await !connection.offer(messages(6_001...6_001, "s1")))
        receive(6_001...6_001)
        await waiting()
        let reader = FeedReader(feed)
        #expect(await reader.said(6_002) == ["live 0"] + (1...6_001).map { "created \($0)" })
        receive(1...1, "s2")
        #expect(await other.said(1) == ["created 1"])
        #expect(await connection.offer(messages(6_002...6_002, "s1")))
        #expect(await reader.said(1) == ["created 6002"])
    }
}
