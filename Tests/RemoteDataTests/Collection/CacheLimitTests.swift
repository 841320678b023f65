import RemoteData
import RemoteDataTesting
import Testing

/// Collections that keep fewer rows than they have.
@Suite(.timeLimit(.minutes(2))) struct CacheLimitTests {
    private typealias People = RemoteDataCollection<Person>

    private func options(_ limit: Int, pages size: Int = 10, isLive: Bool = true) -> CollectionOptions {
        var options = CollectionOptions.pages(of: size).with(isLive: isLive)
        options.cacheLimit = limit
        return options
    }

    @Test(arguments: [true, false], [true, false])
    func aPassOverManyRowsKeepsFew(isLive: Bool, blocks: Bool) async throws {
        let table = try await makePeople(1_000)
        let people = try await People(table: table, options: options(60, isLive: isLive))
        for pass in 1...2 {
            var most = 0
            var ages: [Int?] = []
            if blocks {
                blocking {
                    for person in people {
                        ages.append(person.age)
                        most = max(most, people.loadedCount)
                    }
                }
            } else {
                for try await person in people.rows {
                    ages.append(person.age)
                    most = max(most, people.loadedCount)
                }
            }
            #expect(ages == Array(0..<1_000))
            #expect(most <= 60)
            #expect(people.count == 1_000)
            #expect(!people.isLoaded)
            #expect(table.count(of: .page) <= pass * 101)
        }
    }

    @Test func aLimitOfNothingLetsFourPagesStayAndThoseAskedForAhead() async throws {
        let table = try await makePeople(200)
        let people = try await People(table: table, options: options(-1))
        for position in stride(from: 0, to: 200, by: 10) { _ = try await people.row(at: position) }
        #expect(people.loadedCount == 50)
    }

    @Test func theRowsUsedLongestAgoGo() async throws {
        let table = try await makePeople(200)
        let people = try await People(table: table, options: options(60))
        for position in [0, 50, 100, 150, 20, 70] { _ = try await people.row(at: position) }
        #expect(people.loadedCount == 60)
        _ = try await people.row(at: 0)
        _ = try await people.row(at: 190)
        #expect(people.loadedRow(at: 5)?.age == 5)
        let before = table.count(of: .page)
        #expect(try await people.row(at: 55).age == 55)
        #expect(table.count(of: .page) == before + 1)
        #expect(people.count == 200)
    }

    @Test func twoIterationsFarApartEachSeeEveryRowOnceWhileOthersWrite() async throws {
        let table = try await makePeople(600)
        let people = try await People(table: table, options: options(50))
        try await people.untilLive()
        var (first, second) = (people.rows.makeAsyncIterator(), people.rows.makeAsyncIterator())
        var (seen, seenToo) = ([String](), [String]())
        for number in 0..<300 {
            if let person = try await first.next() { seen.append(person.name) }
            if number % 3 == 0, number < 290 {
                // Around the first, around the second, and far away from both.
                try await table.removeByOthers(Person.id(number))
                try await table.putByOthers(#"{"objectId":"q\#(number)","name":"new"}"#)
                try await table.putByOthers(
                    #"{"objectId":"p\#(Person.id(number + 300).dropFirst())x","name":"new"}"#
                )
            }
            if number > 200, let person = try await second.next() { seenToo.append(person.name) }
        }
        while let person = try await first.next() { seen.append(person.name) }
        while let person = try await second.next() { seenToo.append(person.name) }
        let throughout = (0..<600).filter { $0 >= 290 || $0 % 3 > 0 }.map(Person.id)
        for names in [seen, seenToo] {
            let old = names.filter { $0 != "new" }
            #expect(Set(old).count == old.count)
            #expect(Set(throughout).subtracting(old).isEmpty)
        }
        #expect(people.loadedCount <= 50 + 40)
    }

    @Test func populatingMoreRowsThanMayStayIsRefusedWithoutARequest() async throws {
        let table = try await makePeople(100)
        let people = try await People(table: table, options: options(60))
        let error = await #expect(throws: RemoteDataError.self) { try await people.populate() }
        #expect(error?.code == .tooLarge)
        #expect(throws: RemoteDataError.self) { try blocking { try people.populate() } }
        #expect(table.count(of: .page) == 0)
        let few = try await People(table: table, where: "age < 60", options: options(60))
        try await few.populate()
        #expect(few.isLoaded)
    }

    @Test func ofARangeThatDoesNotFitItsBeginningIsPrefetched() async throws {
        let table = try await makePeople(200)
        let people = try await People(table: table, options: options(60))
        try await people.prefetch(0..<200)
        #expect(people.loadedRow(at: 0)?.age == 0)
        #expect(people.loadedRow(at: 59)?.age == 59)
        #expect(table.count(of: .page) == 6)
    }

    @Test func beingLoadedIsToldOfCollectionsThatFitOnly() async throws {
        let table = try await makePeople(61)
        let people = try await People(table: table, options: options(60))
        let watcher = Watcher(people)
        try await people.untilLive()
        for _ in 0..<3 { #expect(try await people.names().count == 61) }
        let fitting = try await People(table: table, where: "age < 60", options: options(60))
        let other = Watcher(fitting)
        for _ in 0..<3 { #expect(try await fitting.names().count == 60) }
        try await other.until(1, .dataLoaded)
        try await people.add(Person(id: "z", name: "z"))
        try await watcher.until(1, .created)
        #expect(watcher.changes == [.created])
        #expect(other.changes == [.dataLoaded])
    }

    @Test func changesOfRowsThatAreGoneAreTakenIn() async throws {
        let table = try await makePeople(300)
        let people = try await People(table: table, options: options(50))
        try await people.untilLive()
        #expect(try await people.names().count == 300)
        let watcher = Watcher(people)
        try await table.removeByOthers(Person.id(3))
        try await table.updateByOthers(Person.id(4), #"{"name":"changed"}"#)
        try await table.putByOthers(#"{"objectId":"p00004x","name":"new"}"#)
        try await watcher.until(1, .created)
        #expect(watcher.changes == [.deleted, .updated, .created])
        #expect(people.count == 300)
        let names = try await people.names()
        #expect(names.prefix(6) == ["p00000", "p00001", "p00002", "changed", "new", "p00005"])
        #expect(names.count == 300)
    }
}
