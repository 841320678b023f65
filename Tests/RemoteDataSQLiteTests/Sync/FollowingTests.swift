import Foundation
import RemoteData
import RemoteDataTesting
import Testing

@testable import RemoteDataSQLite

/// A table goes on following its server, whatever failed before.
@Suite(.timeLimit(.minutes(1))) struct FollowingTests {
    private static let some = (0..<10).map { List(id: "\($0)", name: "list \($0)") }
    private static let refusals: [RemoteDataError] = [
        .lost, RemoteDataError(.unavailable, "Later.", status: 503),
        RemoteDataError(.unauthorized, "Log in.", status: 401),
        RemoteDataError(.forbidden, "Not yours.", status: 403),
        RemoteDataError(.invalidRequest, "What?", status: 400), RemoteDataError(.invalidAnswer, "Hello!"),
    ]

    private static let polled: Capabilities = {
        var polled = Capabilities.full
        polled.liveChanges = false
        return polled
    }()

    /// Waits until a table shows so many rows; the clock stands still, unless it is moved by as much each
    /// time nothing happens.
    private func wait(for count: Int, _ fixture: SyncFixture, advancing step: Duration? = nil) async throws {
        while try await fixture.lists.count(nil).value != count {
            if let step, let next = fixture.clock.sleepers.first, next <= step {
                fixture.clock.advance(by: next)
            }
            await Task.yield()
        }
    }

    private func write(_ id: String, to fixture: SyncFixture) async throws {
        let list = try SyncFixture.draft(List(id: id, name: "new"))
        _ = try await fixture.remoteLists.base.commit(.create([list]))
    }

    // MARK: Reads that fail

    @Test("A first read that fails is made again", arguments: refusals.indices, [1, 3])
    func firstReadThatFails(error: Int, times: Int) async throws {
        let fixture = try await SyncFixture(rows: Self.some, rate: .normal, isConnected: false)
        fixture.remoteLists.fail(.page, with: Self.refusals[error], times: times)
        let lists = try await SyncedTable("lists", in: fixture.store, remote: fixture.remoteLists)
        try await wait(for: 10, fixture)
        while !lists.hasSynced { await Task.yield() }
        #expect(lists.pullError == nil)
        try await write("new", to: fixture)
        try await wait(for: 11, fixture)
    }

    @Test("A later page that fails is read again", arguments: refusals.indices)
    func laterPageThatFails(error: Int) async throws {
        var small = Capabilities.full
        small.maximumPageSize = 4
        let fixture = try await SyncFixture(rows: Self.some, capabilities: small, isConnected: false)
        fixture.remoteLists.hold(.page)
        var options = SyncOptions()
        options.rate = .normal
        let lists = try await SyncedTable(
            "lists",
            in: fixture.store,
            remote: fixture.remoteLists,
            options: options
        )
        await fixture.remoteLists.waitForHeld()
        // The page that is held was asked for before.
        fixture.remoteLists.fail(.page, with: Self.refusals[error], times: 2)
        fixture.remoteLists.letAllGo()
        try await wait(for: 10, fixture)
        while !lists.hasSynced { await Task.yield() }
        #expect(lists.pullError == nil)
    }

    @Test("A count that fails is made again")
    func countThatFails() async throws {
        var counted = Self.polled
        counted.resume = false
        let fixture = try await SyncFixture(rows: Self.some, rate: .normal, capabilities: counted)
        try await wait(for: 10, fixture)
        while !fixture.lists.hasSynced { await Task.yield() }
        fixture.remoteLists.fail(.count, times: 2)
        try await write("new", to: fixture)
        try await wait(for: 11, fixture, advancing: .seconds(30))
        while fixture.lists.pullError != nil { await Task.yield() }
    }

    @Test("What the server refuses for good is visible until it is allowed")
    func refusalIsVisible() async throws {
        let fixture = try await SyncFixture(rows: Self.some, isConnected: false, chance: 1)
        fixture.remoteLists.fail(.page, with: RemoteDataError(.forbidden, "Not yours.", status: 403))
        var options = SyncOptions()
        options.rate = .normal
        let lists = try await SyncedTable(
            "lists",
            in: fixture.store,
            remote: fixture.remoteLists,
            options: options
        )
        while lists.pullError == nil { await Task.yield() }
        #expect(lists.pullError?.code == .forbidden)
        #expect(!lists.hasSynced)
        fixture.remoteLists.heal()
        try await wait(for: 10, fixture, advancing: .seconds(30))
        while lists.pullError != nil { await Task.yield() }
    }

    @Test("A reset whose read fails is read again")
    func resetWhoseReadFails() async throws {
        let fixture = try await SyncFixture(rows: Self.some, rate: .normal)
        try await wait(for: 10, fixture)
        while !fixture.lists.hasSynced { await Task.yield() }
        fixture.remoteLists.loseEvents()
        try await write("new", to: fixture)
        fixture.remoteLists.letAllEventsGo()
        fixture.remoteLists.fail(.page, times: 2)
        fixture.remoteLists.send(.reset)
        try await wait(for: 11, fixture)
        try await write("newer", to: fixture)
        try await wait(for: 12, fixture)
    }

    @Test("A read that its caller cancels says nothing of the server")
    func cancelledPull() async throws {
        let fixture = try await SyncFixture(rows: Self.some, capabilities: Self.polled)
        fixture.remoteLists.hold(.page)
        let pull = Task { try await fixture.lists.pull() }
        await fixture.remoteLists.waitForHeld()
        pull.cancel()
        await #expect(throws: RemoteDataError.self) { try await pull.value }
        #expect(fixture.lists.pullError == nil)
        fixture.remoteLists.letAllGo()
        try await fixture.lists.pull()
        #expect(fixture.lists.hasSynced)
    }

    @Test("A network that is back, or a user, cuts the wait after failures", arguments: WayBack.allCases)
    func waitIsCut(by way: WayBack) async throws {
        let fixture = try await SyncFixture(rows: Self.some, isConnected: false, chance: 1)
        fixture.remoteLists.fail(.page, times: 1)
        let lists = try await SyncedTable("lists", in: fixture.store, remote: fixture.remoteLists)
        while lists.pullError == nil { await Task.yield() }
        way.take(fixture, lists)
        try await wait(for: 10, fixture)
    }

    @Test("A wait that the server has asked for is ended neither by the network nor by own writes")
    func serverAsksToWait() async throws {
        let busy = RemoteDataError(.rateLimited, "Not so fast.", status: 429, retryAfter: .seconds(300))
        let fixture = try await SyncFixture(rate: .normal, capabilities: Self.polled, isConnected: false)
        fixture.remoteLists.fail(.page, with: busy)
        let lists = try await SyncedTable("lists", in: fixture.store, remote: fixture.remoteLists)
        while lists.pullError == nil { await Task.yield() }
        fixture.outbox.networkIs(available: false)
        fixture.outbox.networkIs(available: true)
        for list in Self.some.prefix(3) { try await lists.add(list).acknowledged }
        #expect(fixture.remoteLists.count(of: .page) == 1)
        fixture.remoteLists.heal()
        try await write("new", to: fixture)
        try await wait(for: 4, fixture, advancing: .seconds(300))
    }

    // MARK: Subscriptions that end

    @Test("A subscription that ends is made again")
    func subscriptionThatEnds() async throws {
        let fixture = try await SyncFixture(rows: Self.some, rate: .normal)
        try await wait(for: 10, fixture)
        while !fixture.lists.hasSynced { await Task.yield() }
        fixture.remoteLists.endFeeds()
        while fixture.remoteLists.count(of: .subscribe) < 2 { await Task.yield() }
        try await write("new", to: fixture)
        try await wait(for: 11, fixture)
    }

    @Test("Without a socket the table is polled", arguments: refusals.indices)
    func withoutASocket(error: Int) async throws {
        let fixture = try await SyncFixture(rows: Self.some, isConnected: false, chance: 1)
        fixture.remoteLists.fail(.subscribe, with: Self.refusals[error])
        let lists = try await SyncedTable("lists", in: fixture.store, remote: fixture.remoteLists)
        try await wait(for: 10, fixture, advancing: .seconds(1))
        while !lists.hasSynced { await Task.yield() }
        try await write("new", to: fixture)
        try await wait(for: 11, fixture, advancing: .seconds(30))
        while lists.pullError != nil { await Task.yield() }
    }

    @Test("A subscription that is never answered is not waited for")
    func subscriptionWithoutAnswer() async throws {
        let fixture = try await SyncFixture(rows: Self.some, isConnected: false)
        fixture.remoteLists.hold(.subscribe)
        let lists = try await SyncedTable("lists", in: fixture.store, remote: fixture.remoteLists)
        try await wait(for: 10, fixture, advancing: .seconds(2))
        while !lists.hasSynced { await Task.yield() }
    }

    @Test("While a subscription is interrupted the table is polled")
    func interruptedSubscription() async throws {
        let fixture = try await SyncFixture(rows: Self.some, rate: .normal)
        try await wait(for: 10, fixture)
        while !fixture.lists.hasSynced { await Task.yield() }
        fixture.remoteLists.loseEvents()
        fixture.remoteLists.send(.interrupted(.lost))
        while fixture.lists.pullError == nil { await Task.yield() }
        try await write("new", to: fixture)
        try await wait(for: 11, fixture, advancing: .seconds(30))
        while fixture.lists.pullError != nil { await Task.yield() }
    }

    @Test("A table that is kept in step no longer is not followed, until it is again")
    func rateIsOff() async throws {
        let fixture = try await SyncFixture(rows: Self.some, rate: .normal)
        try await wait(for: 10, fixture)
        fixture.lists.syncRate = .off
        while fixture.remoteLists.feedCount > 0 { await Task.yield() }
        try await write("new", to: fixture)
        fixture.lists.syncRate = .normal
        try await wait(for: 11, fixture)
    }

    // MARK: Tables that are not there yet

    @Test("A table without a first row is empty, and followed from that row", arguments: [true, false])
    func tableThatIsNotThereYet(refusesSubscriptions: Bool) async throws {
        let late = LateTable(base: MemoryTable("lists"), refusesSubscriptions: refusesSubscriptions)
        let fixture = try await SyncFixture(remote: late, rate: .normal, chance: 1)
        while !fixture.lists.hasSynced { await Task.yield() }
        #expect(fixture.lists.pullError?.code == .notFound)
        try await fixture.lists.pull()
        try await write("a", to: fixture)
        try await wait(for: 1, fixture, advancing: .seconds(30))
        while fixture.lists.pullError != nil { await Task.yield() }
        try await write("b", to: fixture)
        try await wait(for: 2, fixture, advancing: .seconds(30))
    }

    @Test("An own write to a table that was not there yet brings what others have written")
    func ownFirstWrite() async throws {
        let base = MemoryTable("lists")
        let fixture = try await SyncFixture(
            remote: LateTable(base: base),
            rate: .normal,
            capabilities: Self.polled
        )
        while !fixture.lists.hasSynced { await Task.yield() }
        _ = try await base.commit(.create([SyncFixture.draft(Self.some[0])]))
        try await fixture.lists.add(List(id: "mine", name: "mine")).acknowledged
        // No time has passed.
        try await wait(for: 2, fixture)
    }

    @Test("A table that was read before and is gone keeps its rows and says so")
    func tableThatIsGone() async throws {
        let fixture = try await SyncFixture(rows: Self.some)
        try await fixture.lists.pull()
        for call in [FaultyTable.Call.page, .changes, .count] {
            fixture.remoteLists.fail(call, with: LateTable.missing)
        }
        await #expect(throws: RemoteDataError.self) { try await fixture.lists.pull() }
        #expect(fixture.lists.pullError?.code == .notFound)
        #expect(try await fixture.lists.count(nil).value == 10)
    }
}
