import Foundation
import RemoteDataNetwork
import Testing

@Suite(
    .enabled(if: HTTP2Server.command != nil, "needs the nghttpd command, of Debian's package nghttp2-server"),
    .enabled(if: TLSFixture.openssl != nil, "needs the openssl command")
)
struct CurlHTTP2Tests {
    private func transport(_ fixture: TLSFixture) -> CurlTransport {
        var options = CurlTransport.Options()
        options.extraCAFile = fixture.authority
        return CurlTransport(options)
    }

    @Test func itIsSpokenWhereItIsOffered() async throws {
        let fixture = try TLSFixture()
        try "hello".write(
            to: fixture.folder.appending(path: "greeting"),
            atomically: true,
            encoding: .utf8
        )
        let server = try HTTP2Server(fixture, folder: fixture.folder)
        let transport = transport(fixture)
        let answer = try await inTime {
            try await transport.send(HTTPRequest("GET", server.url + "/greeting"))
        }
        #expect(answer.version == "HTTP/2")
        #expect(answer.status == 200)
        #expect(answer.body == Array("hello".utf8))
    }

    @Test(arguments: [[:], ["Idempotency-Key": "k"]] as [HTTPHeaders])
    func manyWritesAtOnceKeepTheirBodies(headers: HTTPHeaders) async throws {
        let fixture = try #require(TLSFixture.shared)
        let server = try HTTP2Server(fixture, folder: fixture.folder)
        let transport = transport(fixture)
        let url = server.url + "/echo"
        let answers = try await inTime {
            try await withThrowingTaskGroup(of: (body: [UInt8], answer: HTTPResponse).self) { group in
                for number in 0..<20 {
                    group.addTask {
                        let body = [UInt8](repeating: UInt8(number), count: 10_000 + number)
                        let request = HTTPRequest("POST", url, headers: headers, body: body)
                        return (body, try await transport.send(request))
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }
        #expect(answers.count == 20)
        for (body, answer) in answers {
            #expect(answer.version == "HTTP/2")
            #expect(answer.body == body)
        }
    }
}
