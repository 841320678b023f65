import RemoteDataTesting
import Synchronization
import Testing

@testable import RemoteData

/// Changes that come faster than the delivery queue takes them.
@Suite(.timeLimit(.minutes(2))) struct BacklogTests {
    /// A live collection that lets ten changes wait, and delivers when a test says so.
    private final class Fixture: Sendable {
        let table: FaultyTable
        let people: RemoteDataCollection<Person>
        let watcher: Watcher
        let queue = ManualQueue()
        let deadlines = ManualClock()

        init(populates: Bool = true) async throws {
            table = try await makePeople(30)
            var options = CollectionOptions.pages(of: 100).with(clock: ManualClock())
                .with(delivery: queue.delivery)
            options.surroundings = Surroundings(deadlineClock: deadlines)
            options.surroundings.backlogLimit = 10
            people = try await RemoteDataCollection<Person>(table: table, options: options)
            watcher = Watcher(people)
            try await run("it is live") { people in people.hasGoneLive }
            if populates { try await people.populate() }
            queue.runAll()
        }

        /// Has others change more rows than may wait.
        func overflow() async throws {
            for number in 0..<11 { try await table.updateByOthers(Person.id(number), #"{"age":-1}"#) }
            try await eventually("the backlog overflows") { people.state.withLock { $0.core.needsResync } }
        }

        /// Runs the delivery queue until something is so.
        func run(
            _ what: String,
            _ condition: @Sendable (RemoteDataCollection<Person>) -> Bool
        ) async throws {
            try await eventually(what) {
                queue.runAll()
                return condition(people)
            }
            queue.runAll()
        }
    }

    private func isCatchingUp(_ status: LiveStatus?) -> Bool {
        if case .catchingUp? = status { true } else { false }
    }

    @Test("A backlog that overflows is known at once, although no handler returns")
    func overflowIsKnownAtOnce() async throws {
        let fixture = try await Fixture()
        var statuses = fixture.people.liveStatuses.makeAsyncIterator()
        #expect(await statuses.next()?.isLive == true)
        try await fixture.overflow()
        #expect(isCatchingUp(fixture.people.liveStatus))
        #expect(isCatchingUp(await statuses.next()))
    }

    @Test("A gap that a slow handler made is raised as one event")
    func overflowIsOneEvent() async throws {
        let fixture = try await Fixture()
        let before = fixture.watcher.changes.count
        var changes = fixture.people.changes.makeAsyncIterator()
        try await fixture.overflow()
        try await fixture.run("it is live again") { $0.liveStatus.isLive }
        #expect(fixture.watcher.changes.dropFirst(before) == [.dataLoaded])
        let change = try #require(await changes.next())
        #expect(change.type == .dataLoaded && change.hasMissed)
        let ages = try fixture.people.loadedRows(where: "").rows.map(\.age)
        #expect(ages == (0..<30).map { $0 < 11 ? -1 : $0 })
    }

    @Test("What overflows together with the end of the feed leaves own writes to be delivered")
    func overflowWithTheEndOfTheFeed() async throws {
        let fixture = try await Fixture()
        let changes = (0..<11).map { number in
            ChangeEvent.change(Change(revision: Revision(100 + Int64(number)), kind: .deleted, id: "x"))
        }
        fixture.people.receive(changes + [.interrupted(.lost)])
        #expect(fixture.people.state.withLock { $0.overrun } == .over)
    }

    @Test("A slow handler is named as the reason")
    func overflowIsReported() async throws {
        let fixture = try await Fixture()
        try await fixture.overflow()
        try await fixture.run("it is live again") { $0.liveStatus.isLive }
        #expect(fixture.watcher.errors.map(\.code) == [.tooLarge])
        #expect(fixture.watcher.errors.first?.message.contains("handler") == true)
    }

    @Test("The status is live once handlers know that rows are others")
    func liveComesAfterTheEvent() async throws {
        let fixture = try await Fixture()
        let people = fixture.people
        let delivered = Log<Bool>()
        people.dataChangedHandler = { [weak people] _ in
            delivered.add(people?.state.withLock { $0.deliveredStatus?.isLive } ?? true)
        }
        try await fixture.overflow()
        try await fixture.run("it is live again") {
            $0.state.withLock { $0.deliveredStatus?.isLive ?? false }
        }
        #expect(delivered.all == [false])
    }

    @Test("Changes after the gap are raised one by one again")
    func laterChangesAreRaised() async throws {
        let fixture = try await Fixture()
        try await fixture.overflow()
        try await fixture.run("it is live again") { $0.liveStatus.isLive }
        let before = fixture.watcher.changes.count
        try await fixture.table.removeByOthers(Person.id(20))
        try await fixture.run("it is applied") { $0.count == 29 }
        #expect(fixture.watcher.changes.dropFirst(before) == [.deleted])
    }

    @Test("A read that waits too long for a comparison says why")
    func lateReadSaysWhy() async throws {
        let fixture = try await Fixture(populates: false)
        fixture.table.hold(.count)
        try await fixture.overflow()
        await fixture.table.waitForHeld()
        await fixture.deadlines.waitForSleepers(1)
        let people = fixture.people
        let read = Task { try await people.row(at: 20) }
        await fixture.deadlines.waitForSleepers(2)
        fixture.deadlines.advance(by: .seconds(30))
        let error = await #expect(throws: RemoteDataError.self) { try await read.value }
        #expect(error?.code == .timedOut)
        #expect(error?.message.contains("faster than the delivery queue") == true)
        fixture.table.letAllGo()
    }

    @Test("Changes that wait for a comparison are not the fault of handlers")
    func waitingForTheTableBlamesNobody() async throws {
        let fixture = try await Fixture()
        let before = fixture.watcher.changes.count
        fixture.table.hold(.count)
        fixture.table.send(.reset)
        fixture.table.send(.live(nil))
        try await fixture.run("a gap is known") { people in people.state.withLock { $0.core.needsResync } }
        await fixture.table.waitForHeld()
        for number in 0..<11 { try await fixture.table.updateByOthers(Person.id(number), #"{"age":-1}"#) }
        try await eventually("the changes come") {
            fixture.people.state.withLock { $0.receivedCount >= 14 }
        }
        fixture.table.letAllGo()
        try await fixture.run("it is live again") { $0.liveStatus.isLive }
        #expect(fixture.watcher.errors.isEmpty)
        let told = fixture.watcher.changes.dropFirst(before)
        #expect(told.count { $0 == .updated } == 11 && told.last == .dataLoaded)
    }

    @Test("A connection that is lost meanwhile does not keep the event back")
    func interruptionEndsTheGap() async throws {
        let fixture = try await Fixture()
        let before = fixture.watcher.changes.count
        fixture.table.hold(.count)
        try await fixture.overflow()
        fixture.table.send(.interrupted(.lost))
        try await fixture.run("it is told") { _ in fixture.watcher.changes.count > before }
        #expect(fixture.watcher.changes.dropFirst(before) == [.dataLoaded])
        #expect(fixture.people.state.withLock { $0.overrun } == .none)
        fixture.table.letAllGo()
    }

    @Test("A page of the table is not delivered as a change while the gap lasts")
    func noticesLeftOut() async throws {
        let fixture = try await Fixture()
        try await fixture.overflow()
        for _ in 0..<5 { fixture.people.note(.changed(Applied(type: .updated))) }
        #expect(fixture.people.state.withLock { state in !state.notices.contains(where: \.isOfRows) })
    }
}
