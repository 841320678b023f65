import RemoteData
import RemoteDataTesting
import Testing

/// One collection in the hands of many threads at once; the thread sanitizer looks on.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ManyThreadsTests {
    private typealias People = RemoteDataCollection<Person>

    @Test(arguments: [nil, 60])
    func eightThreadsIterateWriteAndListenAtOnce(cacheLimit: Int?) async throws {
        let table = try await makePeople(150)
        var options = CollectionOptions.pages(of: 10)
        options.cacheLimit = cacheLimit
        let people = try await People(table: table, options: options)
        try await people.untilLive()
        let yieldedTwice = Counter()
        let told = Counter()
        people.dataChangedHandler = { _ in told.add() }
        let listeners = [ChangeBuffering.coalescing(limit: 20), .buffer(5)].map { policy in
            let changes = people.changes(buffering: policy)
            return Task {
                var count = 0
                for await _ in changes { count += 1 }
                return count
            }
        }
        try await withThrowingTaskGroup { group in
            for reader in 0..<3 {
                group.addTask { try await onThread { Self.read(people, reader, yieldedTwice) } }
            }
            for writer in 0..<2 { group.addTask { try await onThread { try Self.write(people, writer) } } }
            group.addTask {
                for number in 0..<60 {
                    let id = Person.id(number * 7 % 160)
                    try await table.putByOthers(#"{"objectId":"\#(id)","name":"others \#(number)"}"#)
                    if number % 4 == 0 { try await table.removeByOthers(id) }
                }
            }
            try await group.waitForAll()
        }
        let expected = try await table.base.page(PageRequest(Query(), limit: 1_000)).rows.map(\.id)
        try await eventually("it equals the table") {
            guard people.count == expected.count else { return false }
            return try await people.rows.reduce(into: []) { $0.append(RowID.text($1.id ?? "")) } == expected
        }
        #expect(yieldedTwice.value == 0)
        #expect(told.value > 0)
        people.dataChangedHandler = nil
        for listener in listeners { listener.cancel() }
        for listener in listeners { #expect(await listener.value > 0) }
    }

    /// Iterates, indexes, and looks at snapshots.
    private static func read(_ people: People, _ reader: Int, _ yieldedTwice: Counter) {
        for pass in 0..<4 {
            var seen: Set<String> = []
            // One that is deleted and added again is another row.
            for person in people where !(person.name.hasPrefix("others") || person.name.hasPrefix("own")) {
                if !seen.insert(person.id ?? "").inserted { yieldedTwice.add() }
            }
            for position in stride(from: reader, to: 150, by: 11) {
                _ = people.loadedRow(at: position + pass)
            }
            _ = people.snapshot().loaded.count
            _ = people.first
        }
    }

    private static func write(_ people: People, _ writer: Int) throws {
        for number in 0..<25 {
            let id = "w\(writer)-\(number)"
            try people.add(Person(id: id, name: "own", age: number))
            if number % 3 == 0 { try people.update(Person(id: id, name: "own again", age: 200)) }
            if number % 5 == 0 { try people.remove(Person(id: id, name: "own")) }
        }
    }
}
