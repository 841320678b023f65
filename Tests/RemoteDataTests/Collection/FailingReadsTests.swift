import RemoteData
import RemoteDataTesting
import Testing

/// Reading when the table cannot be asked: the faces that cannot throw try again, the others throw.
@Suite(.timeLimit(.minutes(2))) struct FailingReadsTests {
    private typealias People = RemoteDataCollection<Person>

    private func open(_ table: FaultyTable, _ clock: ManualClock) async throws -> People {
        let options = CollectionOptions.pages(of: 3, readAhead: 0).with(clock: clock, isLive: false)
        return try await People(table: table, options: options)
    }

    @Test func aLoopGoesOnWhenThePageComesAtTheThirdAttempt() async throws {
        let table = try await makePeople(7)
        let clock = ManualClock()
        let people = try await open(table, clock)
        let watcher = Watcher(people)
        _ = try await people.row(at: 0)
        table.fail(.page, with: .busy(for: .seconds(2)), times: 2)
        async let ages = onThread {
            var ages: [Int?] = []
            for person in people { ages.append(person.age) }
            return ages
        }
        for _ in 0..<2 {
            await clock.waitForSleepers()
            #expect(clock.sleepers == [.seconds(2)])
            clock.advance(by: .seconds(2))
        }
        #expect(try await ages == Array(0..<7))
        #expect(people.iterationError == nil)
        #expect(people.isLoaded)
        try await watcher.until("2 errors") { $0.count { if case .failed = $0 { true } else { false } } == 2 }
        #expect(watcher.errors.map(\.code) == [.unavailable, .unavailable])
        #expect(table.count(of: .page) == 5)
    }

    @Test func aLoopEndsAtTheDeadlineAndSaysWhy() async throws {
        let table = try await makePeople(9)
        let clock = ManualClock()
        let people = try await open(table, clock)
        let watcher = Watcher(people)
        _ = try await people.row(at: 0)
        table.fail(.page, with: .busy(for: .seconds(7)))
        async let ages = onThread {
            var ages: [Int?] = []
            for person in people { ages.append(person.age) }
            return ages
        }
        for _ in 0..<4 {
            await clock.waitForSleepers()
            clock.advance(by: .seconds(7))
        }
        #expect(try await ages == [0, 1, 2])
        #expect(people.iterationError?.code == .unavailable)
        #expect(!people.isLoaded)
        #expect(people.count == 9)
        try await watcher.until("5 errors") { $0.count { if case .failed = $0 { true } else { false } } == 5 }
        table.heal()
        #expect(try await onThread { people.map(\.age) } == Array(0..<9))
        #expect(people.iterationError == nil)
    }

    @Test func aFailureThatStaysEndsALoopAtOnce() async throws {
        let table = try await makePeople(9)
        let people = try await open(table, ManualClock())
        table.fail(.page, with: .denied)
        #expect(try await onThread { people.map(\.age) } == [])
        #expect(people.iterationError?.code == .forbidden)
        #expect(people.iterationError?.message == RemoteDataError.denied.message)
        #expect(table.count(of: .page) == 1)
        table.heal()
        var iterator = people.makeIterator()
        #expect(people.iterationError == nil)
        #expect(try await people.row(at: 0).age == 0)
        #expect(iterator.next()?.age == 0)
    }

    @Test func anAnswerThatIsNoneEndsALoopAtOnce() async throws {
        let table = try await makePeople(9)
        let people = try await open(table, ManualClock())
        table.fail(.page, with: RemoteDataError(.invalidAnswer, "No rows."))
        #expect(try await onThread { people.filter { $0.age != nil } } == [])
        #expect(people.iterationError?.code == .invalidAnswer)
    }

    @Test func aTableThatWantsMorePatienceThanThereIsIsNotWaitedFor() async throws {
        let table = try await makePeople(9)
        let people = try await open(table, ManualClock())
        table.fail(.page, with: .busy(for: .seconds(31)))
        #expect(try await onThread { people.reduce(0) { sum, _ in sum + 1 } } == 0)
        #expect(people.iterationError?.code == .unavailable)
        #expect(table.count(of: .page) == 1)
    }

    @Test func anIterationThatEndedEarlyStaysEnded() async throws {
        let table = try await makePeople(9)
        let people = try await open(table, ManualClock())
        table.fail(.page, with: .denied, times: 1)
        let more = try await onThread {
            var iterator = people.makeIterator()
            let first = iterator.next()
            return [first, iterator.next()]
        }
        #expect(more == [nil, nil])
        #expect(people.iterationError?.code == .forbidden)
    }

    @Test func theSubscriptTriesAgain() async throws {
        let table = try await makePeople(9)
        let clock = ManualClock()
        let people = try await open(table, clock)
        table.fail(.page, with: .busy(for: .seconds(2)))
        async let age = onThread { people[4].age }
        await clock.waitForSleepers()
        table.heal()
        clock.advance(by: .seconds(2))
        #expect(try await age == 4)
    }

    @Test func asynchronousFacesThrowAtOnceAndGoOnWhenAskedAgain() async throws {
        let table = try await makePeople(6)
        let people = try await open(table, ManualClock())
        var rows = people.rows.makeAsyncIterator()
        for age in 0..<3 { #expect(try await rows.next()?.age == age) }
        table.fail(.page)
        let inLoop = await #expect(throws: RemoteDataError.self) { _ = try await rows.next() }
        let byPosition = await #expect(throws: RemoteDataError.self) { _ = try await people.row(at: 5) }
        let ahead = await #expect(throws: RemoteDataError.self) { try await people.prefetch(0..<6) }
        let all = await #expect(throws: RemoteDataError.self) { try await people.populate() }
        #expect(
            [inLoop, byPosition, ahead, all].map { $0?.code } == Array(repeating: .unreachable, count: 4)
        )
        #expect(people.iterationError == nil)
        #expect(people.loadedCount == 3)
        table.heal()
        for age in 3..<6 { #expect(try await rows.next()?.age == age) }
        #expect(try await rows.next() == nil)
    }

    @Test func aTaskThatIsCancelledStopsWaiting() async throws {
        let table = try await makePeople(6)
        let people = try await open(table, ManualClock())
        table.hold(.page, .beforeAsking)
        let reader = Task { try await people.row(at: 5) }
        await table.waitForHeld()
        reader.cancel()
        let error = await #expect(throws: RemoteDataError.self) { try await reader.value }
        #expect(error?.code == .cancelled)
        table.letAllGo()
        #expect(try await people.names() == (0..<6).map(Person.id))
    }
}
