import RemoteDataNetwork
import Testing

@Suite(.enabled(if: TLSFixture.openssl != nil, "needs the openssl command"))
struct LWSTLSTests {
    private func serve(_ fixture: TLSFixture) throws -> TLSServer {
        try TLSServer(fixture) { connection in
            try connection.acceptWebSocket()
            while true {
                let message = try connection.readMessage()
                try connection.sendFrame(message.opcode, message.payload)
            }
        }
    }

    private func transport(trusting file: String?) -> LWSTransport {
        var options = LWSTransport.Options()
        options.extraCAFile = file
        return LWSTransport(options)
    }

    @Test(arguments: ["wss://localhost", "https://127.0.0.1"])
    func aCertificateByATrustedAuthorityIsAccepted(host: String) async throws {
        let fixture = try #require(TLSFixture.shared)
        let server = try serve(fixture)
        let transport = transport(trusting: fixture.authority)
        let connection = try await inTime {
            try await transport.connect(WebSocketRequest("\(host):\(server.port)/"))
        }
        let large = String(repeating: "secret ", count: 100_000)
        try await inTime { try await connection.send(large) }
        #expect(try await inTime { try await connection.receiveBatch() }.map(\.text) == [large])
    }

    @Test func anUnreadSecureSocketGoesOnLater() async throws {
        let fixture = try #require(TLSFixture.shared)
        let server = try TLSServer(fixture) { connection in
            try connection.acceptWebSocket()
            for number in 0..<3_000 {
                try connection.sendText("\(number) " + String(repeating: "x", count: 1_000))
            }
            connection.waitForClose()
        }
        let transport = transport(trusting: fixture.authority)
        var request = WebSocketRequest("wss://localhost:\(server.port)/")
        request.limits.bufferedMessages = 5
        let connection = try await inTime { [request] in try await transport.connect(request) }
        let numbers = try await inTime {
            var numbers: [Int] = []
            while numbers.count < 3_000 {
                numbers += try await connection.receiveBatch().compactMap {
                    Int($0.text.prefix { $0 != " " })
                }
            }
            return numbers
        }
        #expect(numbers == Array(0..<3_000))
    }

    @Test func anUnknownAuthorityIsRefused() async throws {
        let server = try serve(try #require(TLSFixture.shared))
        let transport = transport(trusting: nil)
        let error = await failure {
            _ = try await transport.connect(WebSocketRequest("wss://localhost:\(server.port)/"))
        }
        #expect(error?.code == .tls, "\(String(describing: error))")
        #expect(error?.isTransient == false)
    }

    @Test func aCertificateForAnotherHostIsRefused() async throws {
        let fixture = try TLSFixture(names: "DNS:example.com")
        let server = try serve(fixture)
        let transport = transport(trusting: fixture.authority)
        let error = await failure {
            _ = try await transport.connect(WebSocketRequest("wss://localhost:\(server.port)/"))
        }
        #expect(error?.code == .tls)
    }

    @Test func aServerWithoutTLSIsRefused() async throws {
        let server = try LoopbackServer { connection in
            _ = try? connection.read(5)
            try connection.write("HTTP/1.1 400 Bad Request\r\n\r\n")
        }
        let transport = transport(trusting: nil)
        let error = await failure {
            _ = try await transport.connect(WebSocketRequest("wss://localhost:\(server.port)/"))
        }
        #expect(error?.code == .tls)
    }
}
