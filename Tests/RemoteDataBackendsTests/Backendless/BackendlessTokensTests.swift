import RemoteData
import RemoteDataNetwork
import RemoteDataTesting
import Synchronization
import Testing

@testable import RemoteDataBackends

@Suite(.timeLimit(.minutes(1))) struct BackendlessTokensTests {
    /// A server that gives tokens `t1`, `t2` and so on, and takes those that are good.
    private func transport(
        refusing refusal: HTTPResponse = .json(
            #"{"code":3064,"message":"Not existing user token"}"#,
            status: 401
        ),
        good: @escaping @Sendable (String) -> Bool = { _ in true }
    ) -> StubTransport {
        let given = Atomic<Int>(0)
        return StubTransport { request in
            if request.url.hasSuffix("users/login") {
                let number = given.wrappingAdd(1, ordering: .relaxed).newValue
                return .json(#"{"objectId":"U","user-token":"t\#(number)"}"#)
            }
            guard good(request.headers["user-token"] ?? "") else { return refusal }
            return request.url.hasSuffix("info")
                ? .json(#"{"appId":"APP","apiKey":"KEY","rtURL":"http://rt.example.com"}"#) : .json("1")
        }
    }

    private func server(
        _ transport: StubTransport,
        _ sockets: FakeSockets = FakeSockets(),
        as account: BackendlessAuthentication? = .init("ann", password: "secret"),
        _ configuration: RESTConfiguration = RESTConfiguration()
    ) throws -> BackendlessServer {
        try BackendlessServer(
            "http://example.com/APP/KEY",
            as: account,
            configuration: configuration,
            transport: transport,
            sockets: sockets,
            clientID: "client",
            chance: { 0.5 }
        )
    }

    private func paths(_ transport: StubTransport) -> [String] {
        transport.sent.map { request in
            let path = request.url.split(separator: "/").last ?? ""
            return request.headers["user-token"].map { "\(path) \($0)" } ?? "\(path)"
        }
    }

    @Test func itSignsInOnce() async throws {
        let transport = transport()
        let table = try server(transport).table("Person")
        _ = try await table.count(Query())
        _ = try await table.count(Query())
        #expect(paths(transport) == ["login", "count t1", "count t1"])
        #expect(
            transport.sent.first?.body.map { String(decoding: $0, as: UTF8.self) }
                == #"{"login":"ann","password":"secret"}"#
        )
    }

    @Test(arguments: [
        (401, 3064), (400, 3064), (404, 3023), (200, 3090), (200, 3091), (403, 3064),
    ]) func whoIsRefusedForTheTokenSignsInAgainWhateverTheStatus(status: Int, code: Int) async throws {
        let refusal = HTTPResponse.json(#"{"code":\#(code),"message":"token"}"#, status: status)
        let transport = transport(refusing: refusal) { $0 != "t1" }
        let table = try server(transport).table("Person")
        #expect(try await table.count(Query()).value == 1)
        #expect(paths(transport) == ["login", "count t1", "login", "count t2"])
    }

    @Test func aWriteIsRepeatedWithAnotherToken() async throws {
        let transport = transport { $0 != "t1" }
        let table = try server(transport).table("Person")
        _ = try await table.commit(.deleteAll(nil))
        #expect(paths(transport) == ["login", "delete t1", "login", "delete t2"])
    }

    @Test func whoIsRefusedTwiceIsRefused() async throws {
        let transport = transport(refusing: .json(#"{"code":3064,"message":"Not existing user token"}"#)) {
            _ in false
        }
        let table = try server(transport).table("Person")
        let error = await failure { () async throws(RemoteDataError) in try await table.count(Query()) }
        #expect(error?.code == .unauthorized)
        #expect(error?.message.contains("Not existing user token") == true)
        #expect(paths(transport) == ["login", "count t1", "login", "count t2"])
    }

    @Test func manyWhoAreRefusedSignInOnce() async throws {
        let transport = transport { $0 != "t1" }
        let table = try server(transport).table("Person")
        _ = await failure { () async throws(RemoteDataError) in try await table.count(Query()) }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { _ = try? await table.count(Query()) } }
        }
        #expect(paths(transport).count { $0 == "login" } == 2)
    }

    @Test func aWrongPasswordIsToldWithoutIt() async throws {
        let refusal = HTTPResponse.json(#"{"code":3003,"message":"Invalid login or password"}"#, status: 401)
        let table = try server(StubTransport(refusal)).table("Person")
        let error = await failure { () async throws(RemoteDataError) in try await table.count(Query()) }
        #expect(error?.code == .unauthorized)
        #expect("\(error.map { "\($0)" } ?? "")".contains("Invalid login or password"))
        #expect("\(error.map { "\($0)" } ?? "")".contains("secret") == false)
        #expect("\(BackendlessAuthentication("ann", password: "secret"))" == "an account")
    }

    @Test func aServerThatCannotBeAskedForATokenIsNotOneThatRefuses() async throws {
        var configuration = RESTConfiguration()
        configuration.attempts = 1
        let transport = StubTransport { _ throws(NetworkError) in throw NetworkError(.unreachable, "gone") }
        let table = try server(transport, as: .init("ann", password: "secret"), configuration).table("Person")
        let error = await failure { () async throws(RemoteDataError) in try await table.count(Query()) }
        #expect(error?.code == .unreachable)
        #expect(error?.isTransient == true)
    }

    @Test func tokensOfSomebodyElseAreAskedForAgain() async throws {
        let reasons = Mutex<[RemoteDataBackends.CredentialsReason]>([])
        var configuration = RESTConfiguration()
        configuration.credentials = { reason in
            reasons.withLock { reasons in
                reasons.append(reason)
                return "own\(reasons.count)"
            }
        }
        let transport = transport { $0 == "own2" }
        let table = try server(transport, as: nil, configuration).table("Person")
        #expect(try await table.count(Query()).value == 1)
        #expect(reasons.withLock { $0 } == [.needed, .rejected])
    }

    @Test func aBusyServerIsAskedAgainWhenItSays() async throws {
        let clock = ManualClock()
        var configuration = RESTConfiguration()
        configuration.clock = clock
        var busy = HTTPResponse.json(#"{"code":429,"message":"Slow down"}"#)
        busy.headers["Retry-After"] = "3"
        let transport = StubTransport(busy, .json("1"))
        let table = try server(transport, as: nil, configuration).table("Person")
        async let count = table.count(Query())
        await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(2_900))
        #expect(transport.sent.count == 1)
        clock.advance(by: .seconds(10))
        #expect(try await count.value == 1)
        #expect(transport.sent.count == 2)
    }
}

// MARK: - The socket

extension BackendlessTokensTests {
    private static let opening = #"0{"sid":"s","upgrades":[],"pingInterval":25000,"pingTimeout":20000}"#

    @Test func theSocketIsShownTheTokenAndEachNewOne() async throws {
        let ended = Mutex(false)
        let transport = transport { token in !ended.withLock { $0 } || token != "t1" }
        let sockets = FakeSockets()
        let table = try server(transport, sockets).table("Person")
        let connection = sockets.accept()
        let reader = FeedReader(try await table.subscribe(to: Query(), since: nil))
        await sockets.attempts(1)
        #expect(
            sockets.requests.first?.url
                == "http://rt.example.com/APP/?EIO=4&transport=websocket&apiKey=KEY&clientId=client&userToken=t1"
        )
        connection.say(Self.opening)
        #expect(await connection.sent(1) == ["40/APP,"])
        connection.say(#"40/APP,{"sid":"t"}"#)
        let asked = await connection.sent(9)
        #expect(
            asked[1]
                == #"42/APP,["SUB_ON",{"id":"client-1","name":"OBJECTS_CHANGES","options":{"tableName":"Person","event":"created"}}]"#
        )
        for id in 1...8 { connection.say(#"42/APP,["SUB_READY",{"id":"client-\#(id)"}]"#) }
        #expect(await reader.said() == "live -")
        ended.withLock { $0 = true }
        _ = try await table.count(Query())
        #expect(
            await connection.sent(10).last
                == #"42/APP,["MET_REQ",{"id":"client-9","name":"SET_USER_TOKEN","options":{"userToken":"t2"}}]"#
        )
        connection.say(
            #"42/APP,["MET_RES",{"id":"client-9","result":null}]"#,
            #"42/APP,["SUB_RES",{"id":"client-1","data":{"objectId":"A"}}]"#
        )
        #expect(await reader.said() == "created A")
    }

    @Test func aSocketThatIsRefusedIsTriedOnceMoreWithAnotherToken() async throws {
        let transport = transport()
        let sockets = FakeSockets()
        let table = try server(transport, sockets).table("Person")
        for _ in 0..<2 {
            sockets.accept().say(Self.opening, #"44/APP,{"message":"Invalid API key"}"#)
        }
        var words: [String] = []
        for await event in try await table.subscribe(to: Query(), since: nil) {
            if case .interrupted(let error) = event { words.append("\(error.code): \(error.message)") }
        }
        #expect(
            words == [
                "unauthorized: Backendless does not tell changes. The server refuses the namespace /APP: Invalid API key"
            ]
        )
        #expect(sockets.requests.map { $0.url.suffix(2) } == ["t1", "t2"])
        #expect(paths(transport) == ["login", "info t1", "login", "info t2"])
    }

    @Test func aServerThatCannotSayNowWhereChangesAreToldIsAskedLater() async throws {
        let clock = ManualClock()
        var configuration = RESTConfiguration()
        (configuration.clock, configuration.attempts) = (clock, 1)
        var busy = HTTPResponse.json(#"{"code":503,"message":"Busy"}"#, status: 503)
        busy.headers["Retry-After"] = "7"
        let place = #"{"appId":"APP","apiKey":"KEY","rtURL":"http://rt.example.com"}"#
        let transport = StubTransport(busy, .json(place))
        let sockets = FakeSockets()
        let table = try server(transport, sockets, as: nil, configuration).table("Person")
        let connection = sockets.accept()
        let reader = FeedReader(try await table.subscribe(to: Query(), since: nil))
        #expect(await reader.said() == "interrupted unavailable")
        await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(6_900))
        #expect(transport.sent.count == 1)
        clock.advance(by: .seconds(1))
        connection.say(Self.opening)
        #expect(await connection.sent(1) == ["40/APP,"])
    }

    @Test(arguments: ["7", "", "<html>"])
    func aServerThatDoesNotSayWhereChangesAreToldEndsTheFeed(answer: String) async throws {
        let transport = StubTransport { request in
            request.url.hasSuffix("info") ? .json(#"{"appId":"APP"}"#) : .json(answer)
        }
        let table = try server(transport, as: nil).table("Person")
        var words: [String] = []
        for await event in try await table.subscribe(to: Query(), since: nil) {
            if case .interrupted(let error) = event { words.append("\(error)") }
        }
        #expect(words == ["invalid answer: Backendless does not say where changes are told."])
        #expect(paths(transport) == ["info", "lookup"])
    }

    @Test(arguments: [
        ("rt example", "Backendless tells changes at something that is no URL."),
        (
            "http://rt.example.com",
            "Backendless tells changes at an http URL, though the application has an https one."
        ),
    ])
    func aTokenIsNotShownToAPlaceThatIsNone(place: String, message: String) async throws {
        let transport = StubTransport { request in
            request.url.hasSuffix("login")
                ? .json(#"{"objectId":"U","user-token":"t1"}"#)
                : .json(#"{"appId":"APP","apiKey":"KEY","rtURL":"\#(place)"}"#)
        }
        let sockets = FakeSockets()
        let table = try BackendlessServer(
            "https://example.com/APP/KEY",
            as: .init("ann", password: "secret"),
            configuration: RESTConfiguration(),
            transport: transport,
            sockets: sockets
        ).table("Person")
        var words: [String] = []
        for await event in try await table.subscribe(to: Query(), since: nil) {
            if case .interrupted(let error) = event { words.append("\(error)") }
        }
        #expect(words == ["invalid answer: \(message)"])
        #expect(sockets.requests.isEmpty)
    }

    @Test func rowsThatCannotBeParsedLeaveAGap() async throws {
        let transport = StubTransport { request in
            request.url.hasSuffix("info")
                ? .json(#"{"appId":"APP","apiKey":"KEY","rtURL":"http://rt.example.com"}"#)
                : .json(#"[{"objectId":"A"},{"objectId":[]}]"#)
        }
        let sockets = FakeSockets()
        let table = try server(transport, sockets, as: nil).table("Person")
        let connection = sockets.accept()
        connection.say(Self.opening, #"40/APP,{"sid":"t"}"#)
        let reader = FeedReader(try await table.subscribe(to: Query(), since: nil))
        _ = await connection.sent(9)
        for id in 1...8 { connection.say(#"42/APP,["SUB_READY",{"id":"client-\#(id)"}]"#) }
        #expect(await reader.said() == "live -")
        connection.say(#"42/APP,["SUB_RES",{"id":"client-5","data":["A","B"]}]"#)
        #expect(await reader.said() == "reset")
    }

    @Test func anAnswerThatDoesNotComeDropsTheSocket() async throws {
        let clock = ManualClock()
        var configuration = RESTConfiguration()
        configuration.clock = clock
        let sockets = FakeSockets()
        let table = try server(transport(), sockets, as: nil, configuration).table("Person")
        let connection = sockets.accept()
        connection.say(Self.opening, #"40/APP,{"sid":"t"}"#)
        let reader = FeedReader(try await table.subscribe(to: Query(), since: nil))
        _ = await connection.sent(9)
        // The heartbeat, and the answer.
        await clock.waitForSleepers(2)
        connection.say("2")
        _ = await connection.sent(10)
        clock.advance(by: .seconds(30))
        await connection.closed()
        #expect(await reader.said() == "interrupted timed out")
    }

    @Test func theSocketClosesAWhileAfterTheLastListener() async throws {
        let clock = ManualClock()
        var configuration = RESTConfiguration()
        configuration.clock = clock
        let sockets = FakeSockets()
        let server = try server(transport(), sockets, as: nil, configuration)
        let connection = sockets.accept()
        connection.say(Self.opening, #"40/APP,{"sid":"t"}"#)
        let feed = try await server.table("Person").subscribe(to: Query(), since: nil)
        _ = await connection.sent(9)
        await clock.waitForSleepers(2)
        feed.cancel()
        _ = await connection.sent(17)
        #expect(connection.closeReason == nil)
        await clock.waitForSleepers(3)
        clock.advance(by: .seconds(10))
        await connection.closed()
    }
}
