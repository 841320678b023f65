import Foundation
import RemoteData
import RemoteDataSQLite
import RemoteDataTesting
import Testing

struct SQLiteTableTests {
    @Test(arguments: TableSection.allCases) func keepsTheContractInMemory(section: TableSection) async {
        await checkTable(logCapacity: 300, sections: [section]) {
            let store = try await SQLiteTableStore(path: ":memory:", logCapacity: 300)
            return try #require(await store.table("rows", creating: true))
        }
    }

    @Test(arguments: TableSection.allCases) func keepsTheContractInAFile(section: TableSection) async throws {
        let folder = try TemporaryFolder()
        await checkTable(logCapacity: 300, sections: [section]) {
            let store = try await SQLiteTableStore(path: folder.file(UUID().uuidString), logCapacity: 300)
            return try #require(await store.table("rows", creating: true))
        }
    }
}
