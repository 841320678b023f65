import RemoteData
import RemoteDataBackends
import RemoteDataNetwork
import RemoteDataTesting
import Synchronization
import Testing

/// When a server object connects again, over a socket whose other end is in the test.
@Suite(.timeLimit(.minutes(1))) struct ReconnectTests {
    private let clock = ManualClock()
    private let sockets = FakeSockets()
    private let transport = StubTransport(.json("0"))
    private let away = NetworkError(.unreachable, "Nobody listens there.")

    private func server(_ configuration: RESTConfiguration = RESTConfiguration()) throws -> RESTServer {
        var configuration = configuration
        configuration.clock = clock
        return try RESTServer(
            "http://example.com",
            configuration: configuration,
            transport: transport,
            sockets: sockets,
            chance: { 1 }
        )
    }

    /// Two subscriptions that wait for another attempt after a lost connection and a refused one.
    private func waiting(_ server: RESTServer) async throws -> [FeedReader] {
        var readers: [FeedReader] = []
        for name in ["people", "places"] {
            readers.append(FeedReader(try await server.table(name).subscribe(to: Query(), since: nil)))
        }
        let first = sockets.accept()
        first.say(#"{"type":"subscribed","id":"s1","revision":4}"#, #"{"type":"subscribed","id":"s2"}"#)
        for reader in readers { #expect(await reader.said().hasPrefix("live")) }
        sockets.refuse(away)
        first.drop()
        for reader in readers { #expect(await reader.said(2).last == "interrupted unreachable") }
        // The deadline of the first answers is the other one.
        await clock.waitForSleepers(2)
        #expect(clock.sleepers == [.milliseconds(200), .seconds(30)])
        return readers
    }

    /// Has the attempt that follows succeed, without any time going by, and every subscription go on.
    private func goesOn(_ readers: [FeedReader]) async {
        let next = sockets.accept()
        #expect(await next.sent(2).count == 2)
        next.say(#"{"type":"subscribed","id":"s1","revision":4}"#, #"{"type":"subscribed","id":"s2"}"#)
        #expect(await readers[0].said() == "live 4")
        #expect(await readers[1].said(2) == ["reset", "live -"])
        #expect(sockets.requests.count == 3)
    }

    enum Occasion: CaseIterable { case request, user, table, network, credentials }

    @Test("Whatever shows that a server may be there ends the wait", arguments: Occasion.allCases)
    func occasionsEndTheWait(occasion: Occasion) async throws {
        let server = try server()
        let readers = try await waiting(server)
        switch occasion {
        case .request: #expect(try await server.table("people").count(nil).value == 0)
        case .user: server.reconnect()
        case .table: server.table("people").reconnect()
        case .network: server.setNetworkAvailable(true)
        case .credentials: server.forgetCredentials()
        }
        await goesOn(readers)
    }

    @Test("A request that fails ends no wait", arguments: [404, 401])
    func failedRequestsEndNoWait(status: Int) async throws {
        let transport = StubTransport(.json(#"{"code":1,"message":"no"}"#, status: status))
        var configuration = RESTConfiguration()
        configuration.clock = clock
        let server = try RESTServer(
            "http://example.com",
            configuration: configuration,
            transport: transport,
            sockets: sockets,
            chance: { 1 }
        )
        let readers = try await waiting(server)
        await #expect(throws: RemoteDataError.self) { try await server.table("people").count(nil) }
        #expect(clock.sleepers == [.milliseconds(200), .seconds(30)])
        clock.advance(by: .milliseconds(200))
        await goesOn(readers)
    }

    @Test("Without a network no attempt is repeated until it is back")
    func attemptsWaitForANetwork() async throws {
        let server = try server()
        let readers = try await waiting(server)
        server.setNetworkAvailable(false)
        clock.advance(by: .seconds(20))
        #expect(sockets.requests.count == 2)
        server.setNetworkAvailable(true)
        await goesOn(readers)
    }

    @Test("A wait that the server has asked for is kept")
    func retryAfterIsKept() async throws {
        let server = try server()
        let reader = FeedReader(try await server.table("people").subscribe(to: Query(), since: nil))
        sockets.refuse(NetworkError(.refused, "Busy.", status: 503, retryAfter: .seconds(20)))
        #expect(await reader.said() == "interrupted unavailable")
        await clock.waitForSleepers()
        server.reconnect()
        #expect(clock.sleepers == [.seconds(20)])
        let connection = sockets.accept()
        clock.advance(by: .seconds(20))
        connection.say(#"{"type":"subscribed","id":"s1","revision":4}"#)
        #expect(await reader.said() == "live 4")
    }

    @Test("A server that accepts and drops at once is left alone for up to five seconds")
    func acceptingAndDroppingIsBounded() async throws {
        let server = try server()
        let reader = FeedReader(try await server.table("people").subscribe(to: Query(), since: nil))
        var waits: [Duration] = []
        for number in 1...8 {
            let connection = sockets.accept()
            #expect(await connection.sent(1).count == 1)
            connection.drop()
            #expect(await reader.said() == "interrupted unreachable")
            await clock.waitForSleepers(2)
            waits += clock.sleepers.prefix(1)
            clock.advance(by: waits.last ?? .zero)
            await sockets.attempts(number + 1)
        }
        #expect(waits == [200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000].map { .milliseconds($0) })
        sockets.accept().say(#"{"type":"subscribed","id":"s1","revision":4}"#)
        #expect(await reader.said() == "live 4")
    }

    @Test(
        "What makes the client drop a connection that works has it wait longer each time",
        arguments: [
            #"{"type":"error","id":"s2","code":1503,"message":"busy"}"#,
            #"{"type":"unsubscribed","id":"s2"}"#, "noise",
        ]
    )
    func droppingIsBounded(frame: String) async throws {
        let server = try server()
        let people = FeedReader(try await server.table("people").subscribe(to: Query(), since: nil))
        let places = FeedReader(try await server.table("places").subscribe(to: Query(), since: nil))
        var waits: [Duration] = []
        for number in 1...6 {
            let connection = sockets.accept()
            #expect(await connection.sent(2).count == 2)
            connection.say(#"{"type":"subscribed","id":"s1","revision":4}"#, frame)
            #expect(await people.said() == "live 4")
            #expect(await people.said().hasPrefix("interrupted"))
            #expect(await places.said().hasPrefix("interrupted"))
            // The deadline of the first answers is the other one.
            await clock.waitForSleepers(2)
            waits += clock.sleepers.prefix(1)
            clock.advance(by: waits.last ?? .zero)
            await sockets.attempts(number + 1)
        }
        #expect(waits == [200, 400, 800, 1_600, 3_200, 5_000].map { .milliseconds($0) })
    }

    @Test("Credentials that cannot be had for now interrupt all subscriptions alike, and end none")
    func missingCredentialsEndNoFeed() async throws {
        let failures = Mutex(3)
        var configuration = RESTConfiguration()
        configuration.credentials = { _ in
            let isAway = failures.withLock { failures in
                failures -= 1
                return failures >= 0
            }
            guard !isAway else { throw RemoteDataError(.unavailable, "The account server is away.") }
            return "token"
        }
        let server = try server(configuration)
        let people = FeedReader(try await server.table("people").subscribe(to: Query(), since: nil))
        for _ in 0..<3 {
            #expect(await people.said() == "interrupted unreachable")
            while clock.sleepers.first.map({ $0 > .seconds(5) }) ?? true { await Task.yield() }
            clock.advance(by: clock.sleepers.first ?? .zero)
        }
        let connection = sockets.accept()
        connection.say(#"{"type":"subscribed","id":"s1","revision":4}"#)
        #expect(await people.said() == "live 4")
    }
}
