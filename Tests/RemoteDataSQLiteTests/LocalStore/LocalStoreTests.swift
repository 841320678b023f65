import Foundation
import RemoteData
import RemoteDataTesting
import Testing

@testable import RemoteDataSQLite
@testable import store_crash

struct LocalStoreTests {
    // MARK: The contract

    @Test(arguments: TableSection.allCases) func aTableKeepsTheContractInMemory(section: TableSection) async {
        await checkTable(logCapacity: 0, sections: [section]) {
            try await LocalStore(path: ":memory:").table("rows")
        }
    }

    @Test(arguments: TableSection.allCases) func aTableKeepsTheContractInAFile(
        section: TableSection
    ) async throws {
        let folder = try TemporaryFolder()
        await checkTable(logCapacity: 0, sections: [section]) {
            try await LocalStore(path: folder.file(UUID().uuidString)).table("rows")
        }
    }

    @Test(arguments: TableSection.allCases) func whatALabelHoldsKeepsTheContract(
        section: TableSection
    ) async throws {
        let folder = try TemporaryFolder()
        await checkTable(sections: [section]) {
            let store = try await LocalStore(path: folder.file(UUID().uuidString))
            // Rows of the table that the label does not hold are not to be seen.
            _ = try await store.table("rows").commit(
                .create([
                    Draft(Array(#"{"objectId":"other","zzz":1}"#.utf8)[...], idColumn: "objectId")
                ])
            )
            return try store.table("rows", label: "some")
        }
    }

    // MARK: The file

    @Test func onlyItsOwnerReadsAFile() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.db")
        let store = try await LocalStore(path: path)
        _ = try await store.table("rows").commit(.create([draft("{}")]))
        for suffix in ["", "-wal", "-shm"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: path + suffix)
            let permissions = try #require(attributes[.posixPermissions] as? NSNumber).intValue
            #expect(permissions == 0o600, "\(suffix)")
        }
        await store.close()
    }

    @Test func anEarlierFileIsBroughtUpToDateWithAllItHolds() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.db")
        try FirstVersion.write(path, rows: 2)
        let store = try await LocalStore(path: path)
        let table = try store.table("people")
        #expect(try await table.page(PageRequest(Query())).rows.map(\.id) == [0, 1])
        try await store.pinAll([RowID(1)], in: "people")
        #expect(try await store.table("people", label: LocalStore.defaultLabel).count(nil).value == 1)
        await store.close()
        let server = try await SQLiteTableStore(path: path)
        #expect(try await server.table("people", creating: false)?.count(nil).value == 2)
    }

    @Test func aFileOfALaterVersionIsLeftAlone() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.db")
        var store = try await LocalStore(path: path)
        _ = try await store.table("rows").commit(.create([draft("{}")]))
        try await store.execute("PRAGMA user_version = 99")
        await store.close()
        let error = await failure { () async throws(RemoteDataError) in
            store = try await LocalStore(path: path)
        }
        #expect(error?.code == .storage)
        #expect(error?.message.contains("newer version (99)") == true)
    }
}

func draft(_ text: String) throws -> Draft { try Draft(Array(text.utf8)[...], idColumn: "objectId") }

func row(_ text: String) throws -> Row { try Row.parse(Array(text.utf8)[...], idColumn: "objectId") }
