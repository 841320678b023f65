import Foundation
import RemoteData
import Testing

@testable import RemoteDataBackends

/// What the parameters mean to a real server, the tests against one show.
@Suite struct KintoFilterTests {
    private static let least = "-1.7976931348623157e+308"

    private func rendered(
        _ clause: String,
        _ storage: KintoStorage = .memory,
        mixed: Set<ColumnPath> = []
    ) throws -> RenderedClause? {
        try KintoFilter(storage: storage, mixedColumns: mixed).render(Where(clause))
    }

    private func text(
        _ clause: String,
        _ storage: KintoStorage = .memory,
        mixed: Set<ColumnPath> = []
    ) throws -> String? {
        try rendered(clause, storage, mixed: mixed)?.text.removingPercentEncoding
    }

    @Test func rangesOfNumbersEndWhereOtherKindsBegin() throws {
        #expect(try text("n > 5") == "gt_n=5&lt_n=false")
        #expect(try text("n >= 5") == "min_n=5&lt_n=false")
        #expect(try text("n < 5") == "min_n=\(Self.least)&lt_n=5")
        #expect(try text("n <= 5.5") == "min_n=\(Self.least)&max_n=5.5")
        #expect(try text("n <> 5") == "min_n=\(Self.least)&max_n=true&not_n=5")
        #expect(try text("5 < n") == "gt_n=5&lt_n=false")
    }

    @Test func truthValuesCountAsOneAndZero() throws {
        #expect(try text("n = 1") == "in_n=1,true")
        #expect(try text("n = 0") == "in_n=0,false")
        #expect(try text("n = 7") == "eq_n=7")
        #expect(try text("b = true") == "in_b=true,1")
        #expect(try text("n > 0") == "gt_n=0&max_n=true&exclude_n=false".replacing("exclude", with: "not"))
        #expect(try text("n >= 0") == "min_n=0&max_n=true")
        #expect(try text("n <> 0") == "min_n=\(Self.least)&max_n=true&exclude_n=0,false")
        #expect(try text("b < true") == "in_b=false,0")
        #expect(try text("b <= true") == "in_b=false,0,true,1")
        #expect(try text("b > false") == "gt_b=0&max_b=true&not_b=false")
        #expect(try text("b") == "min_b=\(Self.least)&max_b=true&exclude_b=0,false")
        #expect(try text("not b") == "in_b=0,false")
    }

    @Test func rangesOfTextAreAskedForOnlyWhereTextSortsByBytes() throws {
        #expect(try text("s > 'm'") == #"gt_s="m"&lt_s=\#(Self.least)"#)
        #expect(try text("s < 'm'") == #"min_s=""&lt_s="m""#)
        #expect(try rendered("s > 'm'", .postgreSQL) == nil)
        #expect(try text("s = 'm'", .postgreSQL) == #"eq_s="m""#)
        #expect(try text("s <> 'm'", .postgreSQL) == #"min_s=""&lt_s=\#(Self.least)&not_s="m""#)
    }

    @Test func textIsQuotedAsJSON() throws {
        #expect(try text("s = '30'") == #"eq_s="30""#)
        #expect(try text("s = 'null'") == #"eq_s="null""#)
        #expect(try text(#"s = 'a"b\c'"#) == #"eq_s="a\"b\\c""#)
        #expect(try rendered("s = 'a\u{0}b'") == nil)
        #expect(try rendered("s = 'ä&='")?.text == "eq_s=%22%C3%A4%26%3D%22")
    }

