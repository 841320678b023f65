import RemoteData
import RemoteDataTesting
import Testing

/// Reading that ends early where a subscript would trap.
@Suite(.timeLimit(.minutes(2))) struct SoftReadingTests {
    private let quick = CollectionOptions.pages(of: 4).with(deadline: .milliseconds(50))

    @Test func firstLastAndSlicesHaveTheirRows() async throws {
        let table = try await makePeople(10)
        let people = try await RemoteDataCollection<Person>(table: table, options: .pages(of: 4))
        #expect(people.last?.age == 9)
        #expect(people.first?.age == 0)
        #expect(people[3..<6].map(\.age) == [3, 4, 5])
        #expect(people.dropFirst(8).first?.age == 8)
        #expect(people.prefix(2).last?.age == 1)
        #expect(people[2...][4..<6].map(\.age) == [4, 5])
        #expect(Array(people.suffix(3)).map(\.age) == [7, 8, 9])
        let none = try await RemoteDataCollection<Person>(table: table, where: "age > 99")
        #expect(none.first == nil)
        #expect(none.last == nil)
        #expect(Array(none[0..<0]).isEmpty)
    }

    @Test func withoutTheTableTheyEndEarlyAndSayWhy() async throws {
        let table = try await makePeople(10)
        let people = try await RemoteDataCollection<Person>(table: table, options: quick)
        let watcher = Watcher(people)
        table.fail(.page, with: RemoteDataError(.forbidden, "No."))
        #expect(people.first == nil)
        #expect(people.iterationError?.code == .forbidden)
        #expect(people.last == nil)
        #expect(people.iterationError?.code == .forbidden)
        #expect(people[3..<6].map(\.age) == [])
        #expect(people.prefix(2).last == nil)
        #expect(!people.isLoaded)
        try await watcher.until("each failure is told") {
            $0.count { if case .failed = $0 { true } else { false } } == 4
        }
    }

    @Test func aDeadlineIsToldToTheErrorHandler() async throws {
        let table = try await makePeople(10)
        let people = try await RemoteDataCollection<Person>(table: table, options: quick)
        let watcher = Watcher(people)
        table.hold(.page)
        #expect(people.map(\.age) == [])
        #expect(people.iterationError?.code == .timedOut)
        try await watcher.until("the end is told") {
            $0.contains { if case .failed = $0 { true } else { false } }
        }
        table.letAllGo()
    }

    @Test("An iteration whose changes do not come notifies the error handler of its end")
    func missingChangesAreReported() async throws {
        let table = try await makePeople(10)
        let people = try await RemoteDataCollection<Person>(table: table, options: quick)
        try await people.untilLive()
        try await people.populate()
        table.fail(.subscribe)
        table.hold(.count)
        table.endFeeds()
        try await eventually("the feed is interrupted") { !people.liveStatus.isLive }
        let watcher = Watcher(people)
        #expect(people.map(\.age).count == 10)
        let error = try #require(people.iterationError)
        #expect(error.code == .timedOut)
        try await watcher.until("its end is told") {
            $0.contains { if case .failed(let end) = $0 { "\(end)" == "\(error)" } else { false } }
        }
        table.letAllGo()
    }

    @Test func rowsThatWentAwayEndASlice() async throws {
        let table = try await makePeople(10)
        let people = try await RemoteDataCollection<Person>(table: table, options: .pages(of: 4))
        try await people.populate()
        let end = people[7...]
        try await people.remove(Person(number: 9))
        #expect(end.map(\.age) == [7, 8])
        #expect(end.last?.age == 8)
        #expect(people.iterationError == nil)
    }

    @Test func rowsThatDoNotDecodeAreLeftOut() async throws {
        let table = try await makePeople(3)
        try await table.putByOthers(#"{"objectId":"a","name":7}"#)
        try await table.putByOthers(#"{"objectId":"z","name":7}"#)
        let people = try await RemoteDataCollection<Person>(table: table)
        #expect(people.count == 5)
        #expect(people.first?.age == 0)
        #expect(people.iterationError == nil)
        #expect(people.last?.age == 2)
        #expect(people.iterationError?.message.contains("Row z") == true)
        #expect(people[0..<5].map(\.age) == [0, 1, 2])
        #expect(people.iterationError?.message.contains("2 rows") == true)
        #expect(people[1..<4].map(\.age) == [0, 1, 2])
        #expect(people.iterationError == nil)
        #expect(people[4...].last == nil)
        #expect(people.iterationError?.message.contains("Row z") == true)
    }
}
