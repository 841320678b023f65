import RemoteDataTesting
import RemoteData
import Testing

@Suite struct WherePrintingTests {
    @Test(arguments: [
        "a = 1", "a <> 'it''s'", "(a < -5 AND b >= 2.5) OR c", "(a OR b) AND NOT (c AND d)", "NOT a = 1",
        "NOT NOT a",
        "a LIKE 'x!%%' ESCAPE '!'", "a NOT ILIKE '_x'", "a IN (1, NULL, b)", "a NOT IN ()",
        "a BETWEEN 1 AND 2",
        "NOT a NOT BETWEEN 1 AND 2", "a IS NULL", "a IS NOT NULL", "\"a b\".c = TRUE", "a AND (b AND c)",
        "1.0 = 1e+16", "\"and\" = \"a\"\"b\"", "a = 1e999", "a = -1e999", "NULL", "FALSE", "'x'",
        "tags CONTAINS 'it''s'", "tags NOT CONTAINS ANY ('a', 2, TRUE)", "tags CONTAINS ALL ('a')",
        "tags CONTAINS ANY ()", "NOT tags NOT CONTAINS -1.5", "name MATCHES '(?i)^it''s [a-z]+$'",
        "name NOT MATCHES ''",
        "(contains CONTAINS NULL AND matches MATCHES 'x') OR distance",
        "DISTANCE(lat, lon.\"g p\", 51.5, -0.12) <= 1000",
        "NOT DISTANCE(distance, b, -90, 180) > 0.5 AND NOT (a OR DISTANCE(a, b, 1, 2) < 1e999)",
    ])
    func printsAsItIsWritten(text: String) throws {
        #expect(try Where(text).description == text)
    }

    @Test(arguments: 0..<20)
    func readingWhatWasPrintedGivesTheSameClause(seed: Int) throws {
        var generator = WhereGenerator(seed: UInt64(seed))
        for _ in 0..<Campaign.size(quick: 500) {
            let clause = generator.clause()
            let text = clause.description
            #expect(try Where(text) == clause, "seed \(seed): \(text)")
            #expect(try Where(text).description == text, "seed \(seed): \(text)")
        }
    }

    @Test func shortListsPrintAsTheirMeaning() throws {
        let part = Where.truth(.column("a"))
        #expect(Where.and([]).description == "TRUE")
        #expect(Where.or([]).description == "FALSE")
        #expect(Where.and([part]).description == "a")
        #expect(Where.not(.or([part])).description == "NOT (a)")
    }

    @Test func notANumberPrintsAsNull() {
        #expect(Where.comparison(.column("a"), .equal, .literal(.double(.nan))).description == "a = NULL")
    }
}
