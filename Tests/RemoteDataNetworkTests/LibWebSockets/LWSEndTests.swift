import RemoteDataNetwork
import RemoteDataTesting
import Testing

/// How sockets end.
@Suite(.timeLimit(.minutes(1))) struct LWSEndTests {
    let transport = LWSTransport()

    private func connect(
        _ server: LoopbackServer,
        _ limits: WebSocketLimits = WebSocketLimits()
    ) async throws -> any WebSocketConnection {
        let request = WebSocketRequest(server.url, limits: limits)
        return try await inTime { [transport] in try await transport.connect(request) }
    }

    @Test func closingSendsTheReasonAndEndsReading() async throws {
        let close = Watched<LoopbackFrame?>(nil)
        let server = try LoopbackServer { connection in
            try connection.acceptWebSocket()
            let frame = try connection.readFrame()
            close.change { $0 = frame }
            try connection.sendFrame(LoopbackFrame.close, frame.payload)
            connection.waitForClose()
        }
        let connection = try await connect(server)
        connection.close(WebSocketClose(code: 4_001, reason: "enough"))
        #expect(try await inTime { try await connection.receiveBatch() }.isEmpty)
        await close.wait { $0?.closeCode == 4_001 && $0?.payload.dropFirst(2) == ArraySlice("enough".utf8) }
        let error = await failure { try await connection.send("too late") }
        #expect(error?.code == .closed)
    }

    @Test func closingWakesAReader() async throws {
        let server = try LoopbackServer { connection in
            try connection.acceptWebSocket()
            connection.waitForClose()
        }
        let connection = try await connect(server)
        let reader = Task { try await connection.receiveBatch() }
        connection.close()
        #expect(try await inTime { try await reader.value }.isEmpty)
    }

    @Test func aReleasedConnectionCloses() async throws {
        let close = Watched<Int?>(nil)
        let server = try LoopbackServer { connection in
            try connection.acceptWebSocket()
            let frame = try connection.readFrame()
            close.change { $0 = frame.closeCode }
        }
        do { _ = try await connect(server) }
        await close.wait { $0 == 1_001 }
    }

    @Test func theLastMessagesAreReadBeforeTheEnd() async throws {
        let server = try LoopbackServer { connection in
            try connection.acceptWebSocket()
            try connection.sendText("one")
            try connection.sendText("two")
            try connection.sendClose(1_000, "bye")
            connection.waitForClose()
        }
        let connection = try await connect(server)
        let texts = try await inTime {
            var texts: [String] = []
            while case let batch = try await connection.receiveBatch(), !batch.isEmpty {
                texts += batch.map(\.text)
            }
            return texts
        }
        #expect(texts == ["one", "two"])
        #expect(try await inTime { try await connection.receiveBatch() }.isEmpty)
    }

    @Test(arguments: [1_001, 1_002, 1_008, 1_009, 1_011, 3_000, 4_999], ["because", "because."])
    func aCloseWithACodeIsToldToTheReader(code: Int, reason: String) async throws {
        let echoed = Watched<Int?>(nil)
        let server = try LoopbackServer { connection in
            try connection.acceptWebSocket()
            try connection.sendClose(code, reason)
            let frame = try connection.readFrame()
            echoed.change { $0 = frame.closeCode }
        }
        let connection = try await connect(server)
        let error = await failure { try await connection.receiveBatch() }
        #expect(error?.code == .closed)
        #expect(error?.close == WebSocketClose(code: code, reason: reason))
        #expect(error?.message.hasSuffix(" closed the socket with code \(code): because.") == true)
        #expect(error?.isTransient == true)
        await echoed.wait { $0 == code }
    }

    @Test func aCloseWithoutACodeIsInOrder() async throws {
        let server = try LoopbackServer { connection in
            try connection.acceptWebSocket()
            try connection.sendFrame(LoopbackFrame.close, [])
            connection.waitForClose()
        }
        let connection = try await connect(server)
        #expect(try await inTime { try await connection.receiveBatch() }.isEmpty)
    }

    @Test(arguments: [false, true])
    func aLostConnectionIsAnError(resets: Bool) async throws {
        let server = try LoopbackServer { connection in
            try connection.acceptWebSocket()
            try connection.sendText("last words")
            _ = try connection.readFrame()
            if resets { connection.reset() }
        }
        let connection = try await connect(server)
        #expect(try await inTime { try await connection.receiveBatch() }.map(\.text) == ["last words"])
        try await inTime { try await connection.send("go") }
        let error = await failure { try await connection.receiveBatch() }
        #expect(error?.code == .closed)
        #expect(error?.close == nil)
    }

    @Test func aServerThatAnswersNoPingIsGivenUp() async throws {
        let frames = Watched<[UInt8]>([])
        let server = try LoopbackServer { connection in
            try connection.acceptWebSocket()
            let frame = try connection.readFrame()
            frames.change { $0.append(frame.opcode) }
            connection.waitForClose()
        }
        var limits = WebSocketLimits()
        limits.pingInterval = .milliseconds(50)
        limits.pongDeadline = .milliseconds(50)
        let connection = try await connect(server, limits)
        let error = await failure { try await connection.receiveBatch() }
        #expect(error?.code == .timedOut)
        #expect(error?.isTransient == true)
        await frames.wait { $0 == [LoopbackFrame.ping] }
    }

    @Test func aServerThatAnswersPingsStays() async throws {
        let pings = Watched(0)
        let server = try LoopbackServer { connection in
            try connection.acceptWebSocket()
            while true {
                let frame = try connection.readFrame()
                guard frame.opcode == LoopbackFrame.ping else { continue }
                try connection.sendFrame(LoopbackFrame.pong, frame.payload)
                pings.change { $0 += 1 }
            }
        }
        var limits = WebSocketLimits()
        limits.pingInterval = .milliseconds(5)
        limits.pongDeadline = .seconds(30)
        let connection = try await connect(server, limits)
        let reader = Task { try await connection.receiveBatch() }
        await pings.wait { $0 >= 10 }
        connection.close()
        #expect(try await inTime { try await reader.value }.isEmpty)
    }

    /// Also one of which only a part has come.
    @Test(arguments: [true, false]) func whateverComesAnswersAPing(isFinal: Bool) async throws {
        let pings = Watched(0)
        let server = try LoopbackServer { connection in
            try connection.acceptWebSocket()
            var opcode = LoopbackFrame.text
            while true {
                guard try connection.readFrame().opcode == LoopbackFrame.ping else { continue }
                try connection.sendFrame(opcode, [0x78], isFinal: isFinal)
                if !isFinal { opcode = 0 }
                pings.change { $0 += 1 }
            }
        }
        var limits = WebSocketLimits()
        limits.pingInterval = .milliseconds(5)
        limits.pongDeadline = .seconds(30)
        let connection = try await connect(server, limits)
        let reader = Task { while try await !connection.receiveBatch().isEmpty {} }
        // There is another one only when the one before it has been answered.
        try await inTime { await pings.wait { $0 >= 5 } }
        connection.close()
        try await inTime { try await reader.value }
    }

    @Test func anUnreadSocketStopsReadingAndGoesOnLater() async throws {
        let written = Watched(0)
        let frame = LoopbackConnection.frame(LoopbackFrame.text, [UInt8](repeating: 0x78, count: 10_000))
        let server = try LoopbackServer { connection in
            try connection.acceptWebSocket()
            var all: [UInt8] = []
            for _ in 0..<4_000 { all += frame }
            let count = connection.writeUntilFull(all)
            written.change { $0 = count }
            try connection.write(Array(all.dropFirst(count)))
            connection.waitForClose()
        }
        var limits = WebSocketLimits()
        limits.bufferedMessages = 10
        let connection = try await connect(server, limits)
        await written.wait { $0 > 0 }
        #expect(written.value < 30_000_000)
        let (messages, largest) = try await inTime {
            var (messages, largest) = (0, 0)
            while messages < 4_000 {
                let batch = try await connection.receiveBatch()
                if batch.isEmpty { break }
                messages += batch.count
                largest = max(largest, batch.count)
            }
            return (messages, largest)
        }
        #expect(messages == 4_000)
        // What one read from the network holds is kept beyond the limit, never more.
        #expect(largest <= 10 + 7)
    }

    @Test func manySocketsShareOneTransport() async throws {
        let server = try LoopbackServer { connection in
            try connection.acceptWebSocket()
            while true {
                let message = try connection.readMessage()
                try connection.sendFrame(message.opcode, message.payload)
            }
        }
        let url = server.url
        let wrong = try await inTime { [transport] in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<60 {
                    group.addTask {
                        let connection = try await transport.connect(WebSocketRequest(url))
                        try await connection.send("\(number)")
                        return try await connection.receiveBatch().map(\.text) == ["\(number)"]
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 0 : 1) }
            }
        }
        #expect(wrong == 0)
        #expect(server.accepted == 60)
    }

    @Test func manyTransportsComeAndGo() async throws {
        let server = try LoopbackServer { connection in
            try connection.acceptWebSocket()
            connection.waitForClose()
        }
        let url = server.url
        for _ in 0..<10 {
            _ = try await inTime { try await LWSTransport().connect(WebSocketRequest(url)) }
        }
        #expect(server.accepted == 10)
    }

    @Test func anObserverSeesTheWholeLife() async throws {
        let events = Watched<[String]>([])
        var options = LWSTransport.Options()
        options.observe = { event in
            events.change { events in
                switch event {
                case .connecting: events.append("connecting")
                case .connected(_, let subprotocol): events.append("connected \(subprotocol ?? "-")")
                case .sent(_, let bytes): events.append("sent \(bytes)")
                case .received(_, let bytes): events.append("received \(bytes)")
                case .closed(_, let error): events.append("closed \(error?.code.description ?? "in order")")
                default: break
                }
            }
        }
        let transport = LWSTransport(options)
        let server = try LoopbackServer { connection in
            try connection.acceptWebSocket(subprotocol: "p")
            _ = try connection.readFrame()
            try connection.sendText("four")
            try connection.sendClose(1_000)
            connection.waitForClose()
        }
        let url = server.url
        let connection = try await inTime {
            try await transport.connect(WebSocketRequest(url, subprotocols: ["p"]))
        }
        try await inTime { try await connection.send("six bytes") }
        try await inTime { while try await !connection.receiveBatch().isEmpty {} }
        await events.wait { $0.last == "closed in order" }
        #expect(events.value == ["connecting", "connected p", "sent 9", "received 4", "closed in order"])
    }
}
