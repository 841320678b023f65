import Foundation
import RemoteData
import RemoteDataTesting
import Testing

@testable import RemoteDataSQLite

@Suite(.timeLimit(.minutes(1))) struct PullTests {
    private static let some = (0..<10).map { List(id: "\($0)", name: "list \($0)") }

    /// What a server's tables can do; without revisions only the rows themselves tell what has changed.
    private static func capabilities(_ kind: String) -> Capabilities? {
        var some = Capabilities.full
        some.liveChanges = false
        switch kind {
        case "log": break
        case "revisions": some.resume = false
        case "nothing":
            some = Capabilities()
            some.keysetPages = true
            some.exactCounts = true
        default: return nil
        }
        return some
    }

    private static let kinds = ["live", "log", "revisions", "nothing"]

    private func write(_ list: List, in table: FaultyTable) async throws {
        _ = try await table.base.commit(.upsert([SyncFixture.draft(list)]))
    }

    @Test(arguments: kinds) func whatTheServerHasComesHere(kind: String) async throws {
        let fixture = try await SyncFixture(rows: Self.some, capabilities: Self.capabilities(kind))
        #expect(!fixture.lists.hasSynced)
        try await fixture.lists.pull()
        #expect(fixture.lists.hasSynced)
        #expect(try await SyncFixture.lists(fixture.lists) == Self.some)
        try await write(List(id: "3", name: "changed"), in: fixture.remoteLists)
        try await write(List(id: "x", name: "added"), in: fixture.remoteLists)
        _ = try await fixture.remoteLists.base.commit(.delete("5"))
        for _ in 0..<3 { try await fixture.lists.pull() }
        #expect(try await SyncFixture.lists(fixture.lists) == SyncFixture.lists(fixture.remoteLists.base))
    }

    @Test("A read that is waited for brings every change", arguments: kinds)
    func readThatIsWaitedFor(kind: String) async throws {
        let fixture = try await SyncFixture(rows: Self.some, capabilities: Self.capabilities(kind))
        for number in 0..<4 {
            // The number of rows does not change.
            try await write(List(id: "3", name: "changed \(number)"), in: fixture.remoteLists)
            try await fixture.lists.pull()
            let (here, there) = (
                try await SyncFixture.lists(fixture.lists),
                try await SyncFixture.lists(fixture.remoteLists.base)
            )
            #expect(here == there)
        }
    }

    /// That the lists could not be read was told to nobody.
    @Test(arguments: kinds) func thatTheServerCannotBeReadIsSaid(kind: String) async throws {
        let fixture = try await SyncFixture(rows: Self.some, capabilities: Self.capabilities(kind))
        #expect(fixture.lists.pullError == nil)
        fixture.remoteLists.fail(.page, with: RemoteDataError(.forbidden, "Not yours."))
        await #expect(throws: RemoteDataError.self) { try await fixture.lists.pull() }
        #expect(fixture.lists.pullError?.code == .forbidden)
        fixture.remoteLists.heal()
        try await fixture.lists.pull()
        #expect(fixture.lists.pullError == nil)
    }

    // MARK: Reads that make no progress

    @Test("Changes that do not go on are an error")
    func changesThatDoNotGoOn() async throws {
        let fixture = try await SyncFixture(
            remote: StuckTable(base: MemoryTable("lists")),
            rows: Self.some,
            capabilities: Self.capabilities("log")
        )
        try await fixture.lists.pull()
        let error = await failure { () async throws(RemoteDataError) in try await fixture.lists.pull() }
        #expect(error?.code == .invalidAnswer)
        #expect(fixture.lists.pullError?.code == .invalidAnswer)
    }

    @Test("A page that comes again in place of the next one is an error")
    func pageThatComesAgain() async throws {
        var small = Capabilities.full
        (small.liveChanges, small.maximumPageSize) = (false, 4)
        let fixture = try await SyncFixture(rows: Self.some, capabilities: small)
        let first = try await fixture.remoteLists.base.page(PageRequest(Query(), limit: 4))
        fixture.remoteLists.alterPages { _, _ in first }
        let error = await failure { () async throws(RemoteDataError) in try await fixture.lists.pull() }
        #expect(error?.code == .invalidAnswer)
        fixture.remoteLists.alterPages(nil)
        try await fixture.lists.pull()
        #expect(try await SyncFixture.lists(fixture.lists) == Self.some)
    }

    @Test func aPollThatFindsNothingNewIsOneRequest() async throws {
        let fixture = try await SyncFixture(rows: Self.some, capabilities: Self.capabilities("log"))
        try await fixture.lists.pull()
        for _ in 0..<3 {
            let before = fixture.remoteLists.requests.count
            try await fixture.lists.pull()
            #expect(fixture.remoteLists.requests.count == before + 1)
        }
    }

    @Test func aLiveTableFollowsByItself() async throws {
        let fixture = try await SyncFixture(rows: Self.some, rate: .normal)
        let feed = try await fixture.lists.subscribe(to: Query(), since: nil)
        try await fixture.lists.pull()
        var ids: [RowID] = []
        var requests = 0
        for id in ["first", "second"] {
            requests = fixture.remoteLists.requests.count
            try await write(List(id: id, name: "new"), in: fixture.remoteLists)
            while !ids.contains(.text(id)) {
                for case .change(let change) in await feed.nextBatch() { ids.append(try #require(change.id)) }
            }
        }
        // The second one came without being asked for.
        #expect(fixture.remoteLists.requests.count == requests)
        #expect(try await SyncFixture.lists(fixture.lists).count == 12)
    }

    /// With the default rate, polling never started.
    @Test func pollingStartsByItself() async throws {
        let fixture = try await SyncFixture(
            rows: Self.some,
            rate: .normal,
            capabilities: Self.capabilities("log")
        )
        try await fixture.lists.pull()
        let feed = try await fixture.lists.subscribe(to: Query(), since: nil)
        try await write(List(id: "new", name: "new"), in: fixture.remoteLists)
        await fixture.clock.waitForSleepers(2)
        fixture.clock.advance(by: .seconds(6))
        var found = 0
        while found < 1 {
            found += await feed.nextBatch().count { if case .change = $0 { true } else { false } }
        }
        #expect(try await SyncFixture.lists(fixture.lists).count == 11)
    }

    // MARK: Together with what is written here

    /// An edit made during a sync was overwritten by what had been read before.
    @Test(arguments: kinds) func whatIsWrittenDuringAPullStays(kind: String) async throws {
        let fixture = try await SyncFixture(rows: Self.some, capabilities: Self.capabilities(kind)) {
            $0.conflicts = .merge
        }
        try await fixture.lists.pull()
        fixture.remoteLists.fail(.commit)
        fixture.remoteLists.hold(.page)
        fixture.remoteLists.hold(.changes)
        fixture.remoteLists.hold(.count)
        try await write(List(id: "3", name: "theirs"), in: fixture.remoteLists)
        let pull = Task { for _ in 0..<3 { try await fixture.lists.pull() } }
        await fixture.remoteLists.waitForHeld()
        try await fixture.lists.update(List(id: "3", name: "list 3", note: "mine"))
        try await fixture.lists.add(List(id: "y", name: "mine"))
        try await fixture.lists.write(.delete("4"))
        fixture.remoteLists.letAllGo()
        try await pull.value
        let lists = try await SyncFixture.lists(fixture.lists)
        #expect(lists.contains(List(id: "3", name: "theirs", note: "mine")))
        #expect(lists.contains(List(id: "y", name: "mine")))
        #expect(!lists.contains { $0.id == "4" })
        fixture.remoteLists.heal()
    }

    @Test("An own event that comes before its answer leaves no doubt", arguments: [true, false])
    func eventBeforeItsAnswer(isOwn: Bool) async throws {
        let fixture = try await SyncFixture(rows: Self.some, capabilities: Self.capabilities("nothing"))
        try await fixture.lists.pull()
        fixture.outbox.pause()
        try await fixture.lists.update(List(id: "3", name: "mine"))
        let (mine, theirs) = (
            Row(id: "3", json: Array(#"{"objectId":"3","name":"mine"}"#.utf8)[...]),
            Row(id: "3", json: Array(#"{"objectId":"3","name":"theirs"}"#.utf8)[...])
        )
        try await fixture.store.core.writer.commit { (transaction) throws(RemoteDataError) in
            let taken = try transaction.take(1) { _ in 1 }[0].entries[0]
            try transaction.pull(isOwn ? mine : theirs, asOf: nil, in: "lists")
            try transaction.acknowledge(taken.number, mine, asOf: nil)
            let doubtful = transaction.outboxNews.doubtful
            #expect(doubtful == (isOwn ? [] : ["lists"]))
        }
        #expect(try await fixture.outbox.pendingCount == 0)
    }

    /// A row that was deleted here came back with the next poll.
    @Test(arguments: kinds) func whatWasRemovedHereDoesNotComeBack(kind: String) async throws {
        let fixture = try await SyncFixture(rows: Self.some, capabilities: Self.capabilities(kind))
        try await fixture.lists.pull()
        fixture.outbox.pause()
        try await fixture.lists.write(.delete("4"))
        try await write(List(id: "4", name: "newer"), in: fixture.remoteLists)
        for _ in 0..<3 { try await fixture.lists.pull() }
        #expect(try await fixture.lists.row("4") == nil)
    }

    /// An answer to a pull that was asked for before a write must not undo it.
    @Test(arguments: ["revisions", "nothing"]) func aPageOlderThanAnAnswerDoesNotUndoIt(kind: String)
        async throws
    {
        let fixture = try await SyncFixture(rows: Self.some, capabilities: Self.capabilities(kind))
        fixture.remoteLists.hold(.page)
        let pull = Task { try await fixture.lists.pull() }
        await fixture.remoteLists.waitForHeld()
        try await fixture.lists.add(List(id: "y", name: "mine")).acknowledged
        fixture.remoteLists.letAllGo()
        try await pull.value
        #expect(try await fixture.lists.row("y") != nil)
        #expect(try await SyncFixture.lists(fixture.lists).count == 11)
    }

    @Test(arguments: ["revisions", "nothing"]) func aPageOlderThanARemovalDoesNotBringTheRowBack(kind: String)
        async throws
    {
        let fixture = try await SyncFixture(rows: Self.some, capabilities: Self.capabilities(kind))
        try await fixture.lists.pull()
        fixture.remoteLists.hold(.page)
        let pull = Task { try await fixture.lists.pull() }
        await fixture.remoteLists.waitForHeld()
        try await fixture.lists.write(.delete("4")).acknowledged
        fixture.remoteLists.letAllGo()
        try await pull.value
        #expect(try await fixture.lists.row("4") == nil)
        #expect(try await SyncFixture.lists(fixture.lists).count == 9)
    }

    @Test(arguments: kinds) func everyoneEndsWithTheSameRows(kind: String) async throws {
        let one = try await SyncFixture(rows: Self.some, capabilities: Self.capabilities(kind))
        let two = try await SyncFixture(capabilities: Self.capabilities(kind), server: one)
        for fixture in [one, two] { try await fixture.lists.pull() }
        try await one.lists.write(.delete("1")).acknowledged
        try await two.lists.update(List(id: "2", name: "two")).acknowledged
        try await one.lists.add(List(id: "n", name: "one")).acknowledged
        for _ in 0..<3 { for fixture in [one, two] { try await fixture.lists.pull() } }
        let lists = try await SyncFixture.lists(one.remoteLists.base)
        #expect(lists.count == 10)
        #expect(try await SyncFixture.lists(one.lists) == lists)
        #expect(try await SyncFixture.lists(two.lists) == lists)
    }

    @Test("A row that a read lacks which began after an own write of it is gone", arguments: [1, 2, 3])
    func rowRemovedAfterAnOwnWrite(firstPage: Int64) async throws {
        let rows = (1...3).map { List(id: "\($0)", name: "list") }
        let fixture = try await SyncFixture(rows: rows)
        try await fixture.lists.pull()
        let page = try await fixture.remoteLists.page(PageRequest(Query(), limit: 10))
        try await fixture.store.core.writer.commit { (transaction) throws(RemoteDataError) in
            try transaction.beginPull(of: "lists")
            try transaction.pullSeen(page.rows[2], asOf: Revision(firstPage), in: "lists")
            for id: RowID in ["1", "2", "3"] {
                try transaction.noteOwn(RowPlace(table: "lists", id: id), asOf: Revision(2))
            }
            try transaction.pullSeen(page.rows[1], asOf: Revision(firstPage), in: "lists")
            try transaction.endPull(of: "lists", asOf: Revision(firstPage), stamp: nil)
        }
        let left = firstPage >= 2 ? Array(rows[1...]) : rows
        #expect(try await SyncFixture.lists(fixture.lists) == left)
    }

    @Test(
        "Without revisions the table is read again where an answer may be older than a page",
        arguments: ["same", "other", "gone"]
    )
    func answerDuringARead(page: String) async throws {
        let fixture = try await SyncFixture(rows: [List(id: "1", name: "list")])
        try await fixture.lists.pull()
        let json = #"{"objectId":"1","name":"\#(page == "other" ? "other" : "list")"}"#
        let row = Row(id: "1", json: Array(json.utf8)[...])
        let isDoubtful = try await fixture.store.core.writer.commit { (transaction) throws(RemoteDataError) in
            try transaction.beginPull(of: "lists")
            try transaction.noteOwn(RowPlace(table: "lists", id: "1"), asOf: nil)
            if page != "gone" { try transaction.pullSeen(row, asOf: nil, in: "lists") }
            try transaction.endPull(of: "lists", asOf: nil, stamp: nil)
            return transaction.outboxNews.doubtful.contains("lists")
        }
        #expect(isDoubtful == (page != "same"))
        #expect(try await SyncFixture.lists(fixture.lists).map(\.name) == ["list"])
    }

    @Test("An event from before a read brings no row back that the read lacks", arguments: [1, 3])
    func eventFromBeforeARead(revision: Int64) async throws {
        let fixture = try await SyncFixture(rows: [List(id: "1", name: "list")])
        let page = try await fixture.remoteLists.page(PageRequest(Query(), limit: 10))
        _ = try await fixture.remoteLists.base.commit(.delete("1"))
        try await fixture.lists.pull()
        let row = page.rows[0].at(Revision(revision))
        try await fixture.store.core.writer.commit { (transaction) throws(RemoteDataError) in
            let change = Change(revision: Revision(revision), kind: .created, id: "1", row: row)
            try transaction.pull(change, in: "lists")
        }
        #expect(try await SyncFixture.lists(fixture.lists).count == (revision == 3 ? 1 : 0))
    }

    @Test func aBulkDeletionIsFollowed() async throws {
        let fixture = try await SyncFixture(rows: Self.some, capabilities: Self.capabilities("log"))
        try await fixture.lists.pull()
        fixture.outbox.pause()
        try await fixture.lists.update(List(id: "3", name: "mine"))
        _ = try await fixture.remoteLists.base.commit(.deleteAll(try Where("name <> 'list 7'")))
        try await fixture.lists.pull()
        #expect(try await SyncFixture.lists(fixture.lists).map(\.id) == ["7"])
    }
}

/// A server's table whose change log never goes on, as behind a proxy that keeps answers.
private struct StuckTable: ForwardingTable {
    let base: MemoryTable
    var wrapped: any Table { base }

    func changes(since revision: Revision, limit: Int) async throws(RemoteDataError) -> ChangeBatch {
        ChangeBatch(changes: [], revision: revision, isComplete: false)
    }
}
