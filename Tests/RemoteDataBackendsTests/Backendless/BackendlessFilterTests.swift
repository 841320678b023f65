import RemoteData
import Testing

@testable import RemoteDataBackends

/// What the texts mean to a server, the tests against one show.
struct BackendlessFilterTests {
    private func rendered(
        _ clause: String,
        _ comparison: BackendlessTextComparison = .byBytes
    ) throws -> RenderedClause? { try BackendlessFilter(text: comparison).render(Where(clause)) }

    private func text(_ clause: String, _ comparison: BackendlessTextComparison = .byBytes) throws -> String?
    {
        try rendered(clause, comparison)?.text
    }

    @Test func comparisonsAreSQL() throws {
        #expect(try text("n = 1") == "n = 1")
        #expect(try text("5 < n") == "n > 5")
        #expect(try text("n <> -2.5") == "n != -2.5")
        #expect(try text("created >= 1700000000000") == "created >= 1700000000000")
        #expect(try text("flag = true and not (other = false)") == "(flag = true AND other != false)")
        #expect(try text("flag") == "flag != false")
        #expect(try text("not flag") == "flag = false")
        #expect(try text("n is null or m is not null") == "(n IS NULL OR m IS NOT NULL)")
        #expect(try text("address.city = 'Rom'") == "address.city = 'Rom'")
        #expect(try text("a < b") == "a < b")
    }

    @Test func textIsQuoted() throws {
        #expect(try text("s = 'Charlie''s \"\\ % Angels'") == "s = 'Charlie''s \"\\ % Angels'")
        let mark = "s = '''\u{301}'"
        #expect(try text(mark) == mark)
        #expect(try rendered("s = 'a\u{0}b'") == .init(text: "s IS NOT NULL", isExact: false))
    }

    @Test func negationsArePushedToTheConditions() throws {
        #expect(try text("not (n = 1 or n > 5)") == "(n != 1 AND n <= 5)")
        #expect(try text("n between 1 and 2") == "(n >= 1 AND n <= 2)")
        #expect(try text("not n between 1 and 2") == "(n < 1 OR n > 2)")
    }

    @Test func listsAreListsUnlessTheyAreNegated() throws {
        #expect(try text("n in (1, 2)") == "n IN (1, 2)")
        #expect(try text("n in (1)") == "n = 1")
        #expect(try text("n in (1, null, 2)") == "n IN (1, 2)")
        #expect(try text("n not in (1, 2)") == "(n != 1 AND n != 2)")
        #expect(try text("n in ()") == "(n IS NULL AND n IS NOT NULL)")
        #expect(try text("n not in ()") == "(n IS NULL OR n IS NOT NULL)")
        // With a null in the list, it is never true that something is not in it.
        #expect(try text("n not in (1, null)") == "(n != 1 AND (n IS NULL AND n IS NOT NULL))")
        #expect(try text("n in (null, null)") == "(n IS NULL AND n IS NOT NULL)")
        #expect(try text("5 in (n, 6)") == "(n = 5 OR objectId IS NULL)")
    }

    @Test func whatIsTheSameForAllRowsSaysSo() throws {
        #expect(try text("1 = 1") == "objectId IS NOT NULL")
        #expect(try text("not 1 = 1") == "objectId IS NULL")
        #expect(try text("n = null") == "(n IS NULL AND n IS NOT NULL)")
    }

    @Test func patternsAskForAnyCharacterWhereOneMayMeanSomethingElse() throws {
        #expect(try rendered("s like 'a_b%'") == .init(text: "s LIKE 'a_b%'"))
        #expect(try rendered("s not like 'a_b%'") == .init(text: "s NOT LIKE 'a_b%'"))
        #expect(
            try rendered(#"s like '10\%' escape '\'"#) == .init(text: "s LIKE '10_'", isExact: false)
        )
        #expect(try rendered(#"s like 'a!b' escape '!'"#) == .init(text: "s LIKE 'ab'"))
        #expect(try rendered(#"s like 'a\b'"#) == .init(text: "s LIKE 'a_b'", isExact: false))
        #expect(try rendered(#"s not like 'a\b'"#) == .init(text: "s IS NOT NULL", isExact: false))
        #expect(try rendered("s ilike 'a-é%'") == .init(text: "s LIKE '_-_%'", isExact: false))
    }

