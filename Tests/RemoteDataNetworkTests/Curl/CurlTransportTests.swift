import RemoteDataNetwork
import Testing

@Suite struct CurlTransportTests {
    let transport = CurlTransport()

    @Test func anAnswerHasStatusHeadersAndBody() async throws {
        let server = try LoopbackServer.answering { _ in
            LoopbackAnswer(201, headers: [("X-One", "1"), ("x-one", "2")], text: "hello")
        }
        let answer = try await inTime { [transport] in try await transport.send(HTTPRequest("GET", server.url + "/a?b=c")) }
        #expect(answer.status == 201)
        #expect(answer.headers.values("X-ONE") == ["1", "2"])
        #expect(answer.body == Array("hello".utf8))
        #expect(answer.url == server.url + "/a?b=c")
        #expect(answer.version == "HTTP/1.1")
        #expect(server.requests.first?.target == "/a?b=c")
    }
}
