import RemoteData
import RemoteDataTesting
import Synchronization
import Testing

/// A collection lives as long as somebody holds it, and takes nothing with it that goes on.
@Suite(.timeLimit(.minutes(2))) struct LifetimeTests {
    private typealias People = RemoteDataCollection<Person>

    /// Waits until nothing is left of a collection, in memory or at its table.
    private func expectGone(_ people: Weak<People>, from table: FaultyTable) async throws {
        try await eventually("the collection is gone") { people.isGone }
        try await eventually("its subscription is cancelled") { table.feedCount == 0 }
    }

    @Test func aCollectionThatNobodyHoldsCancelsItsSubscription() async throws {
        let table = try await makePeople(3)
        var people: People? = try await People(table: table)
        let trace = Weak(people)
        try await people?.untilLive()
        #expect(table.feedCount == 1)
        people = nil
        try await expectGone(trace, from: table)
    }

    @Test func itsStreamsEndAndDoNotKeepIt() async throws {
        let table = try await makePeople(3)
        var people: People? = try await People(table: table)
        let trace = Weak(people)
        let changes = try #require(people?.changes)
        let statuses = try #require(people?.liveStatuses)
        try await people?.untilLive()
        try await people?.add(Person(id: "a", name: "a"))
        people = nil
        var types: [EventType] = []
        for await change in changes { types.append(change.type) }
        #expect(types == [.created])
        for await _ in statuses {}
        try await expectGone(trace, from: table)
    }

    @Test func aReaderThatWaitsIsToldTheEnd() async throws {
        let table = try await makePeople(3)
        var people: People? = try await People(table: table)
        try await people?.untilLive()
        let changes = try #require(people?.changes)
        let reader = Task {
            var count = 0
            for await _ in changes { count += 1 }
            return count
        }
        people = nil
        #expect(await reader.value == 0)
    }

    @Test func aStreamThatWasLetGoLeavesNothing() async throws {
        let table = try await makePeople(3)
        var people: People? = try await People(table: table)
        let trace = Weak(people)
        var changes = people?.changes.makeAsyncIterator()
        try await people?.add(Person(id: "a", name: "a"))
        #expect(await changes?.next()?.type == .created)
        changes = nil
        try await people?.add(Person(id: "b", name: "b"))
        #expect(people?.count == 5)
        people = nil
        try await expectGone(trace, from: table)
    }

    @Test func anIterationKeepsItAndNoLonger() async throws {
        let table = try await makePeople(9)
        var people: People? = try await People(table: table, options: .pages(of: 3))
        let trace = Weak(people)
        try await people?.populate()
        var blocking = people?.makeIterator()
        var rows = people?.rows.makeAsyncIterator()
        people = nil
        #expect(!trace.isGone)
        #expect(blocking?.next()?.age == 0)
        #expect(try await rows?.next()?.age == 0)
        blocking = nil
        #expect(!trace.isGone)
        #expect(try await rows?.next()?.age == 1)
        rows = nil
        try await expectGone(trace, from: table)
    }

    @Test func aLoopThatWasLeftDoesNotKeepIt() async throws {
        let table = try await makePeople(9)
        var people: People? = try await People(table: table, options: .pages(of: 3))
        let trace = Weak(people)
        if let rows = people?.rows {
            for try await person in rows where person.age == 4 { break }
        }
        people = nil
        try await expectGone(trace, from: table)
    }

    @Test func aPageUnderWayDoesNotKeepItForLong() async throws {
        let table = try await makePeople(9)
        var people: People? = try await People(table: table, options: .pages(of: 3))
        let trace = Weak(people)
        table.hold(.page, .beforeAnswering)
        _ = people?.loadedRow(at: 4)
        await table.waitForHeld()
        people = nil
        table.letAllGo()
        try await expectGone(trace, from: table)
    }

    @Test func theEndOfAnElementMayCallTheCollection() async throws {
        let table = try await makePeople(3)
        let jobs = try await RemoteDataCollection<Job>(table: table)
        try await jobs.untilLive()
        let counts = Log<Int>()
        Job.end.withLock { $0 = { [weak jobs] in counts.add(jobs?.count ?? -1) } }
        defer { Job.end.withLock { $0 = nil } }
        #expect(try await jobs.row(at: 0).name == Person.id(0))
        // What the page was decoded to is let go.
        try await table.updateByOthers(Person.id(0), #"{"name":"other"}"#)
        try await eventually("the elements have come to their end") { counts.all == [3, 3, 3] }
    }

    @Test func handlersThatDoNotHoldItDoNotKeepIt() async throws {
        let table = try await makePeople(3)
        var people: People? = try await People(table: table)
        let trace = Weak(people)
        let watcher = Watcher(try #require(people))
        try await people?.populate()
        try await watcher.until(1, .dataLoaded)
        people = nil
        try await expectGone(trace, from: table)
        try await table.putByOthers(#"{"objectId":"a","name":"a"}"#)
        #expect(watcher.changes == [.dataLoaded])
    }

    @Test func itNoLongerTriesToSubscribe() async throws {
        let table = try await makePeople(3)
        let clock = ManualClock()
        table.fail(.subscribe, with: .busy(for: .seconds(1)))
        var people: People? = try await People(table: table, options: CollectionOptions().with(clock: clock))
        let trace = Weak(people)
        await clock.waitForSleepers()
        people = nil
        try await expectGone(trace, from: table)
        try await eventually("nobody waits to try again") { clock.sleepers.isEmpty }
        let attempts = table.count(of: .subscribe)
        clock.advance(by: .seconds(600))
        #expect(table.count(of: .subscribe) == attempts)
    }
}

/// An element that has an end.
private final class Job: Codable, Identifiable, Sendable {
    /// What happens at the end of each.
    static let end = Mutex<(@Sendable () -> Void)?>(nil)

    let id: String
    let name: String

    deinit { Self.end.withLock { $0 }?() }
}
