import RemoteData
import RemoteDataBackends
import RemoteDataTesting
import Testing

@Suite(.enabled(if: Interop.directory != nil), .timeLimit(.minutes(5))) struct BackendlessClauseTests {
    /// Generated clauses over generated rows: what comes is what matches when it is evaluated here.
    @Test(arguments: [BackendlessTextComparison.byBytes, .byCollation])
    func clausesMeanTheSameToTheServer(comparesText: BackendlessTextComparison) async throws {
        let backendless = try await Backendless(comparesText: comparesText)
        let table = backendless.server.table("T")
        var random = SeededGenerator(seed: 4)
        let drafts = try (0..<60).map { number in
            try Draft(Array(Self.row(number, &random).utf8)[...], idColumn: "objectId")
        }
        _ = try await table.commit(.create(drafts))
        let all = try await table.page(PageRequest(Query(), limit: 100)).rows
        #expect(all.count == 60)
        for _ in 0..<300 {
            var clause = try Where(Self.clause(&random, depth: 0))
            // The stand-in tells capital letters from small ones.
            while comparesText == .byCollation, "\(clause)".contains("ILIKE") {
                clause = try Where(Self.clause(&random, depth: 0))
            }
            let found = try await table.page(PageRequest(Query(clause), limit: 100)).rows.map(\.id)
            let right = all.filter { clause.matches($0) }.map(\.id)
            #expect(found == right, "\(clause)")
            let count = try await table.count(Query(clause))
            #expect(count.isExact ? count.value == right.count : count.value >= right.count, "\(clause)")
            if comparesText == .byBytes, !"\(clause)".uppercased().contains("LIKE") {
                #expect(count.isExact, "\(clause)")
            }
        }
    }

    /// A removal by clause takes the rows that match here, and no others.
    @Test func removalsTakeTheRowsThatMatch() async throws {
        let backendless = try await Backendless()
        let table = backendless.server.table("T")
        var random = SeededGenerator(seed: 6)
        for _ in 0..<25 {
            let drafts = try (0..<30).map { number in
                try Draft(Array(Self.row(number, &random).utf8)[...], idColumn: "objectId")
            }
            _ = try await table.commit(.upsert(drafts))
            let clause = try Where(Self.clause(&random, depth: 0))
            let before = try await table.page(PageRequest(Query(), limit: 100)).rows
            let left = before.filter { !clause.matches($0) }.map(\.id)
            do throws(RemoteDataError) {
                let count = try await table.commit(.deleteAll(clause)).count
                #expect(count == before.count - left.count, "\(clause)")
                #expect(
                    try await table.page(PageRequest(Query(), limit: 100)).rows.map(\.id) == left,
                    "\(clause)"
                )
            } catch {
                #expect(error.code == .invalidClause, "\(clause): \(error)")
                #expect("\(clause)".uppercased().contains("LIKE"), "\(clause)")
            }
        }
    }

    private static let texts = [
        "", "a", "A", "b", "aB", "é", "5", "1", "10", "a%b", "a_b", #"a\b"#, "q\"x", "it's", "null",
    ]
    private static let numbers = ["0", "1", "-1", "2.5", "10", "1e20", "0.1", "-3"]

    private static func row(_ number: Int, _ random: inout SeededGenerator) -> String {
        let text =
            random.chance(5) ? "null" : String(decoding: Value.text(random.pick(texts)).json, as: UTF8.self)
        return """
            {"objectId":"r\(number + 100)","s":\(text),"n":\(random.pick(numbers + ["null"])),
            "b":\(random.pick(["true", "false", "null"])),"d":\(1_700_000_000_000 + random.number(0..<5))}
            """
    }

    /// A clause that compares columns with values of their own type.
    private static func clause(_ random: inout SeededGenerator, depth: Int) -> String {
        let column = random.pick(["s", "s", "n", "b", "d"])
        let value = { (random: inout SeededGenerator) in literal(column, &random) }
        switch random.number(depth > 3 ? 0..<8 : 0..<12) {
        case 0...2: return "\(column) \(random.pick(["=", "<>", "<", "<=", ">", ">="])) \(value(&random))"
        case 3: return "\(column) is \(random.pick(["", "not "]))null"
        case 4: return "\(column) \(random.pick(["", "not "]))in (\(value(&random)), \(value(&random)))"
        case 5:
            return "\(column) \(random.pick(["", "not "]))between \(value(&random)) and \(value(&random))"
        case 6:
            let pattern = random.pick([
                "a%", "%b", "a", "a_b", "%\\%%' escape '\\", "A%", "%", "_", "%é%", "it''s", #"a\%"#,
            ])
            return "s \(random.pick(["", "not "]))\(random.pick(["like", "ilike"])) '\(pattern)'"
        case 7: return random.pick(["b", "not b", "n"])
        case 8, 9: return "(\(clause(&random, depth: depth + 1)) and \(clause(&random, depth: depth + 1)))"
        case 10: return "(\(clause(&random, depth: depth + 1)) or \(clause(&random, depth: depth + 1)))"
        default: return "not (\(clause(&random, depth: depth + 1)))"
        }
    }

    private static func literal(_ column: String, _ random: inout SeededGenerator) -> String {
        if random.chance(8) { return "null" }
        return switch column {
        case "s": "'" + random.pick(texts).replacing("'", with: "''") + "'"
        case "b": random.pick(["true", "false"])
        case "d": "\(1_700_000_000_000 + random.number(0..<5))"
        default: random.pick(numbers)
        }
    }
}
