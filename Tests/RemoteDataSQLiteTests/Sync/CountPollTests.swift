import RemoteData
import RemoteDataTesting
import Testing

@testable import RemoteDataSQLite

/// A table whose number of rows alone shows whether rows were added or removed.
@Suite(.timeLimit(.minutes(1))) struct CountPollTests {
    private static let some = [List(id: "a", name: "list a"), List(id: "b", name: "list b")]

    /// Makes a change that the server refuses and that is shown all the same, or that waits.
    private func written(_ change: Mutation, isRefused: Bool) async throws -> SyncFixture {
        var some = Capabilities()
        (some.keysetPages, some.exactCounts) = (true, true)
        let fixture = try await SyncFixture(rows: Self.some, capabilities: some) { $0.showsRefused = true }
        try await fixture.lists.pull()
        if isRefused {
            fixture.remoteLists.fail(.commit, with: RemoteDataError(.rejected, "No."))
        } else {
            fixture.outbox.pause()
        }
        let write = try await fixture.lists.write(change)
        guard isRefused else { return fixture }
        let error = await failure { () async throws(RemoteDataError) in try await write.acknowledged }
        #expect(error?.code == .rejected)
        return fixture
    }

    /// Polls once.
    ///
    /// - Returns: How many pages were read.
    private func poll(_ fixture: SyncFixture) async throws -> Int {
        let before = fixture.remoteLists.count(of: .page)
        let puller = try #require(fixture.lists.puller)
        try await puller.pull(.changes)
        return fixture.remoteLists.count(of: .page) - before
    }

    private func ids(_ fixture: SyncFixture) async throws -> [String] {
        try await SyncFixture.lists(fixture.lists).map(\.id)
    }

    @Test("A poll by count does not count an own creation as the server's", arguments: [true, false])
    func ownCreation(isRefused: Bool) async throws {
        let mine = try SyncFixture.draft(List(id: "c", name: "mine"))
        let fixture = try await written(.create([mine]), isRefused: isRefused)
        #expect(try await ids(fixture) == ["a", "b", "c"])
        let theirs = try SyncFixture.draft(List(id: "d", name: "theirs"))
        _ = try await fixture.remoteLists.base.commit(.create([theirs]))
        #expect(try await poll(fixture) == 1)
        #expect(try await ids(fixture) == ["a", "b", "c", "d"])
        #expect(try await poll(fixture) == 0)
    }

    @Test("A poll by count counts a row that is hidden by an own removal", arguments: [true, false])
    func ownRemoval(isRefused: Bool) async throws {
        let fixture = try await written(.delete("a"), isRefused: isRefused)
        #expect(try await ids(fixture) == ["b"])
        _ = try await fixture.remoteLists.base.commit(.delete("b"))
        #expect(try await poll(fixture) == 1)
        #expect(try await ids(fixture) == [])
        #expect(try await poll(fixture) == 0)
    }

    @Test("A poll by count reads nothing for an own write alone", arguments: ["create", "update", "delete"])
    func nothingNew(kind: String) async throws {
        let change: Mutation =
            switch kind {
            case "create": .create([try SyncFixture.draft(List(id: "c", name: "mine"))])
            case "update": .update("a", patch: Array(#"{"name":"mine"}"#.utf8)[...])
            default: .delete("a")
            }
        for isRefused in [true, false] {
            let fixture = try await written(change, isRefused: isRefused)
            #expect(try await poll(fixture) == 0)
            #expect(fixture.remoteLists.count(of: .count) == 1)
        }
    }
}
