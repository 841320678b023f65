import RemoteData
import RemoteDataTesting
import Testing

/// The laws of `Collection`, over page sizes and states of loading.
@Suite(.timeLimit(.minutes(5))) struct CollectionLawTests {
    enum Loading: CaseIterable {
        case fresh, begun, farEnd, middle, loaded, offline, changed, held, refreshed
    }

    @Test(arguments: 1...7, Loading.allCases)
    func holdWhateverIsLoaded(pageSize: Int, loading: Loading) async throws {
        let table = try await makePeople(13)
        var expected = (0..<13).map { Person(number: $0) }
        let people = try await RemoteDataCollection<Person>(table: table, options: .pages(of: pageSize))
        switch loading {
        case .fresh: break
        case .begun: for person in people where person.age == 4 { break }
        case .farEnd: _ = people[12]
        case .middle: _ = people[6]
        case .loaded: try await people.populate()
        case .offline:
            try await people.populate()
            // Before, nothing would prove to an iteration that no change was missed.
            try await people.untilLive()
            for call in FaultyTable.Call.allCases { table.fail(call) }
        case .changed:
            _ = people[6]
            try await table.removeByOthers(Person.id(3))
            let added = try await people.add(Person(id: "p00007a", name: "new"))
            expected.insert(try #require(added), at: 8)
            expected.remove(at: 3)
        case .held:
            let added = try await people.insert(Person(id: "zzz", name: "held"), at: 2)
            expected.insert(try #require(added), at: 2)
        case .refreshed:
            try await people.populate()
            try await people.refresh()
        }
        checkCollection(bidirectional: people, contains: expected)
    }

    @Test(arguments: [0, 1, 2]) func holdForFewRows(count: Int) async throws {
        let table = try await makePeople(count)
        let people = try await RemoteDataCollection<Person>(table: table, options: .pages(of: 1))
        checkCollection(bidirectional: people, contains: (0..<count).map { Person(number: $0) })
    }

    @Test(arguments: 1...7) func holdForAClauseAndASortOrder(pageSize: Int) async throws {
        let table = try await makePeople(20)
        let people = try await RemoteDataCollection<Person>(
            table: table,
            where: "age < 6 or age > 15",
            sort: "age desc",
            options: .pages(of: pageSize)
        )
        let ages = Array(16..<20).reversed() + Array(0..<6).reversed()
        checkCollection(bidirectional: people, contains: ages.map { Person(number: $0) })
    }

    @Test func anArrayMadeOfACollectionOrASliceHasItsRows() async throws {
        let table = try await makePeople(25)
        let people = try await RemoteDataCollection<Person>(table: table, options: .pages(of: 4))
        #expect(Array(people[20...]).map(\.age) == Array(20..<25))
        var array = [Person(name: "first")]
        array.append(contentsOf: people)
        #expect(array.dropFirst().map(\.age) == Array(0..<25))
        #expect(people.sorted { $0.name > $1.name }.first?.age == 24)
        #expect(people.filter { ($0.age ?? 0).isMultiple(of: 10) }.map(\.age) == [0, 10, 20])
        #expect(people.prefix(3).map(\.age) == [0, 1, 2])
        #expect(people.suffix(2).map(\.age) == [23, 24])
        #expect(people.contains { $0.age == 17 })
        #expect(people.lazy.compactMap(\.age).first { $0 > 9 } == 10)
    }
}
