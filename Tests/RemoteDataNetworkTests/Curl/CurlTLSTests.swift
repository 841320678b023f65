import Foundation
import RemoteDataNetwork
import Testing

@Suite(.enabled(if: TLSFixture.openssl != nil, "needs the openssl command"))
struct CurlTLSTests {
    private func serve(_ fixture: TLSFixture) throws -> TLSServer {
        try TLSServer(fixture) { connection in
            while let request = try connection.readRequest() {
                try connection.write(LoopbackAnswer(text: request.target).bytes)
            }
        }
    }

    private func transport(trusting file: String?) -> CurlTransport {
        var options = CurlTransport.Options()
        options.extraCAFile = file
        return CurlTransport(options)
    }

    @Test(arguments: ["localhost", "127.0.0.1"])
    func aCertificateByATrustedAuthorityIsAccepted(host: String) async throws {
        let fixture = try #require(TLSFixture.shared)
        let server = try serve(fixture)
        let transport = transport(trusting: fixture.authority)
        let answer = try await inTime {
            try await transport.send(HTTPRequest("GET", "https://\(host):\(server.port)/secure"))
        }
        #expect(answer.body == Array("/secure".utf8))
    }

    @Test func anUnknownAuthorityIsRefused() async throws {
        let server = try serve(try #require(TLSFixture.shared))
        let transport = transport(trusting: nil)
        let error = await failure {
            try await transport.send(HTTPRequest("GET", "https://localhost:\(server.port)/"))
        }
        #expect(error?.code == .tls)
        #expect(error?.isTransient == false)
    }

    @Test func aCertificateForAnotherHostIsRefused() async throws {
        let fixture = try TLSFixture(names: "DNS:example.com")
        let server = try serve(fixture)
        let transport = transport(trusting: fixture.authority)
        let error = await failure {
            try await transport.send(HTTPRequest("GET", "https://localhost:\(server.port)/"))
        }
        #expect(error?.code == .tls)
    }

    @Test func aServerWithoutTLSIsRefused() async throws {
        let server = try LoopbackServer.answering { _ in LoopbackAnswer() }
        let transport = transport(trusting: nil)
        let error = await failure {
            try await transport.send(HTTPRequest("GET", "https://localhost:\(server.port)/"))
        }
        #expect(error?.code == .tls)
    }

    @Test func aRedirectFromHTTPSToHTTPIsRefused() async throws {
        let fixture = try #require(TLSFixture.shared)
        let plain = try LoopbackServer.answering { _ in LoopbackAnswer() }
        let server = try TLSServer(fixture) { connection in
            _ = try connection.readRequest()
            try connection.write(LoopbackAnswer(302, headers: [("Location", plain.url)]).bytes)
            connection.waitForClose()
        }
        let transport = transport(trusting: fixture.authority)
        let error = await failure {
            try await transport.send(HTTPRequest("GET", "https://localhost:\(server.port)/"))
        }
        #expect(error?.code == .protocolError)
        #expect(plain.accepted == 0)
    }
}
