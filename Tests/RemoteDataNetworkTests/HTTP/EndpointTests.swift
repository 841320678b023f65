import RemoteDataNetwork
import Testing

@Suite struct EndpointTests {
    @Test func aURLIsTakenApart() throws {
        let endpoint = try Endpoint("HTTPS://user:pw@Example.COM:8443/a/b?c=d#e")
        #expect(endpoint.scheme == "https")
        #expect(endpoint.host == "example.com")
        #expect(endpoint.port == 8_443)
        #expect(endpoint.target == "/a/b?c=d")
        #expect(endpoint.authority == "example.com:8443")
        #expect(endpoint.origin == "https://example.com:8443")
    }

    @Test(arguments: ["http://a": 80, "https://a": 443, "ws://a": 80, "wss://a": 443, "WSS://a": 443])
    func aMissingPortIsTheSchemesOwn(url: String, port: Int) throws {
        let endpoint = try Endpoint(url)
        #expect(endpoint.port == port)
        #expect(endpoint.isSecure == (port == 443))
        #expect(endpoint.authority == "a")
        #expect(endpoint.target == "/")
    }

    @Test func anAddressKeepsItsBracketsOnlyWhereNeeded() throws {
        let endpoint = try Endpoint("http://[::1]:8080/")
        #expect(endpoint.host == "::1")
        #expect(endpoint.authority == "[::1]:8080")
        #expect(endpoint.isLoopback)
    }

    @Test(arguments: ["localhost", "LOCALHOST", "a.localhost", "127.0.0.1", "127.8.9.1", "[::1]"])
    func thisMachineIsLoopback(host: String) throws {
        #expect(try Endpoint("http://\(host)/").isLoopback)
    }

    @Test(arguments: ["example.com", "localhost.example.com", "10.0.0.1", "mylocalhost"])
    func othersAreNot(host: String) throws {
        #expect(try Endpoint("http://\(host)/").isLoopback == false)
    }

    @Test(arguments: ["", "/path", "mailto:a@b", "http://", "http://a:0/", "http://a:99999/", "http://a b/"])
    func anythingElseIsRefused(url: String) {
        #expect(throws: NetworkError.self) { try Endpoint(url) }
    }

    @Test(arguments: ["http://a b/?token=secret", "ftp://a/?token=secret"])
    func whatIsRefusedIsToldWithoutItsQuery(url: String) {
        let error = #expect(throws: NetworkError.self) { try Endpoint(url) }
        #expect(error?.message.contains("a") == true)
        #expect(error.map { "\($0)".contains("secret") } == false)
    }
}
