import RemoteData
import RemoteDataBackends
import RemoteDataServer
import Testing

private struct Note: Codable, Identifiable, Sendable {
    var id: String
    var number: Int
    var text: String
}

/// Rows too large for a whole page of them to be one answer.
@Suite(.timeLimit(.minutes(2))) struct LargeRowsTests {
    private func fill(_ table: RESTTable) async throws {
        let drafts = try (0..<50).map { number in
            let text = String(repeating: "x", count: 100 * (number % 4))
            let json = "{\"objectId\":\"n\(100 + number)\",\"number\":\(number),\"text\":\"\(text)\"}"
            return try Draft(Array(json.utf8)[...], idColumn: "objectId")
        }
        _ = try await table.commit(.create(drafts))
    }

    @Test(arguments: ["", "number desc"], [1, 7, 20, 100])
    func areAllReadOnceWhateverTheAnswersHold(sort: String, pageSize: Int) async throws {
        var configuration = TableServer.Configuration()
        configuration.limits.answerBytes = 900
        try await withServer(MemoryTableStore(), configuration) { url in
            let table = try RESTServer(url, configuration: .lenient).table("notes")
            try await fill(table)
            var options = CollectionOptions()
            options.pageSize = pageSize
            let notes = try await RemoteDataCollection<Note>(table: table, sort: sort, options: options)
            var numbers: [Int] = []
            for try await note in notes.rows { numbers.append(note.number) }
            #expect(numbers == (sort.isEmpty ? Array(0..<50) : (0..<50).reversed()))
            #expect(notes.count == 50)
            #expect(notes.isLoaded)
            let others = try await RemoteDataCollection<Note>(table: table, sort: sort, options: options)
            #expect(try await others.row(at: 33).number == (sort.isEmpty ? 33 : 16))
            try await others.populate()
            #expect(others.loadedCount == 50)
        }
    }

    @Test func aPageSaysThatItEndsEarly() async throws {
        var configuration = TableServer.Configuration()
        configuration.limits.answerBytes = 900
        try await withServer(MemoryTableStore(), configuration) { url in
            let table = try RESTServer(url, configuration: .lenient).table("notes")
            try await fill(table)
            let page = try await table.page(PageRequest(Query(), limit: 50))
            #expect(page.endsEarly)
            #expect((1..<50).contains(page.rows.count))
            let last = try await table.page(PageRequest(Query(), start: .offset(48), limit: 50))
            #expect(!last.endsEarly)
            #expect(last.rows.count == 2)
        }
    }
}
