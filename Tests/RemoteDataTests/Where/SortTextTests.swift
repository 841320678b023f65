import RemoteData
import Testing

@Suite struct SortTextTests {
    @Test func readsTermsWithTheirDirectionsAndNulls() throws {
        let cases: [(String, [SortTerm])] = [
            ("", []), ("  ", []), ("name", [SortTerm("name")]), ("name asc", [SortTerm("name")]),
            ("name DESC", [SortTerm("name", ascending: false)]),
            ("name desc nulls first", [SortTerm("name", ascending: false, nullsFirst: true)]),
            ("name Nulls Last", [SortTerm("name")]),
            ("a,b desc", [SortTerm("a"), SortTerm("b", ascending: false)]),
            ("address.city", [SortTerm(ColumnPath(names: ["address", "city"]))]),
            ("\"order by\" desc", [SortTerm("order by", ascending: false)]),
            ("first, last desc", [SortTerm("first"), SortTerm("last", ascending: false)]),
        ]
        for (text, terms) in cases { #expect(try SortTerm.parse(text) == terms, "\(text)") }
    }

    @Test(arguments: [
        (",", 0, "A column is expected, not ','"), ("a,", 2, "A column is expected, not the end"),
        (
            "a b", 2,
            "A comma, ASC, DESC, NULLS FIRST, NULLS LAST or the end of the sort order is expected, not 'b'"
        ),
        ("a asc desc", 6, "is expected, not 'desc'"),
        ("a nulls", 7, "FIRST or LAST is expected after NULLS, not the end"),
        ("a nulls x", 8, "FIRST or LAST is expected after NULLS, not 'x'"),
        ("desc", 0, "A column is expected, not 'desc'; one of that name stands in double quotes"),
        ("a, 5", 3, "A column is expected, not a number"), ("'a'", 0, "A column is expected, not text"),
        ("lower(a)", 0, "Functions such as 'lower' are not supported"), ("a; b", 1, "without ;"),
        ("ORDER BY a", 0, "A sort order is written without ORDER BY"), ("order b", 6, "is expected, not 'b'"),
        ("-a", 0, "A column is expected, not '-'"), ("\"a", 0, "no closing \""),
    ])
    func saysWhatIsWrongAndWhere(text: String, position: Int, message: String) {
        let error = #expect(throws: RemoteDataError.self) { try SortTerm.parse(text) }
        #expect(error?.code == .invalidClause)
        #expect(error?.position == position)
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }

    @Test func readingWhatWasPrintedGivesTheSameTerms() throws {
        var generator = WhereGenerator(seed: 3)
        for _ in 0..<2_000 {
            let terms = (0..<generator.random.number(0..<4)).map { _ in
                SortTerm(
                    generator.path(),
                    ascending: generator.random.chance(2),
                    nullsFirst: generator.random.chance(2)
                )
            }
            #expect(try SortTerm.parse(terms.sortText) == terms, "\(terms.sortText)")
        }
    }
}
