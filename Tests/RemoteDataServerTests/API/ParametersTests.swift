import RemoteData
import Testing

@testable import RemoteDataServer

struct ParametersTests {
    @Test("A sort order has so many terms at most")
    func sortTerms() throws {
        func order(_ count: Int) -> String { (0..<count).map { "c\($0)" }.joined(separator: ",") }
        #expect(try SortTerm.parseAll(order(64)).count == 64)
        let error = #expect(throws: RemoteDataError.self) { try SortTerm.parseAll(order(65)) }
        #expect(error?.code == .invalidClause)
    }

    private func query(_ text: String) throws -> Parameters {
        try Parameters(query: text[...], known: Parameters.ofPage)
    }

    private func body(_ text: String) throws -> Parameters {
        try Parameters(body: Array(text.utf8)[...], known: Parameters.ofPage)
    }

    @Test func aQueryAndABodyAskTheSame() throws {
        let expected = PageRequest(
            Query(try Where("a = '+ %' or b > 2"), sort: try SortTerm.parse("a desc, b")),
            start: .after(Key(values: [.text("x"), .null], id: "i")),
            limit: 7
        )
        let text =
            "where=a%20=%20'+%20%25'%20or%20b%20%3E%202&sortBy=a%20desc,%20b&pageSize=7&after=%5B%22x%22,null,%22i%22%5D"
        #expect(try query(text).pageRequest(maximum: 1_000) == expected)
        let json =
            #"{"where":"a = '+ %' or b > 2","sortBy":"a desc, b","pageSize":7,"after":["x",null,"i"],"before":null}"#
        #expect(try body(json).pageRequest(maximum: 1_000) == expected)
    }

    @Test func nothingAsksForTheFirstHundredRows() throws {
        for parameters in [
            try query(""), try body(""), try body("{}"), try query("where=&sortBy=&pageSize=&offset=&after="),
        ] {
            #expect(try parameters.pageRequest(maximum: 1_000) == PageRequest(Query(), limit: 100))
        }
    }

    @Test func anOffsetBehindAKeyAsksForThePageBeyondIt() throws {
        let start = PageRequest.Start.beyond(Key(values: [], id: 1), offset: 7)
        let request = PageRequest(Query(), start: start, limit: 2)
        #expect(try query("after=[1]&offset=7&pageSize=2").pageRequest(maximum: 1_000) == request)
        #expect(try body(#"{"after":[1],"offset":7,"pageSize":2}"#).pageRequest(maximum: 1_000) == request)
    }

    @Test(arguments: [
        "wher=a", "where=a&where=b", "where=%", "pageSize=0", "pageSize=1001", "pageSize=+5", "pageSize=1e2",
        "pageSize=-1",
        "offset=-1", "offset=99999999999999999999", "after=x", "after=[1,2]", "after=[null]",
        "offset=1&before=[1]", "offset=-1&after=[1]",
        "after=[1]&before=[1]", "a%62=c",
    ])
    func aQueryThatCannotBeReadIsRefused(text: String) throws {
        #expect(throws: (any Error).self) { try query(text).pageRequest(maximum: 1_000) }
    }

    @Test(arguments: [
        "[]", "null", "{", #"{"where":1}"#, #"{"pageSize":"5"}"#, #"{"pageSize":1.5}"#, #"{"wher":"a"}"#,
        #"{"where":"a","where":"b"}"#,
        #"{"after":"[1]"}"#, #"{"sortBy":["a"]}"#,
    ])
    func aBodyThatCannotBeReadIsRefused(text: String) throws {
        #expect(throws: (any Error).self) { try body(text).pageRequest(maximum: 1_000) }
    }

    @Test func anEmptyClauseIsNoneOnlyForReads() throws {
        #expect(try query("where=").clause(isRead: true) == nil)
        #expect(throws: RemoteDataError.self) { try query("where=").clause(isRead: false) }
        #expect(try query("").clause(isRead: false) == nil)
    }

    @Test func anErrorInAClauseKeepsItsPosition() throws {
        let error = #expect(throws: RemoteDataError.self) {
            try query("where=a%20%3D%20)").pageRequest(maximum: 10)
        }
        #expect(error?.position == 4)
        let answer = HTTPAnswer(for: try #require(error))
        #expect(answer.status == 400)
        #expect(String(decoding: answer.body, as: UTF8.self).hasSuffix(#","position":4}"#))
    }

    @Test(arguments: ["where=a+=+1", "sortBy=a+desc"])
    func whoWritesAPlusForASpaceIsTold(text: String) throws {
        let error = #expect(throws: RemoteDataError.self) { try query(text).pageRequest(maximum: 10) }
        #expect(error?.message.hasSuffix("a space is written %20.") == true)
    }

    @Test func digitsMayBeAnIntegerOrText() throws {
        let none = try Parameters(query: nil, known: [])
        #expect(try Route.RowAddress(text: "12").candidates(none) == [.integer(12), .text("12")])
        #expect(try Route.RowAddress(text: "012").candidates(none) == [.text("012")])
        #expect(try Route.RowAddress(text: "+1").candidates(none) == [.text("+1")])
        let text = try Parameters(query: "idType=text", known: ["idType"])
        #expect(try Route.RowAddress(text: "12").candidates(text) == [.text("12")])
        let integer = try Parameters(query: "idType=integer", known: ["idType"])
        #expect(try Route.RowAddress(text: "-5").candidates(integer) == [.integer(-5)])
        #expect(throws: HTTPRefusal.self) { try Route.RowAddress(text: "a").candidates(integer) }
        let other = try Parameters(query: "idType=uuid", known: ["idType"])
        #expect(throws: HTTPRefusal.self) { try Route.RowAddress(text: "a").candidates(other) }
    }
}
