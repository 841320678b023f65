import Testing

@testable import RemoteDataNetwork

@Suite struct RedirectRuleTests {
    private func step(_ request: HTTPRequest, _ status: Int, _ location: String?) throws -> RedirectRule.Step
    {
        var rule = RedirectRule()
        return rule.answered(request, at: try Endpoint(request.url), status: status, location: location)
    }

    @Test(arguments: [
        "http://a/": "http://a/x", "http://a:80/": "http://a/x", "https://A/": "https://a:443/x",
    ])
    func theSameServerIsFollowedWithEverything(from: String, to: String) throws {
        let request = HTTPRequest("GET", from, headers: ["Authorization": "secret", "X": "1"])
        var next = request
        next.url = to
        #expect(try step(request, 302, to) == .follow(next))
    }

    @Test(arguments: [
        "http://a/": "http://b/", "http://a:81/": "http://a:82/", "http://a./": "https://a/",
        "https://a/": "https://a.b/",
    ])
    func anotherServerGetsHarmlessHeadersOnly(from: String, to: String) throws {
        var request = HTTPRequest(
            "GET",
            from,
            headers: ["Accept": "x", "Authorization": "s", "Anything": "s"]
        )
        request.headers.add("Range", "secret", isSensitive: true)
        guard case .follow(let next) = try step(request, 307, to) else {
            Issue.record("not followed")
            return
        }
        #expect(next.headers == ["Accept": "x"])
        #expect(next.url == to)
    }

    @Test func fromSecureToInsecureIsRefused() throws {
        guard case .refuse = try step(HTTPRequest("GET", "https://a/"), 301, "http://a/") else {
            Issue.record("not refused")
            return
        }
    }

    @Test(arguments: [200, 300, 304, 305, 306, 400]) func otherStatusesAreDelivered(status: Int) throws {
        #expect(try step(HTTPRequest("GET", "http://a/"), status, "http://b/") == .deliver)
    }

    @Test(arguments: ["POST", "PUT", "PATCH", "DELETE"]) func writesAreDelivered(method: String) throws {
        #expect(try step(HTTPRequest(method, "http://a/"), 307, "http://a/b") == .deliver)
    }

    @Test(arguments: [nil, "", "relative", "ftp://a/"]) func noUsableLocationIsDelivered(location: String?)
        throws
    {
        #expect(try step(HTTPRequest("GET", "http://a/"), 302, location) == .deliver)
    }
}
