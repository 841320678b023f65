import Foundation
import RemoteDataNetwork
import Testing

@Suite struct CurlTransportTests {
    let transport = CurlTransport()

    private func get(_ url: String, limit: Int = 64 << 20) async throws -> HTTPResponse {
        try await inTime { [transport] in
            try await transport.send(HTTPRequest("GET", url, bodyLimit: limit))
        }
    }

    @Test func anAnswerHasStatusHeadersAndBody() async throws {
        let server = try LoopbackServer.answering { _ in
            LoopbackAnswer(201, headers: [("X-One", "1"), ("x-one", "2")], text: "hello")
        }
        let answer = try await get(server.url + "/a?b=c")
        #expect(answer.status == 201)
        #expect(answer.headers.values("X-ONE") == ["1", "2"])
        #expect(answer.body == Array("hello".utf8))
        #expect(answer.url == server.url + "/a?b=c")
        #expect(answer.version == "HTTP/1.1")
        #expect(server.requests.first?.target == "/a?b=c")
    }

    @Test func aConnectionIsUsedAgain() async throws {
        let server = try LoopbackServer.answering { LoopbackAnswer(text: $0.target) }
        for path in ["/1", "/2", "/3"] {
            #expect(try await get(server.url + path).body == Array(path.utf8))
        }
        #expect(server.accepted == 1)
    }

