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
        #expect(gap.hasMissed)
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

    @Test(arguments: [ChangeBuffering.buffer(10), .latest, .coalescing(limit: 10), .coalescing(limit: 500)])
    func aReplicaKeptFromTheStreamEqualsTheCollection(policy: ChangeBuffering) async throws {
        let table = try await makePeople(50)
        let people = try await People(table: table)
        let watcher = Watcher(people)
        try await people.untilLive()
        let changes = people.changes(buffering: policy)
        var iterator = changes.makeAsyncIterator()
        var replica: [String: String] = [:]
        func look() async throws {
            replica = [:]
            for try await person in people.rows { replica[person.id ?? ""] = person.name }
        }
        try await look()
        for round in 0..<5 {
            // More than some buffers hold, before the reader comes to read.
            for number in 0..<30 {
                let id = Person.id((round * 17 + number * 3) % 60)
                if number % 5 == 0 { try await table.removeByOthers(id) }
                try await table.putByOthers(#"{"objectId":"\#(id)","name":"\#(round) \#(number)"}"#)
            }
            try await table.putByOthers(#"{"objectId":"end","name":"\#(round)"}"#)
            try await watcher.until("all is told") { _ in people.position(of: "end", named: "\(round)") }
            while replica["end"] != "\(round)" {
                guard let change = await iterator.next() else { break }
                if change.type == .dataLoaded || change.hasMissed {
                    try await look()
                } else {
                    let isGone = change.type == .deleted
                    for id in change.ids { replica[id.text] = isGone ? nil : change.rows.first?.name }
                }
            }
            let names = try await people.rows.reduce(into: [:]) { $0[$1.id ?? ""] = $1.name }
            #expect(replica == names)
        }
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

extension RemoteDataCollection<Person> {
    /// Whether a row is here with a name.
    fileprivate func position(of id: String, named name: String) -> Bool {
        snapshot().loaded.contains { $0.id == id && $0.name == name }
    }
}

extension RowID {
    fileprivate var text: String { if case .text(let text) = self { text } else { "" } }
}
