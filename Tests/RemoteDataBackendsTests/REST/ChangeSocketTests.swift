import RemoteData
import RemoteDataBackends
import RemoteDataNetwork
import RemoteDataTesting
import Synchronization
import Testing

/// Subscriptions over a socket whose other end is in the test.
@Suite(.timeLimit(.minutes(1))) struct ChangeSocketTests {
    private let clock = ManualClock()
    private let sockets = FakeSockets()

    private func server(_ configuration: RESTConfiguration = RESTConfiguration()) throws -> RESTServer {
        var configuration = configuration
        configuration.clock = clock
        return try RESTServer(
            "http://example.com/base",
            configuration: configuration,
            transport: StubTransport(.json("0")),
            sockets: sockets,
            chance: { 0.5 }
        )
    }

    private func change(_ id: String, _ revision: Int, row: String) -> String {
        #"{"type":"change","id":"\#(id)","revision":\#(revision),"kind":"created","row":{"objectId":"\#(row)"}}"#
    }

    @Test func nothingIsConnectedBeforeTheFirstSubscription() async throws {
        let server = try server()
        #expect(sockets.requests.isEmpty)
        let feed = try await server.table("people").subscribe(to: Query(), since: nil)
        let connection = sockets.accept()
        #expect(await connection.sent(1) == [#"{"type":"subscribe","id":"s1","table":"people"}"#])
        #expect(sockets.requests.map(\.url) == ["http://example.com/base/api/changes"])
        #expect(sockets.requests.first?.subprotocols == ["table-changes.v1"])
        connection.say(#"{"type":"subscribed","id":"s1","revision":4}"#, change("s1", 5, row: "a"))
        let reader = FeedReader(feed)
        #expect(await reader.said(2) == ["live 4", "created a"])
    }

    @Test func everyTableAndSubscriptionSharesOneSocket() async throws {
        let server = try server()
        let connection = sockets.accept()
        var readers: [FeedReader] = []
        for number in 1...50 {
            let table = server.table("t\(number % 3)")
            readers.append(FeedReader(try await table.subscribe(to: Query(), since: nil)))
        }
        let frames = await connection.sent(50)
        #expect(Set(frames).count == 50)
        for number in (1...50).reversed() {
            connection.say(
                #"{"type":"subscribed","id":"s\#(number)","revision":0}"#,
                change("s\(number)", 5, row: "r\(number)")
            )
        }
        for (index, reader) in readers.enumerated() {
            #expect(await reader.said(2) == ["live 0", "created r\(index + 1)"])
        }
        #expect(sockets.requests.count == 1)
    }

    @Test func aFeedThatIsCancelledIsUnsubscribed() async throws {
        let server = try server()
        let connection = sockets.accept()
        let feed = try await server.table("people").subscribe(to: Query(), since: nil)
        _ = await connection.sent(1)
        feed.cancel()
        #expect(await connection.sent(2).last == #"{"type":"unsubscribe","id":"s1"}"#)
    }

    @Test func aFeedThatIsReleasedIsUnsubscribed() async throws {
        let server = try server()
        let connection = sockets.accept()
        var feed: ChangeFeed? = try await server.table("people").subscribe(to: Query(), since: nil)
        _ = await connection.sent(1)
        #expect(feed != nil)
        feed = nil
        #expect(await connection.sent(2).last == #"{"type":"unsubscribe","id":"s1"}"#)
    }

    @Test func theSocketIsClosedAWhileAfterTheLastSubscription() async throws {
        var configuration = RESTConfiguration()
        configuration.socketLinger = .seconds(10)
        let server = try server(configuration)
        let connection = sockets.accept()
        let feed = try await server.table("people").subscribe(to: Query(), since: nil)
        connection.say(#"{"type":"subscribed","id":"s1","revision":4}"#)
        #expect(await FeedReader(feed).said() == "live 4")
        feed.cancel()
        await clock.waitForSleepers(2)
        #expect(connection.closeReason == nil)
        clock.advance(by: .seconds(10))
        await connection.closed()
        let second = sockets.accept()
        let again = FeedReader(try await server.table("people").subscribe(to: Query(), since: nil))
        second.say(#"{"type":"subscribed","id":"s2","revision":5}"#)
        #expect(await again.said() == "live 5")
    }

    @Test func aSubscriptionInTimeKeepsTheSocket() async throws {
        var configuration = RESTConfiguration()
        configuration.socketLinger = .seconds(10)
        let server = try server(configuration)
        let connection = sockets.accept()
        let feed = try await server.table("people").subscribe(to: Query(), since: nil)
        connection.say(#"{"type":"subscribed","id":"s1","revision":4}"#)
        #expect(await FeedReader(feed).said() == "live 4")
        feed.cancel()
        await clock.waitForSleepers(2)
        let again = FeedReader(try await server.table("people").subscribe(to: Query(), since: nil))
        clock.advance(by: .seconds(10))
        connection.say(#"{"type":"subscribed","id":"s2","revision":5}"#)
        #expect(await again.said() == "live 5")
        #expect(sockets.requests.count == 1)
    }

    @Test func aServerObjectThatIsGoneClosesItsSocketWithTheLastFeed() async throws {
        var server: RESTServer? = try server()
        let connection = sockets.accept()
        let feed = try await server?.table("people").subscribe(to: Query(), since: nil)
        server = nil
        connection.say(#"{"type":"subscribed","id":"s1","revision":4}"#)
        #expect(await FeedReader(try #require(feed)).said() == "live 4")
        #expect(connection.closeReason == nil)
        feed?.cancel()
        #expect(connection.closeReason != nil)
    }

    @Test func aLostConnectionIsMadeAgainAndMissesNothing() async throws {
        let server = try server()
        let first = sockets.accept()
        let reader = FeedReader(try await server.table("people").subscribe(to: Query(), since: nil))
        first.say(#"{"type":"subscribed","id":"s1","revision":4}"#, change("s1", 5, row: "a"))
        #expect(await reader.said(2) == ["live 4", "created a"])
        first.drop()
        #expect(await reader.said() == "interrupted unreachable")
        sockets.refuse(NetworkError(.unreachable, "Nobody listens there."))
        #expect(await reader.said() == "interrupted unreachable")
        // The deadline of the first answer, and the wait before the next attempt.
        await clock.waitForSleepers(2)
        let second = sockets.accept()
        clock.advance(by: .seconds(1))
        #expect(await second.sent(1) == [#"{"type":"subscribe","id":"s1","table":"people","since":5}"#])
        second.say(
            #"{"type":"subscribed","id":"s1","revision":5}"#,
            change("s1", 5, row: "a"),
            change("s1", 6, row: "b")
        )
        #expect(await reader.said(2) == ["live 5", "created b"])
    }

    @Test func aChangeTooLargeToReceiveIsAGapAndNotAskedForAgain() async throws {
        let server = try server()
        let first = sockets.accept()
        let one = FeedReader(try await server.table("people").subscribe(to: Query(), since: nil))
        let two = FeedReader(try await server.table("places").subscribe(to: Query(), since: Revision(3)))
        first.say(#"{"type":"subscribed","id":"s1","revision":4}"#, change("s1", 5, row: "a"))
        #expect(await one.said(2) == ["live 4", "created a"])
        _ = await first.sent(2)
        first.drop(NetworkError(.tooLarge, "A message is larger than 16 MiB."))
        #expect(await one.said() == "interrupted unreachable")
        #expect(await two.said() == "interrupted unreachable")
        let second = sockets.accept()
        #expect(
            await second.sent(2) == [
                #"{"type":"subscribe","id":"s1","table":"people"}"#,
                #"{"type":"subscribe","id":"s2","table":"places"}"#,
            ]
        )
        second.say(
            #"{"type":"subscribed","id":"s1","revision":6}"#,
            #"{"type":"subscribed","id":"s2","revision":6}"#,
            change("s1", 7, row: "b")
        )
        #expect(await one.said(3) == ["reset", "live 6", "created b"])
        #expect(await two.said(2) == ["reset", "live 6"])
        // From here on a lost connection goes on from where it was.
        second.drop()
        #expect(await one.said() == "interrupted unreachable")
        await clock.waitForSleepers(2)
        let third = sockets.accept()
        clock.advance(by: .seconds(2))
        #expect(
            await third.sent(2).first == #"{"type":"subscribe","id":"s1","table":"people","since":7}"#
        )
    }

    @Test(arguments: [
        WebSocketMessage.text("garbage"), .binary([1, 2, 3]), .text("{}"), .text(#"{"type":"reset"}"#),
        .text(#"{"type":"error","code":1000,"message":"what?"}"#),
        .text(#"{"type":"unsubscribed","id":"s1"}"#),
        .text(#"{"type":"progress","id":"s1","revision":"#),
    ])
    func aServerThatTalksNonsenseIsConnectedToAnew(message: WebSocketMessage) async throws {
        let server = try server()
        let first = sockets.accept()
        let reader = FeedReader(try await server.table("people").subscribe(to: Query(), since: nil))
        first.say(#"{"type":"subscribed","id":"s1","revision":4}"#)
        #expect(await reader.said() == "live 4")
        first.receive([message, .text(change("s1", 5, row: "a"))])
        #expect(await reader.said().hasPrefix("interrupted"))
        #expect(first.closeReason?.code == 1002)
        // Half of the first wait, by the server's chance.
        while !clock.sleepers.contains(.milliseconds(100)) { await Task.yield() }
        clock.advance(by: .milliseconds(100))
        let second = sockets.accept()
        #expect(await second.sent(1) == [#"{"type":"subscribe","id":"s1","table":"people","since":4}"#])
    }

    @Test func aServerThatDoesNotAnswerASubscriptionIsConnectedToAnew() async throws {
        let server = try server()
        let first = sockets.accept()
        let reader = FeedReader(try await server.table("people").subscribe(to: Query(), since: nil))
        _ = await first.sent(1)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(30))
        #expect(await reader.said() == "interrupted timed out")
        #expect(first.closeReason != nil)
    }

    @Test func aRefusedSubscriptionEndsItsFeedWithTheReason() async throws {
        let server = try server()
        let connection = sockets.accept()
        let feed = try await server.table("people").subscribe(to: Query(try Where("nme = 1")), since: nil)
        let other = FeedReader(try await server.table("people").subscribe(to: Query(), since: nil))
        connection.say(
            #"{"type":"error","id":"s1","code":1017,"message":"There is no column nme in people."}"#,
            #"{"type":"subscribed","id":"s2","revision":4}"#
        )
        let reader = FeedReader(feed)
        guard case .interrupted(let error)? = await reader.next() else {
            Issue.record("not interrupted")
            return
        }
        #expect(error.code == .unknownColumn && error.message.contains("nme") && !error.isTransient)
        #expect(await reader.said() == "end")
        #expect(await other.said() == "live 4")
    }

    @Test func aRefusedHandshakeAsksForCredentialsOnce() async throws {
        let asked = Mutex<[Bool]>([])
        var configuration = RESTConfiguration()
        configuration.credentialsHeader = .userToken
        configuration.credentials = { reason in
            asked.withLock { $0.append(reason == .rejected) }
            return reason == .needed ? "old" : "new"
        }
        let server = try server(configuration)
        sockets.refuse(NetworkError(.refused, "The server refused.", status: 401))
        let connection = sockets.accept()
        let reader = FeedReader(try await server.table("people").subscribe(to: Query(), since: nil))
        connection.say(#"{"type":"subscribed","id":"s1","revision":4}"#)
        #expect(await reader.said() == "live 4")
        #expect(asked.withLock { $0 } == [false, true])
        #expect(sockets.requests.map { $0.headers["user-token"] } == ["old", "new"])
    }

    @Test func aRefusedHandshakeUsesWhatARequestWasGivenMeanwhile() async throws {
        let asked = Mutex<[Bool]>([])
        var configuration = RESTConfiguration()
        configuration.clock = clock
        configuration.credentials = { reason in
            asked.withLock { asked in
                asked.append(reason == .rejected)
                return "token \(asked.count)"
            }
        }
        let transport = StubTransport { request in
            request.headers["Authorization"] == "Bearer token 1" ? .json("", status: 401) : .json("3")
        }
        let server = try RESTServer(
            "http://example.com",
            configuration: configuration,
            transport: transport,
            sockets: sockets
        )
        let reader = FeedReader(try await server.table("people").subscribe(to: Query(), since: nil))
        await sockets.attempts(1)
        #expect(try await server.table("people").count(nil).value == 3)
        sockets.refuse(NetworkError(.refused, "The server refused.", status: 401))
        let connection = sockets.accept()
        connection.say(#"{"type":"subscribed","id":"s1","revision":4}"#)
        #expect(await reader.said() == "live 4")
        #expect(asked.withLock { $0 } == [false, true])
        let tokens = sockets.requests.map { $0.headers["Authorization"] }
        #expect(tokens == ["Bearer token 1", "Bearer token 2"])
    }

    @Test(arguments: [(401, "unauthorized"), (403, "forbidden"), (404, "not found")])
    func aServerThatRefusesForGoodEndsTheFeeds(status: Int, code: String) async throws {
        let server = try server()
        for _ in 0..<2 { sockets.refuse(NetworkError(.refused, "The server refused.", status: status)) }
        let reader = FeedReader(try await server.table("people").subscribe(to: Query(), since: nil))
        #expect(await reader.said(2) == ["interrupted \(code)", "end"])
    }

    @Test func aReaderTooSlowIsTold() async throws {
        let server = try server()
        let connection = sockets.accept()
        let feed = try await server.table("people").subscribe(to: Query(), since: nil)
        let mark = FeedReader(try await server.table("people").subscribe(to: Query(), since: nil))
        connection.say(
            #"{"type":"subscribed","id":"s1","revision":0}"#,
            #"{"type":"subscribed","id":"s2","revision":0}"#
        )
        connection.receive((1...10_001).map { .text(change("s1", $0, row: "r\($0)")) })
        connection.say(change("s2", 10_001, row: "mark"))
        #expect(await mark.said(2) == ["live 0", "created mark"])
        #expect(await FeedReader(feed).said(2) == ["reset", "live 10001"])
    }

    @Test func aClauseTooLongForAFrameIsRefused() async throws {
        let clause = Where.comparison(
            .column("a"),
            .equal,
            .literal(.text(String(repeating: "x", count: 60_000)))
        )
        let table = try server().table("people")
        let error = await failure { () throws(RemoteDataError) in
            try await table.subscribe(to: Query(clause), since: nil)
        }
        #expect(error?.code == .tooLarge)
        #expect(sockets.requests.isEmpty)
    }

    @Test func subscribersThatComeAndGoAtOnceLeaveNothingBehind() async throws {
        let server = try server()
        let connection = sockets.accept()
        let keeper = FeedReader(try await server.table("people").subscribe(to: Query(), since: nil))
        await withTaskGroup { group in
            for _ in 0..<200 {
                group.addTask {
                    let feed = try? await server.table("people").subscribe(to: Query(), since: nil)
                    feed?.cancel()
                }
            }
        }
        let last = try await server.table("people").subscribe(to: Query(), since: nil)
        connection.say(
            #"{"type":"subscribed","id":"s1","revision":4}"#,
            #"{"type":"subscribed","id":"s202","revision":4}"#
        )
        #expect(await keeper.said() == "live 4")
        #expect(await FeedReader(last).said() == "live 4")
    }
}
