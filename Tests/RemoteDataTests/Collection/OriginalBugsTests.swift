import RemoteData
import RemoteDataTesting
import Synchronization
import Testing

/// What the collection this one succeeds got wrong, and how it is right.
@Suite(.timeLimit(.minutes(2))) struct OriginalBugsTests {
    /// 1. It waited for ever for a row that was gone.
    @Test func removingARowThatIsGoneReturnsInsteadOfHanging() async throws {
        let table = try await makePeople(5)
        let people = try await RemoteDataCollection<Person>(table: table)
        let person = try await people.row(at: 2)
        try await table.removeByOthers("p00002")
        #expect(try await people.remove(person) == false)
        table.fail(.commit, times: 1)
        await #expect(throws: RemoteDataError.self) { try await people.remove(Person(number: 1)) }
    }

    /// 2. It left the removed row's id in the query that pages were read with.
    @Test func removingARowDoesNotChangeWhatIsRead() async throws {
        let table = try await makePeople(20)
        let people = try await RemoteDataCollection<Person>(table: table, options: .pages(of: 4))
        try await people.remove(Person(number: 3))
        try await people.populate()
        #expect(people.count == 19)
        #expect(table.requests.compactMap(\.page).allSatisfy { $0.query == Query() })
    }

    /// 3. It asked for a failing page for ever.
    @Test func populateEndsWhenAPageFails() async throws {
        let table = try await makePeople(20)
        let people = try await RemoteDataCollection<Person>(table: table, options: .pages(of: 4))
        table.fail(.page)
        await #expect(throws: RemoteDataError.self) { try await people.populate() }
        #expect(table.count(of: .page) == 1)
        table.heal()
        try await people.populate()
        #expect(people.isLoaded)
    }

    /// 3. It asked for rows for ever that others had removed.
    @Test func populateEndsWhenRowsAreGoneThatWereCounted() async throws {
        let table = try await makePeople(20)
        let options = CollectionOptions.pages(of: 4).with(isLive: false)
        let people = try await RemoteDataCollection<Person>(table: table, options: options)
        for number in 5..<20 { try await table.removeByOthers(Person.id(number)) }
        try await people.populate()
        #expect(people.isLoaded)
        #expect(people.count == 5)
    }

    /// 4. It went on with a count of nothing, and with three times the same page.
    @Test func opensOnlyWhenTheCountIsKnown() async throws {
        let table = try await makePeople(5)
        table.fail(.count, times: 1)
        await #expect(throws: RemoteDataError.self) { try await RemoteDataCollection<Person>(table: table) }
        let people = try await RemoteDataCollection<Person>(table: table)
        #expect(people.map(\.age) == [0, 1, 2, 3, 4])
    }

    /// 5. All iterations shared one position.
    @Test func everyIterationStartsAtTheFirstRow() async throws {
        let table = try await makePeople(10)
        let people = try await RemoteDataCollection<Person>(table: table, options: .pages(of: 3))
        var few: [Int?] = []
        for person in people {
            few.append(person.age)
            if few.count == 4 { break }
        }
        #expect(few == [0, 1, 2, 3])
        #expect(people.map(\.age) == Array(0..<10))
        #expect(people.map(\.age) == Array(0..<10))
        var (first, second) = (people.makeIterator(), people.makeIterator())
        #expect(first.next()?.age == 0)
        #expect(first.next()?.age == 1)
        #expect(second.next()?.age == 0)
        #expect(first.next()?.age == 2)
    }

    /// 6. Its count was not the distance between its indices.
    @Test func countIsTheDistanceBetweenTheIndices() async throws {
        let table = try await makePeople(10)
        let people = try await RemoteDataCollection<Person>(table: table, options: .pages(of: 3))
        #expect(people.distance(from: people.startIndex, to: people.endIndex) == people.count)
        #expect(people.last?.age == 9)
        #expect(people.reversed().map(\.age) == Array((0..<10).reversed()))
        #expect(Array(people.indices) == Array(0..<10))
    }

    /// 7. It could only reach the next page.
    @Test func aFarRowIsReadWithThePageAroundIt() async throws {
        let table = try await makePeople(1_000)
        let people = try await RemoteDataCollection<Person>(table: table, options: .pages(of: 10))
        #expect(people[777].age == 777)
        #expect(table.count(of: .page) == 1)
        #expect(people[778].age == 778)
        #expect(people[770].age == 770)
        #expect(table.count(of: .page) == 1)
        #expect(try blocking { try people.remove(at: 500) }.age == 500)
        try blocking { _ = try people.insert(Person(name: "far"), at: 900) }
        #expect(people[900].name == "far")
    }

    /// 8. It skipped or repeated rows when others were added or removed between two pages.
    @Test func rowsThatComeAndGoMeanwhileNeitherHideNorRepeatOthers() async throws {
        let table = try await makePeople(30)
        let people = try await RemoteDataCollection<Person>(table: table, options: .pages(of: 5))
        var seen: [String] = []
        for try await person in people.rows {
            seen.append(person.name)
            if person.age == 7 {
                for number in 0..<5 { try await table.removeByOthers(Person.id(number)) }
                try await people.remove(Person(number: 6))
                try await table.putByOthers(#"{"objectId":"p","name":"early","age":-1}"#)
                try await people.add(Person(id: "p00020a", name: "late", age: -2))
            }
        }
        #expect(seen == (0..<21).map { Person.id($0) } + ["late"] + (21..<30).map { Person.id($0) })
    }

    /// 9. A clause with OR escaped from what it was joined with, and quotes from what they were in.
    @Test func clausesAreJoinedAsAWhole() async throws {
        let table = try await makePeople(10)
        let people = try await RemoteDataCollection<Person>(table: table, where: "age < 3 or age > 7")
        #expect(try await people.removeAll(where: "name = 'p00001' or name = 'p00005'") == 1)
        #expect(people.map(\.age) == [0, 2, 8, 9])
        #expect(try await people.remove(Person(number: 5)) == false)
        #expect(try await table.base.count(nil).value == 9)
    }

    /// 9. An id with a quote in it broke the clause.
    @Test func anIdMayHoldQuotes() async throws {
        let table = try await makePeople(2)
        let people = try await RemoteDataCollection<Person>(table: table, where: "age >= 0")
        let id = "o'neill' or 'a'='a"
        try await people.add(Person(id: id, name: "neil", age: 4))
        #expect(try await people.remove(Person(id: id, name: "")))
        #expect(people.count == 2)
    }

    /// 10. A row that did not match was added and then removed again, for all to see.
    @Test func aRowThatDoesNotMatchIsNeverSent() async throws {
        let table = try await makePeople(3)
        let people = try await RemoteDataCollection<Person>(table: table, where: "age < 3")
        #expect(try await people.add(Person(name: "old", age: 90)) == nil)
        #expect(table.count(of: .commit) == 0)
        let result = try await people.add(contentsOf: [
            Person(name: "old", age: 90), Person(name: "new", age: 1),
        ])
        #expect(result.stored.map(\.name) == ["new"])
        #expect(result.discarded.map(\.name) == ["old"])
        #expect(table.count(of: .commit) == 1)
    }

    /// 11. A request was said to be complete when something happened somewhere, or never.
    @Test func eachRequestIsCompletedOnceAlsoWhenItFails() async throws {
        let table = try await makePeople(10)
        let options = CollectionOptions.pages(of: 4).with(isLive: false)
        let people = try await RemoteDataCollection<Person>(table: table, options: options)
        let watcher = Watcher(people)
        try await people.populate()
        try await people.add(Person(name: "new"))
        table.fail(.commit, times: 1)
        await #expect(throws: RemoteDataError.self) { try await people.removeAll() }
        table.fail(.count, times: 1)
        await #expect(throws: RemoteDataError.self) { try await people.refresh() }
        try await watcher.until("6 requests") {
            $0.count { if case .completed = $0 { true } else { false } } == 6
        }
        #expect(watcher.notices.count { if case .started = $0 { true } else { false } } == 6)
        #expect(watcher.errors.map(\.code) == [.unreachable, .unreachable])
    }

    /// 12. An event said that something had changed, not what.
    @Test func changesTellRowsPositionsAndWhoseTheyAre() async throws {
        let table = try await makePeople(3)
        let people = try await RemoteDataCollection<Person>(table: table)
        var changes = people.changes.makeAsyncIterator()
        try await people.populate()
        #expect(await changes.next()?.type == .dataLoaded)
        try await people.add(Person(id: "p00001a", name: "mine"))
        try await table.putByOthers(#"{"objectId":"p00002a","name":"theirs"}"#)
        let mine = try #require(await changes.next())
        #expect((mine.type, mine.inserted, mine.isOwn) == (.created, [2], true))
        #expect(mine.rows == [Person(id: "p00001a", name: "mine")])
        let theirs = try #require(await changes.next())
        #expect((theirs.type, theirs.inserted, theirs.isOwn) == (.created, [4], false))
        #expect(theirs.rows == [Person(id: "p00002a", name: "theirs")])
    }

    /// 13. Mistakes ended the program, and what was written was not told.
    @Test func mistakesAreThrownAndWritesReturnWhatIsStored() async throws {
        let table = try await makePeople(1)
        let people = try await RemoteDataCollection<Person>(table: table)
        await #expect { try await people.remove(Person(name: "nobody")) } throws: {
            ($0 as? RemoteDataError)?.code == .invalidRow
        }
        await #expect { try await people.row(at: 1) } throws: {
            ($0 as? RemoteDataError)?.code == .outOfRange
        }
        let stored = try #require(try await people.add(Person(name: "new")))
        #expect(stored.id?.isEmpty == false)
        #expect(stored.name == "new")
    }

    /// 14. An answer that could not be read was no answer, and whoever waited did so for ever.
    @Test func anAnswerThatNeverComesEndsTheWait() async throws {
        let table = try await makePeople(3)
        let options = CollectionOptions().with(deadline: .milliseconds(10))
        let people = try await RemoteDataCollection<Person>(table: table, options: options)
        table.hold(.page, .beforeAsking)
        #expect(people.map(\.age) == [])
        #expect(people.iterationError?.code == .timedOut)
        table.hold(.commit, .beforeAsking)
        #expect { try blocking { try people.removeAll() } } throws: {
            ($0 as? RemoteDataError)?.code == .timedOut
        }
        table.letAllGo()
    }

    /// 15. What happened while the connection was down was never made up for.
    @Test func whatHappensWhileTheConnectionIsDownIsMadeUpFor() async throws {
        let table = try await makePeople(10)
        let clock = ManualClock()
        let options = CollectionOptions.pages(of: 4).with(clock: clock)
        let people = try await RemoteDataCollection<Person>(table: table, options: options)
        let watcher = Watcher(people)
        try await people.populate()
        try await people.untilLive()
        table.fail(.subscribe)
        table.endFeeds()
        await clock.waitForSleepers()
        try await table.removeByOthers("p00003")
        try await table.putByOthers(#"{"objectId":"p00005a","name":"new"}"#)
        table.heal()
        clock.advance(by: .seconds(60))
        try await watcher.until(1, .created)
        #expect(watcher.changes.filter { $0 != .dataLoaded } == [.deleted, .created])
        let names = (0..<6).filter { $0 != 3 }.map(Person.id) + ["new"] + (6..<10).map(Person.id)
        #expect(people.map(\.name) == names)
    }
}
