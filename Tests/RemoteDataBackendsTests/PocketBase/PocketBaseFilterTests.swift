import RemoteData
import Testing

@testable import RemoteDataBackends

/// What the texts mean to a real server, the tests against one show.
@Suite struct PocketBaseFilterTests {
    private func rendered(_ clause: String) throws -> RenderedClause? {
        try PocketBaseFilter().render(Where(clause))
    }

    private func text(_ clause: String) throws -> String? { try rendered(clause)?.text }

    @Test func comparisonsSayOnWhichSideOfTheEmptyTextTheirRowsLie() throws {
        #expect(try text("n = 1") == #"(n = 1 && n < "")"#)
        #expect(try text("n > 1") == #"(n > 1 || n >= "")"#)
        #expect(try text("n <= 1.5") == #"(n <= 1.5 && n < "")"#)
        #expect(try text("n <> 1") == #"((n != 1 && n < "") || n >= "")"#)
        #expect(try text("s = 'x'") == #"(s = "x" && s >= "")"#)
        #expect(try text("s < 'x'") == #"(s < "x" || s < "")"#)
        #expect(try text("s <> 'x'") == #"((s != "x" && s >= "") || s < "")"#)
        #expect(try text("5 < n") == #"(n > 5 || n >= "")"#)
    }

    @Test func textIsQuoted() throws {
        #expect(try text(#"s = 'a"b\c''d // e'"#) == #"(s = "a\"b\\c'd // e" && s >= "")"#)
        #expect(try rendered("s = 'a\u{0}b'") == nil)
    }

    @Test func numbersAreWrittenWithoutAnExponentAndNotRounded() throws {
        #expect(try text("n = 1e20") == #"(n = 100000000000000000000 && n < "")"#)
        #expect(try text("n = -2.5e-7") == #"(n = -0.00000025 && n < "")"#)
        #expect(try text("n = true") == #"(n = 1 && n < "")"#)
        #expect(try rendered("n = 9007199254740993") == nil)
        #expect(try rendered("n = 1e300") == nil)
    }

    @Test func negationsArePushedToTheConditions() throws {
        #expect(
            try text("not (n = 1 or n > 5)") == #"(((n != 1 && n < "") || n >= "") && (n <= 5 && n < ""))"#
        )
        #expect(
            try text("not (n = 1 and n is null)")
                == #"(((n != 1 && n < "") || n >= "") || (n < "" || n >= ""))"#
        )
        #expect(try text("not n between 1 and 2") == #"((n < 1 && n < "") || (n > 2 || n >= ""))"#)
    }

    @Test func listsAreWrittenOut() throws {
        #expect(try text("n in (1, 2)") == #"((n = 1 && n < "") || (n = 2 && n < ""))"#)
        #expect(try text("n in ()") == #"id = """#)
        #expect(try text("n not in ()") == #"id != """#)
        // With a null in the list, it is never true that something is not in it.
        #expect(try text("n not in (1, null)") == #"(((n != 1 && n < "") || n >= "") && id = "")"#)
    }

    @Test func patternsAskForMoreThanMatches() throws {
        let clause = try #require(try rendered(#"s like 'a_b%c\%' escape '\'"#))
        #expect(clause.text == #"s ~ "a_b%c\\%""#)
        #expect(!clause.isExact)
        #expect(try text("s like 'a_b'") == #"s ~ "a_b%""#)
        #expect(try text(#"s like 'a\b'"#) == #"s ~ "a\\\\b%""#)
        #expect(try rendered("s not like 'a%'") == nil)
        #expect(try text("s ilike 'a%'") == #"s ~ "a%""#)
        #expect(try rendered("s ilike 'Ä%'") == nil)
        // The sign for Kelvin is a K in lower case, here and not there.
        #expect(try rendered("s ilike 'k%'") == nil)
    }

    @Test func whatCannotBeSaidIsLeftOutAndEvaluatedHere() throws {
        let clause = try #require(try rendered("n = 1 and s not like 'a%' and a = b"))
        #expect(clause.text == #"(n = 1 && n < "")"#)
        #expect(!clause.isExact)
        #expect(try rendered("n = 1 or s not like 'a%'") == nil)
        #expect(try rendered(#""strange name" = 1"#) == nil)
        #expect(try rendered("n = 1")?.isExact == true)
    }

    @Test(arguments: [
        "tags contains 'a'", "tags contains all (1)", "s matches '^a'", "distance(lat, lon, 1, 2) > 5",
    ])
    func elementsExpressionsAndFarPlacesAreLookedForHere(clause: String) throws {
        #expect(try rendered(clause) == nil)
        #expect(try rendered("not " + clause) == nil)
        #expect(try rendered("n = 1 or " + clause) == nil)
        let both = try rendered(clause + " and n = 1")
        #expect(both?.text == #"(n = 1 && n < "")"#)
        #expect(both?.isExact == false)
        #expect(try !PocketBaseFilter().rendered(Where(clause)).isExact)
    }

    @Test func aPlaceIsLookedForInABox() throws {
        let near = try #require(try rendered("distance(lat, lon, 10, 20) <= 1000"))
        for part in ["lat >= 9.99", "lat <= 10.00", "lon >= 19.99", "lon <= 20.00"] {
            #expect(near.text.contains(part), "\(near.text)")
        }
        #expect(!near.isExact)
        #expect(near.conditionCount == 8)
        #expect(try rendered("not distance(lat, lon, 10, 20) <= 1000") == nil)
        // Around a pole, every longitude is near.
        #expect(try text("distance(lat, lon, 90, 20) < 1000")?.contains("lon") == false)
    }

    @Test func conditionsAreCounted() throws {
        #expect(try rendered("n = 1 and s like 'a%'")?.conditionCount == 3)
        #expect(try rendered("n in (1, 2, 3)")?.conditionCount == 6)
    }

    @Test func pathsLeadIntoObjects() throws {
        #expect(try text("address.city is null") == #"(address.city = null && address.city != "")"#)
    }
}
