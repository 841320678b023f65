import RemoteDataNetwork
import RemoteDataTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct LWSMessageTests {
    let transport = LWSTransport()

    private func connect(
        _ server: LoopbackServer,
        _ limits: WebSocketLimits = WebSocketLimits()
    ) async throws -> any WebSocketConnection {
        let request = WebSocketRequest(server.url, limits: limits)
        return try await inTime { [transport] in try await transport.connect(request) }
    }

    private func receive(_ count: Int, from connection: any WebSocketConnection) async throws
        -> [WebSocketMessage]
    {
        try await inTime {
            var messages: [WebSocketMessage] = []
            while messages.count < count {
                let batch = try await connection.receiveBatch()
                if batch.isEmpty { break }
                messages += batch
            }
            return messages
        }
    }

    /// Sends back whatever it is sent.
    private func echo() throws -> LoopbackServer {
        try LoopbackServer { connection in
            try connection.acceptWebSocket()
            while true {
                let message = try connection.readMessage()
                try connection.sendFrame(message.opcode, message.payload)
                if message.opcode == LoopbackFrame.close { return }
            }
        }
    }

    private static let sizes = [0, 1, 125, 126, 127, 65_535, 65_536, 65_537, 200_000, 1_000_000]

    @Test(arguments: sizes, [true, false])
    func aMessageOfAnySizeGoesThereAndBack(size: Int, isText: Bool) async throws {
        let connection = try await connect(echo())
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: isText ? 0x20 + $0 % 90 : $0) }
        let message = WebSocketMessage(isText: isText, bytes: bytes)
        try await inTime { try await connection.send(message) }
        #expect(try await receive(1, from: connection) == [message])
    }

    @Test func messagesKeepTheirOrder() async throws {
        let connection = try await connect(echo())
        let texts = (0..<1_000).map { "message \($0)" }
        let sender = Task { for text in texts { try await connection.send(text) } }
        #expect(try await receive(1_000, from: connection).map(\.text) == texts)
        try await sender.value
    }

    @Test func everythingThatWaitsComesInOneBatch() async throws {
        let sent = Watched(false)
        let server = try LoopbackServer { connection in
            try connection.acceptWebSocket()
            for number in 1...50 { try connection.sendText("\(number)") }
            _ = try connection.readFrame()
            sent.change { $0 = true }
            connection.waitForClose()
        }
        let connection = try await connect(server)
        try await inTime { try await connection.send("all of them are here when this has arrived") }
        await sent.wait { $0 }
        #expect(try await receive(50, from: connection).map(\.text) == (1...50).map { "\($0)" })
    }

    @Test func fragmentsBecomeOneMessageWithAPingInBetween() async throws {
        let pong = Watched<[UInt8]>([])
        let server = try LoopbackServer { connection in
            try connection.acceptWebSocket()
            try connection.sendFrame(LoopbackFrame.text, Array("one, ".utf8), isFinal: false)
            try connection.sendFrame(LoopbackFrame.ping, [1, 2, 3])
            try connection.sendFrame(
                LoopbackFrame.continuation,
                Array("gr\u{fc}".utf8.prefix(3)),
                isFinal: false
            )
            try connection.sendFrame(
                LoopbackFrame.continuation,
                Array("gr\u{fc}n".utf8.dropFirst(3)),
                isFinal: false
            )
            try connection.sendFrame(LoopbackFrame.continuation, [])
            let payload = try connection.readFrame().payload
            pong.change { $0 = payload }
            connection.waitForClose()
        }
        let connection = try await connect(server)
        #expect(try await receive(1, from: connection).map(\.text) == ["one, gr\u{fc}n"])
        await pong.wait { $0 == [1, 2, 3] }
    }

    @Test func bytesBehindTheHandshakeInTheSamePacketAreNotLost() async throws {
        let server = try LoopbackServer { connection in
            guard let key = try connection.readRequest()?.header("Sec-WebSocket-Key") else { return }
            let frame = LoopbackConnection.frame(LoopbackFrame.text, Array("early".utf8))
            try connection.write(Array(LoopbackConnection.upgrade(key).utf8) + frame)
            connection.waitForClose()
        }
        let connection = try await connect(server)
        #expect(try await receive(1, from: connection).map(\.text) == ["early"])
    }

    @Test(arguments: [1, 3])
    func aMessageOverTheLimitClosesWith1009(frames: Int) async throws {
        let close = Watched<Int?>(nil)
        let server = try LoopbackServer { connection in
            try connection.acceptWebSocket()
            try connection.sendText("fits")
            for frame in 0..<frames {
                let opcode = frame == 0 ? LoopbackFrame.binary : LoopbackFrame.continuation
                let payload = [UInt8](repeating: 1, count: 1_001 / frames + 1)
                try connection.sendFrame(opcode, payload, isFinal: frame == frames - 1)
            }
            let code = try connection.readMessage().closeCode
            close.change { $0 = code }
        }
        var limits = WebSocketLimits()
        limits.message = 1_000
        let connection = try await connect(server, limits)
        let first = try await receive(1, from: connection)
        #expect(first.map(\.text) == ["fits"])
        let error = await failure { try await connection.receiveBatch() }
        #expect(error?.code == .tooLarge)
        #expect(error?.close?.code == 1_009)
        await close.wait { $0 == 1_009 }
    }

    /// Sends frames to a fresh socket with a limit for messages, reads the close
    /// frame, echoes it, and waits for the end; gives the error its reader got.
    private func refuse(_ frames: [UInt8], closes code: Int, limit: Int) async throws -> NetworkError? {
        let outcome = Watched<(code: Int?, isOver: Bool)>((nil, false))
        let server = try LoopbackServer { connection in
            try connection.acceptWebSocket()
            try connection.write(frames)
            let close = try connection.readMessage()
            outcome.change { $0.code = close.closeCode }
            try connection.sendFrame(LoopbackFrame.close, close.payload)
            connection.waitForClose()
            outcome.change { $0.isOver = true }
        }
        var limits = WebSocketLimits()
        limits.message = limit
        let connection = try await connect(server, limits)
        let error = await failure { try await connection.receiveBatch() }
        await outcome.wait { $0.isOver }
        try #require(outcome.value.code == code)
        return error
    }

    @Test func theRestOfAHugeFrameIsDroppedWhereverItIsRefused() async throws {
        let huge = LoopbackConnection.frame(LoopbackFrame.binary, [UInt8](repeating: 1, count: 1 << 20))
        for _ in 0..<50 {
            let error = try await refuse(huge, closes: 1_009, limit: 1_000)
            try #require(error?.code == .tooLarge)
        }
    }

    @Test func whatFollowsTextThatIsNotUTF8IsDropped() async throws {
        // The last piece of the text fills the receive buffer to its end.
        let text = LoopbackConnection.frame(LoopbackFrame.text, [UInt8](repeating: 0xFF, count: 128 << 10))
        let more = LoopbackConnection.frame(LoopbackFrame.binary, [UInt8](repeating: 1, count: 1 << 20))
        for _ in 0..<50 {
            let error = try await refuse(text + more, closes: 1_007, limit: 2 << 20)
            try #require(error?.code == .protocolError)
        }
    }

    @Test(arguments: [
        [0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0x61, 0xC0, 0xAF],
    ])
    func textThatIsNotUTF8ClosesWith1007(bytes: [UInt8]) async throws {
        let close = Watched<Int?>(nil)
        let server = try LoopbackServer { connection in
            try connection.acceptWebSocket()
            try connection.sendFrame(LoopbackFrame.text, bytes)
            let code = try connection.readMessage().closeCode
            close.change { $0 = code }
        }
        let connection = try await connect(server)
        let error = await failure { try await connection.receiveBatch() }
        #expect(error?.code == .protocolError)
        #expect(error?.close?.code == 1_007)
        await close.wait { $0 == 1_007 }
    }

    @Test(
        arguments: [
            [0x83, 0x00], [0xC1, 0x00], [0x80, 0x01, 0x61], [0x09, 0x00], [0x89, 0x7E, 0x00, 0x80],
            [0x81, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
        ] as [[UInt8]]
    )
    func aFrameAgainstTheProtocolEndsTheSocket(bytes: [UInt8]) async throws {
        let server = try LoopbackServer { connection in
            try connection.acceptWebSocket()
            try connection.write(bytes)
            connection.waitForClose()
        }
        let connection = try await connect(server)
        let error = await failure { try await connection.receiveBatch() }
        #expect(error != nil)
    }

    @Test func moreUnsentBytesThanAllowedAreRefused() async throws {
        let server = try LoopbackServer { connection in
            connection.shrinkBuffers()
            try connection.acceptWebSocket()
            connection.waitForHangUp()
        }
        var limits = WebSocketLimits()
        limits.unsentBytes = 20 << 20
        let connection = try await connect(server, limits)
        // Nobody reads, so that of three such messages the system takes none whole.
        let large = WebSocketMessage.binary([UInt8](repeating: 1, count: 9 << 20))
        let refusals = Watched(0)
        let tasks = (0..<3).map { _ in
            Task {
                do throws(NetworkError) {
                    try await connection.send(large)
                } catch {
                    if error.code == .overloaded { refusals.change { $0 += 1 } }
                }
            }
        }
        await refusals.wait { $0 == 1 }
        connection.close()
        for task in tasks { await task.value }
        #expect(refusals.value == 1)
    }

    @Test func aSecondReaderIsRefused() async throws {
        let connection = try await connect(echo())
        let first = Task { try await connection.receiveBatch() }
        let second = Task { try await connection.receiveBatch() }
        // Whichever came second is refused at once; the other one gets the message.
        let refusals = Watched(0)
        for task in [first, second] {
            Task {
                do {
                    _ = try await task.value
                } catch {
                    #expect((error as? NetworkError)?.code == .invalidRequest)
                    refusals.change { $0 += 1 }
                }
            }
        }
        await refusals.wait { $0 == 1 }
        try await connection.send("for the other")
        let results = [await first.result, await second.result].compactMap { try? $0.get() }
        #expect(results == [[.text("for the other")]])
    }

    @Test func aCancelledReaderLosesNoMessage() async throws {
        let connection = try await connect(echo())
        for number in 0..<50 {
            let reader = Task { try await connection.receiveBatch() }
            let sender = Task { try await connection.send("\(number)") }
            reader.cancel()
            try await sender.value
            let early = (try? await reader.value) ?? []
            let messages = early.isEmpty ? try await receive(1, from: connection) : early
            #expect(messages.map(\.text) == ["\(number)"])
        }
    }
}
