import Foundation
import RemoteData
import RemoteDataTesting
import Testing

@testable import RemoteDataSQLite

/// The first write to a table, which may not be there yet, is decided by the answer to it and by nothing that
/// was read.
@Suite(.timeLimit(.minutes(1))) struct FirstWriteTests {
    private let milk = List(id: "a", name: "milk")
    private let bread = List(id: "b", name: "bread")

    private static let failures: [RemoteDataError] = [
        .lost, RemoteDataError(.unavailable, "Later.", status: 503), RemoteDataError(.timedOut, "Hm."),
        RemoteDataError(.unavailable, "Crashed.", status: 500),
    ]

    private static let keyless: Capabilities = {
        var keyless = Capabilities.full
        (keyless.idempotency, keyless.idempotentCreation) = (false, false)
        return keyless
    }()

    /// What PocketBase and Kinto know keys for.
    private static let keysOfCreations: Capabilities = {
        var some = keyless
        some.idempotentCreation = true
        return some
    }()

    private func late(_ capabilities: Capabilities? = nil) async throws -> SyncFixture {
        try await SyncFixture(remote: LateTable(base: MemoryTable("lists")), capabilities: capabilities)
    }

    @Test(
        "A first write that fails is sent again, whatever a look finds",
        arguments: failures.indices,
        [1, 3]
    )
    func firstWriteThatFails(error: Int, times: Int) async throws {
        for capabilities in [nil, Self.keyless] {
            let fixture = try await late(capabilities)
            fixture.remoteLists.fail(.commit, with: Self.failures[error], times: times)
            try await fixture.lists.add(milk).acknowledged
            #expect(try await SyncFixture.lists(fixture.remoteLists.base) == [milk])
            #expect(try await SyncFixture.lists(fixture.lists) == [milk])
        }
    }

    @Test("A first write whose answer is lost is made once")
    func firstWriteWithoutAnswer() async throws {
        for capabilities in [nil, Self.keyless] {
            let fixture = try await late(capabilities)
            fixture.remoteLists.loseAnswers(to: .commit, times: 1)
            try await fixture.lists.add(milk).acknowledged
            #expect(try await SyncFixture.lists(fixture.remoteLists.base) == [milk])
        }
    }

    @Test("A first write that may not be looked for is sent again")
    func lookIsRefused() async throws {
        let fixture = try await late()
        fixture.remoteLists.fail(.row, with: RemoteDataError(.forbidden, "Not yours.", status: 403))
        fixture.remoteLists.loseAnswers(to: .commit, times: 1)
        try await fixture.lists.add(milk).acknowledged
        #expect(try await SyncFixture.lists(fixture.remoteLists.base) == [milk])
    }

    @Test("Rows that are too large together are sent one by one")
    func tooLargeTogether() async throws {
        for capabilities in [nil, Self.keyless] {
            let fixture = try await late(capabilities)
            fixture.outbox.pause()
            let write = try await fixture.lists.add(contentsOf: [milk, bread])
            let tooLarge = RemoteDataError(.tooLarge, "Too much.", status: 413)
            fixture.remoteLists.fail(.commit, with: tooLarge, times: 1)
            fixture.outbox.resume()
            try await write.acknowledged
            #expect(try await SyncFixture.lists(fixture.remoteLists.base) == [milk, bread])
            #expect(fixture.remoteLists.count(of: .commit) == 3)
        }
    }

    @Test("Rows of many bytes go in requests of their own")
    func manyBytes() async throws {
        let fixture = try await late()
        fixture.outbox.pause()
        let large = (0..<3).map { List(id: "\($0)", name: String(repeating: "x", count: 600_000)) }
        let write = try await fixture.lists.add(contentsOf: large + [milk, bread])
        fixture.outbox.resume()
        try await write.acknowledged
        #expect(try await SyncFixture.lists(fixture.remoteLists.base).count == 5)
        #expect(fixture.remoteLists.count(of: .commit) == 3)
    }

    @Test("Rows that were sent together to a table that is not there yet are sent again")
    func severalWithoutAnswer() async throws {
        for (loses, isKeyless) in [(true, false), (false, false), (true, true), (false, true)] {
            let fixture = try await late(isKeyless ? Self.keyless : nil)
            fixture.outbox.pause()
            let write = try await fixture.lists.add(contentsOf: [milk, bread])
            if loses {
                fixture.remoteLists.loseAnswers(to: .commit, times: 1)
            } else {
                fixture.remoteLists.fail(.commit, times: 1)
            }
            fixture.outbox.resume()
            try await write.acknowledged
            #expect(try await SyncFixture.lists(fixture.remoteLists.base) == [milk, bread])
        }
    }

    @Test("A first write is sent after a restart before its answer came")
    func restartBeforeTheAnswer() async throws {
        let folder = try TemporaryFolder()
        let first = try await SyncFixture(
            path: folder.file("a.db"),
            remote: LateTable(base: MemoryTable("lists"))
        )
        first.remoteLists.fail(.commit)
        let write = try await first.lists.add(milk)
        await first.untilItWaits()
        await first.store.close()
        let second = try await SyncFixture(path: folder.file("a.db"), server: first)
        try await second.outbox.write(write.numbers[0]).acknowledged
        #expect(try await SyncFixture.lists(second.remoteLists.base) == [milk])
        await second.store.close()
    }

    private struct NoConnection: RequestFailure { let wasNeverSent = true }

    @Test("A creation without a key that was never received is sent again", arguments: [1, 3], [1, 3])
    func creationThatWasNeverSent(rows: Int, times: Int) async throws {
        for error in [
            RemoteDataError(.unreachable, "Down.", cause: NoConnection()),
            RemoteDataError(.unavailable, "Later.", status: 503),
            RemoteDataError(.rateLimited, "Slow.", status: 429),
        ] {
            let fixture = try await SyncFixture(capabilities: Self.keyless) { $0.sendsIDs = false }
            fixture.outbox.pause()
            let lists = (0..<rows).map { List(id: "\($0)", name: "list \($0)") }
            let write = try await fixture.lists.add(contentsOf: lists)
            fixture.remoteLists.fail(.commit, with: error, times: times)
            fixture.outbox.resume()
            try await write.acknowledged
            let names = try await SyncFixture.lists(fixture.remoteLists.base).map(\.name).sorted()
            #expect(names == lists.map(\.name))
            #expect(fixture.remoteLists.count(of: .commit) == times + 1)
        }
    }

    @Test("A creation that may have arrived takes no later change into it")
    func changeOfCreationThatMayHaveArrived() async throws {
        let fixture = try await SyncFixture(capabilities: Self.keysOfCreations) { $0.sendsIDs = false }
        // The last of several copies was not taken any more.
        let busy = RemoteDataError(.unavailable, "Later.", status: 503)
        fixture.remoteLists.loseAnswers(to: .commit, with: busy)
        try await fixture.lists.add(milk)
        await fixture.untilItWaits()
        fixture.outbox.pause()
        let change = try await fixture.lists.update(List(id: "a", name: "oat milk"))
        fixture.remoteLists.heal()
        fixture.clock.advance(by: .seconds(60))
        fixture.outbox.resume()
        try await change.acknowledged
        #expect(try await SyncFixture.lists(fixture.remoteLists.base).map(\.name) == ["oat milk"])
        #expect(try await SyncFixture.lists(fixture.lists).map(\.name) == ["oat milk"])
    }

    @Test("Rows that may have arrived together are made once by their key", arguments: [1, 3])
    func creationsThatMayHaveArrived(rows: Int) async throws {
        for error in [RemoteDataError.lost, RemoteDataError(.unavailable, "Later.", status: 503)] {
            let fixture = try await SyncFixture(capabilities: Self.keysOfCreations) { $0.sendsIDs = false }
            fixture.outbox.pause()
            let lists = (0..<rows).map { List(id: "\($0)", name: "list \($0)") }
            let write = try await fixture.lists.add(contentsOf: lists)
            fixture.remoteLists.loseAnswers(to: .commit, with: error, times: 1)
            fixture.outbox.resume()
            try await write.acknowledged
            let names = try await SyncFixture.lists(fixture.remoteLists.base).map(\.name).sorted()
            #expect(names == lists.map(\.name))
        }
    }

    @Test("Rows that a server without keys refuses together are sent one by one under its own ids")
    func refusedTogether() async throws {
        let fixture = try await SyncFixture(capabilities: Self.keyless) { $0.sendsIDs = false }
        fixture.outbox.pause()
        let write = try await fixture.lists.add(contentsOf: [milk, bread])
        let invalid = RemoteDataError(.invalidRow, "One is wrong.", status: 400)
        // Together, and the first one of the two.
        fixture.remoteLists.fail(.commit, with: invalid, times: 2)
        fixture.outbox.resume()
        let error = await failure { () async throws(RemoteDataError) in try await write.acknowledged }
        #expect(error?.message == "One is wrong.")
        while try await fixture.outbox.pendingCount > 0 { await Task.yield() }
        #expect(try await fixture.outbox.deadLetters().count == 1)
        #expect(try await fixture.remoteLists.base.count(nil).value == 1)
    }

    @Test("What the server answers to the write itself is kept")
    func answerToTheWrite() async throws {
        let fixture = try await late()
        fixture.remoteLists.fail(.commit, times: 1)
        fixture.remoteLists.hold(.row, .beforeAsking)
        let write = try await fixture.lists.add(milk)
        await fixture.remoteLists.waitForHeld()
        let fixed = RemoteDataError(.notFound, "Nothing can be written here.", status: 404)
        fixture.remoteLists.fail(.commit, with: fixed)
        fixture.remoteLists.letAllGo()
        let error = await failure { () async throws(RemoteDataError) in try await write.acknowledged }
        #expect(error?.message == "Nothing can be written here.")
        #expect(try await fixture.outbox.deadLetters().map(\.row) == ["a"])
    }

    @Test("What is saved or removed eventually is sent to a table that is not there yet")
    func eventually() async throws {
        let store = try await LocalStore(path: ":memory:")
        let remote = FaultyTable(LateTable(base: MemoryTable("lists")))
        remote.fail(.commit, times: 2)
        store.outbox.connect { _ in remote }
        try await store.deleteEventually(bread, in: "lists").acknowledged
        try await store.saveEventually(milk, in: "lists").acknowledged
        #expect(try await SyncFixture.lists(remote.base) == [milk])
        await store.close()
    }

    @Test("A row goes after the one it belongs to, also into tables that are not there yet")
    func parentsFirst() async throws {
        let fixture = try await late()
        fixture.remoteLists.fail(.commit, times: 1)
        try await fixture.lists.add(milk)
        let item = try await fixture.items.add(Item(id: "1", list: "a", name: "whole"))
        try await item.acknowledged
        #expect(try await fixture.remoteLists.base.count(nil).value == 1)
        #expect(try await fixture.remoteItems.base.count(nil).value == 1)
    }
}
