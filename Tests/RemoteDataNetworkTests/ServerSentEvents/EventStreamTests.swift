import Dispatch
import RemoteDataNetwork
import RemoteDataTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct EventStreamTests {
    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n\r\n"
    private let transport = CurlTransport()

    private func open(_ server: LoopbackServer, lastID: String = "") async throws -> EventStream {
        // Longer than a test may take: what ends a stream is not that it stands still.
        let request = HTTPRequest("GET", server.url, timeouts: HTTPTimeouts(stall: .seconds(600)))
        return try await inTime { [transport] in
            try await EventStream.open(request, over: transport, lastID: lastID)
        }
    }

    private func next(_ stream: EventStream) async throws -> [ServerSentEvent] {
        try await inTime { try await stream.receiveBatch() }
    }

    @Test func eventsComeWhileTheAnswerGoesOn() async throws {
        let isRead = DispatchSemaphore(value: 0)
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write(Self.head + "id:7\nevent:hello\ndata:1\n\n")
            isRead.wait()
            try connection.write("data:2\n\ndata:3\n\n")
        }
        let stream = try await open(server, lastID: "6")
        let first = try await next(stream)
        #expect(first == [ServerSentEvent(name: "hello", data: Array("1".utf8), id: "7")])
        #expect(stream.lastID == "7")
        isRead.signal()
        var rest: [String] = []
        while case let events = try await next(stream), !events.isEmpty {
            rest += events.map(\.text)
        }
        #expect(rest == ["2", "3"])
        #expect(server.requests.first?.header("Accept") == "text/event-stream")
        #expect(server.requests.first?.header("Last-Event-ID") == "6")
    }

    @Test func aRefusalTellsItsStatusAndHowLongToWait() async throws {
        let server = try LoopbackServer.answering { _ in
            LoopbackAnswer(503, headers: [("Retry-After", "7")], text: "busy")
        }
        let error = await failure { [transport] in
            try await EventStream.open(HTTPRequest("GET", server.url), over: transport)
        }
        #expect(error?.code == .refused)
        #expect(error?.status == 503)
        #expect(error?.retryAfter == .seconds(7))
    }

    @Test func anAnswerOfAnotherTypeIsNoStream() async throws {
        let server = try LoopbackServer.answering { _ in
            LoopbackAnswer(headers: [("Content-Type", "text/html")], text: "<html>")
        }
        let error = await failure { [transport] in
            try await EventStream.open(HTTPRequest("GET", server.url), over: transport)
        }
        #expect(error?.code == .badAnswer)
    }

    @Test func aBrokenConnectionIsAnErrorBehindWhatCameBefore() async throws {
        let isRead = DispatchSemaphore(value: 0)
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write(
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "9\r\ndata: 1\n\n\r\n"
            )
            isRead.wait()
            connection.reset()
        }
        let stream = try await open(server)
        #expect(try await next(stream).map(\.text) == ["1"])
        isRead.signal()
        let error = await failure { try await stream.receiveBatch() }
        #expect(error?.isTransient == true)
    }

    @Test func closingEndsAReaderThatWaitsAndTheConnection() async throws {
        let isGone = Watched(false)
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write(Self.head)
            connection.waitForClose()
            isGone.change { $0 = true }
        }
        let stream = try await open(server)
        async let error = failure { try await stream.receiveBatch() }
        stream.close()
        #expect(await error?.code == .closed)
        await isGone.wait { $0 }
    }

    @Test func aReleasedStreamLetsGoOfItsConnection() async throws {
        let isGone = Watched(false)
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write(Self.head)
            connection.waitForClose()
            isGone.change { $0 = true }
        }
        _ = try await open(server)
        await isGone.wait { $0 }
        withExtendedLifetime(transport) {}
    }

    @Test func aStreamThatStandsStillForTooLongTimesOut() async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write(Self.head)
            connection.waitForClose()
        }
        let timeouts = HTTPTimeouts(stall: .milliseconds(100))
        let stream = try await inTime { [transport] in
            try await EventStream.open(HTTPRequest("GET", server.url, timeouts: timeouts), over: transport)
        }
        let error = await failure { try await stream.receiveBatch() }
        #expect(error?.code == .timedOut)
    }

    /// An event of a quarter of a megabyte.
    private static let piece =
        Array("data: ".utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 18) + Array("\n\n".utf8)

    /// Writes events until no more goes, tells how many whole ones those were, and goes on with what is left of the last.
    private func server(
        _ written: Watched<Int?>,
        then goOn: @escaping @Sendable (LoopbackConnection, _ rest: [UInt8]) throws -> Void
    ) throws -> LoopbackServer {
        try LoopbackServer { connection in
            connection.shrinkBuffers(to: 128 << 10)
            _ = try connection.readRequest()
            try connection.write(Self.head)
            for count in 0..<80 {
                let size = connection.writeUntilFull(Self.piece)
                guard size < Self.piece.count else { continue }
                written.change { $0 = count }
                return try goOn(connection, Array(Self.piece[size...]))
            }
            written.change { $0 = 80 }
        }
    }

    @Test func aReaderThatDoesNotReadHoldsTheServerBack() async throws {
        let written = Watched<Int?>(nil)
        let server = try server(written) { try $0.write($1) }
        let stream = try await open(server)
        await written.wait { $0 != nil }
        let count = try #require(written.value)
        #expect(count < 60)
        var received = 0
        while case let events = try await next(stream), !events.isEmpty { received += events.count }
        #expect(received == count + 1)
    }

    /// The server finds out that no more goes by waiting longer than the stream may stand still.
    @Test func theTimeNobodyReadsIsNotStandingStill() async throws {
        let written = Watched<Int?>(nil)
        let server = try server(written) { connection, _ in connection.waitForClose() }
        let timeouts = HTTPTimeouts(stall: .milliseconds(200))
        let stream = try await inTime { [transport] in
            try await EventStream.open(HTTPRequest("GET", server.url, timeouts: timeouts), over: transport)
        }
        await written.wait { $0 != nil }
        let count = try #require(written.value)
        var received = 0
        while received < count { received += try await next(stream).count }
        #expect(count > 3 && received == count)
    }
}
