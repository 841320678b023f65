import Foundation
import RemoteData
import RemoteDataTesting
import Testing

@testable import RemoteDataSQLite

/// Files that are damaged, and what is saved of them.
struct RebuildTests {
    private let relations: [Relation] = [.toOne("author", of: "notes", in: "people")]

    /// A file with rows that were written here, pinned ones and what they lead to, and some that came from a server.
    private func makeFile(_ path: String, rows: Int = 400) async throws {
        let store = try await LocalStore(path: path, relations: relations)
        for start in stride(from: 0, to: rows, by: 100) {
            let drafts = try (start..<(start + 100)).map {
                try draft("{\"objectId\":\"d\($0)\",\"text\":\"\(String(repeating: "x", count: 100))\"}")
            }
            _ = try await store.table("drafts").commit(.create(drafts))
        }
        let notes = try (0..<rows).map { try row("{\"objectId\":\"n\($0)\",\"author\":\"p\($0 % 9)\"}") }
        try await store.pinAll(
            try (0..<9).map { try row("{\"objectId\":\"p\($0)\"}") },
            in: "people",
            label: "x"
        )
        try await store.pinAll(notes, in: "notes", label: "mine")
        try await store.unpinAll(label: "x")
        let server = MemoryTable("remote")
        _ = try await server.commit(.create((0..<50).map { try draft("{\"objectId\":\"r\($0)\"}") }))
        let remote = try await RemoteDataCollection<RelicRow>(table: server, cache: store)
        try await remote.populate()
        await store.close()
    }

    private struct RelicRow: Codable, Identifiable, Sendable { var id: String }

    private func count(_ store: LocalStore, _ table: String, _ label: String? = nil) async throws -> Int {
        let table = try label.map { try store.table(table, label: $0) } ?? store.table(table)
        return try await table.count(nil).value
    }

    @Test func everythingThatNoServerHasIsRescuedFromAFileThatCanBeRead() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.db")
        try await makeFile(path)
        let report = try await LocalStore.rebuild(path: path, relations: relations)
        #expect(report.labels == ["mine"])
        #expect(report.heldRows == 409)
        #expect(report.ownRows == 400)
        #expect(FileManager.default.fileExists(atPath: report.damagedFile))
        let store = try await LocalStore(path: path, relations: relations)
        #expect(try await count(store, "drafts") == 400)
        #expect(try await count(store, "notes", "mine") == 400)
        #expect(try await count(store, "people", "mine") == 9)
        #expect(try await count(store, "remote") == 0)
        try await store.unpinAll()
        #expect(try await count(store, "people") == 0)
        #expect(try await count(store, "drafts") == 400)
    }

    /// Some pages in the middle of the file are overwritten: what lies in others is rescued.
    @Test(arguments: UInt64(0)..<12) func whatCanBeReadIsRescued(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let folder = try TemporaryFolder()
        let path = folder.file("a.db")
        try await makeFile(path)
        var bytes = try Data(contentsOf: URL(filePath: path))
        let pages = bytes.count / 4_096
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            // In front of these are the tables' definitions, without which nothing can be read.
            let page = Int.random(in: (pages / 2)..<pages, using: &random)
            let garbage = (0..<4_096).map { _ in UInt8.random(in: 0...255, using: &random) }
            bytes.replaceSubrange((page * 4_096)..<((page + 1) * 4_096), with: garbage)
        }
        try bytes.write(to: URL(filePath: path))
        let report = try await LocalStore.rebuild(path: path, relations: relations)
        let store = try await LocalStore(path: path, relations: relations)
        #expect(try await count(store, "drafts") == report.ownRows)
        #expect(report.ownRows + report.heldRows > 100, "\(report)")
        for name in ["drafts", "notes", "people"] {
            let page = try await store.table(name).page(PageRequest(Query(), limit: 1_000))
            #expect(page.rows.allSatisfy { (try? Row.parse($0.json, idColumn: "objectId")) != nil })
        }
        #expect(try Data(contentsOf: URL(filePath: report.damagedFile)) == bytes)
    }

    @Test func whatIsNoDatabaseGivesAnEmptyOne() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.db")
        try Data(repeating: 0x41, count: 10_000).write(to: URL(filePath: path))
        let error = await failure { () async throws(RemoteDataError) in try await LocalStore(path: path) }
        #expect(error?.code == .storage)
        let report = try await LocalStore.rebuild(path: path)
        #expect(report.heldRows == 0)
        #expect(try Data(contentsOf: URL(filePath: report.damagedFile)).count == 10_000)
        let store = try await LocalStore(path: path)
        #expect(try await store.tableNames().isEmpty)
    }

    @Test func whereThereIsNoFileNothingIsMade() async throws {
        let folder = try TemporaryFolder()
        let error = await failure { () async throws(RemoteDataError) in
            try await LocalStore.rebuild(path: folder.file("a.db"))
        }
        #expect(error?.message.contains("There is no file") == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }
}
