import RemoteDataTesting
import Synchronization
import Testing

@testable import RemoteData
@testable import RemoteDataSQLite

/// Queries of much work over tables in a file, or in memory.
struct QueryBudgetTests {
    private static let clauses = [
        "s MATCHES '(.{0,60}){0,60}Q'", "s LIKE '%x_____________________________Q%' OR s > 'z'",
        "s CONTAINS 'Q' OR s ILIKE '%Q'",
    ]

    private func table(in folder: TemporaryFolder?, _ size: Int) async throws -> any Table {
        let store = try await SQLiteTableStore(path: folder?.file("store.db") ?? ":memory:")
        let table = try #require(try await store.table("t", creating: true))
        let text = String(repeating: "x", count: size)
        for id in 1...2 {
            let json = Array(#"{"objectId":\#(id),"s":"\#(text)"}"#.utf8)
            _ = try await table.commit(.create([try Draft(json[...], idColumn: "objectId")]))
        }
        return table
    }

    private func code(_ body: () async throws -> Void) async -> RemoteDataError.Code? {
        do { try await body() } catch { return (error as? RemoteDataError)?.code }
        return nil
    }

    @Test("A query that takes long is answered as any other", arguments: [true, false])
    func slow(isFile: Bool) async throws {
        let folder = try TemporaryFolder()
        let table = try await table(in: isFile ? folder : nil, 100_000)
        let filter = try Where((0..<60).map { "s NOT LIKE '%\($0)Q%'" }.joined(separator: " AND "))
        #expect(!filter.isCostly)
        let budget = WorkBudget(within: nil)
        let count = try await WorkBudget.$current.withValue(budget) { try await table.count(Query(filter)) }
            .value
        #expect(count == 2)
        // Where there are readers for such, it was begun among those that are quick.
        let least = (isFile ? 2 : 1) * WorkBudget.quickSteps
        #expect(budget.taken.load(ordering: .relaxed) > least)
    }

    @Test("A query whose budget is used up is refused", arguments: clauses, [true, false])
    func usedUp(clause: String, isFile: Bool) async throws {
        let folder = try TemporaryFolder()
        let table = try await table(in: isFile ? folder : nil, 2_000)
        let filter = try Where(clause)
        await WorkBudget.$current.withValue(WorkBudget(steps: 1_000)) {
            #expect(await code { _ = try await table.count(Query(filter)) } == .unavailable)
            #expect(await code { _ = try await table.page(PageRequest(Query(filter))) } == .unavailable)
        }
        // The connection is as before.
        #expect(try await table.count(nil).value == 2)
    }

    @Test("Statements that evaluate nothing count too")
    func instructions() async throws {
        let table = try await table(in: nil, 1)
        for start in stride(from: 0, to: 5_000, by: 1_000) {
            let drafts = try (start..<start + 1_000).map {
                try Draft(Array(#"{"objectId":"r\#($0)"}"#.utf8)[...], idColumn: "objectId")
            }
            _ = try await table.commit(.create(drafts))
        }
        await WorkBudget.$current.withValue(WorkBudget(steps: 1_000)) {
            let far = PageRequest(Query(nil), start: .offset(4_990), limit: 5)
            #expect(await code { _ = try await table.page(far) } == .unavailable)
        }
    }
}
