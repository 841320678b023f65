import RemoteData
import Testing

@testable import RemoteDataBackends

struct PocketBasePagingTests {
    private func like() throws -> Where? { try Where.parse("s like 'x%'") }

    private func rows(_ numbers: some Sequence<Int>, text: String = "x") -> Page {
        Page(
            rows: numbers.map { number in
                Row(
                    id: .text("r\(number)"),
                    json: Array(#"{"id":"r\#(number)","s":"\#(text)","n":\#(number)}"#.utf8)[...]
                )
            }
        )
    }

    private func key(_ number: Int64) -> Key { Key(values: [.integer(number)], id: .text("r\(number)")) }

    @Test func aFullAnswerIsAPage() throws {
        var paging = try PocketBasePaging(
            PageRequest(Query(sort: [SortTerm("n")]), limit: 3),
            limit: 3,
            of: "t"
        )
        let part = try #require(try paging.next())
        #expect(part == .init(filter: nil, sort: "n,id", page: 1, size: 3))
        try paging.take(rows(1...3), to: part, size: 3)
        #expect(try paging.next() == nil)
        #expect(paging.page.rows.map(\.id) == ["r1", "r2", "r3"])
    }

    @Test func aServerWithSmallerPagesIsAskedAgainBehindTheLastRow() throws {
        var paging = try PocketBasePaging(
            PageRequest(Query(sort: [SortTerm("n")]), limit: 5),
            limit: 5,
            of: "t"
        )
        let first = try #require(try paging.next())
        try paging.take(rows(1...3), to: first, size: 3)
        let second = try #require(try paging.next())
        #expect(second.size == 2)
        #expect(second.filter?.contains("r3") == true)
        try paging.take(rows(4...4), to: second, size: 2)
        #expect(try paging.next() == nil)
        #expect(paging.page.rows.count == 4)
    }

    @Test func pagesInFrontOfAKeyAreReadBackwards() throws {
        let request = PageRequest(
            Query(sort: [SortTerm("n", ascending: false)]),
            start: .before(key(5)),
            limit: 2
        )
        var paging = try PocketBasePaging(request, limit: 2, of: "t")
        let part = try #require(try paging.next())
        #expect(part.sort == "n,-id")
        try paging.take(rows([6, 7]), to: part, size: 2)
        #expect(paging.page.rows.map(\.id) == ["r7", "r6"])
    }

    @Test func anOffsetIsAskedForByPages() throws {
        var paging = try PocketBasePaging(
            PageRequest(Query(), start: .offset(25), limit: 10),
            limit: 10,
            of: "t"
        )
        let first = try #require(try paging.next())
        #expect((first.page, first.size) == (3, 10))
        try paging.take(rows(20..<30), to: first, size: 10)
        let second = try #require(try paging.next())
        #expect(second.page == 4)
        try paging.take(rows(30..<32), to: second, size: 10)
        #expect(try paging.next() == nil)
        #expect(paging.page.rows.map(\.id) == rows(25..<32).rows.map(\.id))
    }

    @Test func rowsThatOnlyTheServerTakesForMatchingAreLeftOut() throws {
        var paging = try PocketBasePaging(PageRequest(Query(like()), limit: 2), limit: 2, of: "t")
        let first = try #require(try paging.next())
        #expect(first.size == 200)
        try paging.take(rows(1...200, text: "X"), to: first, size: 200)
        let second = try #require(try paging.next())
        #expect(second.filter?.contains("r200") == true)
        try paging.take(rows(201...203), to: second, size: 200)
        #expect(try paging.next() == nil)
        #expect(paging.page.rows.map(\.id) == ["r201", "r202"])
    }

    @Test func nullsThatSortElsewhereAreAnError() throws {
        var paging = try PocketBasePaging(
            PageRequest(Query(sort: [SortTerm("m")]), limit: 3),
            limit: 3,
            of: "t"
        )
        let part = try #require(try paging.next())
        let row = Row(id: "r1", json: Array(#"{"id":"r1","m":null}"#.utf8)[...])
        let error = #expect(throws: RemoteDataError.self) {
            try paging.take(Page(rows: [row]), to: part, size: 3)
        }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.contains("NULLS FIRST") == true)
    }

    @Test func moreColumnsThanPocketBaseSortsByAreAnError() {
        let sort = (1...8).map { SortTerm(ColumnPath("c\($0)")) }
        #expect(throws: RemoteDataError.self) {
            try PocketBasePaging(PageRequest(Query(sort: sort)), limit: 1, of: "t")
        }
    }

    @Test func whatCannotBePagedIsAnError() throws {
        let key = Key(values: [.json("[1]")], id: "a")
        let request = PageRequest(Query(sort: [SortTerm("n")]), start: .after(key), limit: 1)
        let paging = try PocketBasePaging(request, limit: 1, of: "t")
        #expect(throws: RemoteDataError.self) { try paging.next() }
    }
}