    /// The port at the other end of a socket; nil for what is none.
    private func peerPort(of descriptor: Int32) -> Int? {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &size) }
        }
        return result == 0 ? Int(UInt16(bigEndian: address.sin_port)) : nil
    }

    @Test("Programs that are started do not get the sockets of requests")
    func socketsStayHere() async throws {
        let server = try LoopbackServer.answering { LoopbackAnswer(text: $0.target) }
        _ = try await get(server.url)
        let sockets = (0..<1_024).filter { peerPort(of: $0) == server.port }
        #expect(!sockets.isEmpty)
        for socket in sockets { #expect(fcntl(socket, F_GETFD) & FD_CLOEXEC != 0) }
    }

    @Test func aChunkedBodyIsPutTogether() async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
            try connection.write("7\r\n, world\r\n0\r\nX-Trailer: 1\r\n\r\n")
        }
        let answer = try await get(server.url)
        #expect(answer.body == Array("hello, world".utf8))
        #expect(answer.headers["X-Trailer"] == nil)
    }

    @Test func aBodyWithoutLengthEndsWithTheConnection() async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write("HTTP/1.0 200 OK\r\n\r\nall of it")
        }
        #expect(try await get(server.url).body == Array("all of it".utf8))
    }

    /// What `gzip -n` and `brotli` make of "hello".
    private static let compressed: [String: [UInt8]] = [
        "gzip": [
            0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 7, 0, 0x86, 0xA6, 0x10, 0x36, 5,
            0,
            0, 0,
        ],
        "br": [0x0B, 0x02, 0x80, 0x68, 0x65, 0x6C, 0x6C, 0x6F, 0x03],
    ]

    @Test(arguments: ["gzip", "br"]) func aCompressedBodyIsUncompressed(encoding: String) async throws {
        let server = try LoopbackServer.answering { _ in
            LoopbackAnswer(headers: [("Content-Encoding", encoding)], body: Self.compressed[encoding] ?? [])
        }
        #expect(try await get(server.url).body == Array("hello".utf8))
        let offers = server.requests.first?.header("Accept-Encoding")?.split(separator: ",") ?? []
        #expect(offers.contains { $0.drop { $0 == " " } == encoding })
    }

    @Test func anInterimAnswerIsNotTheAnswer() async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write("HTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\n")
            try connection.write(LoopbackAnswer(text: "late").bytes)
        }
        let answer = try await get(server.url)
        #expect(answer.status == 200)
        #expect(answer.headers["X-Early"] == nil)
    }

    @Test(arguments: [200, 204, 301, 304, 400, 401, 403, 404, 409, 412, 413, 429, 500, 503])
    func anyStatusIsAnAnswer(status: Int) async throws {
        let server = try LoopbackServer.answering { _ in
            LoopbackAnswer(status, headers: [("Retry-After", "7")])
        }
        let answer = try await get(server.url)
        #expect(answer.status == status)
        #expect(answer.headers["retry-after"] == "7")
    }

    @Test func htmlIsAnAnswerLikeAnyOther() async throws {
        let server = try LoopbackServer.answering { _ in
            LoopbackAnswer(headers: [("Content-Type", "text/html")], text: "<html></html>")
        }
        let answer = try await get(server.url)
        #expect(answer.headers["Content-Type"] == "text/html")
        #expect(answer.body == Array("<html></html>".utf8))
    }

    @Test(arguments: ["POST", "PUT", "PATCH", "DELETE"])
    func aBodyIsSentAsItIs(method: String) async throws {
        let server = try LoopbackServer.answering { LoopbackAnswer(body: $0.body) }
        let body = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
        for headers in [[:], ["Idempotency-Key": "k"]] as [HTTPHeaders] {
            let answer = try await inTime { [transport] in
                try await transport.send(HTTPRequest(method, server.url, headers: headers, body: body))
            }
            #expect(answer.body == body)
        }
        let request = try #require(server.requests.first)
        #expect(request.method == method)
        #expect(request.header("Content-Length") == "300000")
        #expect(request.header("Expect") == nil)
        #expect(request.header("Content-Type") == nil)
    }

    @Test(arguments: ["DELETE", "POST"])
    func aWriteNeedsNoBody(method: String) async throws {
        let server = try LoopbackServer.answering { LoopbackAnswer(text: $0.method) }
        let answer = try await inTime { [transport] in
            try await transport.send(HTTPRequest(method, server.url))
        }
        #expect(answer.body == Array(method.utf8))
        #expect(server.requests.first?.body.isEmpty == true)
    }

    @Test func headHasNoBody() async throws {
        let server = try LoopbackServer { connection in
            while try connection.readRequest() != nil {
                try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
            }
        }
        let answer = try await inTime { [transport] in
            try await transport.send(HTTPRequest("HEAD", server.url))
        }
        #expect(answer.body.isEmpty)
        #expect(answer.headers["Content-Length"] == "5")
    }

    @Test func headersAreSentAsGiven() async throws {
        let server = try LoopbackServer.answering { _ in LoopbackAnswer() }
        var headers: HTTPHeaders = ["X-Empty": "", "X-Text": "gr\u{fc}n, \"so\""]
        headers.add("X-Text", "again")
        let request = HTTPRequest("GET", server.url, headers: headers)
        _ = try await inTime { [transport] in try await transport.send(request) }
        let seen = try #require(server.requests.first)
        #expect(seen.header("X-Empty") == "")
        #expect(seen.headers.filter { $0.name == "X-Text" }.map(\.value) == ["gr\u{fc}n, \"so\"", "again"])
    }

    @Test(arguments: ["a\r\nX-Evil: 1", "a\u{0}b", "a\nb"])
    func aHeaderWithControlCharactersIsNotSent(value: String) async throws {
        let server = try LoopbackServer.answering { _ in LoopbackAnswer() }
        let error = await failure { [transport] in
            try await transport.send(HTTPRequest("GET", server.url, headers: ["X-Bad": value]))
        }
        #expect(error?.code == .invalidRequest)
        #expect(server.accepted == 0)
    }

    @Test(arguments: ["", "nonsense", "ftp://127.0.0.1/", "file:///etc/hostname", "http://", "http://a b/"])
    func whatIsNoWebURLIsRefused(url: String) async {
        let error = await failure { [transport] in try await transport.send(HTTPRequest("GET", url)) }
        #expect(error?.code == .invalidRequest)
    }

    @Test func manyRequestsAtOnceShareAFewConnections() async throws {
        var options = CurlTransport.Options()
        options.requestsPerServer = 8
        let transport = CurlTransport(options)
        let server = try LoopbackServer.answering { LoopbackAnswer(text: $0.target) }
        let wrong = try await inTime {
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<500 {
                    group.addTask {
                        let answer = try await transport.send(HTTPRequest("GET", server.url + "/\(number)"))
                        return answer.body == Array("/\(number)".utf8)
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 0 : 1) }
            }
        }
        #expect(wrong == 0)
        #expect(server.accepted <= 8)
    }
}
