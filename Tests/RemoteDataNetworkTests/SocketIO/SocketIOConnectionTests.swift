import RemoteDataNetwork
import RemoteDataTesting
import Testing

/// Against frames as real servers send them.
@Suite(.timeLimit(.minutes(1))) struct SocketIOConnectionTests {
    private static func opening(_ interval: Int = 25_000, _ timeout: Int = 20_000) -> String {
        #"0{"sid":"s","upgrades":[],"pingInterval":\#(interval),"pingTimeout":\#(timeout)}"#
    }

    private func open(
        _ server: LoopbackServer,
        _ version: EngineIOVersion = .four,
        namespace: String = "/app",
        credentials: String = "",
        clock: any Clock<Duration> = ManualClock()
    ) async throws -> SocketIOConnection {
        let request = SocketIORequest(
            server.url,
            path: "/app",
            namespace: namespace,
            query: "apiKey=k",
            credentials: Array(credentials.utf8)
        )
        return try await inTime {
            try await SocketIOConnection.open(request, version: version, over: LWSTransport(), clock: clock)
        }
    }

    private func events(_ connection: SocketIOConnection) async throws -> [String] {
        try await inTime { try await connection.receiveBatch() }.map {
            String(decoding: $0.json, as: UTF8.self)
        }
    }

    @Test func versionFourJoinsWithCredentialsAndAnswersPings() async throws {
        let said = Watched<[String]>([])
        let server = try LoopbackServer { connection in
            let request = try connection.acceptWebSocket()
            said.change { $0.append(request.target) }
            try connection.sendText(Self.opening())
            said.append(try connection.readMessage())
            try connection.sendText(#"40/app,{"sid":"t"}"#)
            try connection.sendText("2")
            said.append(try connection.readMessage())
            try connection.sendText(#"42/other,["no"]"#)
            try connection.sendText(#"42/app,["SUB_READY",{"id":"1"}]"#)
            said.append(try connection.readMessage())
            connection.waitForClose()
        }
        let connection = try await open(server, credentials: #"{"token":"x"}"#)
        #expect(try await events(connection) == [#"["SUB_READY",{"id":"1"}]"#])
        try await connection.emit("SUB_OFF", Array(#"{"id":"1"}"#.utf8))
        await said.wait { $0.count == 4 }
        #expect(
            said.value == [
                "/app/?EIO=4&transport=websocket&apiKey=k", #"40/app,{"token":"x"}"#, "3",
                #"42/app,["SUB_OFF",{"id":"1"}]"#,
            ]
        )
    }

    @Test func versionThreeJoinsBehindTheDefaultNamespaceAndPings() async throws {
        let said = Watched<[String]>([])
        let server = try LoopbackServer { connection in
            try connection.acceptWebSocket()
            try connection.sendText(Self.opening(25_000, 5_000))
            try connection.sendText("40")
            said.append(try connection.readMessage())
            try connection.sendText("40/app")
            said.append(try connection.readMessage())
            for _ in 0..<3 {
                try connection.sendText("3")
                try connection.sendText(#"42/app,["e"]"#)
                said.append(try connection.readMessage())
            }
            connection.waitForClose()
        }
        let clock = ManualClock()
        let connection = try await open(server, .three, clock: clock)
        // Each time that the server has asked for, however long it would wait for more.
        for _ in 0..<3 {
            await clock.waitForSleepers(2)
            clock.advance(by: .seconds(25))
            #expect(try await events(connection) == [#"["e"]"#])
        }
        #expect(said.value == ["40/app?apiKey=k,", "2", "2", "2"])
    }

    @Test func aServerThatWantsPingsAllTheTimeGetsOneEachSecond() async throws {
        let said = Watched<[String]>([])
        let server = try LoopbackServer { connection in
            try connection.acceptWebSocket()
            try connection.sendText(Self.opening(1, 5_000))
            try connection.sendText("40/app")
            for _ in 0..<3 { said.append(try connection.readMessage()) }
            try connection.sendText(#"42/app,["e"]"#)
            connection.waitForClose()
        }
        let clock = ManualClock()
        let connection = try await open(server, .three, clock: clock)
        await clock.waitForSleepers(2)
        clock.advance(by: .milliseconds(999))
        try await connection.emit("first", Array("1".utf8))
        await said.wait { $0.count == 2 }
        #expect(said.value == ["40/app?apiKey=k,", #"42/app,["first",1]"#])
        clock.advance(by: .milliseconds(1))
        #expect(try await events(connection) == [#"["e"]"#])
        #expect(said.value.last == "2")
    }

    @Test(arguments: [EngineIOVersion.three, .four])
    func silenceEndsTheConnection(version: EngineIOVersion) async throws {
        let server = try LoopbackServer { connection in
            try connection.acceptWebSocket()
            try connection.sendText(Self.opening(25_000, 5_000))
            try connection.sendText(version == .three ? "40/app" : #"40/app,{"sid":"t"}"#)
            connection.waitForClose()
        }
        let clock = ManualClock()
        let connection = try await open(server, version, clock: clock)
        async let error = failure { try await connection.receiveBatch() }
        await clock.waitForSleepers(version == .three ? 2 : 1)
        clock.advance(by: .seconds(25))
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(5))
        #expect(await error?.code == .timedOut)
    }

    @Test(arguments: [#"44/app,"Not authorized""#, #"44/app,{"message":"Not authorized","data":1}"#])
    func aRefusalTellsTheServersWords(text: String) async throws {
        let server = try LoopbackServer { connection in
            try connection.acceptWebSocket()
            try connection.sendText(Self.opening())
            try connection.sendText(text)
            connection.waitForClose()
        }
        let error = await failure { try await open(server) }
        #expect(error?.code == .refused)
        #expect(error?.message == "The server refuses the namespace /app: Not authorized")
    }

    @Test func aServerThatDoesNotLetAnybodyInTimesOut() async throws {
        let server = try LoopbackServer { connection in
            try connection.acceptWebSocket()
            connection.waitForClose()
        }
        let clock = ManualClock()
        async let error = failure { try await open(server, clock: clock) }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(10))
        #expect(await error?.code == .timedOut)
    }

    @Test(arguments: ["41/app", "41/app,", "1"]) func theServerEndsItInOrderBehindItsEvents(end: String)
        async throws
    {
        let server = try LoopbackServer { connection in
            try connection.acceptWebSocket()
            try connection.sendText(Self.opening())
            try connection.sendText(#"40/app,{"sid":"t"}"#)
            try connection.sendText(#"42/app,["e"]"#)
            try connection.sendText(end)
            connection.waitForClose()
        }
        let connection = try await open(server)
        #expect(try await events(connection) == [#"["e"]"#])
        #expect(try await events(connection) == [])
    }

    @Test(arguments: ["hello", #"42/app,{"no":1}"#, "0{}"])
    func whatIsNoPacketEndsTheConnection(text: String) async throws {
        let server = try LoopbackServer { connection in
            try connection.acceptWebSocket()
            try connection.sendText(Self.opening())
            try connection.sendText(#"40/app,{"sid":"t"}"#)
            try connection.sendText(text)
            connection.waitForClose()
        }
        let connection = try await open(server)
        #expect(await failure { try await connection.receiveBatch() }?.code == .protocolError)
    }

    @Test(arguments: [EngineIOVersion.three, .four])
    func aSessionThatIsNotLetInAsksForOtherCredentialsOnce(version: EngineIOVersion) async throws {
        let server = try LoopbackServer { connection in
            try connection.acceptWebSocket()
            try connection.sendText(Self.opening())
            try connection.sendText(#"44/app,"Not authorized""#)
            connection.waitForClose()
        }
        let reasons = Watched<[CredentialsReason]>([])
        let url = server.url
        let session = SocketIOSession(joining: LWSTransport()) { reason in
            reasons.change { $0.append(reason) }
            return SocketIORequest(url, namespace: "/app", version: version)
        }
        let error = await failure { try await session.next() }
        #expect(error?.status == 401)
        #expect(error?.message == "The server refuses the namespace /app: Not authorized")
        #expect(reasons.value == [.needed, .rejected])
    }

    @Test func aServerOfTheOtherVersionIsTriedWithThat() async throws {
        let server = try LoopbackServer { connection in
            guard let request = try connection.readRequest() else { return }
            guard request.target.contains("EIO=3"), let key = request.header("Sec-WebSocket-Key") else {
                return try connection.write(LoopbackAnswer(400, text: "\"unsupported version\"").bytes)
            }
            try connection.write(LoopbackConnection.upgrade(key))
            try connection.sendText(Self.opening())
            try connection.sendText("40")
            connection.waitForClose()
        }
        let url = server.url
        let session = SocketIOSession(joining: LWSTransport()) { _ in SocketIORequest(url) }
        let event = try await inTime { try await session.next() }
        if case .connected = event {} else { Issue.record("\(String(describing: event))") }
        #expect(server.requests.map { $0.target.contains("EIO=4") } == [true, false])
        session.close()
    }
}

extension SocketIOConnectionTests {
    private struct Refusing: WebSocketTransport {
        func connect(_ request: WebSocketRequest) async throws(NetworkError) -> any WebSocketConnection {
            throw NetworkError(.refused, request.url.contains("EIO=4") ? "four" : "three", status: 400)
        }
    }

    @Test func whatIsRefusedInBothVersionsIsToldInTheWordsOfTheFirst() async {
        let session = SocketIOSession(joining: Refusing()) { _ in SocketIORequest("http://example.com") }
        #expect(await failure { try await session.next() }?.message == "four")
    }
}

extension Watched<[String]> {
    fileprivate func append(_ frame: LoopbackFrame) {
        change { $0.append(String(decoding: frame.payload, as: UTF8.self)) }
    }
}
