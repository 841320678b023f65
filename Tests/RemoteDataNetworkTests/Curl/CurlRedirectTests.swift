import RemoteDataNetwork
import RemoteDataTesting
import Testing

@Suite struct CurlRedirectTests {
    let transport = CurlTransport()

    private var request: HTTPRequest {
        var headers: HTTPHeaders = ["Accept": "application/json", "user-token": "secret", "X-Custom": "mine"]
        headers.add("Authorization", "Bearer secret", isSensitive: true)
        headers.add("Cookie", "session=secret")
        return HTTPRequest("GET", "", headers: headers)
    }

    private func get(_ url: String, _ method: String = "GET") async throws -> HTTPResponse {
        var request = request
        request.method = method
        request.url = url
        return try await inTime { [transport, request] in try await transport.send(request) }
    }

    @Test(arguments: [301, 302, 303, 307, 308], ["GET", "HEAD"])
    func aReadIsRedirectedOnTheSameServerWithItsCredentials(status: Int, method: String) async throws {
        let server = try LoopbackServer.answering { request in
            request.target == "/new"
                ? LoopbackAnswer(headers: [("X-There", "1")])
                : LoopbackAnswer(status, headers: [("Location", "/new")])
        }
        let answer = try await get(server.url + "/old", method)
        #expect(answer.status == 200)
        #expect(answer.headers["X-There"] == "1")
        #expect(answer.url == server.url + "/new")
        let last = try #require(server.requests.last)
        #expect(last.method == method)
        #expect(last.header("Authorization") == "Bearer secret")
        #expect(last.header("user-token") == "secret")
    }

    @Test func anotherServerGetsNoCredentials() async throws {
        let other = try LoopbackServer.answering { _ in LoopbackAnswer(text: "there") }
        let server = try LoopbackServer.answering { _ in
            LoopbackAnswer(302, headers: [("Location", other.url + "/x")])
        }
        let answer = try await get(server.url)
        #expect(answer.body == Array("there".utf8))
        let seen = try #require(other.requests.first)
        for name in ["Authorization", "user-token", "X-Custom", "Cookie"] {
            #expect(seen.header(name) == nil)
        }
        #expect(seen.header("Accept") == "application/json")
        #expect(!seen.headers.contains { $0.value.contains("secret") })
    }

    @Test func credentialsDoNotComeBackWithARedirectBack() async throws {
        let url = Watched("")
        let other = try LoopbackServer.answering { _ in
            LoopbackAnswer(302, headers: [("Location", url.value + "/back")])
        }
        let server = try LoopbackServer.answering { request in
            request.target == "/back"
                ? LoopbackAnswer() : LoopbackAnswer(302, headers: [("Location", other.url)])
        }
        url.change { [url = server.url] in $0 = url }
        #expect(try await get(server.url).status == 200)
        #expect(server.requests.last?.header("Authorization") == nil)
    }

    @Test func theSixthRedirectIsRefused() async throws {
        let server = try LoopbackServer.answering { _ in
            LoopbackAnswer(302, headers: [("Location", "/again")])
        }
        let error = await failure { try await get(server.url) }
        #expect(error?.code == .protocolError)
        #expect(server.requests.count == 6)
    }

    @Test(arguments: ["POST", "PUT", "DELETE"])
    func aWriteIsNotRedirected(method: String) async throws {
        let server = try LoopbackServer.answering { _ in LoopbackAnswer(307, headers: [("Location", "/new")])
        }
        #expect(try await get(server.url, method).status == 307)
        #expect(server.requests.count == 1)
    }

    @Test(arguments: [nil, "", "ftp://127.0.0.1/", "file:///etc/passwd", "http://"])
    func aRedirectToNowhereIsTheAnswer(location: String?) async throws {
        let server = try LoopbackServer.answering { _ in
            LoopbackAnswer(302, headers: location.map { [("Location", $0)] } ?? [])
        }
        let answer = try? await get(server.url)
        #expect(answer?.status == 302 || server.requests.count > 1)
        #expect(server.requests.allSatisfy { $0.method == "GET" })
    }
}
