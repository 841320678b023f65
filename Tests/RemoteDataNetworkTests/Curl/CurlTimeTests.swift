import RemoteDataNetwork
import RemoteDataTesting
import Testing

/// Timeouts and cancellation.
///
/// The short waits here are the limits under test; no test waits for anything else to happen within them.
@Suite(.timeLimit(.minutes(1))) struct CurlTimeTests {
    let transport = CurlTransport()

    private func silentServer(_ seen: Watched<Int>, begin: String = "") throws -> LoopbackServer {
        try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write(begin)
            seen.change { $0 += 1 }
            connection.waitForClose()
            seen.change { $0 -= 1 }
        }
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"])
    func anAnswerThatStallsTimesOut(begin: String) async throws {
        let server = try silentServer(Watched(0), begin: begin)
        let timeouts = HTTPTimeouts(stall: .milliseconds(100))
        let error = await failure { [transport] in
            try await transport.send(HTTPRequest("GET", server.url, timeouts: timeouts))
        }
        #expect(error?.code == .timedOut)
        #expect(error?.isTransient == true)
    }

    @Test func aServerThatDoesNotTakeTheConnectionTimesOut() async throws {
        let full = try FullPort()
        let timeouts = HTTPTimeouts(connect: .milliseconds(200))
        let error = await failure { [transport] in
            try await transport.send(HTTPRequest("GET", "http://127.0.0.1:\(full.port)/", timeouts: timeouts))
        }
        #expect(error?.code == .timedOut)
        #expect(error?.isTransient == true)
        withExtendedLifetime(full) {}
    }

    @Test func theTotalIncludesTheWaitForATurn() async throws {
        var options = CurlTransport.Options()
        options.requestsPerServer = 1
        let transport = CurlTransport(options)
        let seen = Watched(0)
        let server = try silentServer(seen)
        let first = Task { try await transport.send(HTTPRequest("GET", server.url)) }
        await seen.wait { $0 == 1 }
        let timeouts = HTTPTimeouts(total: .milliseconds(100))
        let error = await failure {
            try await transport.send(HTTPRequest("GET", server.url, timeouts: timeouts))
        }
        #expect(error?.code == .timedOut)
        #expect(server.accepted == 1)
        first.cancel()
        _ = await first.result
    }

    @Test func aRunningRequestIsCancelledAndItsConnectionClosed() async throws {
        let seen = Watched(0)
        let server = try silentServer(seen)
        let task = Task { [transport] in try await transport.send(HTTPRequest("GET", server.url)) }
        await seen.wait { $0 == 1 }
        task.cancel()
        let error = await failure { try await task.value }
        #expect(error?.code == .cancelled)
        await seen.wait { $0 == 0 }
    }

    @Test func aCancelledTaskSendsNothing() async throws {
        let server = try LoopbackServer.answering { _ in LoopbackAnswer() }
        let task = Task { [transport] in
            withUnsafeCurrentTask { $0?.cancel() }
            return try await transport.send(HTTPRequest("GET", server.url))
        }
        let error = await failure { try await task.value }
        #expect(error?.code == .cancelled)
        #expect(server.accepted == 0)
    }

    @Test func aWaitingRequestIsCancelled() async throws {
        var options = CurlTransport.Options()
        options.requestsPerServer = 1
        let transport = CurlTransport(options)
        let seen = Watched(0)
        let server = try silentServer(seen)
        let first = Task { try await transport.send(HTTPRequest("GET", server.url)) }
        await seen.wait { $0 == 1 }
        let second = Task { try await transport.send(HTTPRequest("GET", server.url)) }
        second.cancel()
        #expect(await failure { try await second.value }?.code == .cancelled)
        first.cancel()
        #expect(await failure { try await first.value }?.code == .cancelled)
        #expect(server.accepted == 1)
    }

    @Test func manyCancellationsAtAnyMomentLeaveTheTransportUsable() async throws {
        let server = try LoopbackServer.answering { LoopbackAnswer(text: $0.target) }
        for round in 0..<20 {
            let tasks = (0..<20).map { number in
                Task { [transport] in try await transport.send(HTTPRequest("GET", server.url + "/\(number)"))
                }
            }
            for task in tasks.dropFirst(round) { task.cancel() }
            for task in tasks {
                if case .failure(let error) = await task.result {
                    #expect((error as? NetworkError)?.code == .cancelled)
                }
            }
        }
        let answer = try await inTime { [transport] in
            try await transport.send(HTTPRequest("GET", server.url + "/x"))
        }
        #expect(answer.body == Array("/x".utf8))
    }
}