    @Test func aCollationIsAskedForMoreThanMatches() throws {
        let collation = BackendlessTextComparison.byCollation
        #expect(try rendered("s = 'x'", collation) == .init(text: "s = 'x'", isExact: false))
        #expect(try rendered("s in ('x', 'y')", collation) == .init(text: "s IN ('x', 'y')", isExact: false))
        #expect(try rendered("s <> 'x'", collation) == .init(text: "s IS NOT NULL", isExact: false))
        #expect(try rendered("s >= 'm'", collation) == .init(text: "s IS NOT NULL", isExact: false))
        #expect(try rendered("not s = 'x'", collation) == .init(text: "s IS NOT NULL", isExact: false))
        #expect(try rendered("s like 'x%'", collation) == .init(text: "s LIKE 'x%'", isExact: false))
        #expect(try rendered("s not like 'x%'", collation) == .init(text: "s IS NOT NULL", isExact: false))
        #expect(try rendered("s ilike 'xk%'", collation) == .init(text: "s LIKE 'x_%'", isExact: false))
        #expect(
            try rendered("a = b", collation)
                == .init(text: "(a IS NOT NULL AND b IS NOT NULL)", isExact: false)
        )
        #expect(try rendered("n > 1 and flag and m is null", collation)?.isExact == true)
        #expect(try rendered("n in (1, 2)", collation)?.isExact == true)
    }

    @Test func columnsThatCannotBeSpelledAreLeftToUs() throws {
        #expect(try rendered("\"two words\" = 1") == nil)
        #expect(try rendered("\"like\" = 1 and n = 2") == .init(text: "n = 2", isExact: false))
        #expect(try rendered("\"like\" = 1 or n = 2") == nil)
    }

    @Test func anOrderNamesItsColumnsWhereTheyAreCounted() throws {
        let query = Query(try Where("n > 1"), sort: try SortTerm.parse("n, s desc, objectId"))
        let filter = try BackendlessFilter(text: .byBytes).asked(naming: query)
        #expect(filter.text == "n > 1 AND (s IS NULL OR s IS NOT NULL)")
        #expect(filter.isExact)
        #expect(try BackendlessFilter(text: .byBytes).asked(naming: Query()).text == nil)
    }

    @Test(
        "Clauses with columns of related rows are refused",
        arguments: [
            "address.city = 'Rom'", "address.n = 1 and s = 'x'", "not (n = 1 or address.city like 'R%')",
        ],
        [BackendlessTextComparison.byBytes, .byCollation]
    )
    func clausesWithRelatedRowsAreRefused(text: String, comparison: BackendlessTextComparison) throws {
        let clause = try Where(text)
        let error = #expect(throws: RemoteDataError.self) {
            try BackendlessFilter(text: comparison).asked(clause)
        }
        #expect(error?.code == .invalidClause)
        #expect(error?.message.contains("address.") == true)
        #expect(throws: RemoteDataError.self) {
            try BackendlessPaging(PageRequest(Query(clause)), limit: 1, comparison)
        }
    }

    @Test func elementsExpressionsAndFarPlacesAreLookedForHereWhereThereAreValues() throws {
        for clause in ["s contains 'a'", "s contains all (1)", "s matches '^a'"] {
            for clause in [clause, "not " + clause] {
                #expect(try rendered(clause) == .init(text: "s IS NOT NULL", isExact: false), "\(clause)")
            }
        }
        let places = RenderedClause(text: "(lat IS NOT NULL AND lon IS NOT NULL)", isExact: false)
        #expect(try rendered("distance(lat, lon, 1, 2) > 5") == places)
        #expect(try rendered("not distance(lat, lon, 1, 2) < 5") == places)
        #expect(try rendered("distance(lat, \"like\", 1, 2) > 5")?.text == "(lat IS NOT NULL)")
        #expect(try rendered("\"like\" contains 1") == nil)
        #expect(try text("'x' contains 'x'") == "objectId IS NULL")
        #expect(try text("'ab' matches 'b$'") == "objectId IS NOT NULL")
        for clause in ["address.tags contains 'a'", "s = 'x' and distance(address.lat, lon, 1, 2) < 3"] {
            #expect(throws: RemoteDataError.self) {
                try BackendlessFilter(text: .byBytes).asked(Where(clause))
            }
        }
    }

    @Test func aPlaceIsLookedForInABox() throws {
        let near = try #require(try rendered("distance(lat, lon, 10, 20) <= 1000"))
        let parts = ["((lat >= 9.99", " AND lat <= 10.00", ") AND (lon >= 19.99", " AND lon <= 20.00"]
        for part in parts { #expect(near.text.contains(part), "\(near.text)") }
        #expect(!near.isExact)
    }

    @Test func whatCanBeAskedIsSaid() throws {
        let server = { (comparison: BackendlessTextComparison) throws in
            try BackendlessServer("https://api.backendless.com/APP/KEY", comparesText: comparison).table("T")
        }
        let clauses = try ["n > 1 and n < 5", "s = 'x'", "s like 'x%'", "s like 'x\\%' escape '\\'"].map {
            try Where($0)
        }
        #expect(try clauses.map { try server(.byBytes).canFilterList($0) } == [true, true, true, false])
        #expect(
            try clauses.map { try server(.byCollation).canFilterList($0) } == [true, false, false, false]
        )
        #expect(try !server(.byBytes).canFilterLive(Where("n = 1")))
    }
}
