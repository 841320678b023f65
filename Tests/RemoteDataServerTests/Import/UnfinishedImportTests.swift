import Foundation
import RemoteData
import RemoteDataTesting
import Synchronization
import Testing

@testable import RemoteDataServer

struct UnfinishedImportTests {
    private let store = FailingStore()

    private func run(_ text: String, idColumn: String? = nil) async throws -> TableImport.Report {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "things.csv")
        try Data(text.utf8).write(to: file)
        return try await TableImport(file, idColumn: idColumn).run(on: store)
    }

    private func csv(_ count: Int) -> String { "n\n" + (0..<count).map { "\($0)\n" }.joined() }

    private func count(_ clause: String? = nil) async throws -> Int? {
        try await store.table("things", creating: false)?.count(clause.map { try Where($0) }).value
    }

    /// Every write of an import of 2,500 rows may be its last one: the mark's, three of rows, the mark's again.
    @Test(arguments: 0..<5)
    func anImportThatEndedAnywhereIsMadeWhole(writes: Int) async throws {
        store.writesLeft = writes
        await #expect(throws: RemoteDataError.self) { try await run(csv(2_500)) }
        #expect(try await UnfinishedImport.all(in: store).map(\.file) == (writes == 0 ? [] : ["things.csv"]))
        store.writesLeft = .max
        let report = try await run(csv(2_500))
        #expect(report.rows == 2_500)
        #expect(report.wasUnfinished == (writes > 0))
        #expect(!report.wasSkipped)
        #expect(try await count() == 2_500)
        #expect(try await count("n = 7") == 1)
        #expect(try await UnfinishedImport.all(in: store).isEmpty)
        #expect(try await run(csv(2_500)).wasSkipped)
    }

    @Test func theRowsOfOthersStay() async throws {
        store.writesLeft = 2
        await #expect(throws: RemoteDataError.self) { try await run(csv(2_500)) }
        store.writesLeft = .max
        let table = try #require(try await store.table("things", creating: false))
        _ = try await table.commit(.create([try Draft(Array(#"{"n":-1}"#.utf8)[...], idColumn: "objectId")]))
        // The file has become shorter meanwhile.
        #expect(try await run(csv(10)).wasUnfinished)
        #expect(try await count("n < 0") == 1)
        #expect(try await count() == 11)
    }

    @Test func rowsWithIDsOfTheirOwnAreReplaced() async throws {
        store.writesLeft = 2
        await #expect(throws: RemoteDataError.self) { try await run(csv(2_500), idColumn: "n") }
        #expect(try await count() == 1_000)
        store.writesLeft = .max
        _ = try await run(csv(2_500), idColumn: "n")
        #expect(try await count() == 2_500)
        #expect(try await UnfinishedImport.all(in: store).isEmpty)
    }

    @Test func rowsComeInTheOrderOfTheFile() async throws {
        _ = try await run(csv(300))
        let table = try #require(try await store.table("things", creating: false))
        let rows = try await table.page(PageRequest(Query(), limit: 1_000)).rows
        #expect(rows.map { $0["n"] } == (0..<300).map { .integer(Int64($0)) })
        #expect(rows.allSatisfy { UUID(uuidString: $0.id.description)?.uuidString == $0.id.description })
    }

    @Test func noRequestCanNameWhereImportsAreRemembered() async throws {
        store.writesLeft = 1
        await #expect(throws: RemoteDataError.self) { try await run(csv(1)) }
        let name = try #require(try await store.tableNames().first)
        #expect(throws: HTTPRefusal.self) { try TableName.check(name) }
    }
}

/// A store in memory whose writes fail after some.
private final class FailingStore: TableStore {
    private let base = MemoryTableStore()
    private let left = Mutex(Int.max)

    /// How many writes are made before all fail.
    var writesLeft: Int {
        get { left.withLock { $0 } }
        set { left.withLock { $0 = newValue } }
    }

    func table(_ name: String, creating: Bool) async throws(RemoteDataError) -> (any Table)? {
        try await base.table(name, creating: creating).map { FailingTable(wrapped: $0, store: self) }
    }

    func tableNames() async throws(RemoteDataError) -> [String] { try await base.tableNames() }

    func write() throws(RemoteDataError) {
        let isAllowed = left.withLock { left in
            left -= 1
            return left >= 0
        }
        guard isAllowed else { throw RemoteDataError(.storage, "The power went out.") }
    }
}

private struct FailingTable: ForwardingTable {
    let wrapped: any Table
    let store: FailingStore

    func willAsk(_ call: FaultyTable.Call, _ mutation: Mutation?) throws(RemoteDataError) {
        if call == .commit { try store.write() }
    }
}
