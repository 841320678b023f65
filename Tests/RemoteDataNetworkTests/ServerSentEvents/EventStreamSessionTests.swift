import RemoteDataNetwork
import RemoteDataTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct EventStreamSessionTests {
    @Test func aNewConnectionAsksForWhatFollowsAndWaitsAsLongAsTheServerSaid() async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
            try connection.write("retry: 7000\nid: \(connection.number)\ndata: \(connection.number)\n\n")
            if connection.number == 2 { connection.waitForClose() }
        }
        let clock = HurriedClock()
        var options = SessionOptions()
        (options.clock, options.chance) = (clock, { 0 })
        let url = server.url
        let session = EventStreamSession(transport: CurlTransport(), options: options) { _ in
            HTTPRequest("GET", url)
        }
        var seen: [String] = []
        while seen.last != "2" {
            let event = try await inTime { try await session.next() }
            switch event {
            case .connected: seen.append("connected")
            case .messages(let events): seen += events.map(\.text)
            case .disconnected(let error): seen.append(error == nil ? "ended" : "broken")
            case .retrying: seen.append("retrying")
            case nil: seen.append("2")
            }
        }
        #expect(seen == ["connected", "1", "ended", "retrying", "connected", "2"])
        #expect(clock.sleeps == [.seconds(7)])
        #expect(server.requests.map { $0.header("Last-Event-ID") } == [nil, "1"])
        session.close()
    }
}