    @Test func commasInListsAreEscaped() throws {
        #expect(try text("s in ('a,b', 'c')") == #"in_s="a\u002cb","c""#)
        // A comma that a combining mark follows is no character of its own to Swift, but one to Kinto.
        #expect(try text("s in ('a,\u{301}', 'c')") == #"in_s="a\u002c\#u{301}","c""#)
        #expect(try text("s = 'a,b'") == #"eq_s="a,b""#)
        #expect(
            try text("s not in ('a,b', 'c')") == #"min_s=""&lt_s=\#(Self.least)&exclude_s="a\u002cb","c""#
        )
    }

    @Test func noParameterIsThereTwice() throws {
        #expect(try text("n > 2 and n > 3") == "gt_n=3&lt_n=false")
        #expect(try text("n >= 3 and n > 3 and n < 9 and n <= 8.5") == "gt_n=3&max_n=8.5")
        #expect(try text("n between 2 and 3") == "min_n=2&max_n=3")
        #expect(try text("n <> 2 and n <> 3") == "min_n=\(Self.least)&max_n=true&exclude_n=2,3")
        #expect(try text("n not in (2, 3) and n <> 2") == "min_n=\(Self.least)&max_n=true&exclude_n=2,3")
        #expect(try text("n in (2, 3) and n in (3, 4)") == "eq_n=3")
        #expect(try text("s > 'a' and s > 'b'") == #"gt_s="b"&lt_s=\#(Self.least)"#)
        #expect(try text("n > 1 and s = 'x'") == #"gt_n=1&lt_n=false&eq_s="x""#)
        #expect(try text("n = 2 and n = 3") == #"eq_id="""#)
    }

    @Test func alternativesAreAskedForOnlyAsAList() throws {
        #expect(try text("n = 2 or n = 3 or n in (3, 4)") == "in_n=2,3,4")
        #expect(try text("not (n <> 2 and n <> 3)") == "in_n=2,3")
        #expect(try text("n = 2 or s = null") == "eq_n=2")
        #expect(try rendered("n = 2 or s = 'x'") == nil)
        #expect(try rendered("n = 2 or n > 5") == nil)
        #expect(try text("n = 2 or 1 = 1")?.isEmpty == true)
    }

    @Test func whatIsNeverOrAlwaysTrueIsSaid() throws {
        #expect(try text("n = null") == #"eq_id="""#)
        #expect(try text("n in ()") == #"eq_id="""#)
        #expect(try text("n not in (1, null)") == #"eq_id="""#)
        #expect(try text("n not in ()")?.isEmpty == true)
        #expect(try text("1 = 2 and n = 5") == #"eq_id=""&eq_n=5"#)
    }

    @Test func idsAreTextThatSortsByItsBytesEverywhere() throws {
        #expect(try text("id > 'a' and id > 'b' and id <= 'c'", .postgreSQL) == #"gt_id="b"&max_id="c""#)
        #expect(try text("id <> 'a'") == #"not_id="a""#)
        #expect(try text("id = 7") == #"eq_id="""#)
        #expect(try text("id > 7")?.isEmpty == true)
        #expect(try text("id in ('a', 7)") == #"eq_id="a""#)
        #expect(try text("id is null") == #"eq_id="""#)
        #expect(try text("id is not null")?.isEmpty == true)
        #expect(try text("not id")?.isEmpty == true)
    }

    @Test func timesOfChangesAreWholeNumbersAndNeverMissing() throws {
        #expect(try text("last_modified >= 1000") == "min_last_modified=1000")
        #expect(try text("last_modified between 1 and 5") == "min_last_modified=1&max_last_modified=5")
        #expect(try rendered("last_modified > -1") == nil)
        #expect(try rendered("last_modified = 'x'") == nil)
        #expect(try text("last_modified is not null")?.isEmpty == true)
        // Lists of times are refused, and times of days to come.
        #expect(try text("last_modified in (5, 5)") == "eq_last_modified=5")
        for clause in [
            "last_modified in (1, 2)", "last_modified = 1 or last_modified = 2", "last_modified <> 1",
        ] {
            #expect(try rendered(clause) == nil, "\(clause)")
        }
        let filter = KintoFilter(storage: .memory, latestTime: 1_000)
        #expect(filter.render(try Where("last_modified < 1000")) != nil)
        #expect(filter.render(try Where("last_modified < 1001")) == nil)
    }

    /// Kinto has integers of any size, of which those beyond 64 bits are rounded here.
    @Test func numbersThatMayBeRoundedAreNotAskedFor() throws {
        for clause in ["n = 18446744073709551615", "n >= 9223372036854775808", "n <> -9223372036854775809"] {
            #expect(try rendered(clause) == nil, "\(clause)")
        }
        #expect(try text("n = 9223372036854775807") == "eq_n=9223372036854775807")
    }

    @Test func whatCannotBeSaidIsLeftOutAndEvaluatedHere() throws {
        for clause in [
            "s like 'a%'", "s not like 'a%'", "n is null", "n is not null", "a = b", "\"two words\" = 1",
            "\"a.b\" = 1", "\"\" = 1", "\"e\u{301}\" = 1",
        ] {
            #expect(try rendered(clause) == nil, "\(clause)")
        }
        let clause = try #require(try rendered("n > 5 and s like 'a%'"))
        #expect(clause.text == "gt_n=5&lt_n=false")
        #expect(!clause.isExact)
        #expect(try rendered("n > 5")?.isExact == true)
    }

    @Test func columnsAreSpelledWithAWordInFront() throws {
        #expect(try text("in_stock = 7") == "eq_in_stock=7")
        #expect(try text("_priv = 7") == "eq__priv=7")
        #expect(try text("\"größe\" = 7") == "eq_größe=7")
        #expect(try text("place.city = 'Rom'") == #"eq_place.city="Rom""#)
    }

    @Test(arguments: [
        "tags contains 'a'", "tags contains all (1)", "s matches '^a'", "distance(lat, lon, 1, 2) > 5",
    ])
    func elementsExpressionsAndFarPlacesAreLookedForHere(clause: String) throws {
        #expect(try rendered(clause) == nil)
        #expect(try rendered("not " + clause) == nil)
        let both = try rendered(clause + " and n = 7")
        #expect(both?.text == "eq_n=7")
        #expect(both?.isExact == false)
        #expect(try !KintoFilter().rendered(Where(clause)).isExact)
    }

    @Test func aPlaceIsLookedForInABox() throws {
        let near = try #require(try rendered("distance(lat, lon, 10, 20) <= 1000"))
        for part in ["min_lat=9.99", "max_lat=10.00", "min_lon=19.99", "max_lon=20.00"] {
            #expect(near.text.contains(part), "\(near.text)")
        }
        #expect(!near.isExact)
        #expect(try rendered("not distance(lat, lon, 10, 20) <= 1000") == nil)
    }

    @Test func ofColumnsOfManyKindsOnlyEqualityIsAskedFor() throws {
        #expect(try text("j = 7", mixed: ["j"]) == "eq_j=7")
        #expect(try text("j in (7, 'x')", mixed: ["j"]) == #"in_j=7,"x""#)
        #expect(try text("j", mixed: ["j"]) == "min_j=\(Self.least)&max_j=true&exclude_j=0,false")
        for clause in ["j > 7", "j <> 7", "not j", "j not in (7)", "j = '[1]'"] {
            #expect(try rendered(clause, mixed: ["j"]) == nil, "\(clause)")
        }
    }

    @Test func longListsBecomeStretches() throws {
        let ids = (0..<500).map { "'row-\(1000 + $0)'" }.joined(separator: ",")
        let filter = try KintoFilter(storage: .postgreSQL).rendered(Where("id in (\(ids)) and n = 7"))
        #expect(
            filter.conditions.text.removingPercentEncoding == #"min_id="row-1000"&max_id="row-1499"&eq_n=7"#
        )
        #expect(!filter.isExact)
        // Where the order of text is not known, there is none.
        let names = try KintoFilter(storage: .postgreSQL).rendered(Where("s in (\(ids))"))
        #expect(names.conditions.isAlways && !names.isExact)
    }
}
