import Foundation
import RemoteData
import RemoteDataTesting
import Testing

@testable import RemoteDataSQLite

/// What users of earlier local datastores reported for years and no other test of labels is about, named after how it should be.
@Suite(.timeLimit(.minutes(1))) struct ReportedDefectTests {
    private struct Note: Codable, Identifiable, Sendable, Equatable {
        var id: String?
        var text: String
        var author: String?
    }

    /// An error of the block was lost behind the result of closing the file, and told as success.
    @Test func aPinThatFailsSaysSoAndHoldsNothing() async throws {
        let folder = try TemporaryFolder()
        let store = try await LocalStore(path: folder.file("a.db"))
        try await store.pin(Note(id: "a", text: "x"), in: "notes")
        try await store.execute("PRAGMA max_page_count = 1")
        let large = String(repeating: "x", count: 2_000_000)
        let error = await failure { () async throws(RemoteDataError) in
            try await store.pinAll([Note(id: "b", text: "y"), Note(id: "c", text: large)], in: "notes")
        }
        #expect(error?.code == .storage && error?.message.contains("disk is full") == true)
        try await store.execute("PRAGMA max_page_count = 1000000")
        #expect(try await store.table("notes").count(nil).value == 1)
        #expect(try await store.labels(of: "b", in: "notes").isEmpty)
        await store.close()
    }

    /// Objects made offline had two identities as soon as the server gave them one.
    @Test func aRowThatGetsItsIDFromTheServerIsOneRowEverywhere() async throws {
        let server = MemoryTable("notes", makeID: { "given" })
        let store = try await LocalStore(
            path: ":memory:",
            relations: [.toOne("author", of: "notes", in: "people")]
        )
        let notes = try await RemoteDataCollection<Note>(table: server, cache: store)
        var note = try #require(await notes.add(Note(id: nil, text: "first", author: "ann")))
        #expect(note.id == "given")
        try await store.pin(note, in: "notes", label: "mine")
        note.text = "second"
        try await notes.update(note)
        await store.flush()
        for table in [try store.table("notes"), try store.table("notes", label: "mine")] {
            let rows = try await table.page(PageRequest(Query())).rows
            #expect(rows.map(\.id) == ["given"])
            #expect(rows.first?["text"] == "second")
        }
        #expect(try await store.labels(of: "ann", in: "people") == ["mine"])
        await store.close()
    }

    /// Operations on one file waited for each other in a circle.
    @Test func pinsQueriesAndUnpinsOfManyTasksAllEnd() async throws {
        let folder = try TemporaryFolder()
        let store = try await LocalStore(path: folder.file("a.db"))
        let table = try store.table("notes")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask {
                    let note = Note(id: "n\(number % 5)", text: "\(number)")
                    try await store.pin(note, in: "notes", label: "l\(number % 3)")
                    _ = try await table.count(Where("text <> 'x'"))
                    if number % 2 == 0 { try await store.unpin(note, in: "notes", label: "l\(number % 3)") }
                    _ = try await table.page(PageRequest(Query(sort: [SortTerm("text")])))
                }
            }
            try await group.waitForAll()
        }
        for number in 0..<5 {
            let isHeld = try await !store.labels(of: .text("n\(number)"), in: "notes").isEmpty
            #expect(try await (table.row(.text("n\(number)")) != nil) == isHeld)
        }
        await store.close()
    }

    /// Values were compared by their spelling, lists matched by accident.
    @Test(arguments: [
        ("n = 1337", "1"), ("n = '1337'", "2"), ("n = 1337.0", "1"), ("n in (1337, 'x')", "1"),
        ("tags contains all (1, 2)", "1"), ("n contains all (1337)", ""), ("tags not contains 3", "1"),
        ("name matches '(?i)^ANN'", "12"), ("name matches '^ANN'", "2"), ("name is not null", "12"),
        ("name is null", "3"), ("lat between 40 and 60 and lon between -10 and 10", "1"),
        ("n = 1337 or name = 'ANN b'", "12"), ("not (n = 1337 or name = 'ANN b')", ""),
    ])
    func offlineMatchesAreThoseOfTheServer(clause: String, expected: String) async throws {
        let store = try await LocalStore(path: ":memory:")
        let rows = [
            #"{"objectId":"1","n":1337,"tags":[1,2],"name":"ann a","lat":51.5,"lon":-0.1}"#,
            #"{"objectId":"2","n":"1337","tags":[3],"name":"ANN b","lat":35.6,"lon":139.7}"#,
            #"{"objectId":"3","n":null,"name":null}"#,
        ]
        let server = MemoryTable("rows")
        _ = try await server.commit(.create(try rows.map(draft)))
        let all = try await server.page(PageRequest(Query())).rows
        try await store.pinAll(all, in: "rows")
        let local = try store.table("rows", label: LocalStore.defaultLabel)
        for table in [server, local] as [any Table] {
            // A limit larger than the result changes nothing.
            let page = try await table.page(PageRequest(Query(try Where(clause)), limit: 1_000))
            #expect(page.rows.map { "\($0.id)" }.joined() == expected, "\(clause) in \(table)")
        }
    }
}
