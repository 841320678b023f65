import RemoteData
import RemoteDataTesting
import Testing

/// The faces for code that may block: opening, reading, and what becomes of them when the table does not answer.
@Suite(.timeLimit(.minutes(2))) struct BlockingReadingTests {
    private typealias People = RemoteDataCollection<Person>

    @Test func openingAsksForTheCountAndPopulateForThePages() async throws {
        let table = try await makePeople(25)
        let options = CollectionOptions.pages(of: 10).with(isLive: false)
        let progress = Log<LoadProgress>()
        let people = try await onThread {
            let people = try People(table: table, where: "age < 23", options: options)
            try people.populate { progress.add($0) }
            return people
        }
        #expect(people.isLoaded)
        // The first page comes alone, the others at the same time, in any order.
        #expect([[10, 20, 23], [10, 13, 23]].contains(progress.all.map(\.loaded)))
        #expect(progress.all.map(\.total) == [23, 23, 23])
        #expect(progress.all.last?.fraction == 1)
        #expect(table.requests.map(\.call) == [.count, .page, .page, .page])
        try await onThread { try people.populate { progress.add($0) } }
        #expect(progress.all.count == 3)
        #expect(table.requests.count == 4)
    }

    @Test func aQueryIsOpenedToo() async throws {
        let table = try await makePeople(5)
        let query = Query(try Where.parse("age > 1"), sort: try SortTerm.parse("age desc"))
        let names = try await onThread { try People(table: table, query: query).map(\.name) }
        #expect(names == ["p00004", "p00003", "p00002"])
    }

    @Test func refreshCountsAnewAndForgetsTheRows() async throws {
        let table = try await makePeople(5)
        let people = try await People(table: table, options: CollectionOptions().with(isLive: false))
        let watcher = Watcher(people)
        try await people.populate()
        try await table.putByOthers(#"{"objectId":"x","name":"x"}"#)
        #expect(people.count == 5)
        try await onThread { try people.refresh() }
        #expect(people.count == 6)
        #expect(people.loadedCount == 0)
        #expect(try await people.row(at: 5).name == "x")
        try await watcher.until(2, .dataLoaded)
    }

    @Test func aRefreshThatFailsForgetsNothing() async throws {
        let table = try await makePeople(5)
        let people = try await People(table: table)
        try await people.populate()
        table.fail(.count)
        let error = await #expect(throws: RemoteDataError.self) {
            try await onThread { try people.refresh() }
        }
        #expect(error?.code == .unreachable)
        #expect(people.loadedCount == 5)
    }

    @Test func rowsAreReadByPositionAndInOrder() async throws {
        let table = try await makePeople(25)
        let people = try await People(table: table, options: .pages(of: 4))
        let ages = try await onThread {
            var ages = [people[13].age]
            for person in people.prefix(6) { ages.append(person.age) }
            for person in people { ages.append(person.age) }
            return ages
        }
        #expect(ages == [13] + Array(0..<6) + Array(0..<25))
    }

    @Test(arguments: BlockingFace.allCases) func eachFaceThrowsWhatTheTableThrows(face: BlockingFace)
        async throws
    {
        let table = try await makePeople(10)
        let people = try await People(table: table, options: CollectionOptions().with(isLive: false))
        for call in FaultyTable.Call.allCases { table.fail(call, with: .denied) }
        let error = await #expect(throws: RemoteDataError.self) {
            try await onThread { try face.call(people) }
        }
        #expect(error?.code == .forbidden)
        table.heal()
        #expect(people.count == 10)
        #expect(try await people.names() == (0..<10).map(Person.id))
    }

    /// All at once, for some end a second after it.
    @Test func eachFaceEndsAtTheDeadline() async throws {
        let options = CollectionOptions().with(deadline: .milliseconds(50), isLive: false)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for face in BlockingFace.allCases {
                let table = try await makePeople(10)
                let people = try await People(table: table, options: options)
                for call in FaultyTable.Call.allCases { table.hold(call, .beforeAsking) }
                group.addTask {
                    let error = await #expect(throws: RemoteDataError.self) {
                        try await onThread { try face.call(people) }
                    }
                    #expect(error?.code == .timedOut, "\(face)")
                    table.letAllGo()
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func openingEndsAtTheDeadline() async throws {
        let table = try await makePeople(3)
        table.hold(.count, .beforeAsking)
        let options = CollectionOptions().with(deadline: .milliseconds(50))
        let error = await #expect(throws: RemoteDataError.self) {
            try await onThread { try People(table: table, options: options) }
        }
        #expect(error?.code == .timedOut)
        table.letAllGo()
    }
}
