import Foundation
import RemoteData
import RemoteDataTesting
import Testing

@testable import RemoteDataSQLite

/// What is under way for a user ends before another one is attached.
@Suite(.timeLimit(.minutes(1))) struct SwitchingTests {
    private let milk = List(id: "a", name: "milk")

    @Test("Attaching another user waits for what is under way", arguments: [true, false])
    func waitsForWhatIsUnderWay(detaches: Bool) async throws {
        let fixture = try UsersFixture(clock: ManualClock())
        let remote = fixture.server.table("lists", of: "ada")
        remote.hold(.commit, .beforeAsking)
        let ada = try await fixture.stores.attach(user: "ada")
        try await ada.table("lists").add(milk)
        await remote.waitForHeld()
        let switching = Task {
            detaches ? try await fixture.stores.detach() : try await fixture.stores.attach(user: "bob")
        }
        while fixture.stores.user == "ada" { await Task.yield() }
        remote.letAllGo()
        _ = try await switching.value
        #expect(try await SyncFixture.lists(remote.base) == [milk])
        #expect(try await fixture.stores.pendingCount(of: "ada") == 0)
        try await fixture.end()
    }

    @Test("What does not end in time is cancelled and sent when its user is attached again")
    func cancelsWhatDoesNotEnd() async throws {
        let clock = ManualClock()
        let fixture = try UsersFixture(clock: clock)
        let remote = fixture.server.table("lists", of: "ada")
        remote.hold(.commit, .beforeAsking)
        let write = try await fixture.stores.attach(user: "ada").table("lists").add(milk)
        await remote.waitForHeld()
        let switching = Task { try await fixture.stores.attach(user: "bob") }
        while !clock.sleepers.contains(OutboxCore.closingTime) { await Task.yield() }
        clock.advance(by: OutboxCore.closingTime)
        _ = try await switching.value
        #expect(remote.heldCount == 0)
        #expect(try await remote.base.count(nil).value == 0)
        #expect(try await fixture.stores.pendingCount(of: "ada") == 1)
        let requests = remote.requests.count
        remote.letAllGo()
        #expect(remote.requests.count == requests)
        let again = try await fixture.stores.attach(user: "ada")
        try await again.outbox.write(write.numbers[0]).acknowledged
        #expect(try await SyncFixture.lists(remote.base) == [milk])
        try await fixture.end()
    }

    @Test("A look that is under way is followed by no write")
    func looksAreCancelled() async throws {
        let clock = ManualClock()
        let fixture = try UsersFixture(clock: clock)
        let remote = fixture.server.table("lists", of: "ada")
        remote.fail(.commit, times: 1)
        remote.hold(.row)
        let ada = try await fixture.stores.attach(user: "ada")
        try await ada.table("lists").add(milk)
        while remote.heldCount == 0 {
            ada.outbox.networkIs(available: false)
            ada.outbox.networkIs(available: true)
            await Task.yield()
        }
        let switching = Task { try await fixture.stores.detach() }
        while !clock.sleepers.contains(OutboxCore.closingTime) { await Task.yield() }
        clock.advance(by: OutboxCore.closingTime)
        _ = try await switching.value
        #expect(remote.count(of: .commit) == 1)
        #expect(try await fixture.stores.pendingCount(of: "ada") == 1)
        try await fixture.end()
    }

    @Test("Reads of a user who is no longer attached are cancelled at once", arguments: [true, false])
    func readsAreCancelled(isAsked: Bool) async throws {
        let fixture = try UsersFixture(clock: ManualClock(), rate: isAsked ? .off : .normal)
        let remote = fixture.server.table("lists", of: "ada")
        remote.hold(.page, .beforeAsking)
        let lists = try await fixture.stores.attach(user: "ada").table("lists")
        let pull = isAsked ? Task { try await lists.pull() } : nil
        await remote.waitForHeld()
        try await fixture.stores.attach(user: "bob")
        if let pull { await #expect(throws: RemoteDataError.self) { try await pull.value } }
        while remote.heldCount > 0 { await Task.yield() }
        let requests = remote.requests.count
        remote.letAllGo()
        await #expect(throws: RemoteDataError.self) { try await lists.pull() }
        #expect(remote.requests.count == requests)
        try await fixture.end()
    }
}
