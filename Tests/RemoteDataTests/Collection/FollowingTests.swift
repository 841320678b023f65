import RemoteDataTesting
import Synchronization
import Testing

@testable import RemoteData

/// How long a collection goes on asking for changes.
@Suite(.timeLimit(.minutes(2))) struct FollowingTests {
    /// Returns a collection that is live.
    private func live(
        _ table: FaultyTable,
        _ clock: ManualClock
    ) async throws -> RemoteDataCollection<Person> {
        let people = try await RemoteDataCollection<Person>(
            table: table,
            options: CollectionOptions().with(clock: clock)
        )
        try await people.untilLive()
        return people
    }

    @Test func aFeedThatEndsWithoutAWordIsAnInterruption() async throws {
        let table = try await makePeople(3)
        let clock = ManualClock()
        let people = try await live(table, clock)
        let watcher = Watcher(people)
        table.endFeeds()
        try await watcher.until("it is told") { $0.contains { if case .failed = $0 { true } else { false } } }
        #expect(watcher.errors.map(\.code) == [.unreachable])
        try await eventually("changes come again") {
            people.liveStatus.isLive && table.count(of: .subscribe) == 2
        }
    }

    @Test(arguments: [RemoteDataError.Code.unauthorized, .forbidden, .unknownColumn, .rejected])
    func refusedSubscriptionsAreTriedAgain(code: RemoteDataError.Code) async throws {
        let table = try await makePeople(3)
        let clock = ManualClock()
        table.fail(.subscribe, with: RemoteDataError(code, "No."), times: 1)
        let people = try await RemoteDataCollection<Person>(
            table: table,
            options: CollectionOptions().with(clock: clock)
        )
        await clock.waitForSleepers()
        clock.advance(by: .seconds(60))
        try await people.untilLive()
    }

    @Test("An outage is reported once for each reason")
    func outage() async throws {
        let table = try await makePeople(3)
        let clock = ManualClock()
        let people = try await live(table, clock)
        let watcher = Watcher(people)
        func untilTriedAgain() async throws {
            let goal = table.count(of: .subscribe) + 4
            try await eventually("more attempts are made") {
                clock.advance(by: .seconds(60))
                return table.count(of: .subscribe) >= goal
            }
        }
        for code in [RemoteDataError.Code.unreachable, .unauthorized] {
            table.fail(.subscribe, with: RemoteDataError(code, "No."))
            if code == .unreachable { table.endFeeds() }
            try await untilTriedAgain()
        }
        table.heal()
        try await eventually("changes come again") {
            clock.advance(by: .seconds(60))
            return people.liveStatus.isLive
        }
        table.endFeeds()
        try await eventually("the next outage is reported") { watcher.errors.count >= 3 }
        #expect(watcher.errors.map(\.code) == [.unreachable, .unauthorized, .unreachable])
    }

    /// Changes behind the same revision would end the subscription again.
    @Test(
        "A subscription that was ended by a change of too much work goes on behind it",
        arguments: [true, false]
    )
    func subscriptionsOfTooMuchWork(isTooMuch: Bool) async throws {
        let table = try await makePeople(3)
        let clock = ManualClock()
        let people = try await live(table, clock)
        table.loseEvents()
        try await table.putByOthers(#"{"objectId":"a","name":"while it is away"}"#)
        // Of the next subscription, which may begin at once, nothing is lost.
        table.letAllEventsGo()
        table.send(.interrupted(RemoteDataError(isTooMuch ? .tooLarge : .unreachable, "It ends.")))
        table.endFeeds()
        try await eventually("the change is here") {
            clock.advance(by: .seconds(1))
            return people.liveStatus.isLive && people.count == 4 && table.count(of: .subscribe) >= 2
        }
        // As the clock goes on, there may be more of them.
        let starts = table.requests.filter { $0.call == .subscribe }.prefix(2).map(\.since)
        #expect(starts.map { $0 == nil } == [starts[0] == nil, isTooMuch])
    }
}
