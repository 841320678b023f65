import RemoteData
import Testing

@testable import RemoteDataServer

struct HTTPPartsTests {
    @Test(arguments: [
        (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
        (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (951_868_799, "Tue, 29 Feb 2000 23:59:59 GMT"),
        (1_709_164_800, "Thu, 29 Feb 2024 00:00:00 GMT"), (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
        (1_795_241_193, "Sat, 21 Nov 2026 06:06:33 GMT"),
    ])
    func dateIsWrittenAsHTTPHasIt(seconds: Int, text: String) {
        #expect(HTTPDate.text(secondsSince1970: seconds) == text)
    }

    @Test(arguments: [
        ("a%20b", "a b"), ("a+b", "a+b"), ("%2F%2f", "//"), ("%C3%A4", "ä"), ("%25", "%"), ("", ""),
        ("ä", "ä"),
    ])
    func percentEncodingIsUndone(text: String, expected: String) {
        #expect(PercentEncoding.decoded(text) == expected)
    }

    @Test(arguments: ["%", "%2", "%G0", "%+1", "%C3", "%FF", "a%ED%A0%80"])
    func brokenPercentEncodingIsNoText(text: String) {
        #expect(PercentEncoding.decoded(text) == nil)
    }

    private func head(_ fields: [(String, String)]) -> HTTPRequestHead {
        HTTPRequestHead(method: "GET", target: "/", fields: fields.map { HTTPField(name: $0, value: $1) })
    }

    /// Why a request is refused by a server with a token or none.
    private func refusal(_ token: String?, _ fields: [(String, String)]) -> HTTPRefusal? {
        do throws(HTTPRefusal) {
            _ = try Authorization(token: token).caller(of: head(fields))
            return nil
        } catch { return error }
    }

    @Test(arguments: [
        [("authorization", "Bearer secret")], [("authorization", "bearer  secret")],
        [("user-token", "secret")],
        [("authorization", "Bearer wrong"), ("user-token", "secret")],
        [("user-token", "secret"), ("origin", "http://elsewhere"), ("host", "example.com")],
    ])
    func whoKnowsTheTokenMayAsk(fields: [(String, String)]) {
        #expect(refusal("secret", fields) == nil)
    }

    @Test(arguments: [
        [], [("authorization", "secret")], [("authorization", "Basic secret")], [("user-token", "secre")],
        [("user-token", "secrets")], [("user-token", "secretsecret")], [("user-token", "")],
        [("user-token", "SECRET")],
    ])
    func whoDoesNotKnowTheTokenMayNot(fields: [(String, String)]) {
        #expect(refusal("secret", fields)?.code == 3064)
        #expect(refusal("", fields)?.code == 3064)
    }

    @Test(arguments: [
        [("host", "localhost:80")], [("host", "127.0.0.1")], [("host", "[::1]:8080")], [],
        [("host", "localhost:80"), ("origin", "http://localhost:80")],
        [("host", "localhost:80"), ("origin", "http://localhost")],
        [("host", "localhost"), ("origin", "https://LOCALHOST:443")],
    ])
    func programsOfThisMachineMayAskWithoutAToken(fields: [(String, String)]) {
        #expect(refusal(nil, fields) == nil)
    }

    @Test(arguments: [
        [("host", "example.com")], [("host", "localhost.example.com")], [("host", "127.0.0.1.example.com")],
        [("host", "localhost:80"), ("origin", "http://localhost:81")],
        [("host", "localhost"), ("origin", "null")],
        [("host", "[::1].example.com")], [("host", "[::1]x")], [("host", "[::1]:8080.example.com")],
        [("host", "localhost"), ("origin", "")], [("host", "localhost"), ("origin", "localhost")],
        [("host", "localhost:80"), ("origin", "https://localhost")],
    ])
    func foreignWebPagesMayNotAskWithoutAToken(fields: [(String, String)]) {
        #expect(refusal(nil, fields)?.status == 403)
    }

    @Test(arguments: [
        "127.0.0.1", "127.1.2.3", "127.255.255.255", "::1", "[::1]", "LOCALHOST", "a.localhost",
        "1.localhost",
    ])
    func loopbackIsKnown(host: String) { #expect(ListenAddress.isLoopback(host)) }

    @Test(arguments: [
        "0.0.0.0", "::", "10.0.0.1", "127.0.0", "127.0.0.1.nip.io", "localhost.com", "", "127.0.0.256",
        "127.0.0.1.",
        "127..0.1", "127.0.0.1.2", "128.0.0.1", "1270.0.0.1", "127.0.0.-1", "127.0.0.99999999999999999999",
        "127",
    ])
    func everythingElseIsNotLoopback(host: String) { #expect(!ListenAddress.isLoopback(host)) }

    @Test func writeOptionsAreRead() throws {
        let options = try WriteOptions(head([("if-match", "\"17\""), ("idempotency-key", "k")]))
        #expect(options.ifRevision == Revision(17))
        #expect(options.idempotencyKey == "k")
        #expect(try WriteOptions(head([("if-match", "*")])).ifRevision == nil)
    }

    @Test(arguments: ["17", "W/\"17\"", "\"a\"", "\"1\", \"2\"", "\"\"", ""])
    func anIfMatchThatCannotBeReadIsRefused(text: String) {
        #expect(throws: HTTPRefusal.self) { try WriteOptions(head([("if-match", text)])) }
    }

    @Test(arguments: ["", String(repeating: "k", count: 201)])
    func anIdempotencyKeyHas1To200Bytes(key: String) {
        #expect(throws: HTTPRefusal.self) { try WriteOptions(head([("idempotency-key", key)])) }
    }
}
