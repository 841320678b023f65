import RemoteData
import Testing

@Suite struct SmokeTests {
    @Test func iteratesAllRows() async throws {
        let table = MemoryTable("people")
        try await makePeople(250, in: table)
        let people = try await RemoteDataCollection<Person>(table: table)
        #expect(people.count == 250)
        var ages: [Int] = []
        for try await person in people.rows { ages.append(person.age ?? -1) }
        #expect(ages == Array(0..<250))
        #expect(people.isLoaded)
        let added = try await people.add(Person(name: "zoe", age: 7))
        #expect(added?.id != nil)
        #expect(people.count == 251)
    }

    @Test func blockingIterationFromThePool() async throws {
        let table = MemoryTable("people")
        try await makePeople(250, in: table)
        func run() throws -> Int {
            let people = try RemoteDataCollection<Person>(table: table, where: "age < 120", sort: "age desc")
            var seen: [Int] = []
            for person in people { seen.append(person.age ?? -1) }
            #expect(seen == Array((0..<120).reversed()))
            #expect(people[5].age == 114)
            #expect(people.map(\.age).count == 120)
            return seen.count
        }
        #expect(try run() == 120)
    }
}
