import RemoteData
import RemoteDataTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct AccessTableCheckTests {
    /// A table in which everything belongs to one user.
    private static func table(_ base: any Table = MemoryTable("t")) throws -> AccessTable {
        AccessTable(base, user: try AccessUser("ann", roles: ["editors"]), newRows: .private)
    }

    /// A table that knows nothing of rights.
    private static func plain(_ change: (inout Capabilities) -> Void = { _ in }) -> LimitedTable {
        var capabilities = Capabilities.full
        change(&capabilities)
        return LimitedTable(MemoryTable("t"), to: capabilities)
    }

    @Test func aUserOfOwnRowsHasATableThatKeepsTheWholeContract() async {
        await checkTable { try Self.table() }
        await checkTable(logCapacity: 30) {
            try Self.table(MemoryTable("t", logCapacity: 30, epoch: .random()))
        }
    }

    @Test func whoseRolesAreAskedForEachTimeHasOneToo() async {
        await checkTable {
            AccessTable(
                MemoryTable("t"),
                AccessControl(newRows: .publicRead) { () throws(RemoteDataError) in try AccessUser("ann") }
            )
        }
    }

    @Test func overATableThatKnowsNothingOfRightsTheContractIsKeptTooAsFarAsDeclared() async {
        await checkTable { try Self.table(Self.plain()) }
    }

    @Test(arguments: 0..<Campaign.size(quick: 40))
    func nobodyIsEverToldWhatTheyMayNotKnow(number: Int) async throws {
        var history = try AccessHistory(MemoryTable("t"), seed: UInt64(number))
        try await history.run(steps: 60)
        #expect(history.faults == [])
    }

    @Test(arguments: 0..<Campaign.size(quick: 15))
    func norIsAnybodyByATableThatKnowsNothingOfRights(number: Int) async throws {
        var history = try AccessHistory(Self.plain(), seed: UInt64(number))
        try await history.run(steps: 60)
        #expect(history.faults == [])
    }
}
