import RemoteData
import RemoteDataNetwork
import RemoteDataTesting
import Synchronization
import Testing

@testable import RemoteDataBackends

/// Subscriptions over a server that answers from memory; the clock is the test's.
@Suite(.timeLimit(.minutes(1))) struct PocketBaseChangesTests {
    private let clock = ManualClock()
    private let stub = StubPocketBase()

    private func table(auditInterval: Duration? = .seconds(60)) throws -> PocketBaseTable {
        var configuration = RESTConfiguration()
        (configuration.clock, configuration.attempts) = (clock, 1)
        configuration.auditInterval = auditInterval
        return try PocketBaseServer(
            "http://example.com",
            as: nil,
            configuration: configuration,
            transport: stub,
            chance: { 0.5 }
        ).table("people")
    }

    /// Lets a time pass for which something waits.
    private func pass(_ time: Duration) async {
        while !clock.sleepers.contains(time) { await Task.yield() }
        clock.advance(by: time)
    }

    @Test("A table is looked at once a minute while it is followed") func aTableIsLookedAt() async throws {
        let table = try table()
        var feed: ChangeFeed? = try await table.subscribe(to: Query(), since: nil)
        #expect(await feed?.nextBatch().count == 1)
        for count in 1...3 {
            await pass(.seconds(5))
            #expect(stub.lookCount == count)
            await pass(.seconds(60))
        }
        await pass(.seconds(5))
        while !clock.sleepers.contains(.seconds(60)) { await Task.yield() }
        feed?.cancel()
        feed = nil
        while clock.sleepers.contains(.seconds(60)) { await Task.yield() }
        #expect(stub.lookCount == 4)
    }

    @Test("Where no interval is set nothing is looked at") func whereNoIntervalIsSetNothingIsLookedAt()
        async throws
    {
        let reader = FeedReader(try await table(auditInterval: nil).subscribe(to: Query(), since: nil))
        #expect(await reader.said() == "live -")
        stub.emit("people/*", #"{"action":"create","record":{"id":"c"}}"#)
        #expect(await reader.said() == "created c")
        #expect(stub.lookCount == 0)
    }

    @Test("The times of a connection that has ended are not those of the next one")
    func timersEndWithTheirConnection() async throws {
        let reader = FeedReader(try await table(auditInterval: nil).subscribe(to: Query(), since: nil))
        #expect(await reader.said() == "live -")
        let timers = [PocketBaseChanges.answerDeadline, PocketBaseChanges.streamAge]
        await clock.waitForSleepers(2)
        #expect(clock.sleepers == timers)
        clock.advance(by: .seconds(10))
        stub.endStream()
        #expect(await reader.said(3) == ["interrupted unreachable", "reset", "live -"])
        while !timers.allSatisfy({ clock.sleepers.contains($0) }) { await Task.yield() }
        #expect(clock.sleepers == timers)
        #expect(stub.state.withLock { $0.streamCount } == 2)
    }

    @Test("A row that is gone without a change is found within a minute, by two looks")
    func aRowThatIsGoneIsFound() async throws {
        let reader = FeedReader(try await table().subscribe(to: Query(), since: nil))
        #expect(await reader.said() == "live -")
        await pass(.seconds(5))
        stub.state.withLock { $0.ids = ["a"] }
        await pass(.seconds(60))
        await pass(.seconds(5))
        await pass(.seconds(5))
        #expect(await reader.said(2) == ["reset", "live -"])
        #expect(stub.lookCount == 3)
    }

    @Test("Reported changes cause no reset") func reportedChangesCauseNoReset() async throws {
        let reader = FeedReader(try await table().subscribe(to: Query(), since: nil))
        #expect(await reader.said() == "live -")
        await pass(.seconds(5))
        stub.state.withLock { $0.ids = ["a", "c", "d"] }
        stub.emit("people/*", #"{"action":"delete","record":{"id":"b"}}"#)
        stub.emit("people/*", #"{"action":"create","record":{"id":"c"}}"#)
        #expect(await reader.said(2) == ["deleted b", "created c"])
        await pass(.seconds(60))
        // One that was made before the look arrives after it.
        while stub.lookCount < 2 { await Task.yield() }
        stub.emit("people/*", #"{"action":"create","record":{"id":"d"}}"#)
        #expect(await reader.said() == "created d")
        await pass(.seconds(5))
        while !clock.sleepers.contains(.seconds(60)) { await Task.yield() }
        #expect(stub.lookCount == 2)
    }

    @Test("A missing collection interrupts a feed until it is back") func aCollectionThatIsGone() async throws
    {
        let reader = FeedReader(try await table().subscribe(to: Query(), since: nil))
        #expect(await reader.said() == "live -")
        await pass(.seconds(5))
        stub.state.withLock {
            $0.refusal = .json(#"{"message":"Missing collection context.","data":{}}"#, status: 404)
        }
        await pass(.seconds(60))
        #expect(await reader.said() == "interrupted not found")
        stub.state.withLock { $0.refusal = nil }
        await pass(.seconds(60))
        #expect(await reader.said(2) == ["reset", "live -"])
    }
}
