import RemoteData
import RemoteDataTesting
import Testing

/// What is told of requests: each begins once and ends once, whatever becomes of it.
@Suite(.timeLimit(.minutes(2))) struct RequestNoticeTests {
    private typealias People = RemoteDataCollection<Person>

    private func open(
        _ table: FaultyTable,
        deadline: Duration = .seconds(30)
    ) async throws -> (People, Watcher) {
        let options = CollectionOptions.pages(of: 2, readAhead: 0).with(deadline: deadline, isLive: false)
        let people = try await People(table: table, options: options)
        return (people, Watcher(people))
    }

    /// Waits until as many requests as the table got have begun and ended, and checks that none ended before it began.
    private func expectPairs(_ watcher: Watcher, _ table: FaultyTable) async throws {
        // The count that a collection opens with is before anybody listens.
        let expected = table.requests.count - 1
        try await watcher.until("\(expected) requests are complete") {
            $0.count { if case .completed = $0 { true } else { false } } >= expected
        }
        var (open, started, completed) = (0, 0, 0)
        for notice in watcher.notices {
            switch notice {
            case .started: (open, started) = (open + 1, started + 1)
            case .completed: (open, completed) = (open - 1, completed + 1)
            case .failed, .changed: break
            }
            #expect(open >= 0)
        }
        #expect(started == expected)
        #expect(completed == expected)
    }

    @Test func failuresArePaired() async throws {
        let table = try await makePeople(9)
        let (people, watcher) = try await open(table)
        table.fail(.page, times: 1)
        await #expect(throws: RemoteDataError.self) { try await people.row(at: 0) }
        _ = try await people.row(at: 0)
        table.fail(.commit, with: .denied, times: 2)
        await #expect(throws: RemoteDataError.self) { try await people.add(Person(name: "new")) }
        await #expect(throws: RemoteDataError.self) { try await people.removeAll() }
        table.fail(.row, times: 1)
        await #expect(throws: RemoteDataError.self) {
            try await people.update(Person(id: "p00008", name: ""))
        }
        table.fail(.count, times: 1)
        await #expect(throws: RemoteDataError.self) { try await people.refresh() }
        try await people.populate()
        try await expectPairs(watcher, table)
        #expect(
            watcher.errors.map(\.code) == [.unreachable, .forbidden, .forbidden, .unreachable, .unreachable]
        )
    }

    @Test func cancelledWritesArePaired() async throws {
        let table = try await makePeople(9)
        let (people, watcher) = try await open(table)
        table.hold(.commit, .beforeAsking)
        let writer = Task { try await people.add(Person(name: "new")) }
        await table.waitForHeld()
        writer.cancel()
        let error = await #expect(throws: RemoteDataError.self) { try await writer.value }
        #expect(error?.code == .cancelled)
        try await expectPairs(watcher, table)
        #expect(try await table.base.count(nil).value == 9)
    }

    @Test func readsThatNobodyWaitsForAnyMoreArePaired() async throws {
        let table = try await makePeople(9)
        let (people, watcher) = try await open(table)
        table.hold(.page, .beforeAsking)
        let reader = Task { try await people.row(at: 5) }
        await table.waitForHeld()
        reader.cancel()
        await #expect(throws: RemoteDataError.self) { try await reader.value }
        table.letAllGo()
        try await expectPairs(watcher, table)
    }

    @Test func whatTakesTooLongIsPaired() async throws {
        let table = try await makePeople(9)
        let (people, watcher) = try await open(table, deadline: .milliseconds(50))
        table.hold(.commit, .beforeAsking)
        table.hold(.page, .beforeAsking)
        let error = await #expect(throws: RemoteDataError.self) {
            try await onThread { try people.add(Person(name: "new")) }
        }
        #expect(error?.code == .timedOut)
        #expect(try await onThread { people.map(\.age) } == [])
        table.letAllGo()
        try await expectPairs(watcher, table)
    }
}
