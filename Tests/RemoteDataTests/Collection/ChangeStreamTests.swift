import RemoteData
import RemoteDataTesting
import Testing

/// The changes of a collection as a stream.
@Suite(.timeLimit(.minutes(2))) struct ChangeStreamTests {
    private typealias People = RemoteDataCollection<Person>

    private func createByOthers(_ count: Int, _ prefix: String, in table: FaultyTable) async throws {
        let drafts = try (0..<count).map { try draft(#"{"objectId":"\#(prefix)\#($0)","name":"new"}"#) }
        _ = try await table.base.commit(.create(drafts))
    }

    @Test func aReaderThatIsTooSlowGetsOneChangeForThoseItMissed() async throws {
        let table = try await makePeople(3)
        let people = try await People(table: table)
        let watcher = Watcher(people)
        try await people.untilLive()
        var changes = people.changes.makeAsyncIterator()
        try await createByOthers(1_001, "a", in: table)
        try await watcher.until(1_001, .created)
        let gap = try #require(await changes.next())
        #expect(gap.type == .dataLoaded)
        #expect(gap.rows.isEmpty && gap.ids.isEmpty && gap.inserted.isEmpty)
        #expect(!gap.isOwn)
        try await createByOthers(1, "b", in: table)
        let next = try #require(await changes.next())
        #expect(next.type == .created)
        #expect(next.ids == ["b0"])
        #expect(people.count == 1_005)
    }

    @Test func aThousandChangesWaitForTheirReader() async throws {
        let table = try await makePeople(3)
        let people = try await People(table: table)
        let watcher = Watcher(people)
        try await people.untilLive()
        var changes = people.changes.makeAsyncIterator()
        try await createByOthers(1_000, "a", in: table)
        try await watcher.until(1_000, .created)
        for number in 0..<1_000 {
            let change = try #require(await changes.next())
            guard change.type == .created, change.ids == [.text("a\(number)")] else {
                Issue.record("\(change.type) of \(change.ids) at \(number)")
                break
            }
        }
    }

    @Test func eachStreamTellsEverythingFromItsBeginningOn() async throws {
        let table = try await makePeople(3)
        let people = try await People(table: table)
        var early = people.changes.makeAsyncIterator()
        try await people.add(Person(id: "a", name: "a"))
        #expect(await early.next()?.ids == ["a"])
        var late = people.changes.makeAsyncIterator()
        try await people.add(Person(id: "b", name: "b"))
        #expect(await early.next()?.ids == ["b"])
        #expect(await late.next()?.ids == ["b"])
    }

    @Test func aReaderThatIsCancelledEnds() async throws {
        let table = try await makePeople(3)
        let people = try await People(table: table)
        let changes = people.changes
        let reader = Task {
            for await _ in changes {}
            return Task.isCancelled
        }
        reader.cancel()
        #expect(await reader.value)
        #expect(people.count == 3)
    }
}
