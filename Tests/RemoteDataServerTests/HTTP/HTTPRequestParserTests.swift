import Testing

@testable import RemoteDataServer

struct HTTPRequestParserTests {
    static func events(_ text: String, partSize: Int = .max, headerLimit: Int = 400, bodyLimit: Int = 50)
        -> [HTTPRequestParser.Event]
    {
        var parser = HTTPRequestParser(headerLimit: headerLimit, bodyLimit: bodyLimit)
        var events: [HTTPRequestParser.Event] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            parser.append(rest.prefix(partSize))
            rest = rest.dropFirst(partSize)
            while let event = parser.next() { events.append(event) }
        }
        return events
    }

    static func refusal(_ text: String) -> HTTPRefusal? {
        if case .refusal(let refusal) = events(text).last { refusal } else { nil }
    }

    private let pipelined =
        "\r\nGET /a?x=1 HTTP/1.1\r\nHost: h\r\n\r\nPOST /b HTTP/1.1\r\nhost: h\r\nContent-Length: 5\r\n\r\nhello"
        + "PUT /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "3 ;x=y\r\nabc\r\n2\t\r\nde\r\n0\r\nT: v\r\n\r\n"
        + "GET /d HTTP/1.0\r\n\r\n"

    @Test(arguments: [1, 2, 3, 7, 50, 10_000])
    func requestsAreTheSameHoweverTheyAreCut(partSize: Int) {
        let requests = Self.events(pipelined, partSize: partSize).compactMap { event -> HTTPRequest? in
            if case .request(let request) = event { request } else { nil }
        }
        #expect(requests.map(\.head.target) == ["/a?x=1", "/b", "/c", "/d"])
        #expect(requests.map(\.head.method) == ["GET", "POST", "PUT", "GET"])
        #expect(requests.map { String(decoding: $0.body, as: UTF8.self) } == ["", "hello", "abcde", ""])
        #expect(requests.map(\.head.keepsAlive) == [true, true, true, false])
    }

    @Test func aHeadIsToldBeforeItsBodyComes() {
        let events = Self.events(
            "POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-Continue\r\nContent-Length: 3\r\n\r\n"
        )
        guard case .head(let head) = events.first, events.count == 1 else {
            Issue.record("\(events)")
            return
        }
        #expect(head.expectsContinue)
        #expect(head.framing == .length(3))
    }

    @Test func fieldNamesAreReadInAnyCaseAndValuesTrimmed() throws {
        guard
            case .request(let request) = Self.events("GET / HTTP/1.1\r\nHOST: h\r\nX-a: \t b c \r\n\r\n")
                .first
        else {
            Issue.record("no request")
            return
        }
        #expect(request.head["x-a"] == "b c")
        #expect(request.head["X-A"] == nil)
    }

    /// The Kelvin sign is a k in small letters.
    @Test func wordsAreThoseOfASCII() throws {
        let text = "GET / HTTP/1.1\r\nHost: h\r\nConnection: \u{212A}eep-alive, CLOSE\r\n"
        let head = try HTTPRequestHead.parse(Array(text.utf8)[...])
        #expect(head.tokens(of: "connection") == ["\u{212A}eep-alive", "close"])
        let chunked = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chun\u{212A}ed\r\n\r\n"
        #expect(Self.refusal(chunked)?.status == 501)
    }

    @Test func valuesThatAreNotUTF8StayDifferent() throws {
        let heads = try [[0xE9], [0xE8]].map { (bytes: [UInt8]) in
            try HTTPRequestHead.parse(
                (Array("GET / HTTP/1.1\r\nHost: h\r\nK: ".utf8) + bytes + Array("\r\n\r\n".utf8))[...]
            )
        }
        #expect(heads[0]["k"] != heads[1]["k"])
    }

    @Test(arguments: [
        ("http://other:80/a?b", "/a?b"), ("HTTPS://other", "/"), ("http://o?x=1", "/?x=1"), ("/%2F", "/%2F"),
        ("/a//b/../c+d", "/a//b/../c+d"),
    ])
    func aTargetIsTakenAsItIs(target: String, expected: String) {
        guard case .request(let request) = Self.events("GET \(target) HTTP/1.1\r\nHost: h\r\n\r\n").first
        else {
            Issue.record("no request")
            return
        }
        #expect(request.head.target == expected)
    }

    @Test(arguments: [
        "\u{16}\u{3}\u{1}garbage\r\n\r\n", "GET /\r\n\r\n", "GET / HTTP/2.0\r\nHost: h\r\n\r\n",
        "GET  / HTTP/1.1\r\nHost: h\r\n\r\n", "GET a HTTP/1.1\r\nHost: h\r\n\r\n",
        "G(T / HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET /ä HTTP/1.1\r\nHost: h\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nno colon\r\n\r\n", "GET / HTTP/1.1\r\nHost : h\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\n folded\r\n\r\n", "GET / HTTP/1.1\nHost: h\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nX: a\u{0}b\r\n\r\n", "GET / HTTP/1.1\r\nHost: h\r\nX: a\rb\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: +1\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: \r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1, 1\r\n\r\n",
    ])
    func whatTwoReadersCouldTakeDifferentlyIsRefused(text: String) {
        let refusal = Self.refusal(text)
        #expect(refusal?.status == 400)
        #expect(refusal?.code == 1000)
    }

    @Test(arguments: ["\u{16}", "\u{0}", "é", " ", "\n", "\r\n\u{16}"])
    func whatCanBeginNoRequestIsRefusedAtItsFirstByte(text: String) {
        #expect(Self.refusal(text)?.status == 400)
    }

    @Test func tlsIsToldWhatToDo() {
        #expect(Self.refusal("\u{16}")?.message.contains("http:// instead of https://") == true)
    }

    @Test func anUnknownCodingIsNotImplemented() {
        let text = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"
        #expect(Self.refusal(text)?.status == 501)
    }

    @Test func whatIsTooLongIsRefusedBeforeItEnds() {
        #expect(Self.refusal("GET /" + String(repeating: "a", count: 500))?.status == 414)
        let fields = String(repeating: "X: y\r\n", count: 100)
        #expect(Self.refusal("GET / HTTP/1.1\r\nHost: h\r\n" + fields)?.status == 431)
        #expect(Self.refusal("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 51\r\n\r\n")?.status == 413)
        #expect(
            Self.refusal("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999999999999\r\n\r\n")?.status
                == 413
        )
    }

    @Test func moreThanAHundredFieldsAreTooMany() {
        let fields = String(repeating: "X: y\r\n", count: 100)
        let events = Self.events("GET / HTTP/1.1\r\nHost: h\r\n" + fields + "\r\n", headerLimit: 10_000)
        guard case .refusal(let refusal) = events.first else {
            Issue.record("\(events)")
            return
        }
        #expect(refusal.status == 431)
    }

    @Test func nothingIsReadBehindARefusal() {
        #expect(Self.events("bad\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n", partSize: 10).count == 1)
    }

    private static let chunkedHead = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"

    @Test(arguments: [
        "x\r\n", "-1\r\n", "+1\r\n", "\r\n", "3\r\nabcd\r\n", "3\nabc", "1111111111111111\r\n", " 3\r\n",
        "\t3\r\n",
        "3 x\r\n", "3\r;x\r\n", "3;x\ry\r\n", "0x3\r\n", "\u{FF13}\r\n", "3\u{A0}\r\n",
    ])
    func aBrokenChunkIsRefused(body: String) {
        #expect(Self.refusal(Self.chunkedHead + body)?.status == 400)
    }

    @Test func chunksOverTheLimitAreTooLarge() {
        #expect(Self.refusal(Self.chunkedHead + "33\r\n")?.status == 413)
        let many = String(repeating: "5\r\nabcde\r\n", count: 10)
        #expect(Self.refusal(Self.chunkedHead + many) == nil)
        #expect(Self.refusal(Self.chunkedHead + many + "1\r\n")?.status == 413)
    }

    @Test func endlessLinesBetweenChunksAreRefused() {
        let line = "1;" + String(repeating: "x", count: 5_000)
        #expect(Self.refusal(Self.chunkedHead + line)?.status == 400)
        let trailers = String(repeating: "T: " + String(repeating: "v", count: 4_000) + "\r\n", count: 5)
        #expect(Self.refusal(Self.chunkedHead + "0\r\n" + trailers)?.status == 400)
    }

    @Test func whatFollowsARequestCanBeTakenOver() {
        var parser = HTTPRequestParser(headerLimit: 400, bodyLimit: 50)
        parser.append(Array("GET / HTTP/1.1\r\nHost: h\r\n\r\nrest".utf8))
        _ = parser.next()
        #expect(parser.isInsideRequest)
        #expect(String(decoding: parser.takeRest(), as: UTF8.self) == "rest")
    }
}
