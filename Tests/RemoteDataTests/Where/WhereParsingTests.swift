import RemoteData
import Testing

@Suite struct WhereParsingTests {
    private func equals(_ column: ColumnPath, _ value: Value) -> Where {
        .comparison(.column(column), .equal, .literal(value))
    }

    @Test(arguments: [
        ("a = 1", Where.Comparison.equal), ("a != 1", .notEqual), ("a <> 1", .notEqual), ("a < 1", .less),
        ("a <= 1", .lessOrEqual), ("a > 1", .greater), ("a>=1", .greaterOrEqual),
    ])
    func readsEachComparison(text: String, comparison: Where.Comparison) throws {
        #expect(try Where(text) == .comparison(.column("a"), comparison, .literal(1)))
    }

    @Test func readsEachCondition() throws {
        let column = Where.Operand.column("a")
        let cases: [(String, Where)] = [
            ("a like 'x%'", .like(column, Where.LikePattern("x%"))),
            ("a LIKE 'x!%' ESCAPE '!'", .like(column, Where.LikePattern("x!%", escape: "!"))),
            ("a ILIKE 'x'", .like(column, Where.LikePattern("x", ignoresCase: true))),
            ("a NOT LIKE 'x'", .not(.like(column, Where.LikePattern("x")))),
            (
                "a In (1, 'b', NULL, c)",
                .isIn(column, [.literal(1), .literal("b"), .literal(nil), .column("c")])
            ),
            ("a NOT IN (1)", .not(.isIn(column, [.literal(1)]))),
            ("a IN ()", .isIn(column, [])),
            ("a BETWEEN 1 AND b", .between(column, low: .literal(1), high: .column("b"))),
            ("a NOT BETWEEN 1 AND 2", .not(.between(column, low: .literal(1), high: .literal(2)))),
            ("a IS NULL", .isNull(column)),
            ("a is not null", .not(.isNull(column))),
            ("a", .truth(column)),
            ("TRUE", .truth(.literal(true))),
            ("5 < a", .comparison(.literal(5), .less, column)),
            ("a = b", .comparison(column, .equal, .column("b"))),
            ("a = NULL", .comparison(column, .equal, .literal(nil))),
            ("a != NULL", .comparison(column, .notEqual, .literal(nil))),
            ("(a) = (1)", .comparison(column, .equal, .literal(1))),
            ("((a)) IS NULL", .isNull(column)),
        ]
        for (text, clause) in cases { #expect(try Where(text) == clause, "\(text)") }
    }

    @Test func andBindsTighterThanOrAndNotTighterStill() throws {
        let (a, b, c) = (Where.truth(.column("a")), Where.truth(.column("b")), Where.truth(.column("c")))
        #expect(try Where("a OR b AND c") == .or([a, .and([b, c])]))
        #expect(try Where("a AND b OR c") == .or([.and([a, b]), c]))
        #expect(try Where("(a OR b) AND c") == .and([.or([a, b]), c]))
        #expect(try Where("NOT a AND b") == .and([.not(a), b]))
        #expect(try Where("NOT (a AND b)") == .not(.and([a, b])))
        #expect(try Where("NOT NOT a") == .not(.not(a)))
        #expect(try Where("a AND b AND c") == .and([a, b, c]))
        #expect(try Where("a AND (b AND c)") == .and([a, .and([b, c])]))
        #expect(
            try Where("a BETWEEN 1 AND 2 AND b")
                == .and([
                    .between(.column("a"), low: .literal(1), high: .literal(2)), b,
                ])
        )
    }

    @Test func readsBareBooleansAmongConditions() throws {
        #expect(
            try Where("active AND age > 3")
                == .and([
                    .truth(.column("active")), .comparison(.column("age"), .greater, .literal(3)),
                ])
        )
    }

    @Test(
        arguments: [
            ("0", Value.integer(0)), ("-5", -5), ("+5", 5), ("- 5", -5),
            ("9223372036854775807", .integer(.max)),
            ("-9223372036854775808", .integer(.min)), ("9223372036854775808", 0x1p63),
            ("-9223372036854775809", -0x1p63), ("1.0", 1.0), ("-0.5", -0.5), (".5", 0.5), ("5.", 5.0),
            ("1e3", 1000.0), ("1E+3", 1000.0), ("25e-1", 2.5), ("1e999", .double(.infinity)), ("007", 7),
            ("true", true), ("False", false), ("null", nil), ("''", ""), ("'it''s'", "it's"), ("''''", "'"),
            ("'a\"b\nc'", "a\"b\nc"), ("'a' ", "a"), ("'é😀'", "é😀"),
        ] as [(String, Value)]
    )
    func readsLiterals(text: String, value: Value) throws {
        #expect(try Where("a = \(text)") == equals("a", value))
    }

    @Test func readsColumnNames() throws {
        let cases: [(String, [String])] = [
            ("a_1", ["a_1"]), ("_", ["_"]), ("größe", ["größe"]), ("e\u{301}t", ["e\u{301}t"]),
            ("東京", ["東京"]),
            ("\"a b\"", ["a b"]), ("\"a\"\"b\"", ["a\"b"]), ("\"\"", [""]), ("\"and\"", ["and"]),
            ("address.city", ["address", "city"]), ("a.\"b.c\".d", ["a", "b.c", "d"]),
            ("x.and", ["x", "and"]),
            ("first", ["first"]), ("nulls", ["nulls"]), ("likes", ["likes"]),
        ]
        for (text, names) in cases {
            #expect(try Where("\(text) = 1") == equals(ColumnPath(names: names), 1), "\(text)")
        }
    }

    @Test func onlyAsciiLettersMakeAKeyword() throws {
        #expect(try Where("LI\u{212A}E") == .truth(.column("LI\u{212A}E")))
        #expect(try Where("a = 1 AND ıs") == .and([equals("a", 1), .truth(.column("ıs"))]))
    }

    @Test func quotesAreFoundInFrontOfCombiningMarks() throws {
        #expect(try Where("a = '\u{301}x'") == equals("a", "\u{301}x"))
        #expect(try Where("a = 'x''\u{301}'") == equals("a", "x'\u{301}"))
    }

    @Test func blankTextIsNoClause() throws {
        #expect(try Where.parse("") == nil)
        #expect(try Where.parse(" \n\t\u{A0}") == nil)
        #expect(try Where.parse(" a = 1 ") == equals("a", 1))
    }

    @Test func nestsTwoHundredDeepAndNoDeeper() throws {
        let deep = String(repeating: "(", count: 200) + "a" + String(repeating: ")", count: 200)
        #expect(try Where(deep) == .truth(.column("a")))
        #expect(throws: RemoteDataError.self) { try Where("(" + deep + ")") }
        #expect(throws: RemoteDataError.self) { try Where(String(repeating: "NOT ", count: 300_000) + "a") }
        #expect(throws: RemoteDataError.self) { try Where("a = " + String(repeating: "(", count: 1_000_000)) }
    }

    @Test func readsOneMebibyteAndNoMore() throws {
        let fits = "a = '" + String(repeating: "x", count: (1 << 20) - 6) + "'"
        #expect(try Where(fits).columns == ["a"])
        let error = #expect(throws: RemoteDataError.self) { try Where(fits + " ") }
        #expect(error?.position == (1 << 20) - 1)
    }
}
