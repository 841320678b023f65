import Testing

@testable import RemoteDataNetwork

/// The examples and rules of WHATWG HTML, section 9.2.6.
@Suite struct EventStreamParserTests {
    private func events(_ text: String, cutEvery size: Int = .max, limit: Int = 10_000) throws
        -> [ServerSentEvent]
    {
        var parser = EventStreamParser(limit: limit)
        var events: [ServerSentEvent] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            events += try parser.take(Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        return events
    }

    @Test func linesOfDataAreJoinedByLineFeeds() throws {
        let events = try events("data: YHOO\ndata: +2\ndata: 10\n\n")
        #expect(events.map(\.text) == ["YHOO\n+2\n10"])
        #expect(events.map(\.name) == ["message"])
    }

    @Test func commentsAndUnknownFieldsSayNothing() throws {
        #expect(try events(": test stream\n\ncolour: red\ndata: x\n\n").map(\.text) == ["x"])
    }

    @Test func dataMayBeEmptyAndAnEventWithoutDataIsNone() throws {
        #expect(try events("data\n\ndata\ndata\n\ndata:").map(\.text) == ["", "\n"])
        #expect(try events("event: add\nid: 7\n\n").isEmpty)
    }

    @Test func oneSpaceBehindTheColonIsNotPartOfTheValue() throws {
        #expect(
            try events("data:test\n\ndata: test\n\ndata:  test\n\n").map(\.text) == ["test", "test", " test"]
        )
    }

    @Test func theNameHoldsForOneEvent() throws {
        #expect(try events("event: add\ndata: 1\n\ndata: 2\n\n").map(\.name) == ["add", "message"])
    }

    @Test func theIDStaysUntilThereIsAnother() throws {
        let events = try events("id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\nid: x\u{0}\ndata: d\n\n")
        #expect(events.map(\.id) == ["1", "1", "", ""])
    }

    @Test func theTimeBeforeConnectingAgainIsOfDigits() throws {
        var parser = EventStreamParser(limit: 100)
        _ = try parser.take(Array("retry: 1500\nretry: 2s\nretry:\n".utf8))
        #expect(parser.retryAfter == .milliseconds(1_500))
    }

    @Test(arguments: ["\n", "\r", "\r\n"]) func linesEndInThreeWaysAndMayBeCutAnywhere(end: String) throws {
        let text = "\u{FEFF}event: PB_CONNECT\ndata: {}\n\n: x\ndata: é\ndata: b\n\n".split(
            separator: "\n",
            omittingEmptySubsequences: false
        ).joined(separator: end)
        let whole = try events(text)
        #expect(whole.map(\.name) == ["PB_CONNECT", "message"])
        #expect(whole.map(\.text) == ["{}", "é\nb"])
        for size in 1..<text.utf8.count { #expect(try events(text, cutEvery: size) == whole) }
    }

    @Test func anEventAboveTheLimitIsRefused() {
        let error = #expect(throws: NetworkError.self) {
            try events("data: 12345\ndata: 12345\n\n", limit: 15)
        }
        #expect(error?.code == .tooLarge)
        #expect(throws: NetworkError.self) { try events("data: 1234567890", limit: 15) }
    }
}
