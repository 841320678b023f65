import RemoteData
import RemoteDataBackends
import RemoteDataTesting
import Testing

@Suite(.enabled(if: Interop.directory != nil), .timeLimit(.minutes(5))) struct PocketBaseClauseTests {
    /// Generated clauses over generated rows: what comes is what matches when it is evaluated here.
    @Test func clausesMeanTheSameToTheServer() async throws {
        let base = try await PocketBase()
        let table = try await base.table("t")
        var random = SeededGenerator(seed: 4)
        for number in 0..<60 {
            let draft = try Draft(Array(Self.row(number, &random).utf8)[...], idColumn: "id")
            _ = try await table.commit(.create([draft]))
        }
        let all = try await table.page(PageRequest(Query(nil), limit: 1_000)).rows
        #expect(all.count == 60)
        for _ in 0..<400 {
            let clause = try Where(Self.clause(&random, depth: 0))
            let found = try await table.page(PageRequest(Query(clause), limit: 1_000)).rows.map(\.id)
            let right = all.filter { clause.matches($0) }.map(\.id)
            #expect(found == right, "\(clause)")
        }
    }

    /// Pages of all sizes, one after another in both directions, are the rows in order.
    @Test func pagesFollowEachOther() async throws {
        let base = try await PocketBase()
        let table = try await base.table("t")
        var random = SeededGenerator(seed: 5)
        for number in 0..<60 {
            let draft = try Draft(Array(Self.row(number, &random).utf8)[...], idColumn: "id")
            _ = try await table.commit(.create([draft]))
        }
        for text in [
            "", "s", "s desc, n", "b, n desc", "n, s desc", "j.k nulls first", "j.k desc", "id desc",
        ] {
            let sort = try SortTerm.parse(text)
            let query = Query(nil, sort: sort)
            let all = try await table.page(PageRequest(query, limit: 1_000)).rows
            let order = all.sorted { left, right in
                Key.order(Key(left, sort: sort), Key(right, sort: sort), sort: sort) == .ascending
            }
            #expect(all.map(\.id) == order.map(\.id), "\(text)")
            for size in [1, 7, 60] {
                var (found, start) = ([Row](), PageRequest.Start.offset(0))
                while case let page = try await table.page(PageRequest(query, start: start, limit: size)).rows,
                    let last = page.last
                {
                    found += page
                    start = .after(Key(last, sort: sort))
                }
                #expect(found.map(\.id) == all.map(\.id), "\(text), \(size) forward")
                (found, start) = (
                    [], .before(Key(values: sort.map { _ in Self.beyond }, id: "zzzzzzzzzzzzzzz"))
                )
                if sort.isEmpty {
                    while case let page = try await table.page(PageRequest(query, start: start, limit: size))
                        .rows, let first = page.first
                    {
                        found = page + found
                        start = .before(Key(first, sort: sort))
                    }
                    #expect(found.map(\.id) == all.map(\.id), "\(text), \(size) backward")
                }
                let middle = try await table.page(PageRequest(query, start: .offset(13), limit: size)).rows
                #expect(
                    middle.map(\.id) == all.dropFirst(13).prefix(size).map(\.id),
                    "\(text), \(size) at 13"
                )
            }
        }
    }

    private static let beyond = Value.text("\u{10FFFF}")
    private static let texts = [
        "", "a", "A", "b", "aB", "é", "5", "1", "10", "a%b", "a_b", #"a\\b"#, #"q\"x"#, "it's", "null",
    ]
    private static let numbers = ["0", "1", "-1", "2.5", "10", "1e20", "0.1", "-3"]

    private static func row(_ number: Int, _ random: inout SeededGenerator) -> String {
        let id = "r" + String(repeating: "0", count: 14 - String(number).count) + String(number)
        let json = [
            "null", "true", "1", "0.5", "\"a\"", "\"5\"", "[1,\"x\"]", #"{"k":1}"#, "{\"k\":\"a\"}", "\"\"",
        ]
        return """
            {"id":"\(id)","s":"\(random.pick(texts))","n":\(random.pick(numbers)),
            "b":\(random.pick(["true", "false"])),"j":\(random.pick(json))}
            """
    }

    private static func clause(_ random: inout SeededGenerator, depth: Int) -> String {
        let column = random.pick(["s", "n", "b", "j", "j.k"])
        switch random.number(depth > 3 ? 0..<7 : 0..<11) {
        case 0...2: return "\(column) \(random.pick(["=", "<>", "<", "<=", ">", ">="])) \(literal(&random))"
        case 3: return "\(column) is \(random.pick(["", "not "]))null"
        case 4: return "\(column) \(random.pick(["", "not "]))in (\(literal(&random)), \(literal(&random)))"
        case 5:
            return "\(column) \(random.pick(["", "not "]))between \(literal(&random)) and \(literal(&random))"
        case 6:
            let pattern = random.pick([
                "a%", "%b", "a", "a_b", "%\\%%' escape '\\", "A%", "%", "_", "%é%", "it''s",
            ])
            return "\(column) \(random.pick(["", "not "]))\(random.pick(["like", "ilike"])) '\(pattern)'"
        case 7, 8: return "(\(clause(&random, depth: depth + 1)) and \(clause(&random, depth: depth + 1)))"
        case 9: return "(\(clause(&random, depth: depth + 1)) or \(clause(&random, depth: depth + 1)))"
        default: return "not (\(clause(&random, depth: depth + 1)))"
        }
    }

    private static func literal(_ random: inout SeededGenerator) -> String {
        switch random.number(0..<8) {
        case 0: "null"
        case 1: random.pick(["true", "false"])
        case 2...4: random.pick(numbers)
        default:
            "'"
                + random.pick(texts).replacing(#"\\"#, with: #"\"#).replacing(#"\""#, with: "\"").replacing(
                    "'",
                    with: "''"
                ) + "'"
        }
    }
}
