import RemoteData
import RemoteDataBackends
import Testing

/// Columns that hold values of several kinds, which Kinto sorts in an order of its own.
@Suite(.enabled(if: Interop.directory != nil), .timeLimit(.minutes(2))) struct KintoKindTests {
    private func table(_ place: Kinto.Place, _ values: [String]) async throws -> (Kinto, KintoTable) {
        let kinto = try await Kinto(in: place, pollInterval: .milliseconds(100))
        let table = try await kinto.table("t")
        for (number, value) in values.enumerated() {
            try await kinto.put("r\(number)", #"{"n":\#(value),"o":{"k":\#(value)}}"#, in: "t")
        }
        return (kinto, table)
    }

    /// Reads all rows, so many at a time.
    private func read(_ table: KintoTable, _ sort: String, size: Int) async throws -> RemoteDataError.Code? {
        let query = Query(sort: try SortTerm.parse(sort))
        var start = PageRequest.Start.offset(0)
        do throws(RemoteDataError) {
            while case let rows = try await table.page(PageRequest(query, start: start, limit: size)).rows,
                let last = rows.last
            {
                start = .after(Key(last, sort: query.sort))
            }
            return nil
        } catch { return error.code }
    }

    @Test(
        "A sort by values of several kinds is refused",
        arguments: Kinto.Place.all,
        [
            ["1", "\"a\""], ["\"a\"", "true"], ["false", "0"], ["[1]", "[2]"], ["1", "{}"],
            ["1", "[1]"],
        ]
    ) func severalKindsAreRefused(place: Kinto.Place, values: [String]) async throws {
        let (kinto, table) = try await table(place, values)
        defer { withExtendedLifetime(kinto) {} }
        for sort in ["n", "n desc nulls first", "o.k"] {
            for size in [1, 10] {
                #expect(try await read(table, sort, size: size) == .invalidRequest, "\(sort) \(size)")
            }
        }
        #expect(try await read(table, "last_modified", size: 1) == nil)
    }

    @Test(
        "A sort by values of one kind, besides nothing, is taken",
        arguments: Kinto.Place.all,
        [
            ["1", "2.5", "-1"], ["\"a\"", "\"\""], ["true", "false"],
        ]
    ) func oneKindIsTaken(place: Kinto.Place, values: [String]) async throws {
        let (kinto, table) = try await table(place, values)
        try await kinto.put("none", "{}", in: "t")
        for sort in ["n", "n desc nulls first", "o.k"] {
            for size in [1, 2, 10] {
                #expect(try await read(table, sort, size: size) == nil, "\(sort) \(size)")
            }
        }
    }

    @Test("A row of another kind has what is here compared", arguments: Kinto.Place.all)
    func aRowOfAnotherKindIsCompared(place: Kinto.Place) async throws {
        let (kinto, table) = try await table(place, ["1", "2"])
        let query = Query(sort: [SortTerm("n")])
        let feed = Heard(try await table.subscribe(to: query, since: nil))
        #expect(await feed.next() == "live")
        _ = try await table.page(PageRequest(query, limit: 10))
        try await kinto.put("a", #"{"n":3}"#, in: "t")
        #expect(await feed.next() == "updated a")
        try await kinto.put("b", #"{"n":"x"}"#, in: "t")
        #expect(await feed.next(3) == ["updated b", "reset", "live"])
    }

    @Test("A sort by a column declared to hold several kinds is refused") func mixedColumnsAreRefused()
        async throws
    {
        let (kinto, _) = try await table(.memory, ["1"])
        let table = kinto.server.table("t", mixedColumns: ["n"])
        do throws(RemoteDataError) {
            _ = try await table.count(Query(sort: [SortTerm("n")]))
            Issue.record("It is counted.")
        } catch { #expect(error.code == .invalidRequest) }
    }
}
