import RemoteData
import RemoteDataTesting
import Testing

@testable import RemoteDataBackends

struct BackendlessPagingTests {
    private static let texts = [
        #""a""#, #""A""#, #""b""#, #""B""#, #""é""#, #""e""#, #""it's""#, #""""#, "null", "null",
    ]
    private static let numbers = ["1", "2", "2", "3", "null", "null"]
    private static let truths = ["true", "false", "null"]

    private static func rows(_ count: Int, _ random: inout SeededGenerator) -> [Row] {
        (0..<count).map { number in
            let id = "id\(number * 37 % 101 + 100)"
            let json = """
                {"objectId":"\(id)","s":\(random.pick(texts)),"n":\(random.pick(numbers)),"b":\(random.pick(truths))}
                """
            return Row(id: .text(id), json: Array(json.utf8)[...])
        }
    }

    private static func sort(_ random: inout SeededGenerator) -> [SortTerm] {
        let columns = ["s", "n", "b"]
        let start = random.number(0..<3)
        return (0..<random.number(0..<4)).map { offset in
            SortTerm(
                ColumnPath(columns[(start + offset) % 3]),
                ascending: random.chance(2),
                nullsFirst: random.chance(2)
            )
        }
    }

    private static let clauses: [String?] = [
        nil, nil, "n > 1", "n is null or b", "s = 'a'", "s <> 'a'", "s >= 'b'", "s like 'a%' or n = 2",
        "not (s in ('a', 'B') and n = 2)", "s ilike 'A' and n < 3", "not b", "s between 'a' and 'c'",
    ]

    /// Puts a page together, and counts the questions.
    private static func page(
        _ request: PageRequest,
        of server: ModelServer
    ) throws -> (rows: [Row], questions: [BackendlessPaging.Part]) {
        var paging = try BackendlessPaging(request, limit: request.limit, server.comparison)
        var questions: [BackendlessPaging.Part] = []
        while questions.count < 200, let part = try paging.next() {
            questions.append(part)
            switch part.kind {
            case .rows: try paging.take(try server.find(part), to: part)
            case .count: paging.take(try server.count(part.filter))
            }
        }
        return (paging.page.rows, questions)
    }

    /// Whatever is asked for, wherever a server puts nulls, and however it compares text: the rows are those that match, in the
    /// server's own order but for nulls, which are where the query has them.
    @Test(arguments: ModelServer.Nulls.allCases, [BackendlessTextComparison.byBytes, .byCollation])
    func pagesAreRightWhateverTheServer(nulls: ModelServer.Nulls, comparison: BackendlessTextComparison)
        throws
    {
        var random = SeededGenerator(seed: 11)
        for _ in 0..<200 {
            let rows = Self.rows(random.number(0..<60), &random)
            let server = ModelServer(rows: rows, comparison: comparison, nulls: nulls)
            let query = Query(try random.pick(Self.clauses).map { try Where($0) }, sort: Self.sort(&random))
            let right = server.right(query)
            let limit = random.number(1..<14)
            var request = PageRequest(query, limit: limit)
            var expected = Array(right.prefix(limit))
            switch random.number(0..<4) {
            case 0 where !rows.isEmpty:
                let row = random.pick(rows)
                request.start = .after(Key(row, sort: query.sort))
                expected = Array(right.filter { server.isLess(row, $0, query.sort) }.prefix(limit))
            case 1 where !rows.isEmpty:
                let row = random.pick(rows)
                request.start = .before(Key(row, sort: query.sort))
                expected = right.filter { server.isLess($0, row, query.sort) }.suffix(limit)
            case 2:
                let offset = random.number(0..<65)
                request.start = .offset(offset)
                expected = Array(right.dropFirst(offset).prefix(limit))
            default: break
            }
            let (found, questions) = try Self.page(request, of: server)
            #expect(found.map(\.id) == expected.map(\.id), "\(request)")
            #expect(questions.count < 40, "\(request)")
            #expect(questions.allSatisfy { $0.size <= 100 })
        }
    }

