import RemoteData
import Testing

@testable import RemoteDataBackends

/// What the texts mean to a real server, the tests against one show.
@Suite struct PocketBaseQueryTests {
    private func query(_ clause: String, sort: String = "") throws -> PocketBaseQuery {
        try PocketBaseQuery(Query(Where.parse(clause), sort: SortTerm.parse(sort)), of: "items")
    }

    private func row(_ json: String) throws -> Row { try Row.parse(Array(json.utf8)[...], idColumn: "id") }

    private func code(_ body: () throws -> Void) -> RemoteDataError.Code? {
        do { try body() } catch { return (error as? RemoteDataError)?.code }
        return nil
    }

    @Test("Columns that the server is asked by need no check") func columnsThatAreAskedByNeedNoCheck() throws
    {
        #expect(try query("").text() == nil)
        #expect(try query("n = 1", sort: "title").text() == #"(n = 1 && n < "")"#)
    }

    @Test("A path has to lead into JSON, which alone has a column that no collection has")
    func aPathHasToLeadIntoJSON() throws {
        let check = #"(id != "" || rel.remote_data_probe = "")"#
        #expect(try query("", sort: "rel.title").text() == check)
        #expect(
            try query("rel.title = 'a'").text() == #"((rel.title = "a" && rel.title >= "") && \#(check))"#
        )
        #expect(try query("rel.a.b = 1 and rel.c = 1").text()?.contains(check) == true)
        #expect(
            try query("j.k is null", sort: "place.lon").text()
                == #"((j.k = null && j.k != "") && (id != "" || j.remote_data_probe = "" "#
                + #"|| place.remote_data_probe = ""))"#
        )
    }

    @Test("A column that is evaluated here is named all the same") func aColumnEvaluatedHereIsNamed() throws {
        #expect(try query("tags contains 'a'").text() == #"(id != "" || tags = "")"#)
        #expect(
            try query("n = 1 and s matches 'a'").text()
                == #"((n = 1 && n < "") && (id != "" || n = "" || s = ""))"#
        )
    }

    @Test("A boundary comes beside the rest") func aBoundaryComesBesideTheRest() throws {
        let boundary = try Where("n > 3")
        #expect(try query("").text(after: boundary) == #"(n > 3 || n >= "")"#)
        #expect(
            try query("j.k = 1").text(after: boundary)?.hasSuffix(
                #" && (id != "" || j.remote_data_probe = ""))"#
            ) == true
        )
        let long = Where.comparison(
            .column("n"),
            .greater,
            .literal(.text(String(repeating: "x", count: 2_000)))
        )
        #expect(code { _ = try query("").text(after: long) } == .invalidClause)
    }

    @Test(
        "What no collection can have as a column is unknown",
        arguments: [
            #""@request".auth.id = 'x'"#, #""@collection".people.name = 'x'"#, #""title:lower" = 'x'"#,
            #""true" = 1"#,
            #""NULL" = 1"#, #""two words" matches 'x'"#, #""1st" = 1"#,
        ]
    ) func whatNoCollectionCanHaveIsUnknown(clause: String) {
        #expect(code { _ = try query(clause) } == .unknownColumn)
    }

    @Test("A member of JSON may have any name, and is evaluated here") func aMemberMayHaveAnyName() throws {
        let query = try query(#"j."two words" = 1"#)
        #expect(!query.filter.isExact)
        #expect(try query.text() == #"(id != "" || j.remote_data_probe = "")"#)
    }

    @Test("Rows that are sent without a column are refused") func rowsWithoutAColumnAreRefused() throws {
        let rows = [try row(#"{"id":"a","n":1,"j":{}}"#), try row(#"{"id":"b","n":null,"j":null}"#)]
        try query("n = 1 and j.k = 1", sort: "n, j.k").checkColumns(rows)
        #expect(code { try query("secret = 1").checkColumns(rows) } == .invalidClause)
        #expect(code { try query("", sort: "secret").checkColumns(rows) } == .invalidRequest)
        #expect(code { try query("", sort: "secret.k").checkColumns(rows) } == .invalidRequest)
        let mixed = [
            try row(#"{"id":"a","email":"x","emailVisibility":true}"#),
            try row(#"{"id":"b","emailVisibility":false}"#),
        ]
        try query("email = 'x' or id = 'b'").checkColumns(mixed.reversed())
        #expect(code { try query("", sort: "email").checkColumns(mixed) } == .invalidRequest)
    }
}
