import Foundation
import ProgramTesting
import Testing

/// What is said about servers that are none, or that misbehave.
@Suite(.timeLimit(.minutes(3)))
struct FakeServerTests {
    /// A server with an empty table, whose WebSocket does as said.
    private func server(_ socket: FakeServer.Answer) throws -> FakeServer {
        try FakeServer { line in
            if line.contains("/api/changes") { return socket }
            return .http(200, line.contains("/count") ? "0" : "[]")
        }
    }

    @Test func watchingEndsInTimeThoughTheSocketNeverOpens() async throws {
        let server = try server(.silence)
        let end = try await Program.run("live-table", ["\(server.url)/t", "watch", "--for", "0.2"])
        #expect(end.status == 0)
        #expect(end.output == "")
    }

    @Test func watchingIsNotToldToHaveBegunWhenASignalEndsIt() async throws {
        let (asked, continuation) = AsyncStream.makeStream(of: Void.self)
        let server = try FakeServer { line in
            guard line.contains("/api/changes") else {
                return .http(200, line.contains("/count") ? "0" : "[]")
            }
            continuation.yield()
            return .silence
        }
        let program = try Program("live-table", ["\(server.url)/t", "watch"])
        for await _ in asked { break }
        program.signal(SIGTERM)
        let end = try await program.end()
        #expect(end.status == 0)
        #expect(end.output == "")
    }

    @Test func aSignalEndsWatchingWhileTheServerIsStillAsked() async throws {
        let (asked, continuation) = AsyncStream.makeStream(of: Void.self)
        let server = try FakeServer { _ in
            continuation.yield()
            return .silence
        }
        let program = try Program("live-table", ["\(server.url)/t", "watch"])
        for await _ in asked { break }
        program.signal(SIGTERM)
        #expect(try await program.end().status == 0)
    }

    /// PocketBase's `~` knows no case, so it is asked for more rows than match.
    @Test func rowsAreReadWhereTheServerCannotCountThem() async throws {
        let rows = #"[{"id":"a","name":"Bob"},{"id":"b","name":"bib"},{"id":"c","name":"Bea"}]"#
        let server = try FakeServer { _ in
            .http(200, #"{"page":1,"perPage":1000,"totalItems":3,"totalPages":1,"items":\#(rows)}"#)
        }
        let address = "pocketbase:\(server.url)/people"
        let end = try await Program.run("live-table", [address, "count", "--where", "name like 'B%'"])
        #expect(end.status == 0)
        #expect(end.output == "2\n")
        #expect(try await Program.run("live-table", [address, "count"]).output == "3\n")
    }

    @Test func aRefusedSocketIsNoMissingTable() async throws {
        let server = try server(.http(404))
        let end = try await Program.run("live-table", ["\(server.url)/t", "watch"])
        #expect(end.status == 1)
        #expect(end.output == "")
        #expect(end.errors.contains("refused the WebSocket with status 404"), "\(end.errors)")
        #expect(!end.errors.contains("no table"))
    }

    @Test func theSameTroubleIsToldOnce() async throws {
        let (asked, continuation) = AsyncStream.makeStream(of: Void.self)
        let server = try FakeServer { line in
            guard line.contains("/api/changes") else {
                return .http(200, line.contains("/count") ? "0" : "[]")
            }
            continuation.yield()
            return .http(503)
        }
        let program = try Program("live-table", ["\(server.url)/t", "watch"])
        var handshakes = 0
        for await _ in asked {
            handshakes += 1
            if handshakes == 3 { break }
        }
        program.signal(SIGTERM)
        let lines = try await program.end().errors.split(separator: "\n")
        #expect(lines.count == 1, "\(lines)")
        #expect(lines.first?.contains("trying again") == true)
    }

    @Test func rowsThatCannotBeReadAreLeftOutAndTold() async throws {
        let server = try FakeServer { line in
            .http(200, line.contains("/count") ? "3" : #"[{"n": 1}, {"n": 2}, {"objectId": 7}]"#)
        }
        let list = try await Program.run("live-table", ["\(server.url)/t", "list", "--format", "json"])
        #expect(list.output == "[\n{\"objectId\":7}\n]\n")
        let populate = try await Program.run("live-table", ["\(server.url)/t", "populate"])
        for end in [list, populate] {
            #expect(end.status == 0)
            #expect(end.errors.contains("rows were left out. Row 0 of the page"), "\(end.errors)")
            #expect(end.errors.split(separator: "\n").count == 1)
        }
    }

    @Test("A row that does not decode hides no other, and is named")
    func rowThatDoesNotDecode() async throws {
        let rows = #"[{"objectId":1},{"objectId":2,"t":"cut \ud83d"},{"objectId":3}]"#
        let server = try FakeServer { line in .http(200, line.contains("/count") ? "3" : rows) }
        let list = try await Program.run("live-table", ["\(server.url)/t", "list", "--format", "json"])
        #expect(list.output == "[\n{\"objectId\":1},\n{\"objectId\":3}\n]\n")
        #expect(list.errors.contains("Row 2 is no LiveRow"), "\(list.errors)")
        #expect(list.errors.split(separator: "\n").count == 1)
        #expect(list.status == 0)
    }

    @Test(
        arguments: [
            (
                FakeServer.Answer.last("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n[1,2"),
                "closed the connection"
            ),
            (.last("\u{1}garbage\r\n\r\n"), "does not speak HTTP"),
            (.http(409), "answered 409: it has such a row"),
            (.http(412), "answered 412: the row has changed"),
            (.http(413), "answered 413: the request is larger"),
            (.http(403), "does not allow this with the credentials"),
            (.http(404), "is it the right server"),
        ] as [(FakeServer.Answer, String)]
    )
    func anAnswerThatIsNoneSaysWhatToDo(answer: FakeServer.Answer, words: String) async throws {
        let server = try FakeServer { _ in answer }
        let end = try await Program.run("live-table", ["\(server.url)/t", "count"])
        #expect(end.status == 1)
        #expect(end.output == "")
        #expect(end.errors.contains(words), "\(end.errors)")
        #expect(!end.errors.contains("table-server running"))
        #expect(end.errors.split(separator: "\n").count == 1)
    }
}
