import RemoteDataNetwork
import RemoteDataTesting
import Testing

@Suite struct CurlFailureTests {
    let transport = CurlTransport()

    private func error(_ request: HTTPRequest) async -> NetworkError? {
        await failure { [transport] in try await transport.send(request) }
    }

    @Test func aClosedPortIsUnreachable() async throws {
        let closed = try ClosedPort()
        let error = await error(HTTPRequest("GET", "http://127.0.0.1:\(closed.port)/"))
        #expect(error?.code == .unreachable)
        #expect(error?.isTransient == true)
        withExtendedLifetime(closed) {}
    }

    @Test func anUnknownNameIsUnreachableEachTime() async {
        for _ in 1...3 {
            let error = await error(HTTPRequest("GET", "http://no-such-host.invalid/"))
            #expect(error?.code == .unreachable)
            #expect(error?.isTransient == true)
        }
    }

    @Test func afterAnUnknownNameAnotherServerIsReached() async throws {
        let server = try LoopbackServer.answering { LoopbackAnswer(text: $0.target) }
        for path in ["/1", "/2"] {
            #expect(await error(HTTPRequest("GET", "http://no-such-host.invalid/"))?.code == .unreachable)
            let answer = try await inTime { [transport] in
                try await transport.send(HTTPRequest("GET", server.url + path))
            }
            #expect(answer.body == Array(path.utf8))
        }
    }

    @Test func aTruncatedBodyIsNotAnAnswer() async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this")
        }
        #expect(await error(HTTPRequest("GET", server.url))?.code == .closed)
    }

    @Test func aTruncatedChunkIsNotAnAnswer() async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\nhalf")
        }
        #expect(await error(HTTPRequest("GET", server.url))?.code == .closed)
    }

    @Test func noAnswerAtAllIsClosed() async throws {
        let server = try LoopbackServer { connection in _ = try connection.readRequest() }
        let error = await error(HTTPRequest("GET", server.url))
        #expect(error?.code == .closed)
        #expect(error?.isTransient == true)
    }

    @Test func aResetIsClosed() async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")
            connection.reset()
        }
        #expect(await error(HTTPRequest("GET", server.url))?.code == .closed)
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\nX-Some", "HTTP/1.1 100 Continue\r\n\r\n",
    ])
    func aHeaderThatEndsEarlyIsClosed(part: String) async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write(part)
        }
        let error = await error(HTTPRequest("GET", server.url))
        #expect(error?.code == .closed)
        #expect(error?.isTransient == true)
    }

    @Test(arguments: ["SSH-2.0-OpenSSH_9.2\r\n\r\n", "\u{16}\u{3}\u{1}\u{0}garbage\r\n\r\n", "hello\n\n"])
    func whatIsNotHTTPIsABadAnswer(garbage: String) async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write(garbage)
        }
        let error = await error(HTTPRequest("GET", server.url))
        #expect(error?.code == .badAnswer)
        #expect(error?.isTransient == false)
    }

    @Test func aBodyThatDoesNotUncompressIsABadAnswer() async throws {
        let server = try LoopbackServer.answering { _ in
            LoopbackAnswer(headers: [("Content-Encoding", "gzip")], text: "this is no gzip")
        }
        #expect(await error(HTTPRequest("GET", server.url))?.code == .badAnswer)
    }

    @Test func anEndlessHeaderIsRefused() async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write("HTTP/1.1 200 OK\r\n")
            while true { try connection.write("X-Filler: " + String(repeating: "x", count: 1_000) + "\r\n") }
        }
        #expect(await error(HTTPRequest("GET", server.url))?.code == .tooLarge)
    }

    @Test func twoHundredMegabytesAreRefusedByTheirLength() async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 209715200\r\n\r\n")
            connection.waitForClose()
        }
        #expect(await error(HTTPRequest("GET", server.url))?.code == .tooLarge)
    }

    @Test func aBodyThatGrowsBeyondTheLimitIsRefusedWhileItArrives() async throws {
        let sent = Watched(0)
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            let chunk = Array("10000\r\n".utf8) + [UInt8](repeating: 0x78, count: 65_536) + Array("\r\n".utf8)
            for _ in 0..<3_200 {
                try connection.write(chunk)
                sent.change { $0 += 65_536 }
            }
        }
        #expect(await error(HTTPRequest("GET", server.url, bodyLimit: 1 << 20))?.code == .tooLarge)
        // What the sockets buffer is sent too, but nowhere near 200 MB.
        #expect(sent.value < 64 << 20)
    }

    @Test func aBodyOfExactlyTheLimitIsAccepted() async throws {
        let server = try LoopbackServer.answering { _ in
            LoopbackAnswer(body: [UInt8](repeating: 1, count: 100_000))
        }
        let answer = try await inTime { [transport] in
            try await transport.send(HTTPRequest("GET", server.url, bodyLimit: 100_000))
        }
        #expect(answer.body.count == 100_000)
        #expect(await error(HTTPRequest("GET", server.url, bodyLimit: 99_999))?.code == .tooLarge)
    }
}
