import Foundation
import RemoteDataNetwork
import Testing

/// Proxies of the environment; each test has a process for itself, as the environment is the process's.
@Suite struct CurlProxyTests {
    /// Sets a variable of the environment, and takes away all others about proxies.
    private static func setProxy(_ name: String, _ value: String) {
        for other in ["http_proxy", "https_proxy", "all_proxy", "no_proxy"] {
            unsetenv(other)
            unsetenv(other.uppercased())
        }
        setenv(name, value, 1)
    }

    @Test func theProxyOfTheEnvironmentIsUsed() async {
        await #expect(processExitsWith: .success) {
            let proxy = try LoopbackServer.answering { LoopbackAnswer(text: $0.target) }
            Self.setProxy("http_proxy", proxy.url)
            let transport = CurlTransport()
            let answer = try await inTime {
                try await transport.send(HTTPRequest("GET", "http://table-server.invalid/people"))
            }
            #expect(answer.body == Array("http://table-server.invalid/people".utf8))
            #expect(proxy.requests.first?.header("Host") == "table-server.invalid")
        }
    }

    @Test func aTunnelThroughTheProxyIsAskedForWithHTTPS() async {
        await #expect(processExitsWith: .success) {
            let proxy = try LoopbackServer.answering { _ in LoopbackAnswer(403) }
            Self.setProxy("https_proxy", proxy.url)
            let transport = CurlTransport()
            let error = await failure {
                try await transport.send(HTTPRequest("GET", "https://table-server.invalid/people"))
            }
            #expect(error != nil)
            #expect(proxy.requests.first?.method == "CONNECT")
            #expect(proxy.requests.first?.target == "table-server.invalid:443")
        }
    }

    @Test func whatAProxySaysToATunnelIsNotTheBeginningOfAStream() async {
        await #expect(processExitsWith: .success) {
            let proxy = try LoopbackServer { connection in
                _ = try connection.readRequest()
                try connection.write("HTTP/1.1 200 Connection established\r\n\r\n")
            }
            Self.setProxy("https_proxy", proxy.url)
            let transport = CurlTransport()
            let error = await failure {
                try await transport.open(HTTPRequest("GET", "https://table-server.invalid/events")).head
                    .status
            }
            #expect(error != nil)
        }
    }

    @Test func thisMachineIsReachedWithoutTheProxy() async {
        await #expect(processExitsWith: .success) {
            let proxy = try LoopbackServer.answering { _ in LoopbackAnswer(text: "proxy") }
            let server = try LoopbackServer.answering { _ in LoopbackAnswer(text: "server") }
            Self.setProxy("http_proxy", proxy.url)
            let transport = CurlTransport()
            for host in ["127.0.0.1", "localhost"] {
                let answer = try await inTime {
                    try await transport.send(HTTPRequest("GET", "http://\(host):\(server.port)/"))
                }
                #expect(answer.body == Array("server".utf8))
            }
            #expect(proxy.accepted == 0)
        }
    }

    @Test func thisMachineIsReachedThroughTheProxyWhenAskedFor() async {
        await #expect(processExitsWith: .success) {
            let proxy = try LoopbackServer.answering { _ in LoopbackAnswer(text: "proxy") }
            let server = try LoopbackServer.answering { _ in LoopbackAnswer(text: "server") }
            Self.setProxy("http_proxy", proxy.url)
            var options = CurlTransport.Options()
            options.proxiesLoopback = true
            let transport = CurlTransport(options)
            let answer = try await inTime { try await transport.send(HTTPRequest("GET", server.url)) }
            #expect(answer.body == Array("proxy".utf8))
            #expect(server.accepted == 0)
        }
    }

    @Test func whatTheEnvironmentExceptsIsReachedWithoutTheProxy() async {
        await #expect(processExitsWith: .success) {
            let proxy = try LoopbackServer.answering { _ in LoopbackAnswer(text: "proxy") }
            Self.setProxy("http_proxy", proxy.url)
            setenv("no_proxy", "table-server.invalid", 1)
            let transport = CurlTransport()
            let error = await failure {
                try await transport.send(HTTPRequest("GET", "http://table-server.invalid/"))
            }
            #expect(error?.code == .unreachable)
            #expect(proxy.accepted == 0)
        }
    }

    @Test func aProxyThatIsNotResolvedIsUnreachableEachTime() async {
        await #expect(processExitsWith: .success) {
            Self.setProxy("http_proxy", "http://no-such-proxy.invalid:3128")
            let transport = CurlTransport()
            for _ in 1...3 {
                let error = await failure {
                    try await transport.send(HTTPRequest("GET", "http://table-server.invalid/"))
                }
                #expect(error?.code == .unreachable)
                #expect(error?.isTransient == true)
            }
        }
    }
}
