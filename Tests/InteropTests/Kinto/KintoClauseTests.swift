import RemoteData
import RemoteDataBackends
import RemoteDataTesting
import Testing

@Suite(.enabled(if: Interop.directory != nil), .timeLimit(.minutes(5))) struct KintoClauseTests {
    private static let mixed: Set<ColumnPath> = ["j", ColumnPath(names: ["j", "k"])]

    /// Generated clauses over generated rows, with what other programs store too: what comes is what matches when it is evaluated here.
    @Test(arguments: Kinto.Place.all) func clausesMeanTheSameToTheServer(place: Kinto.Place) async throws {
        let kinto = try await Kinto(in: place)
        let table = try await kinto.table("t", mixedColumns: Self.mixed)
        var random = SeededGenerator(seed: 4)
        for number in 0..<60 { try await kinto.put("r\(number)", Self.row(&random), in: "t") }
        let all = try await table.page(PageRequest(Query(nil), limit: 1_000)).rows
        #expect(all.count == 60)
        var exactCount = 0
        for _ in 0..<500 {
            let clause = try Where(Self.clause(&random, depth: 0))
            let found = try await table.page(PageRequest(Query(clause), limit: 1_000)).rows.map(\.id)
            let right = all.filter { clause.matches($0) }.map(\.id)
            #expect(found == right, "\(clause)")
            let count = try await table.count(clause)
            if count.isExact { exactCount += 1 }
            #expect(count.isExact ? count.value == right.count : count.value >= right.count, "\(clause)")
        }
        #expect(exactCount > (place == .memory ? 150 : 100))
    }

    /// Pages of all sizes, one after another in both directions, are the rows in order.
    @Test(arguments: Kinto.Place.all, ["", "kinto.paginate_by = 7"])
    func pagesFollowEachOther(place: Kinto.Place, setting: String) async throws {
        let kinto = try await Kinto([setting], in: place)
        let table = try await kinto.table("t")
        var random = SeededGenerator(seed: 5)
        for number in 0..<24 {
            let draft = try Draft(Array(Self.plainRow(number, &random).utf8)[...], idColumn: "id")
            _ = try await table.commit(.create([draft]))
        }
        let sorts = [
            "", "s", "s desc nulls first, n", "b, n desc nulls first", "n, s desc nulls first", "o.k",
            "o.k desc nulls first, s", "id desc",
            "last_modified desc", "s, id desc, n",
        ]
        for text in sorts {
            let sort = try SortTerm.parse(text)
            for clause in [nil, try Where("n > 0 or s = 'a'")] {
                try await Self.check(
                    table,
                    Query(clause, sort: sort),
                    text,
                    sizes: place == .memory ? [1, 7, 24] : [5]
                )
            }
        }
    }

    private static func check(_ table: KintoTable, _ query: Query, _ text: String, sizes: [Int]) async throws
    {
        let sort = query.sort
        let all = try await table.page(PageRequest(query, limit: 1_000)).rows
        let order = all.sorted {
            Key.order(Key($0, sort: sort), Key($1, sort: sort), sort: sort) == .ascending
        }
        if table.capabilities.binaryOrder { #expect(all.map(\.id) == order.map(\.id), "\(text)") }
        for size in sizes {
            var (found, start) = ([Row](), PageRequest.Start.offset(0))
            while case let page = try await table.page(PageRequest(query, start: start, limit: size)).rows,
                let last = page.last
            {
                found += page
                start = .after(Key(last, sort: sort))
            }
            #expect(found.map(\.id) == all.map(\.id), "\(text), \(size) forward")
            found = all.suffix(1)
            while let first = found.first {
                let page = try await table.page(
                    PageRequest(query, start: .before(Key(first, sort: sort)), limit: size)
                ).rows
                guard !page.isEmpty else { break }
                found = page + found
            }
            #expect(found.map(\.id) == all.map(\.id), "\(text), \(size) backward")
            let middle = try await table.page(PageRequest(query, start: .offset(13), limit: size)).rows
            #expect(middle.map(\.id) == all.dropFirst(13).prefix(size).map(\.id), "\(text), \(size) at 13")
        }
    }
}

// MARK: - Rows and clauses

extension KintoClauseTests {
    private static let texts = [
        "", "a", "A", "b", "aB", "é", "e\u{301}", "5", "1", "10", "a%b", "a,b", #"a\\b"#, #"q\"x"#, "it's",
        "null", "true", "[1]", "😀", "\u{FFFD}",
        "*", "a\\u0301",
    ]
    private static let numbers = [
        "0", "1", "-1", "2.5", "10", "1e20", "0.1", "-3", "9007199254740993", "9007199254740992.0",
    ]
    private static let anything = [
        "null", "true", "false", "1", "0", "0.5", "\"a\"", "\"5\"", "\"\"", "[]", "[1,\"x\"]", #"{"k":1}"#,
        #"{"k":"a"}"#, #"{"k":null}"#,
    ]

    /// A row as other programs store it: nulls, values of every kind.
    private static func row(_ random: inout SeededGenerator) -> String {
        var members: [String] = []
        if random.number(0..<6) > 0 { members.append(#""s":"\#(random.pick(texts))""#) }
        if random.number(0..<6) > 0 { members.append(#""n":\#(random.pick(numbers + ["null"]))"#) }
        if random.number(0..<6) > 0 { members.append(#""b":\#(random.pick(["true", "false", "null"]))"#) }
        if random.number(0..<6) > 0 { members.append(#""j":\#(random.pick(anything))"#) }
        return "{" + members.joined(separator: ",") + "}"
    }

    /// A row that can be sorted by any column.
    private static func plainRow(_ number: Int, _ random: inout SeededGenerator) -> String {
        var members = ["\"id\":\"r\(number)\""]
        if random.number(0..<5) > 0 { members.append(#""s":"\#(random.pick(texts))""#) }
        if random.number(0..<5) > 0 { members.append(#""n":\#(random.pick(numbers))"#) }
        if random.number(0..<5) > 0 { members.append(#""b":\#(random.pick(["true", "false"]))"#) }
        if random.number(0..<5) > 1 { members.append(#""o":{"k":\#(random.pick(["1", "2", "3", "null"]))}"#) }
        return "{" + members.joined(separator: ",") + "}"
    }

    private static func clause(_ random: inout SeededGenerator, depth: Int) -> String {
        let column = random.pick(["s", "n", "b", "j", "j.k", "s", "n", "id"])
        switch random.number(depth > 3 ? 0..<7 : 0..<12) {
        case 0...2:
            return "\(column) \(random.pick(["=", "<>", "<", "<=", ">", ">="])) \(literal(column, &random))"
        case 3:
            return random.pick(["\(column) is null", "\(column) is not null", "n", "not n", "b", "not b"])
        case 4:
            return
                "\(column) \(random.pick(["", "not "]))in (\(literal(column, &random)), \(literal(column, &random)))"
        case 5:
            return
                "\(column) \(random.pick(["", "not "]))between \(literal(column, &random)) and \(literal(column, &random))"
        case 6:
            let pattern = random.pick([
                "a%", "%b", "a", "a_b", "%\\%%' escape '\\", "A%", "%", "_", "%é%", "it''s",
            ])
            return "\(column) \(random.pick(["", "not "]))\(random.pick(["like", "ilike"])) '\(pattern)'"
        case 7...9: return "(\(clause(&random, depth: depth + 1)) and \(clause(&random, depth: depth + 1)))"
        case 10: return "(\(clause(&random, depth: depth + 1)) or \(clause(&random, depth: depth + 1)))"
        default: return "not (\(clause(&random, depth: depth + 1)))"
        }
    }

    /// A literal of the column's kind.
    private static func literal(_ column: String, _ random: inout SeededGenerator) -> String {
        if random.number(0..<9) == 0 { return "null" }
        switch column {
        case "n": return random.pick(numbers)
        case "b": return random.pick(["true", "false"])
        case "s": return text(&random)
        case "id": return random.pick(["'r1'", "'r30'", "''", "'zz'", "7", "'r5'"])
        default:
            return random.pick([text(&random), random.pick(numbers), "true", "false", "'[1]'", "'[1,\"x\"]'"])
        }
    }

    private static func text(_ random: inout SeededGenerator) -> String {
        let json = random.pick(texts)
        guard case .text(let text)? = Value(json: Array("\"\(json)\"".utf8)[...]) else { return "''" }
        return "'" + text.replacing("'", with: "''") + "'"
    }
}