    @Test func aPageInTheOrderOfOneColumnIsOneRequest() throws {
        var random = SeededGenerator(seed: 3)
        let server = ModelServer(rows: Self.rows(60, &random), comparison: .byCollation, nulls: .least)
        let query = Query(sort: [SortTerm("s")])
        let first = try Self.page(PageRequest(query, limit: 10), of: server)
        #expect(first.questions == [.init(filter: "s IS NOT NULL", sort: "s,objectId", size: 10)])
        let last = try #require(first.rows.last)
        let second = try Self.page(
            PageRequest(query, start: .after(Key(last, sort: query.sort)), limit: 10),
            of: server
        )
        #expect(second.questions.count == 1)
        let clause = try #require(second.questions.first?.filter)
        #expect(clause.hasPrefix("(s > '"))
        #expect(clause.hasSuffix("AND objectId > '\(last.id)'))"))
        let all = try Self.page(PageRequest(query, limit: 100), of: server)
        #expect(
            all.questions == [
                .init(filter: "s IS NOT NULL", sort: "s,objectId", size: 100),
                .init(filter: "s IS NULL", sort: "objectId", size: 100 - all.rows.count { $0["s"] != .null }),
            ]
        )
    }

    @Test func aPageInTheOrderOfIDsIsOneRequest() throws {
        var random = SeededGenerator(seed: 3)
        let server = ModelServer(rows: Self.rows(60, &random), comparison: .byBytes, nulls: .last)
        let page = try Self.page(PageRequest(Query(), start: .offset(50), limit: 20), of: server)
        #expect(page.questions == [.init(sort: "objectId", offset: 50, size: 20)])
        #expect(page.rows.count == 10)
        let before = PageRequest(Query(), start: .before(Key(values: [], id: "id150")), limit: 5)
        #expect(
            try Self.page(before, of: server).questions == [
                .init(filter: "objectId < 'id150'", sort: "objectId desc", size: 5)
            ]
        )
    }

    @Test func severalColumnsAreOneRequestWhereNoneHasNulls() throws {
        let rows = (100..<160).map { number in
            Row(
                id: .text("id\(number)"),
                json: Array(#"{"objectId":"id\#(number)","s":"t\#(number % 7)","n":\#(number % 5)}"#.utf8)[
                    ...
                ]
            )
        }
        let server = ModelServer(rows: rows, comparison: .byCollation, nulls: .greatest)
        let page = try Self.page(
            PageRequest(Query(sort: [SortTerm("s"), SortTerm("n")]), limit: 20),
            of: server
        )
        #expect(page.questions == [.init(filter: "s IS NOT NULL", sort: "s,n,objectId", size: 21)])
        #expect(page.rows.count == 20)
    }

    @Test func rowsThatOnlyTheServerTakesForMatchingAreLeftOut() throws {
        let rows = (100..<300).map { number in
            Row(
                id: .text("id\(number)"),
                json: Array(#"{"objectId":"id\#(number)","s":"\#(number < 250 ? "X" : "x")"}"#.utf8)[...]
            )
        }
        let server = ModelServer(rows: rows, comparison: .byCollation, nulls: .first)
        let query = Query(try Where("s = 'x'"))
        let page = try Self.page(PageRequest(query, limit: 3), of: server)
        #expect(page.rows.map(\.id) == ["id250", "id251", "id252"])
        #expect(page.questions.map(\.size) == [13, 100, 100])
        let later = try Self.page(PageRequest(query, start: .offset(48), limit: 3), of: server)
        #expect(later.rows.map(\.id) == ["id298", "id299"])
        #expect(later.questions.allSatisfy { $0.offset == 0 })
    }

    @Test func moreRowsThanWereAskedForAreAnError() throws {
        var paging = try BackendlessPaging(PageRequest(Query(), limit: 1), limit: 1, .byBytes)
        let part = try #require(try paging.next())
        var random = SeededGenerator(seed: 1)
        let page = Page(rows: Self.rows(2, &random))
        #expect(throws: RemoteDataError.self) { try paging.take(page, to: part) }
    }

    @Test(arguments: [Value.json("[1]"), .text("a\u{0}b"), .double(.infinity)])
    func whatNoClauseCanNameIsAnError(value: Value) throws {
        let key = Key(values: [value], id: "a")
        let request = PageRequest(Query(sort: [SortTerm("n")]), start: .after(key), limit: 1)
        var paging = try BackendlessPaging(request, limit: 1, .byBytes)
        #expect(throws: RemoteDataError.self) { try paging.next() }
    }

    @Test func columnsThatCannotBeSpelledAreNotSortedBy() {
        let query = Query(sort: [SortTerm("two words")])
        #expect(throws: RemoteDataError.self) {
            try BackendlessPaging(PageRequest(query), limit: 1, .byBytes)
        }
    }

    @Test func relatedRowsAreNotSortedBy() {
        let city = ColumnPath(names: ["address", "city"])
        let request = PageRequest(Query(sort: [SortTerm("n"), SortTerm(city)]))
        let error = #expect(throws: RemoteDataError.self) {
            try BackendlessPaging(request, limit: 1, .byBytes)
        }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.contains("sorted by address.city") == true)
    }

    @Test func rowsWithoutAValueThatTheyWereAskedForAreAnError() throws {
        var paging = try BackendlessPaging(
            PageRequest(Query(sort: [SortTerm("n")])),
            limit: 2,
            .byBytes
        )
        let part = try #require(try paging.next())
        let row = Row(id: "a", json: Array(#"{"objectId":"a"}"#.utf8)[...])
        let error = #expect(throws: RemoteDataError.self) { try paging.take(Page(rows: [row]), to: part) }
        #expect(error?.code == .invalidAnswer)
    }

    @Test func anOffsetMayBeAsLargeAsItLikes() throws {
        var random = SeededGenerator(seed: 3)
        let server = ModelServer(rows: Self.rows(60, &random), comparison: .byCollation, nulls: .last)
        for clause in ["s = 'a'", "n = 1"] {
            let request = PageRequest(Query(try Where(clause)), start: .offset(Int.max), limit: 100)
            #expect(try Self.page(request, of: server).rows == [])
        }
    }
}
