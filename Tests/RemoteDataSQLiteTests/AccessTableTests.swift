import Foundation
import RemoteData
import RemoteDataSQLite
import RemoteDataTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct AccessTableTests {
    private static func base(logCapacity: Int = 100_000) async throws -> any Table {
        let store = try await SQLiteTableStore(path: ":memory:", logCapacity: logCapacity)
        return try #require(try await store.table("t", creating: true))
    }

    private static func table(_ base: any Table) throws -> AccessTable {
        AccessTable(base, user: try AccessUser("ann", roles: ["editors"]), newRows: .private)
    }

    @Test func aUserOfOwnRowsHasATableThatKeepsTheWholeContract() async {
        await checkTable { try Self.table(try await Self.base()) }
        // What depends on how much the log holds.
        await checkTable(logCapacity: 30, sections: [.changeLog, .resume]) {
            try Self.table(try await Self.base(logCapacity: 30))
        }
    }

    @Test(arguments: 0..<Campaign.size(quick: 7))
    func nobodyIsEverToldWhatTheyMayNotKnow(number: Int) async throws {
        var history = try AccessHistory(try await Self.base(), seed: UInt64(1_000 + number))
        try await history.run(steps: 50)
        #expect(history.faults == [])
    }

    @Test(arguments: 0..<Campaign.size(quick: 7))
    func norWhatALabelHolds(number: Int) async throws {
        let store = try await LocalStore(path: ":memory:")
        var history = try AccessHistory(try store.table("t", label: "mine"), seed: UInt64(2_000 + number))
        try await history.run(steps: 50)
        #expect(history.faults == [])
    }
}
