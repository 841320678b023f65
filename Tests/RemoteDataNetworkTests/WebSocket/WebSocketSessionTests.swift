import Dispatch
import RemoteDataExecution
import RemoteDataNetwork
import RemoteDataTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct WebSocketSessionTests {
    /// Connects to a loopback server at once after each failure.
    private func session(
        _ server: LoopbackServer,
        clock: any Clock<Duration> = HurriedClock(),
        signal: RetrySignal = RetrySignal(),
        reasons: Watched<[CredentialsReason]> = Watched([])
    ) -> WebSocketSession {
        let url = server.url
        var options = WebSocketSession.Options()
        (options.clock, options.signal) = (clock, signal)
        options.chance = { 1 }
        return WebSocketSession(transport: LWSTransport(), options: options) { reason in
            reasons.change { $0.append(reason) }
            return WebSocketRequest(url)
        }
    }

    private func next(_ session: WebSocketSession) async throws -> String {
        try await inTime {
            switch try await session.next() {
            case .connected: "connected"
            case .messages(let messages): messages.map(\.text).joined(separator: ",")
            case .disconnected(let error): "disconnected \(error?.code.description ?? "in order")"
            case .retrying(let attempt, let delay, let error):
                "retrying \(attempt) \(delay) \(error?.code.description ?? "-")"
            case nil: "over"
            }
        }
    }

    @Test func aLostConnectionIsMadeAgain() async throws {
        let server = try LoopbackServer { connection in
            try connection.acceptWebSocket()
            try connection.sendText("hello \(connection.number)")
            if connection.number == 2 { connection.waitForClose() }
        }
        let session = session(server)
        var events: [String] = []
        for _ in 0..<6 { events.append(try await next(session)) }
        #expect(
            events == [
                "connected", "hello 1", "disconnected closed", "retrying 1 0.2 seconds closed", "connected",
                "hello 2",
            ]
        )
        session.close()
        #expect(try await next(session) == "over")
    }

    @Test func aServerThatIsAwayIsTriedAgainWithGrowingWaits() async throws {
        let server = try LoopbackServer { connection in
            guard connection.number > 3 else { return }
            try connection.acceptWebSocket()
            connection.waitForClose()
        }
        let clock = HurriedClock()
        let session = session(server, clock: clock)
        for number in 1...3 { #expect(try await next(session).hasPrefix("retrying \(number)")) }
        #expect(try await next(session) == "connected")
        #expect(clock.sleeps == [.milliseconds(200), .milliseconds(400), .milliseconds(800)])
    }

    @Test("A connection that has worked is made again at once, and a server that is away then is not")
    func workingConnectionsReconnectAtOnce() async throws {
        let server = try LoopbackServer { connection in
            guard ![2, 3].contains(connection.number) else { return }
            try connection.acceptWebSocket()
            try connection.sendText("hello")
        }
        let clock = HurriedClock()
        let session = session(server, clock: clock)
        var events: [String] = []
        while events.count < 8 {
            events.append(try await next(session))
            if events.last == "hello" {
                session.worked()
                clock.advance(by: .seconds(1))
            }
        }
        #expect(
            events.map { $0.split(separator: " ").prefix(3).joined(separator: " ") } == [
                "connected", "hello", "disconnected closed", "retrying 1 0.0", "retrying 1 0.2",
                "retrying 2 0.4", "connected", "hello",
            ]
        )
    }

    @Test("A request to go on ends a wait, and skips the one after the attempt under way")
    func aSignalEndsAWait() async throws {
        let (asked, answer) = (Watched(false), DispatchSemaphore(value: 0))
        let server = try LoopbackServer { connection in
            if connection.number == 2 {
                _ = try connection.readRequest()
                asked.change { $0 = true }
                answer.wait()
            }
            guard connection.number == 3 else { return }
            try connection.acceptWebSocket()
            connection.waitForClose()
        }
        let (clock, signal) = (ManualClock(), RetrySignal())
        let session = session(server, clock: clock, signal: signal)
        #expect(try await next(session).hasPrefix("retrying 1"))
        let second = Task { try await next(session) }
        await clock.waitForSleepers()
        signal.wake()
        await asked.wait { $0 }
        signal.wake()
        answer.signal()
        #expect(try await second.value.hasPrefix("retrying 2 0.4"))
        #expect(try await next(session) == "connected")
        #expect(clock.now.offset == .zero)
        session.close()
    }

    @Test func a401AsksForNewCredentialsAndASecondEnds() async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write(LoopbackAnswer(401).bytes)
        }
        let reasons = Watched<[CredentialsReason]>([])
        let session = session(server, reasons: reasons)
        let error = await failure { try await session.next() }
        #expect(error?.status == 401)
        #expect(reasons.value == [.needed, .rejected])
        #expect(try await next(session) == "over")
    }

    @Test func closingEndsAWait() async throws {
        let server = try LoopbackServer { _ in }
        let clock = ManualClock()
        let session = session(server, clock: clock)
        #expect(try await next(session).hasPrefix("retrying 1"))
        let waiting = Task { try await next(session) }
        await clock.waitForSleepers(1)
        session.close()
        #expect(try await waiting.value == "over")
    }

    @Test func closingEndsAHandshakeAndAReader() async throws {
        let seen = Watched(0)
        let server = try LoopbackServer { connection in
            if connection.number == 1 {
                try connection.acceptWebSocket()
            } else {
                _ = try connection.readRequest()
            }
            seen.change { $0 += 1 }
            connection.waitForClose()
        }
        let reading = session(server)
        #expect(try await next(reading) == "connected")
        let reader = Task { try await next(reading) }
        reading.close()
        #expect(try await reader.value == "over")

        let connecting = session(server)
        let waiting = Task { try await next(connecting) }
        await seen.wait { $0 == 2 }
        connecting.close()
        #expect(try await waiting.value == "over")
    }

    @Test func aCancelledReaderCanGoOnLater() async throws {
        let server = try LoopbackServer { connection in
            try connection.acceptWebSocket()
            _ = try connection.readFrame()
            try connection.sendText("still here")
            connection.waitForClose()
        }
        let session = session(server)
        let first = try await inTime { try await session.next() }
        guard case .connected(let connection) = first else {
            Issue.record("not connected")
            return
        }
        let reader = Task { try await session.next() }
        reader.cancel()
        #expect(await failure { try await reader.value }?.code == .cancelled)
        try await inTime { try await connection.send("go") }
        #expect(try await next(session) == "still here")
    }
}
