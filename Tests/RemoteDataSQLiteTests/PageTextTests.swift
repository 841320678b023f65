import RemoteData
import RemoteDataSQLite
import RemoteDataTesting
import Testing

/// Pages that are written out as text are the pages that are read as rows.
struct PageTextTests {
    private func table(_ isInMemory: Bool) async throws -> any Table & PageWriting {
        let table: (any Table)? =
            if isInMemory {
                MemoryTable("rows")
            } else {
                try await SQLiteTableStore(path: ":memory:").table("rows", creating: true)
            }
        return try #require(table as? any Table & PageWriting)
    }

    private func fill(_ table: any Table, _ random: inout SeededGenerator) async throws {
        var drafts: [Draft] = []
        for number in 0..<60 {
            let text = String(repeating: random.pick(["é", "\\n", "x"]), count: random.number(0..<40))
            let json = #"{"objectId":"r\#(100 + number)","a":\#(random.number(0..<5)),"t":"\#(text)"}"#
            drafts.append(try Draft(ArraySlice(json.utf8), idColumn: "objectId"))
        }
        _ = try await table.commit(.create(drafts), idempotencyKey: nil)
    }

    @Test(arguments: [true, false], 1...3 as ClosedRange<UInt64>)
    func aPageAsTextIsThePage(isInMemory: Bool, seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let table = try await table(isInMemory)
        try await fill(table, &random)
        for _ in 0..<200 {
            let filter = random.chance(2) ? try Where.parse("a > \(random.number(0..<5))") : nil
            let query = Query(filter, sort: try SortTerm.parse(random.pick(["", "a", "a desc"])))
            let all = try await table.page(PageRequest(query, limit: 100)).rows
            let key =
                random.chance(3) ? nil : all.randomElement(using: &random).map { Key($0, sort: query.sort) }
            let offset = random.number(0..<30)
            let start: PageRequest.Start =
                if let key { random.chance(2) ? .after(key) : .beyond(key, offset: offset) } else {
                    .offset(offset)
                }
            let request = PageRequest(query, start: start, limit: random.number(1..<40))
            let page = try await table.page(request)
            let bytes = random.number(1..<3_000)
            let text = try #require(try await table.pageText(request, fitting: bytes))
            var (expected, taken) = ([[UInt8]](), 0)
            for row in page.rows where taken < bytes {
                expected.append(Array(row.json))
                taken += row.json.count + 1
            }
            let json = Array("[".utf8) + Array(expected.joined(separator: Array(",".utf8))) + Array("]".utf8)
            #expect(text.json == json, "\(request)")
            #expect(text.endsEarly == (expected.count < page.rows.count), "\(request)")
            #expect(text.revision == page.revision)
        }
    }

    @Test(arguments: [true, false]) func whatIsWrongWithAPageIsWrongWithItsText(isInMemory: Bool) async throws
    {
        var random = SeededGenerator(seed: 1)
        let table = try await table(isInMemory)
        try await fill(table, &random)
        for request in [
            PageRequest(Query(try Where.parse("nowhere = 1")), limit: 1), PageRequest(Query(), limit: 0),
        ] {
            let error = await #expect(throws: RemoteDataError.self) { try await table.page(request) }
            let same = await #expect(throws: RemoteDataError.self) {
                try await table.pageText(request, fitting: 1_000)
            }
            #expect(same?.code == error?.code)
        }
        let last = PageRequest(Query(), start: .before(Key(values: [], id: .text("r110"))), limit: 3)
        #expect(try await table.pageText(last, fitting: 1_000)?.json == nil)
    }
}
