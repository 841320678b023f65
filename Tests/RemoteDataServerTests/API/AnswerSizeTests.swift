import Foundation
import RemoteData
import RemoteDataTesting
import Testing

@testable import RemoteDataServer

/// Answers that would be larger than a limit end early, and say so.
struct AnswerSizeTests {
    private let api: TableAPI
    private let table: any Table

    /// Nine rows of 100 bytes, of which three reach the limit.
    init() async throws {
        var limits = TableServer.Limits()
        limits.answerBytes = 250
        let store = MemoryTableStore()
        api = TableAPI(store: store, limits: limits, fixedTables: false)
        table = try #require(try await store.table("t", creating: true))
        for id in 1...9 {
            let json = #"{"objectId":\#(id),"x":""# + String(repeating: "x", count: 78) + "\"}"
            _ = try await table.commit(.create([try Draft(Array(json.utf8)[...], idColumn: "objectId")]))
        }
    }

    private func ask(_ target: String) async -> HTTPAnswer {
        let head = HTTPRequestHead(method: "GET", target: target, fields: [])
        return await api.answer(HTTPRequest(head: head, body: []))
    }

    private func ids(_ answer: HTTPAnswer) throws -> [String] {
        try JSONObject.elements(of: answer.body[...]).map { row in
            try #require(try Draft(row, idColumn: "objectId").id).description
        }
    }

    private func hasMore(_ answer: HTTPAnswer) -> Bool {
        answer.fields.contains { $0.name == "Table-More" && $0.value == "true" }
    }

    @Test(arguments: [
        ("", ["1", "2", "3"]), ("offset=4", ["5", "6", "7"]), ("after=%5B2%5D", ["3", "4", "5"]),
        ("before=%5B9%5D", ["6", "7", "8"]), ("before=%5B9%5D&pageSize=4", ["6", "7", "8"]),
    ])
    func aLargePageEndsEarlyAndSaysThatThereIsMore(query: String, expected: [String]) async throws {
        let answer = await ask("/api/data/t?\(query)")
        #expect(try ids(answer) == expected)
        #expect(hasMore(answer))
    }

    @Test(arguments: [
        ("offset=6", ["7", "8", "9"]), ("pageSize=3", ["1", "2", "3"]), ("offset=9", []),
        ("before=%5B4%5D", ["1", "2", "3"]), ("pageSize=2", ["1", "2"]),
    ])
    func aPageThatFitsSaysNothing(query: String, expected: [String]) async throws {
        let answer = await ask("/api/data/t?\(query)")
        #expect(try ids(answer) == expected)
        #expect(!hasMore(answer))
    }

    @Test(arguments: [true, false]) func aPageOfATableWithSmallerPagesSaysThatThereIsMore(isText: Bool)
        async throws
    {
        let store = MemoryTableStore()
        let table = try #require(try await store.table("t", creating: true))
        let drafts = try (1...1_001).map {
            try Draft(Array(#"{"objectId":\#($0)}"#.utf8)[...], idColumn: "objectId")
        }
        _ = try await table.commit(.create(drafts))
        var limits = TableServer.Limits()
        limits.pageSize = 5_000
        let plain = OneTableStore(only: LimitedTable(table, to: table.capabilities))
        let api = TableAPI(store: isText ? store : plain, limits: limits, fixedTables: false)
        for (query, count, more) in [
            ("pageSize=3000", 1_000, true), ("pageSize=1000", 1_000, false),
            ("pageSize=3000&offset=1", 1_000, true),
            ("pageSize=3000&offset=2", 999, false),
        ] {
            let head = HTTPRequestHead(method: "GET", target: "/api/data/t?\(query)", fields: [])
            let answer = await api.answer(HTTPRequest(head: head, body: []))
            #expect(try ids(answer).count == count)
            #expect(hasMore(answer) == more, "\(query)")
        }
    }

    @Test func aPageThatTheTableEndsEarlyDoesSo() async throws {
        let source = FaultyTable(table)
        source.alterPages { page, _ in
            Page(rows: Array(page.rows.prefix(2)), revision: page.revision, endsEarly: true)
        }
        let store = OneTableStore(only: source)
        let api = TableAPI(store: store, limits: TableServer.Limits(), fixedTables: false)
        let head = HTTPRequestHead(method: "GET", target: "/api/data/t", fields: [])
        let answer = await api.answer(HTTPRequest(head: head, body: []))
        #expect(try ids(answer) == ["1", "2"])
        #expect(hasMore(answer))
    }

    @Test func aRowOverTheLimitIsAPageOfItsOwn() async throws {
        let json = #"{"objectId":0,"x":""# + String(repeating: "x", count: 500) + "\"}"
        _ = try await table.commit(.create([try Draft(Array(json.utf8)[...], idColumn: "objectId")]))
        let answer = await ask("/api/data/t")
        #expect(try ids(answer) == ["0"])
        #expect(hasMore(answer))
    }

    @Test func changesComeInPartsThatLeadToTheEnd() async throws {
        struct Batch: Decodable {
            struct Change: Decodable { let revision: Int }
            let changes: [Change]
            let revision: Int
            let epoch: String
            let complete: Bool
        }
        var (since, revisions, batches) = ("0", [Int](), 0)
        while true {
            let answer = await ask("/api/data/t/changes?since=\(since)")
            let batch = try JSONDecoder().decode(Batch.self, from: Data(answer.body))
            #expect(batch.revision == batch.changes.last?.revision)
            revisions += batch.changes.map(\.revision)
            since = "\(batch.revision)&epoch=\(batch.epoch)"
            batches += 1
            if batch.complete { break }
            #expect(batch.changes.count == 2)
        }
        #expect(revisions == Array(1...9))
        #expect(batches == 5)
    }
}

/// A store of one table, whatever it is called.
private struct OneTableStore: TableStore {
    let only: any Table

    func table(_ name: String, creating: Bool) async throws(RemoteDataError) -> (any Table)? { only }

    func tableNames() async throws(RemoteDataError) -> [String] { [only.name] }
}
