import Dispatch
import RemoteDataTesting
import Synchronization
import Testing

@testable import RemoteData

/// When rows move, and what code on the delivery queue sees of it.
@Suite(.timeLimit(.minutes(2))) struct DeliveryTests {
    /// A collection that delivers on a queue of the test's.
    private func open(
        _ table: FaultyTable,
        on queue: DispatchQueue,
        clock: ManualClock = ManualClock(),
        isLive: Bool = true
    ) async throws -> RemoteDataCollection<Person> {
        var options = CollectionOptions.pages(of: 10, readAhead: 0).with(clock: clock, isLive: isLive)
        options.delivery = .queue(queue)
        let people = try await RemoteDataCollection<Person>(table: table, options: options)
        if isLive { try await people.untilLive() }
        return people
    }

    @Test func noPositionChangesWhileTheQueueIsBusy() async throws {
        let table = try await makePeople(100)
        let queue = DispatchQueue(label: "test")
        let people = try await open(table, on: queue)
        await queue.suspendAtRest()
        try await table.removeByOthers(Person.id(0))
        // The page is newer than the deletion.
        async let row = people.row(at: 50)
        try await eventually("the page has come") { people.state.withLock { !$0.core.waiting.isEmpty } }
        try await eventually("the event has come") { people.state.withLock { $0.core.pendingCount > 0 } }
        #expect(people.count == 100)
        #expect(people.loadedCount == 0)
        queue.resume()
        #expect(try await row.age == 51)
        #expect(people.count == 99)
    }

    @Test func ownWritesTooMoveRowsOnTheQueueOnly() async throws {
        for isLive in [true, false] {
            let table = try await makePeople(10)
            let queue = DispatchQueue(label: "test")
            let people = try await open(table, on: queue, isLive: isLive)
            await queue.suspendAtRest()
            async let removed = people.removeAll(where: "age < 3")
            try await eventually("it is removed") { try await table.base.count(nil).value == 7 }
            #expect(people.count == 10)
            queue.resume()
            #expect(try await removed == 3)
            #expect(people.count == 7)
        }
    }

    @Test func eachChangeIsToldBeforeTheNextIsApplied() async throws {
        let table = try await makePeople(10)
        let queue = DispatchQueue(label: "test")
        let people = try await open(table, on: queue)
        try await people.populate()
        let counts = Log<Int>()
        people.dataChangedHandler = { [weak people] type in
            if type != .dataLoaded { counts.add(people?.count ?? -1) }
        }
        await queue.suspendAtRest()
        for number in 0..<3 { try await table.removeByOthers(Person.id(number)) }
        try await table.putByOthers(#"{"objectId":"q","name":"q"}"#)
        try await eventually("all have come") { people.state.withLock { $0.core.pendingCount >= 4 } }
        queue.resume()
        try await eventually("all are told") { counts.all.count == 4 }
        #expect(counts.all == [9, 8, 7, 8])
    }

    @Test func changesThatNobodyListensToAreAppliedSomeAtATime() async throws {
        let table = try await makePeople(200)
        let queue = DispatchQueue(label: "test")
        let people = try await open(table, on: queue)
        try await people.populate()
        await queue.suspendAtRest()
        for number in 0..<100 { try await table.removeByOthers(Person.id(number)) }
        try await eventually("all have come") { people.state.withLock { $0.core.pendingCount >= 100 } }
        // What was to be told before comes first.
        while people.count == 200, people.state.withLock({ $0.takeTurn() }) != nil {}
        #expect(people.count == 200 - 64)
        queue.resume()
        try await eventually("all are applied") { people.count == 100 }
    }

    @Test func whoeverListensLaterIsToldOfPositions() async throws {
        let table = try await makePeople(30)
        let people = try await open(table, on: DispatchQueue(label: "test"))
        try await people.populate()
        try await table.updateByOthers(Person.id(3), #"{"name":"new"}"#)
        try await eventually("it is applied") {
            people.state.withLock { $0.core.index.row(at: 3)?.text.contains("new") == true }
        }
        var changes = people.changes.makeAsyncIterator()
        try await table.updateByOthers(Person.id(4), #"{"name":"newer"}"#)
        let change = try #require(await changes.next())
        #expect(change.updated == [4])
        #expect(change.rows.map(\.name) == ["newer"])
    }

    @Test func aHandlerThatBlocksIsNotWaitedForByWhatItWaitsFor() async throws {
        let table = try await makePeople(35)
        let queue = DispatchQueue(label: "test")
        let people = try await open(table, on: queue)
        let seen = Log<Int>()
        people.dataChangedHandler = { [weak people] type in
            guard type == .created, let people else { return }
            for person in people { seen.add(person.age ?? -1) }
            _ = try? people.add(Person(id: "zz", name: "by the handler", age: 100))
            seen.add(people.count)
            people.dataChangedHandler = nil
        }
        try await table.putByOthers(#"{"objectId":"z","name":"z","age":35}"#)
        try await eventually("the handler is done") { seen.all.count == 37 }
        #expect(seen.all == Array(0..<36) + [37])
    }

    @Test func aQueueThatDoesNotRunHoldsNothingUpForLong() async throws {
        let table = try await makePeople(100)
        let queue = DispatchQueue(label: "test")
        let clock = ManualClock()
        let people = try await open(table, on: queue, clock: clock)
        await queue.suspendAtRest()
        defer { queue.resume() }
        try await table.removeByOthers(Person.id(0))
        try await eventually("the change has come") { people.state.withLock { $0.core.pendingCount } > 0 }
        async let row = people.row(at: 50)
        await clock.waitForSleepers()
        clock.advance(by: .seconds(2))
        #expect(try await row.age == 51)
        #expect(people.count == 99)
    }

    @Test func ownWritesAreAppliedWhereTheQueueDoesNotRun() async throws {
        let table = try await makePeople(10)
        let queue = DispatchQueue(label: "test")
        let clock = ManualClock()
        let people = try await open(table, on: queue, clock: clock, isLive: false)
        await queue.suspendAtRest()
        defer { queue.resume() }
        async let added = people.add(Person(id: "z", name: "z"))
        await clock.waitForSleepers()
        clock.advance(by: .seconds(2))
        #expect(try await added?.id == "z")
        #expect(people.count == 11)
    }

    @Test func whatIsToldToNobodyIsBounded() async throws {
        let table = try await makePeople(1)
        let queue = DispatchQueue(label: "test")
        let people = try await open(table, on: queue)
        people.requestStartedHandler = {}
        await queue.suspendAtRest()
        for _ in 0..<20_000 { people.note(.changed(Applied(type: .updated))) }
        people.note(.requestStarted)
        #expect(people.state.withLock { $0.notices.count } <= 10_002)
        let watcher = Watcher(people)
        for _ in 0..<10_001 { people.note(.changed(Applied(type: .updated))) }
        queue.resume()
        try await watcher.until(1, .dataLoaded)
        #expect(watcher.notices.count { if case .started = $0 { true } else { false } } == 1)
    }

    @Test func requestsAreNotNotedWhereNobodyListensToThem() async throws {
        let table = try await makePeople(1)
        let queue = ManualQueue()
        let people = try await RemoteDataCollection<Person>(
            table: table,
            options: CollectionOptions().with(isLive: false).with(delivery: queue.delivery)
        )
        queue.runAll()
        people.note(.requestStarted)
        people.note(.requestCompleted)
        #expect(queue.count == 0)
        people.requestCompletedHandler = {}
        people.note(.requestStarted)
        people.note(.requestCompleted)
        #expect(people.state.withLock { $0.notices.count } == 2)
        #expect(queue.count == 1)
    }

    @Test func aPageThatNeverComesIsGivenUp() async throws {
        let table = try await makePeople(30)
        let options = CollectionOptions.pages(of: 10).with(deadline: .milliseconds(20))
        let people = try await RemoteDataCollection<Person>(table: table, options: options)
        table.hold(.page)
        let error = await #expect(throws: RemoteDataError.self) { try await people.row(at: 5) }
        #expect(error?.code == .timedOut)
        table.letAllGo()
        try await eventually("it can be asked for again") { (try? await people.row(at: 5).age) == 5 }
    }
}

extension DispatchQueue {
    /// Suspends a serial queue, and returns when nothing runs on it any more.
    fileprivate func suspendAtRest() async {
        await withCheckedContinuation { suspended in
            async {
                self.suspend()
                suspended.resume()
            }
        }
    }
}
