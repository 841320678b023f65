import Foundation
import RemoteData
import RemoteDataTesting
import Testing

@testable import RemoteDataSQLite

/// A table and its pending writes survive a server whose store begins anew.
@Suite(.timeLimit(.minutes(1))) struct NewHistoryTests {
    /// How the revisions of the new history lie to those of the old one.
    enum Histories: CaseIterable {
        case lowerRevisions, higherRevisions, lowerWithoutEpochs

        var epochs: (old: Epoch?, new: Epoch?) {
            self == .lowerWithoutEpochs ? (nil, nil) : (Epoch(rawValue: 0xA), Epoch(rawValue: 0xB))
        }
        /// How many writes come before the rows.
        var writes: Int { self == .higherRevisions ? 200 : 0 }
    }

    private static let old = (0..<30).map { List(id: "l\($0)", name: "old", note: "note") }
    /// Ten rows as they were, ten that differ, ten that are gone, and a new one.
    private static let new =
        old[..<10] + old[10..<20].map { List(id: $0.id, name: "new", note: "note") }
        + [List(id: "x", name: "new")]

    private static let kinds = ["live", "log", "revisions"]

    private static func capabilities(_ kind: String) -> Capabilities {
        var some = Capabilities.full
        if kind != "live" { some.liveChanges = false }
        if kind == "revisions" { some.resume = false }
        return some
    }

    private static func server(
        _ epoch: Epoch?,
        _ lists: some Collection<List>,
        after writes: Int
    ) async throws -> MemoryTable {
        let table = MemoryTable("lists", epoch: epoch)
        let extra = try SyncFixture.draft(List(id: "extra", name: "x"))
        for _ in 0..<writes { _ = try await table.commit(.upsert([extra])) }
        if writes > 0 { _ = try await table.commit(.delete("extra")) }
        _ = try await table.commit(.create(lists.map { try SyncFixture.draft($0) }))
        return table
    }

    private static func oldServer(_ histories: Histories) async throws -> RestartingTable {
        RestartingTable(try await server(histories.epochs.old, old, after: 50))
    }

    private static func newServer(
        _ histories: Histories,
        _ lists: some Collection<List> = new
    ) async throws -> MemoryTable {
        try await server(histories.epochs.new, lists, after: histories.writes)
    }

    private func expectEqual(_ lists: SyncedTable, _ server: RestartingTable) async throws {
        #expect(try await SyncFixture.lists(lists) == SyncFixture.lists(server.table))
    }

    private func waitUntilEqual(_ fixture: SyncFixture, _ server: RestartingTable) async throws {
        while try await SyncFixture.lists(fixture.lists) != SyncFixture.lists(server.table) {
            await Task.yield()
        }
    }

    // MARK: Rows

    @Test("A read of a server that has begun anew knows the writes agreed to since", arguments: kinds)
    func ownWriteBesideAPage(kind: String) async throws {
        let server = try await Self.oldServer(.higherRevisions)
        let fixture = try await SyncFixture(remote: server, capabilities: Self.capabilities(kind))
        try await fixture.lists.pull()
        server.begin(with: try await Self.newServer(.higherRevisions))
        fixture.remoteLists.hold(.page)
        async let pulled: Void = fixture.lists.pull()
        await fixture.remoteLists.waitForHeld()
        try await fixture.lists.add(List(id: "own", name: "own")).acknowledged
        fixture.remoteLists.letAllGo()
        try await pulled
        try await expectEqual(fixture.lists, server)
    }

    @Test("Every row equals the new server's", arguments: Histories.allCases, kinds)
    func everyRowIsCompared(histories: Histories, kind: String) async throws {
        let server = try await Self.oldServer(histories)
        let fixture = try await SyncFixture(remote: server, capabilities: Self.capabilities(kind))
        try await fixture.lists.pull()
        server.begin(with: try await Self.newServer(histories))
        try await fixture.lists.pull()
        try await expectEqual(fixture.lists, server)
        try await fixture.lists.update(List(id: "l12", name: "new", note: "mine")).acknowledged
        #expect(try await server.table.row("l12")?["note"] == "mine")
        try await expectEqual(fixture.lists, server)
    }

    @Test("A table that observes events follows the new server by itself", arguments: Histories.allCases)
    func eventsOfTheNewServer(histories: Histories) async throws {
        let server = try await Self.oldServer(histories)
        let fixture = try await SyncFixture(remote: server, rate: .normal)
        try await waitUntilEqual(fixture, server)
        while !fixture.lists.hasSynced { await Task.yield() }
        server.begin(with: try await Self.newServer(histories))
        fixture.remoteLists.endFeeds()
        try await waitUntilEqual(fixture, server)
        _ = try await server.table.commit(.delete("x"))
        try await waitUntilEqual(fixture, server)
    }

    @Test("The answer to an own write is enough to notice another epoch", arguments: [0, 200])
    func answerOfAnotherEpoch(writes: Int) async throws {
        let histories = writes == 0 ? Histories.lowerRevisions : .higherRevisions
        let server = try await Self.oldServer(histories)
        let fixture = try await SyncFixture(remote: server, rate: .normal)
        try await waitUntilEqual(fixture, server)
        while !fixture.lists.hasSynced || fixture.remoteLists.feedCount == 0 { await Task.yield() }
        server.begin(with: try await Self.newServer(histories))
        try await fixture.lists.add(List(id: "y", name: "mine")).acknowledged
        // No event came and no time has passed.
        try await waitUntilEqual(fixture, server)
    }

    @Test("The answer to an own write is enough after a read that was cancelled")
    func answerAfterACancelledRead() async throws {
        let server = try await Self.oldServer(.lowerRevisions)
        let fixture = try await SyncFixture(remote: server, rate: .normal)
        try await waitUntilEqual(fixture, server)
        while !fixture.lists.hasSynced || fixture.remoteLists.feedCount == 0 { await Task.yield() }
        fixture.remoteLists.fail(.changes, with: RemoteDataError(.gone, "Read anew."), times: 1)
        fixture.remoteLists.hold(.page)
        let pull = Task { try await fixture.lists.pull() }
        await fixture.remoteLists.waitForHeld()
        pull.cancel()
        await #expect(throws: RemoteDataError.self) { try await pull.value }
        fixture.remoteLists.letAllGo()
        server.begin(with: try await Self.newServer(.lowerRevisions))
        try await fixture.lists.add(List(id: "y", name: "mine")).acknowledged
        // No event came and no time has passed.
        try await waitUntilEqual(fixture, server)
    }

    /// What became known during a read does not count as read where it is of the former history.
    @Test("A row that was added to the former server during a read is gone", arguments: ["log", "revisions"])
    func ownRowOfTheFormerServer(kind: String) async throws {
        let server = try await Self.oldServer(.higherRevisions)
        let fixture = try await SyncFixture(remote: server, capabilities: Self.capabilities(kind))
        fixture.remoteLists.hold(.page, .beforeAsking)
        let pull = Task { try await fixture.lists.pull() }
        await fixture.remoteLists.waitForHeld()
        try await fixture.lists.add(List(id: "y", name: "mine")).acknowledged
        server.begin(with: try await Self.newServer(.higherRevisions))
        fixture.remoteLists.letAllGo()
        try await pull.value
        try await expectEqual(fixture.lists, server)
    }

    @Test("Pages of two histories are not taken together", arguments: Histories.allCases, [0, 1, 2])
    func pagesOfTwoHistories(histories: Histories, before: Int) async throws {
        var capabilities = Self.capabilities("revisions")
        capabilities.maximumPageSize = 10
        let server = try await Self.oldServer(histories)
        let fixture = try await SyncFixture(remote: server, capabilities: capabilities)
        fixture.remoteLists.hold(.page)
        let pull = Task { try await fixture.lists.pull() }
        for _ in 0..<before {
            await fixture.remoteLists.waitForHeld()
            fixture.remoteLists.letGo(0)
        }
        await fixture.remoteLists.waitForHeld()
        server.begin(with: try await Self.newServer(histories))
        fixture.remoteLists.letAllGo()
        try await pull.value
        try await expectEqual(fixture.lists, server)
    }

    @Test("A server that begins anew without rows leaves none", arguments: Histories.allCases, kinds)
    func serverWithoutRows(histories: Histories, kind: String) async throws {
        let server = try await Self.oldServer(histories)
        let fixture = try await SyncFixture(remote: server, capabilities: Self.capabilities(kind))
        try await fixture.lists.pull()
        server.begin(with: MemoryTable("lists", epoch: histories.epochs.new))
        try await fixture.lists.pull()
        try await expectEqual(fixture.lists, server)
    }

    // MARK: Pending writes

    /// A write made before the server begins anew, and sent after it.
    private struct Pending {
        /// Removes the file when it is released.
        let folder: TemporaryFolder
        let lists: SyncedTable
        let server: RestartingTable
        let write: SyncedWrite
    }

    /// Makes a write before the server begins anew, and sends it after.
    private func pending(
        _ histories: Histories,
        isRead: Bool,
        restarts: Bool,
        policy: ConflictPolicy = .serverWins,
        _ mutation: Mutation
    ) async throws -> Pending {
        let folder = try TemporaryFolder()
        let path = restarts ? folder.file("lists.db") : ":memory:"
        let server = try await Self.oldServer(histories)
        var fixture = try await SyncFixture(path: path, remote: server) { $0.conflicts = policy }
        var lists = fixture.lists
        try await lists.pull()
        fixture.outbox.pause()
        var write = try await lists.write(mutation)
        if restarts {
            await fixture.store.close()
            fixture = try await SyncFixture(path: path, isConnected: false, server: fixture)
            fixture.outbox.pause()
            var options = SyncOptions()
            (options.rate, options.conflicts) = (.off, policy)
            lists = try await SyncedTable(
                "lists",
                in: fixture.store,
                remote: fixture.remoteLists,
                options: options
            )
            write = fixture.outbox.write(write.numbers[0])
        }
        server.begin(with: try await Self.newServer(histories))
        if isRead { try await lists.pull() }
        fixture.outbox.resume()
        return Pending(folder: folder, lists: lists, server: server, write: write)
    }

    private static let note = Array(#"{"note":"mine"}"#.utf8)[...]

    @Test(
        "An edit of a row that the new server has as it was is sent",
        arguments: Histories.allCases,
        [(true, true), (true, false), (false, true), (false, false)]
    )
    func editOfAnEqualRow(histories: Histories, order: (isRead: Bool, restarts: Bool)) async throws {
        for policy in [ConflictPolicy.serverWins, .clientWins, .merge] {
            let edit = Mutation.update("l3", patch: Self.note)
            let pending = try await pending(
                histories,
                isRead: order.isRead,
                restarts: order.restarts,
                policy: policy,
                edit
            )
            try await pending.write.acknowledged
            #expect(try await pending.server.table.row("l3")?["note"] == "mine")
            try await pending.lists.pull()
            try await expectEqual(pending.lists, pending.server)
        }
    }

    @Test(
        "A removal of a row that the new server has as it was is sent",
        arguments: Histories.allCases,
        [(true, true), (true, false), (false, true), (false, false)]
    )
    func removalOfAnEqualRow(histories: Histories, order: (isRead: Bool, restarts: Bool)) async throws {
        let pending = try await pending(
            histories,
            isRead: order.isRead,
            restarts: order.restarts,
            .delete("l3")
        )
        try await pending.write.acknowledged
        #expect(try await pending.server.table.row("l3") == nil)
        try await pending.lists.pull()
        try await expectEqual(pending.lists, pending.server)
    }

    @Test(
        "An edit of a row that the new server has changed is decided by the policy",
        arguments: Histories.allCases,
        [true, false]
    )
    func editOfAnotherRow(histories: Histories, isRead: Bool) async throws {
        let edit = Mutation.update("l12", patch: Self.note)
        let refused = try await pending(histories, isRead: isRead, restarts: true, edit)
        let error = await failure { () async throws(RemoteDataError) in try await refused.write.acknowledged }
        #expect(error?.code == .conflict)
        try await refused.lists.pull()
        try await expectEqual(refused.lists, refused.server)

        let merged = try await pending(histories, isRead: isRead, restarts: true, policy: .merge, edit)
        try await merged.write.acknowledged
        let row = try await merged.server.table.row("l12")
        #expect(row?["note"] == "mine" && row?["name"] == "new")
        try await merged.lists.pull()
        try await expectEqual(merged.lists, merged.server)
    }

    @Test("An edit sent while the new server is read is decided by the rows", arguments: Histories.allCases)
    func editDuringTheRead(histories: Histories) async throws {
        var capabilities = Self.capabilities("revisions")
        capabilities.maximumPageSize = 10
        let server = try await Self.oldServer(histories)
        let fixture = try await SyncFixture(remote: server, capabilities: capabilities)
        try await fixture.lists.pull()
        fixture.outbox.pause()
        // On the second page.
        let write = try await fixture.lists.write(.update("l19", patch: Self.note))
        server.begin(with: try await Self.newServer(histories))
        fixture.remoteLists.hold(.page)
        let pull = Task { try await fixture.lists.pull() }
        await fixture.remoteLists.waitForHeld()
        fixture.remoteLists.letGo(0)
        await fixture.remoteLists.waitForHeld()
        fixture.outbox.resume()
        let error = await failure { () async throws(RemoteDataError) in try await write.acknowledged }
        #expect(error?.code == .conflict)
        fixture.remoteLists.letAllGo()
        try await pull.value
        try await expectEqual(fixture.lists, server)
    }

    @Test(
        "An edit of a row that the new server does not have is decided by the policy",
        arguments: Histories.allCases,
        [true, false]
    )
    func editOfAMissingRow(histories: Histories, isRead: Bool) async throws {
        let edit = Mutation.update("l25", patch: Self.note)
        let refused = try await pending(histories, isRead: isRead, restarts: true, edit)
        let error = await failure { () async throws(RemoteDataError) in try await refused.write.acknowledged }
        #expect(error?.code == .conflict)
        try await refused.lists.pull()
        try await expectEqual(refused.lists, refused.server)

        let kept = try await pending(histories, isRead: isRead, restarts: true, policy: .clientWins, edit)
        try await kept.write.acknowledged
        #expect(try await kept.server.table.row("l25")?["name"] == "old")
        try await kept.lists.pull()
        try await expectEqual(kept.lists, kept.server)
    }

    @Test("A creation is sent to the new server once", arguments: Histories.allCases, [true, false])
    func creation(histories: Histories, restarts: Bool) async throws {
        let draft = try SyncFixture.draft(List(id: "y", name: "mine"))
        let pending = try await pending(histories, isRead: false, restarts: restarts, .create([draft]))
        try await pending.write.acknowledged
        try await pending.lists.pull()
        try await expectEqual(pending.lists, pending.server)
    }
}
