import RemoteData
import RemoteDataTesting
import Testing

/// What is asked of the table, and what is not.
@Suite(.timeLimit(.minutes(2))) struct LazinessTests {
    @Test func openingAsksForTheCountOnly() async throws {
        let table = try await makePeople(250)
        let people = try await RemoteDataCollection<Person>(table: table)
        try await people.untilLive()
        #expect(table.requests.map(\.call) == [.count, .subscribe])
        #expect(people.count == 250)
        #expect(!people.isEmpty)
        #expect(people.endIndex == 250)
        #expect(!people.isLoaded)
        #expect(table.requests.count == 2)
    }

    @Test(arguments: [0, 1, 7, 9, 10, 11, 39, 40], [0, 1, 8])
    func aBreakHasFetchedAtMostOnePageMoreThanItsRowsTake(rows: Int, readAhead: Int) async throws {
        let table = try await makePeople(60)
        let options = CollectionOptions.pages(of: 10, readAhead: readAhead)
        let people = try await RemoteDataCollection<Person>(table: table, options: options)
        var taken = 0
        if rows > 0 {
            for _ in people {
                taken += 1
                if taken == rows { break }
            }
        }
        #expect(taken == rows)
        let pages = (rows + 9) / 10
        // Nothing is asked for ahead of the first page.
        let ahead = pages > 1 ? readAhead : 0
        #expect((pages...(pages + ahead)).contains(table.count(of: .page)) || rows == 0)
        #expect(rows > 0 || table.count(of: .page) == 0)
    }

    @Test(arguments: [1, 20, 29, 30, 31, 60, 100])
    func aWholeIterationFetchesEachRowOnce(count: Int) async throws {
        let table = try await makePeople(count)
        let people = try await RemoteDataCollection<Person>(table: table, options: .pages(of: 10))
        #expect(people.map(\.age) == Array(0..<count))
        #expect(table.count(of: .page) == (count + 9) / 10)
        #expect(people.isLoaded)
        #expect(people.map(\.age) == Array(0..<count))
        #expect(people.count == count)
        #expect(table.count(of: .page) == (count + 9) / 10)
    }

    @Test(arguments: [true, false]) func anEmptyTableIsReadWithoutAPage(isLive: Bool) async throws {
        let table = try await makePeople(0)
        let options = CollectionOptions().with(isLive: isLive)
        let people = try await RemoteDataCollection<Person>(table: table, options: options)
        #expect(people.isEmpty)
        #expect(people.isLoaded)
        #expect(people.map(\.age) == [])
        try await people.populate()
        #expect(table.count(of: .page) == 0)
    }

    @Test func aFarRowFetchesNothingButThePageAroundIt() async throws {
        let table = try await makePeople(1_000)
        let people = try await RemoteDataCollection<Person>(table: table, options: .pages(of: 10))
        #expect(try await people.row(at: 505).age == 505)
        #expect(table.requests.compactMap(\.page?.start) == [.offset(500)])
        #expect(people.loadedCount == 10)
        #expect(try await people.row(at: 999).age == 999)
        #expect(people.loadedCount == 20)
        #expect(table.count(of: .page) == 2)
    }

    @Test func rowsBehindLoadedOnesAreAskedForByKey() async throws {
        let table = try await makePeople(100)
        let people = try await RemoteDataCollection<Person>(table: table, options: .pages(of: 10))
        _ = try await people.row(at: 0)
        _ = try await people.row(at: 10)
        let starts = table.requests.compactMap(\.page?.start)
        #expect(starts == [.offset(0), .after(Key(values: [], id: .text(Person.id(9))))])
    }

    @Test func theNextPageIsUnderWayWhileRowsAreTaken() async throws {
        let table = try await makePeople(30)
        let people = try await RemoteDataCollection<Person>(table: table, options: .pages(of: 10))
        var rows = people.rows.makeAsyncIterator()
        for _ in 0..<10 { _ = try await rows.next() }
        #expect(table.count(of: .page) == 1)
        _ = try await rows.next()
        // Only when it is here nothing of it can be held.
        try await eventually("the third page is here") { people.loadedCount == 30 }
        #expect(table.count(of: .page) == 3)
    }

    /// It is taken to have them until it is asked, as an older server is.
    @Test func aTableThatRefusesPagesBeyondKeysIsReadPageByPage() async throws {
        var less = Capabilities.full
        less.pagesBeyondKeys = false
        let limited = LimitedTable(try await makePeople(60).base, to: less)
        let table = FaultyTable(limited, capabilities: .full)
        let people = try await RemoteDataCollection<Person>(
            table: table,
            options: .pages(of: 5, readAhead: 8)
        )
        let watcher = Watcher(people)
        #expect(people.map(\.age) == Array(0..<60))
        #expect(people.iterationError == nil)
        #expect(watcher.notices.allSatisfy { if case .failed = $0 { false } else { true } })
        #expect(table.count(of: .page) < 12 + 9)
    }

    @Test func iterationsThatWaitForOnePageAskForItOnce() async throws {
        let table = try await makePeople(10)
        let people = try await RemoteDataCollection<Person>(table: table, options: .pages(of: 10))
        table.hold(.page, .beforeAsking)
        async let first = people.rows.first { _ in true }
        async let second = people.rows.first { _ in true }
        async let third = people.row(at: 3)
        await table.waitForHeld()
        table.letAllGo()
        #expect(try await [first?.age, second?.age, third.age] == [0, 0, 3])
        #expect(table.count(of: .page) == 1)
    }

    @Test func prefetchFetchesOnlyWhatIsMissingOfARange() async throws {
        let table = try await makePeople(100)
        let people = try await RemoteDataCollection<Person>(table: table, options: .pages(of: 10))
        try await people.prefetch(15..<35)
        let before = table.count(of: .page)
        #expect((15..<35).allSatisfy { people.loadedRow(at: $0)?.age == $0 })
        try await people.prefetch(12..<38)
        try await people.prefetch(95..<1_000)
        try await people.prefetch(5..<5)
        #expect(people.loadedRow(at: 99)?.age == 99)
        #expect(table.count(of: .page) <= before + 2)
        #expect(people.loadedCount < 60)
    }

    @Test func aRowThatIsNotHereIsNilAndOnItsWay() async throws {
        let table = try await makePeople(100)
        let people = try await RemoteDataCollection<Person>(table: table, options: .pages(of: 10))
        let watcher = Watcher(people)
        table.hold(.page)
        #expect(people.loadedRow(at: 50) == nil)
        #expect(people.loadedRow(at: 51) == nil)
        #expect(people.loadedRow(at: 100) == nil)
        #expect(people.loadedRow(at: -1) == nil)
        await table.waitForHeld()
        table.letAllGo()
        try await watcher.until("the page is here") { _ in people.loadedRow(at: 50)?.age == 50 }
        #expect(people.loadedRow(at: 51)?.age == 51)
        #expect(table.count(of: .page) == 1)
    }

    @Test func populateFetchesEveryMissingPageOnceAndTellsHowFarItIs() async throws {
        let table = try await makePeople(95)
        let people = try await RemoteDataCollection<Person>(table: table, options: .pages(of: 10))
        _ = try await people.row(at: 50)
        let progress = Log<LoadProgress>()
        try await people.populate { progress.add($0) }
        #expect(people.isLoaded)
        #expect(table.count(of: .page) == 10)
        // Several come at a time; the last, of 5 rows, may be among the first.
        let loaded = progress.all.map(\.loaded)
        #expect(loaded.count == 9)
        #expect(zip(loaded, loaded.dropFirst()).allSatisfy { [5, 10].contains($1 - $0) })
        #expect(loaded.first == 20 && loaded.last == 95)
        #expect(progress.all.allSatisfy { $0.total == 95 })
        #expect(progress.all.last?.fraction == 1)
        try await people.populate { progress.add($0) }
        #expect(table.count(of: .page) == 10)
    }

    @Test func aPageIsNeverLargerThanTheTableAllows() async throws {
        var capabilities = Capabilities.full
        capabilities.maximumPageSize = 7
        let table = FaultyTable(try await makePeople(20).base, capabilities: capabilities)
        let people = try await RemoteDataCollection<Person>(table: table, options: .pages(of: 1_000))
        #expect(people.map(\.age) == Array(0..<20))
        #expect(table.requests.compactMap(\.page?.limit).allSatisfy { $0 <= 7 })
        let tiny = try await RemoteDataCollection<Person>(table: table, options: .pages(of: -3))
        #expect(try await tiny.row(at: 2).age == 2)
    }
}
