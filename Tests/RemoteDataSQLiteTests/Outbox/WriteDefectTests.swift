import Foundation
import RemoteData
import RemoteDataTesting
import Testing

@testable import RemoteDataSQLite

/// What other systems get wrong, each by the name of what is right.
@Suite(.timeLimit(.minutes(1))) struct WriteDefectTests {
    private let milk = List(id: "a", name: "milk")

    private func edited(_ name: String) -> List { List(id: "a", name: name) }

    /// The third of several edits made offline was lost.
    @Test func everyEditMadeWhileOneIsUnderWayArrives() async throws {
        let fixture = try await SyncFixture(rows: [milk])
        try await fixture.lists.pull()
        fixture.remoteLists.hold(.commit, .beforeAsking)
        let first = try await fixture.lists.update(edited("one"))
        await fixture.remoteLists.waitForHeld()
        let second = try await fixture.lists.update(edited("two"))
        let third = try await fixture.lists.update(List(id: "a", name: "three", note: "last"))
        #expect(first.numbers != second.numbers && second.numbers == third.numbers)
        fixture.remoteLists.letAllGo()
        try await third.acknowledged
        #expect(
            try await SyncFixture.lists(fixture.remoteLists.base) == [
                List(id: "a", name: "three", note: "last")
            ]
        )
        #expect(fixture.remoteLists.count(of: .commit) == 2)
    }

    /// What was started without a network never began to send.
    @Test func whatBeginsWithoutANetworkSendsOnceThereIsOne() async throws {
        let fixture = try await SyncFixture()
        fixture.outbox.networkIs(available: false)
        let write = try await fixture.lists.add(milk)
        #expect(try await fixture.outbox.explain().contains("there is no network"))
        #expect(fixture.remoteLists.requests.isEmpty)
        fixture.outbox.networkIs(available: true)
        try await write.acknowledged
    }

    /// A write that waited for a long retry was tried again only then, though more was known by now.
    @Test(arguments: WayBack.allCases)
    func whatWaitsForItsTurnIsSentAtOnce(way: WayBack) async throws {
        let fixture = try await SyncFixture()
        fixture.remoteLists.fail(.commit)
        let write = try await fixture.lists.add(milk)
        await fixture.untilItWaits()
        fixture.remoteLists.heal()
        way.take(fixture, fixture.lists)
        // No time has passed.
        try await write.acknowledged
    }

    @Test(
        "A server that asks to wait is not asked before, up to five minutes",
        arguments: [(90, 90), (8_640_000, 300), (Int.max, 300)]
    )
    func waitThatIsAskedFor(wish: Int, wait: Int) async throws {
        let fixture = try await SyncFixture()
        let busy = RemoteDataError(.rateLimited, "Not so fast.", status: 429, retryAfter: .seconds(wish))
        fixture.remoteLists.fail(.commit, with: busy, times: 1)
        let write = try await fixture.lists.add(milk)
        // The wait begins when the answer has been noted.
        let words = "is tried again in \(wait) s"
        while try await !fixture.outbox.explain().contains(words) { await Task.yield() }
        #expect(fixture.remoteLists.count(of: .commit) == 1)
        fixture.clock.advance(by: .seconds(wait - 1))
        await fixture.clock.waitForSleepers(1)
        #expect(fixture.remoteLists.count(of: .commit) == 1)
        fixture.clock.advance(by: .seconds(1))
        try await write.acknowledged
    }

    /// They were taken for refusals, and the write was set aside.
    @Test(
        "A write outlives what says nothing about it",
        arguments: [
            RemoteDataError(.unauthorized, "The token has expired.", status: 401),
            RemoteDataError(.storage, "The server's disk is full.", status: 500),
            RemoteDataError(.unavailable, "Sign in to this network.", status: 511),
            RemoteDataError(.invalidAnswer, "A page of a network.", status: 200),
        ]
    )
    func answerThatSaysNothingOfTheWrite(error: RemoteDataError) async throws {
        let fixture = try await SyncFixture()
        fixture.remoteLists.fail(.commit, with: error, times: 2)
        try await fixture.lists.add(milk).acknowledged
        #expect(try await fixture.outbox.deadLetters().isEmpty)
        #expect(try await SyncFixture.lists(fixture.remoteLists.base) == [milk])
    }

    /// Rows were there twice after an answer was lost.
    @Test func aDuplicateOfOnesOwnCreationIsASuccess() async throws {
        var some = Capabilities.full
        (some.idempotency, some.liveChanges) = (false, false)
        let fixture = try await SyncFixture(capabilities: some)
        let row = List(id: UUID().uuidString, name: "milk")
        fixture.outbox.pause()
        let write = try await fixture.lists.add(row)
        // The same row has come by another way, such as a backup of this device.
        _ = try await fixture.remoteLists.base.commit(.create([SyncFixture.draft(row)]))
        fixture.outbox.resume()
        try await write.acknowledged
        #expect(try await SyncFixture.lists(fixture.remoteLists.base) == [row])
    }

    /// Waiting for a write hung as long as there was no network.
    @Test func waitingForTheServerHasAnEnd() async throws {
        let fixture = try await SyncFixture()
        fixture.outbox.pause()
        let write = try await fixture.lists.add(milk)
        let end = Task { try await write.acknowledged(within: .seconds(5)) }
        await fixture.untilItWaits()
        fixture.clock.advance(by: .seconds(5))
        let error = await #expect(throws: RemoteDataError.self) { try await end.value }
        #expect(error?.code == .timedOut)
        let waiting = Task { try await write.acknowledged }
        waiting.cancel()
        await #expect(throws: RemoteDataError.self) { try await waiting.value }
        // The write is none the worse for it.
        fixture.outbox.resume()
        try await write.acknowledged
    }

    /// What the server had refused was forgotten with the program.
    @Test func aRefusalIsKeptOverARestart() async throws {
        let folder = try TemporaryFolder()
        let first = try await SyncFixture(path: folder.file("a.db"))
        first.remoteLists.fail(
            .commit,
            with: RemoteDataError(.forbidden, "Not yours.", status: 403),
            times: 1
        )
        let write = try await first.lists.add(milk)
        await #expect(throws: RemoteDataError.self) { try await write.acknowledged }
        await first.store.close()
        let second = try await SyncFixture(path: folder.file("a.db"), server: first)
        let letter = try #require(try await second.outbox.deadLetters().first)
        #expect(letter.id == write.numbers[0])
        #expect(letter.state.error?.message == "Not yours.")
        #expect(letter.state.error?.status == 403)
        try await second.outbox.retry(letter.id)
        try await second.outbox.write(letter.id).acknowledged
        #expect(try await SyncFixture.lists(second.lists) == [milk])
        await second.store.close()
    }

    /// A server that had forgotten its log had clients forget what they had not sent.
    @Test func whatWaitsOutlivesAServerThatHasForgottenWhatChanged() async throws {
        var some = Capabilities.full
        some.liveChanges = false
        let fixture = try await SyncFixture(rows: [milk, List(id: "b", name: "bread")], capabilities: some)
        try await fixture.lists.pull()
        fixture.outbox.pause()
        let write = try await fixture.lists.update(edited("oat milk"))
        try await fixture.lists.add(List(id: "c", name: "cheese"))
        fixture.remoteLists.fail(.changes, with: RemoteDataError(.gone, "Read anew."), times: 1)
        _ = try await fixture.remoteLists.base.commit(.delete("b"))
        try await fixture.lists.pull()
        #expect(try await SyncFixture.lists(fixture.lists).map(\.name) == ["oat milk", "cheese"])
        fixture.outbox.resume()
        try await write.acknowledged
        try await fixture.drained()
        let there = try await SyncFixture.lists(fixture.remoteLists.base)
        #expect(there.map(\.name) == ["oat milk", "cheese"])
    }

    /// The clock of a device decided whose edit was newer.
    @Test func aClockThatIsWrongDecidesNothing() async throws {
        let first = try await SyncFixture(rows: [milk])
        let second = try await SyncFixture(server: first)
        // Of the two devices, one believes that it is 30 years later.
        first.clock.advance(by: .seconds(30 * 365 * 24 * 3_600))
        try await first.lists.pull()
        try await second.lists.pull()
        try await first.lists.update(edited("from the future")).acknowledged
        try await second.lists.pull()
        try await second.lists.update(edited("later")).acknowledged
        try await first.lists.pull()
        for table in [first.lists, second.lists] {
            #expect(try await SyncFixture.lists(table).map(\.name) == ["later"])
        }
    }

    /// What was due by a clock that was set back was due a day later.
    @Test func aClockThatIsSetBackHoldsNothingUp() async throws {
        let fixture = try await SyncFixture()
        fixture.remoteLists.fail(.commit, with: RemoteDataError(.unavailable, "Crashed.", status: 500))
        let write = try await fixture.lists.add(milk)
        await fixture.untilItWaits()
        fixture.remoteLists.heal()
        fixture.wallClock.shift = -86_400
        fixture.clock.advance(by: .seconds(60))
        try await write.acknowledged
    }

    /// The whole outbox stood behind one write that the server could not carry out.
    @Test func aWriteThatBreaksTheServerHoldsUpNoOther() async throws {
        let fixture = try await SyncFixture()
        let broken = RemoteDataError(.unavailable, "Crashed.", status: 500)
        fixture.remoteLists.fail(.commit, with: broken)
        let write = try await fixture.lists.add(milk)
        try await fixture.items.add(Item(id: "1", list: "elsewhere", name: "other")).acknowledged
        #expect(!(try await write.state.isFinal))
        fixture.remoteLists.heal()
        fixture.outbox.networkIs(available: false)
        fixture.outbox.networkIs(available: true)
        try await write.acknowledged
    }
}
