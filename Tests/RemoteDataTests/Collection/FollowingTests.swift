import RemoteDataTesting
import Synchronization
import Testing

@testable import RemoteData

/// How long a collection goes on asking for changes.
@Suite(.timeLimit(.minutes(2))) struct FollowingTests {
    @Test func aFeedThatEndsWithoutAWordIsAnInterruption() async throws {
        let table = try await makePeople(3)
        let clock = ManualClock()
        let people = try await RemoteDataCollection<Person>(
            table: table,
            options: CollectionOptions().with(clock: clock)
        )
        try await people.untilLive()
        let watcher = Watcher(people)
        table.endFeeds()
        try await watcher.until("it is told") { $0.contains { if case .failed = $0 { true } else { false } } }
        #expect(watcher.errors.map(\.code) == [.unreachable])
        try await eventually("changes come again") {
            people.liveStatus.isLive && table.count(of: .subscribe) == 2
        }
    }

    @Test func refusedCredentialsAreTriedAgainAndOtherRefusalsAreNot() async throws {
        let table = try await makePeople(3)
        let clock = ManualClock()
        table.fail(.subscribe, with: RemoteDataError(.unauthorized, "Who are you?"), times: 1)
        let people = try await RemoteDataCollection<Person>(
            table: table,
            options: CollectionOptions().with(clock: clock)
        )
        await clock.waitForSleepers()
        clock.advance(by: .seconds(60))
        try await people.untilLive()

        let other = try await makePeople(3)
        other.fail(.subscribe, with: RemoteDataError(.forbidden, "No."))
        let rows = try await RemoteDataCollection<Person>(
            table: other,
            options: CollectionOptions().with(clock: clock)
        )
        try await eventually("it is told") { if case .interrupted = rows.liveStatus { true } else { false } }
        #expect(clock.sleepers.isEmpty)
        #expect(other.count(of: .subscribe) == 1)
    }
}
