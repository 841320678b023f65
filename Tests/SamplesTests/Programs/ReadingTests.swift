import Foundation
import ProgramTesting
import Testing

@Suite(.airports, .serialized, .timeLimit(.minutes(3)))
struct ReadingTests {
    @Test(arguments: [
        ("elevation > 12000", "42"), ("iata <> '' and country = 'US'", "1952"), ("name like '%''%'", "405"),
        ("city like 'Z_rich%'", "2"), ("", "28298"),
    ])
    func countPrintsABareNumber(clause: String, count: String) async throws {
        let end = try await liveTable("airports", "count", "--where", clause)
        #expect(end.output == count + "\n")
        #expect(end.errors.isEmpty)
        #expect(end.status == 0)
    }

    @Test(
        "A clause that compares numbers with text finds nothing, and says why",
        arguments: [
            ("elevation > '1000'", "elevation has numbers in airports, and is compared with text"),
            ("country = 'JP' and elevation > '5'", "elevation has numbers"),
            ("name in (1, 2)", "name has text in airports, and is compared with numbers"),
        ]
    )
    func mismatch(clause: String, message: String) async throws {
        let end = try await liveTable("airports", "count", "--where", clause)
        #expect(end.output == "0\n")
        #expect(end.errors.contains(message))
    }

    @Test(
        "A clause that finds nothing for another reason says nothing more",
        arguments: [
            "elevation > 100000 or name = 'x'", "elevation < '1000' and country = 'ZZ'",
            "not (name <> 5)",
        ]
    )
    func match(clause: String) async throws {
        let end = try await liveTable("airports", "count", "--where", clause)
        #expect(end.output == "0\n")
        #expect(end.errors.isEmpty)
    }

    @Test func fiveRowsOfAllCostOneCountAndOnePage() async throws {
        let server = try #require(TestServer.current)
        _ = try await server.requests()
        let end = try await liveTable("airports", "list", "--limit", "5", "--format", "csv")
        #expect(end.output.split(whereSeparator: \.isNewline).count == 6)
        let requests = try await server.requests().filter { $0.contains("/api/data/") }
        #expect(
            requests == [
                "GET /api/data/airports/count 200", "GET /api/data/airports?pageSize=5 200",
            ]
        )
    }

    @Test func jsonOutputParsesBackWithEveryRowOnce() async throws {
        let end = try await liveTable("airports", "list", "--where", "country = 'JP'", "--format", "json")
        let rows = try #require(
            try JSONSerialization.jsonObject(with: Data(end.output.utf8)) as? [[String: Any]]
        )
        #expect(rows.count == 130)
        #expect(Set(rows.compactMap { $0["objectId"] as? String }).count == 130)
        #expect(rows.allSatisfy { $0["country"] as? String == "JP" })
    }

    @Test func csvOutputIsTheFileThatWasImported() async throws {
        let end = try await liveTable(
            "airports",
            "list",
            "--format",
            "csv",
            "--columns",
            "icao,iata,name,city,subd,country,elevation,lat,lon,tz,lid",
            "--sort",
            "icao"
        )
        let path = TestServer.airports[1]
        let file = CSVText.records(try String(contentsOfFile: path, encoding: .utf8))
        let output = CSVText.records(end.output)
        #expect(output.count == file.count)
        #expect(output.first == file.first)
        #expect(
            output.dropFirst().map(\.first)
                == file.dropFirst().map(\.first).sorted { ($0 ?? "") < ($1 ?? "") }
        )
        // Text is the same to the letter; numbers may be written in other digits.
        let sorted = file.dropFirst().sorted { $0[0] < $1[0] }
        #expect(output.dropFirst().map { $0[0...5] } == sorted.map { $0[0...5] })
        #expect(output.dropFirst().map { Double($0[7]) } == sorted.map { Double($0[7]) })
    }

    @Test func columnsComeInTheOrderFirstSeen() async throws {
        let end = try await liveTable("airports", "list", "--limit", "1", "--format", "csv")
        let header = end.output.split(whereSeparator: \.isNewline).first
        #expect(header == "objectId,icao,iata,name,city,subd,country,elevation,lat,lon,tz,lid")
    }

    @Test func populateTellsHowItGoesInPlainLines() async throws {
        let end = try await liveTable("airports", "populate")
        #expect(end.status == 0)
        #expect(end.output.hasPrefix("10 %, "))
        #expect(end.output.contains("28,298 rows in "))
        #expect(!end.output.contains("\u{1B}"))
    }

    @Test func theTableIsNotCutWhereThereIsNoTerminal() async throws {
        let end = try await liveTable("airports", "list", "--where", "icao = '_ZSP'")
        #expect(end.output.contains("Zhushan Majiadu Airport (under construction, unknown coordinates)"))
        #expect(!end.output.contains("…"))
    }

    @Test func sortAndColumnsAreAsAsked() async throws {
        let end = try await liveTable(
            "airports",
            "list",
            "--sort",
            "elevation desc",
            "--limit",
            "2",
            "--columns",
            "elevation,icao",
            "--format",
            "csv"
        )
        #expect(end.output == "elevation,icao\r\n14965,SPNH\r\n14809,SPFA\r\n")
    }

    @Test func theTourFindsTheAirportsAndStopsEarly() async throws {
        let server = try #require(TestServer.current)
        let search = try await Program.run("airports-tour", ["\(server.url)/airports", "search"])
        for name in ["RJAF", "RJOA", "RJSF"] { #expect(search.output.contains(name)) }
        _ = try await server.requests()
        let early = try await Program.run("airports-tour", ["\(server.url)/airports", "stop-early"])
        #expect(early.status == 0)
        let requests = try await server.requests().filter { $0.contains("/api/data/") }
        // A count, a page for every 100 rows looked at and up to eight ahead, and the page of row 20,000.
        let looked = try #require(early.output.firstMatch(of: #/found after (\d+) of/#).flatMap { Int($0.1) })
        #expect(requests.count <= 1 + (looked + 99) / 100 + 8 + 1)
    }
}
