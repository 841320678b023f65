import Foundation
import RemoteData
import RemoteDataTesting
import Testing

@testable import RemoteDataSQLite

/// Files that only those can read who have the key; with the trait `SQLCipher`.
struct EncryptionTests {
    private let key = EncryptionKey.passphrase("correct horse")

    @Test func aKeyIsNeverPrinted() {
        #expect("\(key)" == "an encryption key")
        #expect(!String(reflecting: key).contains("horse"))
        var dumped = ""
        dump(key, to: &dumped)
        #expect(!dumped.contains("99"))
    }

    #if SQLCipher
    @Test func aFileIsReadWithItsKeyAlone() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.db")
        var store = try await LocalStore(path: path, key: key)
        _ = try await store.table("notes").commit(
            .create([draft(#"{"objectId":"a","text":"secret words"}"#)])
        )
        try await store.pinAll([RowID("a")], in: "notes")
        await store.close()
        for suffix in ["", "-wal"] {
            guard let bytes = try? Data(contentsOf: URL(filePath: path + suffix)) else { continue }
            #expect(!bytes.starts(with: Data("SQLite".utf8)))
            #expect(bytes.firstRange(of: Data("secret words".utf8)) == nil)
        }
        for wrong in [EncryptionKey.passphrase("other"), .raw([UInt8](repeating: 7, count: 32))] {
            let error = await failure { () async throws(RemoteDataError) in
                try await LocalStore(path: path, key: wrong)
            }
            #expect(error?.code == .storage)
            #expect(error?.message.contains("cannot be read with this key") == true)
        }
        let without = await failure { () async throws(RemoteDataError) in try await LocalStore(path: path) }
        #expect(without?.message.contains("or is encrypted") == true)
        store = try await LocalStore(path: path, key: key)
        #expect(try await store.table("notes").row("a")?["text"] == "secret words")
        #expect(try await store.labels() == [LocalStore.defaultLabel])
        await store.close()
        let report = try await LocalStore.rebuild(path: path, key: key)
        #expect(report.heldRows == 1)
        store = try await LocalStore(path: path, key: key)
        #expect(try await store.table("notes").count(nil).value == 1)
    }

    @Test func aRawKeyIsTakenAsItIs() async throws {
        let folder = try TemporaryFolder()
        let raw = EncryptionKey.raw((0..<32).map { UInt8($0) })
        let store = try await LocalStore(path: folder.file("a.db"), key: raw)
        _ = try await store.table("notes").commit(.create([draft("{}")]))
        await store.close()
        let again = try await LocalStore(path: folder.file("a.db"), key: raw)
        #expect(try await again.table("notes").count(nil).value == 1)
    }

    @Test(arguments: TableSection.allCases) func anEncryptedTableKeepsTheContract(
        section: TableSection
    ) async throws {
        let folder = try TemporaryFolder()
        let raw = EncryptionKey.raw([UInt8](repeating: 3, count: 32))
        await checkTable(logCapacity: 0, sections: [section]) {
            try await LocalStore(path: folder.file(UUID().uuidString), key: raw).table("rows")
        }
    }
    #else
    @Test func aKeyIsRefusedWhereNothingCanBeEncrypted() async throws {
        let folder = try TemporaryFolder()
        let error = await failure { () async throws(RemoteDataError) in
            try await LocalStore(path: folder.file("a.db"), key: key)
        }
        #expect(error?.code == .storage)
        #expect(error?.message.contains("trait SQLCipher") == true)
    }
    #endif
}
