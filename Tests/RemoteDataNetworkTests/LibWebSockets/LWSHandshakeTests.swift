import RemoteDataNetwork
import RemoteDataTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct LWSHandshakeTests {
    let transport = LWSTransport()

    private func error(_ request: WebSocketRequest) async -> NetworkError? {
        await failure { [transport] in
            _ = try await transport.connect(request)
        }
    }

    @Test(arguments: ["ws", "http"])
    func aHandshakeCarriesPathHeadersAndSubprotocols(scheme: String) async throws {
        let server = try LoopbackServer { connection in
            try connection.acceptWebSocket(subprotocol: "table-changes.v1")
            connection.waitForClose()
        }
        var headers: HTTPHeaders = ["user-token": "secret"]
        headers.add("Authorization", "Bearer secret", isSensitive: true)
        let request = WebSocketRequest(
            "\(scheme)://127.0.0.1:\(server.port)/api/changes?a=b%20c",
            subprotocols: ["table-changes.v1", "other"],
            headers: headers
        )
        let connection = try await inTime { [transport] in try await transport.connect(request) }
        #expect(connection.subprotocol == "table-changes.v1")
        let seen = try #require(server.requests.first)
        #expect(seen.target == "/api/changes?a=b%20c")
        #expect(seen.header("Host") == "127.0.0.1:\(server.port)")
        #expect(seen.header("user-token") == "secret")
        #expect(seen.header("Authorization") == "Bearer secret")
        #expect(seen.header("Sec-WebSocket-Protocol") == "table-changes.v1, other")
        #expect(seen.header("Sec-WebSocket-Version") == "13")
        #expect(seen.header("Origin") == nil)
    }

    @Test func aServerNeedNotChooseASubprotocol() async throws {
        let server = try LoopbackServer { connection in
            try connection.acceptWebSocket()
            connection.waitForClose()
        }
        let url = server.url
        let connection = try await inTime { [transport] in
            try await transport.connect(WebSocketRequest(url, subprotocols: ["a"]))
        }
        #expect(connection.subprotocol == nil)
    }

    @Test func aNameIsResolved() async throws {
        let server = try LoopbackServer { connection in
            try connection.acceptWebSocket()
            connection.waitForClose()
        }
        let url = "ws://localhost:\(server.port)/"
        _ = try await inTime { [transport] in try await transport.connect(WebSocketRequest(url)) }
        #expect(server.requests.first?.header("Host") == "localhost:\(server.port)")
    }

    @Test(arguments: [200, 301, 400, 401, 403, 404, 426, 429, 500, 503])
    func aRefusalTellsItsStatus(status: Int) async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            let headers = [("Retry-After", "7"), ("Location", "/elsewhere")]
            try connection.write(LoopbackAnswer(status, headers: headers, text: "no").bytes)
            connection.waitForClose()
        }
        let error = await error(WebSocketRequest(server.url))
        #expect(error?.code == .refused)
        #expect(error?.status == status)
        #expect(error?.retryAfter == .seconds(7))
        #expect(error?.isTransient == [429, 500, 503].contains(status))
        #expect(server.requests.count == 1)
    }

    @Test func aClosedPortIsUnreachable() async throws {
        let closed = try ClosedPort()
        let error = await error(WebSocketRequest("ws://127.0.0.1:\(closed.port)/"))
        #expect(error?.code == .unreachable)
        #expect(error?.isTransient == true)
        withExtendedLifetime(closed) {}
    }

    @Test func anUnknownNameIsUnreachable() async {
        #expect(await error(WebSocketRequest("ws://no-such-host.invalid/"))?.code == .unreachable)
    }

    @Test func closingBeforeTheHandshakeIsRead() async throws {
        let server = try LoopbackServer { $0.close() }
        #expect(await error(WebSocketRequest(server.url))?.code == .closed)
    }

    /// An acceptable answer but for the key, in pieces: closing after each of them must be told as such.
    private static let pieces = [
        "H", "HTTP/1.1 101", "HTTP/1.1 101 Switching Protocols\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upg",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n",
    ]

    @Test(arguments: [""] + pieces, [false, true])
    func closingAtEachPointOfTheHandshake(piece: String, resets: Bool) async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write(piece)
            if resets { connection.reset() }
        }
        let error = await error(WebSocketRequest(server.url))
        #expect(error?.code == .closed)
        #expect(error?.isTransient == true)
    }

    @Test(arguments: [
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Accept: bm90IHRoZSByaWdodCBvbmU=\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Accept: x\r\n\r\n",
    ])
    func anAnswerThatIsNoUpgradeIsABadAnswer(answer: String) async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write(answer)
            connection.waitForClose()
        }
        let error = await error(WebSocketRequest(server.url))
        #expect(error?.code == .badAnswer, "\(String(describing: error))")
        #expect(error?.isTransient == false)
    }

    @Test func aSubprotocolNobodyAskedForIsABadAnswer() async throws {
        let server = try LoopbackServer { connection in
            try connection.acceptWebSocket(subprotocol: "surprise")
            connection.waitForClose()
        }
        #expect(await error(WebSocketRequest(server.url, subprotocols: ["wanted"]))?.code == .badAnswer)
    }

    /// libwebsockets goes on looking for an answer in what is none, until the deadline.
    @Test(arguments: [nil, "", "SSH-2.0-OpenSSH_9.2\r\n\r\n\r\n"])
    func aServerThatDoesNotAnswerRunsIntoTheDeadline(words: String?) async throws {
        let server = try LoopbackServer { connection in
            if let words {
                _ = try connection.readRequest()
                try connection.write(words)
            }
            connection.waitForClose()
        }
        var request = WebSocketRequest(server.url)
        request.limits.handshakeDeadline = .milliseconds(200)
        #expect(await error(request)?.code == .timedOut)
    }

    @Test func cancellingEndsTheHandshakeAtOnce() async throws {
        let seen = Watched(0)
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            seen.change { $0 = 1 }
            connection.waitForClose()
            seen.change { $0 = 2 }
        }
        let task = Task { [transport] in _ = try await transport.connect(WebSocketRequest(server.url)) }
        await seen.wait { $0 == 1 }
        task.cancel()
        #expect(await failure { try await task.value }?.code == .cancelled)
        await seen.wait { $0 == 2 }
    }

    @Test(arguments: ["", "nonsense", "ftp://127.0.0.1/", "ws://"])
    func whatIsNoSocketURLIsRefused(url: String) async {
        #expect(await error(WebSocketRequest(url))?.code == .invalidRequest)
    }

    @Test func aURLThatIsTooLongIsRefused() async {
        let url = "ws://127.0.0.1:1/" + String(repeating: "x", count: 2_000)
        #expect(await error(WebSocketRequest(url))?.code == .invalidRequest)
    }

    @Test func headersThatAreTooLongAreRefused() async throws {
        let server = try LoopbackServer { $0.waitForClose() }
        let headers: HTTPHeaders = ["X-Long": String(repeating: "x", count: 100_000)]
        #expect(await error(WebSocketRequest(server.url, headers: headers))?.code == .tooLarge)
    }

    @Test func aMissingAuthorityFileDoesNotWeakenTheCheck() async throws {
        var options = LWSTransport.Options()
        options.extraCAFile = "/no/such/file.pem"
        let transport = LWSTransport(options)
        let server = try LoopbackServer { connection in
            try connection.acceptWebSocket()
            connection.waitForClose()
        }
        _ = try? await inTime {
            try await transport.connect(WebSocketRequest("wss://127.0.0.1:\(server.port)/"))
        }
        #expect(server.requests.isEmpty)
    }
}
