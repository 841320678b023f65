import Observation
import RemoteDataTesting
import Synchronization
import Testing

@testable import RemoteData

@Suite struct CollectionObservationTests {
    /// How often what a body reads was said to have changed, once at most.
    private func watch(_ body: () -> Void) -> Counter {
        let counter = Counter()
        withObservationTracking(body) { counter.add() }
        return counter
    }

    private func people() async throws -> (FaultyTable, RemoteDataCollection<Person>) {
        let table = try await makePeople(3)
        let people = try await RemoteDataCollection<Person>(table: table)
        try await people.untilLive()
        return (table, people)
    }

    @Test func whoeverReadsTheCountHearsOfARow() async throws {
        let (table, people) = try await people()
        let told = watch { _ = people.count }
        #expect(told.value == 0)
        try await table.putByOthers(#"{"objectId":"x","name":"x"}"#)
        try await eventually("it is told") { told.value == 1 }
        #expect(people.count == 4)
    }

    @Test func whoeverLooksForARowHearsThatItHasCome() async throws {
        let queue = ManualQueue()
        let options = CollectionOptions().with(delivery: queue.delivery)
        let people = try await RemoteDataCollection<Person>(table: makePeople(3), options: options)
        let told = watch { #expect(people.loadedRow(at: 1) == nil) }
        try await eventually("it is told") {
            queue.runAll()
            return told.value == 1
        }
        #expect(people.loadedRow(at: 1)?.name == Person.id(1))
    }

    @Test func whoeverReadsARowHearsOfAnotherValue() async throws {
        let (table, people) = try await people()
        _ = try await people.row(at: 0)
        // Until what came with the page has been told.
        _ = await people.turn { _ in }
        let told = watch { _ = people.loadedRow(at: 0) }
        try await table.updateByOthers(Person.id(0), #"{"name":"y"}"#)
        try await eventually("it is told") { told.value == 1 }
        #expect(people.loadedRow(at: 0)?.name == "y")
    }

    @Test func changesThatComeTogetherAreToldOnce() async throws {
        let table = try await makePeople(3)
        let queue = ManualQueue()
        let people = try await RemoteDataCollection<Person>(
            table: table,
            options: CollectionOptions().with(delivery: queue.delivery)
        )
        try await eventually("it is live") {
            queue.runAll()
            return people.hasGoneLive
        }
        let told = Counter()
        @Sendable func look() {
            withObservationTracking {
                _ = people.count
            } onChange: {
                told.add()
                look()
            }
        }
        look()
        for number in 0..<20 { try await table.putByOthers(#"{"objectId":"x\#(number)","name":"x"}"#) }
        try await eventually("all have come") { people.state.withLock { $0.core.pendingCount } >= 20 }
        queue.runAll()
        #expect(people.count == 23)
        #expect(told.value == 1)
    }
}
