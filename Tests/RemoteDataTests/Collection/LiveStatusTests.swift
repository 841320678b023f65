import RemoteData
import RemoteDataTesting
import Testing

/// How it is with the delivery of changes, as a collection tells it.
@Suite(.timeLimit(.minutes(2))) struct LiveStatusTests {
    private func words(_ status: LiveStatus?) -> String {
        switch status {
        case .off?: "off"
        case .connecting?: "connecting"
        case .catchingUp?: "catching up"
        case .live?: "live"
        case .interrupted(let error)?: "interrupted \(error.code)"
        case nil: "end"
        }
    }

    @Test func aCollectionThatDoesNotFollowIsOff() async throws {
        let table = try await makePeople(3)
        let people = try await RemoteDataCollection<Person>(
            table: table,
            options: CollectionOptions().with(isLive: false)
        )
        #expect(words(people.liveStatus) == "off")
        #expect(!people.liveStatus.isLive)
    }

    @Test func tellsOfALostConnectionAndOfItsReturn() async throws {
        let table = try await makePeople(3)
        let clock = ManualClock()
        table.fail(.subscribe)
        let people = try await RemoteDataCollection<Person>(
            table: table,
            options: CollectionOptions().with(clock: clock)
        )
        await clock.waitForSleepers()
        #expect(words(people.liveStatus) == "interrupted unreachable")
        var statuses = people.liveStatuses.makeAsyncIterator()
        #expect(words(await statuses.next()) == "interrupted unreachable")
        table.heal()
        clock.advance(by: .seconds(60))
        var last = ""
        while last != "live", last != "end" { last = words(await statuses.next()) }
        #expect(last == "live")
        #expect(people.liveStatus.isLive)
    }

    @Test func theStreamEndsWithItsCollection() async throws {
        let table = try await makePeople(3)
        var people: RemoteDataCollection<Person>? = try await RemoteDataCollection(table: table)
        try await people?.untilLive()
        let statuses = people?.liveStatuses
        people = nil
        var last: LiveStatus?
        for await status in try #require(statuses) { last = status }
        #expect(words(last) == "live")
    }
}
