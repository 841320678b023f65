import RemoteDataNetwork
import RemoteDataTesting
import Testing

/// What happens when a kept-alive connection turns out to be closed.
@Suite(.timeLimit(.minutes(1))) struct CurlRetryTests {
    /// Answers the first request, hears the second on the same connection, and closes without a word.
    private func fickleServer() throws -> LoopbackServer {
        try LoopbackServer { connection in
            guard let first = try connection.readRequest() else { return }
            try connection.write(LoopbackAnswer(text: first.target).bytes)
            guard connection.number == 1 else {
                while let request = try connection.readRequest() {
                    try connection.write(LoopbackAnswer(text: request.target).bytes)
                }
                return
            }
            _ = try connection.readRequest()
        }
    }

    private func sendTwo(_ second: HTTPRequest, to server: LoopbackServer) async -> Result<
        HTTPResponse, any Error
    > {
        let transport = CurlTransport()
        do {
            return .success(
                try await inTime {
                    _ = try await transport.send(HTTPRequest("GET", server.url + "/1"))
                    return try await transport.send(second)
                }
            )
        } catch {
            return .failure(error)
        }
    }

    @Test func aReadIsSentAgain() async throws {
        let server = try fickleServer()
        let answer = try await sendTwo(HTTPRequest("GET", server.url + "/2"), to: server).get()
        #expect(answer.body == Array("/2".utf8))
        #expect(server.accepted == 2)
    }

    @Test func aWriteWithAKeyIsSentAgain() async throws {
        let server = try fickleServer()
        let write = HTTPRequest(
            "POST",
            server.url + "/2",
            headers: ["Idempotency-Key": "k"],
            body: [1, 2, 3]
        )
        #expect(try await sendTwo(write, to: server).get().body == Array("/2".utf8))
        #expect(server.requests.last?.body == [1, 2, 3])
    }

    @Test(arguments: [[1, 2, 3], [], nil] as [[UInt8]?])
    func aWriteWithoutAKeyIsHeardOnlyOnce(body: [UInt8]?) async throws {
        let server = try fickleServer()
        let outcome = await sendTwo(HTTPRequest("POST", server.url + "/2", body: body), to: server)
        #expect(server.requests.filter { $0.method == "POST" }.count == 1)
        if case .failure(let error) = outcome { #expect((error as? NetworkError)?.code == .closed) }
    }

    @Test func aServerThatClosesBetweenRequestsIsNotNoticed() async throws {
        let closed = Watched(0)
        let server = try LoopbackServer { connection in
            guard let request = try connection.readRequest() else { return }
            try connection.write(LoopbackAnswer(text: request.target).bytes)
            connection.close()
            closed.change { $0 += 1 }
        }
        let transport = CurlTransport()
        for round in 1...5 {
            let answer = try await inTime {
                try await transport.send(HTTPRequest("GET", server.url + "/\(round)"))
            }
            #expect(answer.body == Array("/\(round)".utf8))
            await closed.wait { $0 == round }
        }
        #expect(server.accepted == 5)
    }
}
