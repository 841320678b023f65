import Foundation
import RemoteDataExecution
import RemoteDataTesting
import Synchronization
import Testing

@testable import RemoteData
@testable import RemoteDataSQLite

/// Collections over a table that is kept in a local store, from launch to launch.
@Suite(.timeLimit(.minutes(2))) struct CacheTests {
    struct Person: Codable, Identifiable, Sendable, Equatable {
        var id: String?
        var name: String
        var age: Int
    }

    /// A server, and a program with a store that is launched again and again.
    final class Fixture: Sendable {
        let base: MemoryTable
        let folder: TemporaryFolder
        let capabilities: Capabilities
        /// The table itself, or with an order of its own.
        let server: any Table

        init(
            _ rows: Int = 250,
            logCapacity: Int = 100_000,
            isCollated: Bool = false,
            epoch: Epoch? = nil,
            folder: TemporaryFolder? = nil,
            _ change: (inout Capabilities) -> Void = { _ in }
        ) async throws {
            base = MemoryTable("people", logCapacity: logCapacity, epoch: epoch)
            server = isCollated ? CollatedTable(base) { String($0.reversed()) } : base
            self.folder = try folder ?? TemporaryFolder()
            var capabilities = server.capabilities
            change(&capabilities)
            self.capabilities = capabilities
            try await put(rows)
        }

        func put(_ count: Int, from first: Int = 0, age: Int? = nil) async throws {
            let drafts = try (first..<(first + count)).map { number in
                try draft(
                    "{\"objectId\":\"p\(1_000 + number)\",\"name\":\"n\(number % 7)\",\"age\":\(age ?? number)}"
                )
            }
            if !drafts.isEmpty { _ = try await base.commit(.upsert(drafts)) }
        }

        var path: String { folder.file("cache.db") }

        /// One launch of the program; subscribing can be held until the body lets it go.
        func launch<Result>(
            online: Bool = true,
            isSubscribingHeld: Bool = false,
            isLive: Bool = true,
            _ clause: String = "",
            sort: String = "",
            _ body: (RemoteDataCollection<Person>, FaultyTable, LocalStore) async throws -> Result
        ) async throws -> Result {
            let store = try await LocalStore(path: path)
            let table = FaultyTable(LimitedTable(server, to: capabilities))
            if !online { for call in FaultyTable.Call.allCases { table.fail(call) } }
            if isSubscribingHeld { table.hold(.subscribe) }
            var options = CollectionOptions()
            options.pageSize = 50
            options.isLive = isLive
            let people = try await RemoteDataCollection<Person>(
                table: table,
                where: clause,
                sort: sort,
                options: options,
                cache: store
            )
            let result = try await body(people, table, store)
            await store.close()
            return result
        }

        /// The names and ages of what the server has.
        func expected(_ clause: String = "", sort: String = "") async throws -> [String] {
            let query = Query(try Where.parse(clause), sort: try SortTerm.parse(sort))
            let page = try await server.page(PageRequest(query, limit: 1_000))
            return page.rows.map { "\($0.id) \($0["age"])" }
        }
    }

    static func seen(_ people: RemoteDataCollection<Person>) async throws -> [String] {
        try await people.rows.collected().map { "\($0.id ?? "") \(Value.integer(Int64($0.age)))" }
    }

    // MARK: Launching

    @Test(arguments: [("", ""), ("", "age desc"), ("age > 100", "name, age desc"), ("name = 'n3'", "")])
    func theNextLaunchShowsAllThatWasReadWithoutTheServer(clause: String, sort: String) async throws {
        let fixture = try await Fixture()
        let expected = try await fixture.expected(clause, sort: sort)
        try await fixture.launch(clause, sort: sort) { people, _, _ in
            let seen = try await Self.seen(people)
            #expect(seen == expected)
        }
        try await fixture.launch(online: false, clause, sort: sort) { people, table, _ in
            #expect(people.count == expected.count)
            let seen = try await Self.seen(people)
            #expect(seen == expected)
            #expect(table.count(of: .page) == 0)
        }
    }

    /// An iteration ended with the rows of the cache as soon as the changes were interrupted, although the
    /// table answered.
    @Test(arguments: [true, false])
    func whatWasKeptIsNotAllWhereTheTableAnswers(hasRevisions: Bool) async throws {
        let fixture = try await Fixture {
            if !hasRevisions { ($0.revisions, $0.resume) = (false, false) }
        }
        try await fixture.launch { people, _, _ in try await people.populate() }
        try await fixture.put(1, from: 500)
        let store = try await LocalStore(path: fixture.path)
        let table = FaultyTable(LimitedTable(fixture.server, to: fixture.capabilities))
        table.fail(.subscribe)
        var options = CollectionOptions()
        options.deadline = .milliseconds(500)
        let people = try await RemoteDataCollection<Person>(table: table, options: options, cache: store)
        #expect(people.count == 250)
        do {
            _ = try await Self.seen(people)
            Issue.record("It ended as complete.")
        } catch let error as RemoteDataError {
            #expect(error.code == .timedOut)
        }
        table.heal()
        people.reconnect()
        try await people.untilLive()
        let (seen, expected) = (try await Self.seen(people), try await fixture.expected())
        #expect(seen == expected)
        await store.close()
    }

    @Test func whatWasNotReadIsAskedForAndNothingElse() async throws {
        let fixture = try await Fixture()
        try await fixture.launch { people, _, _ in try await people.prefetch(0..<100) }
        try await fixture.launch(online: false) { people, _, _ in
            #expect(people.count == 250)
            let last = try await people.row(at: 99)
            #expect(last.age == 99)
            let error = await failure { () async throws(RemoteDataError) in
                try await people.row(at: 100)
            }
            #expect(error?.code == .unreachable)
        }
        try await fixture.launch { people, table, _ in
            let (seen, expected) = (try await Self.seen(people), try await fixture.expected())
            #expect(seen == expected)
            #expect(table.count(of: .page) == 3)
        }
    }

    @Test func whatAnotherCollectionHasReadSinceIsUsed() async throws {
        let fixture = try await Fixture()
        try await fixture.launch { people, table, store in
            try await Self.populate(table, people.options, store)
            await store.flush()
            try await Self.expectAllKept(people, table, fixture)
        }
    }

    @Test func whatAnotherProcessHasReadSinceIsUsed() async throws {
        let fixture = try await Fixture()
        try await fixture.launch { people, _, _ in try await people.prefetch(0..<50) }
        try await fixture.launch(isLive: false) { people, table, _ in
            let store = try await LocalStore(path: fixture.path)
            try await Self.populate(table, people.options, store)
            await store.close()
            try await Self.expectAllKept(people, table, fixture)
        }
    }

    /// Reads everything, of a table that does not even fail, and asks it for nothing.
    private static func expectAllKept(
        _ people: RemoteDataCollection<Person>,
        _ table: FaultyTable,
        _ fixture: Fixture
    ) async throws {
        let asked = table.count(of: .page)
        table.hold(.page)
        let (seen, expected) = (try await seen(people), try await fixture.expected())
        #expect(seen == expected)
        #expect(table.count(of: .page) == asked)
    }

    /// Reads everything with a collection of its own, which is closed then.
    private static func populate(
        _ table: FaultyTable,
        _ options: CollectionOptions,
        _ store: LocalStore
    ) async throws {
        let people = try await RemoteDataCollection<Person>(table: table, options: options, cache: store)
        try await people.populate()
    }

    /// Some rows behind a stretch that is written lie in one that is not: where nobody else has them, that is waited for.
    @Test func whatIsNotWrittenIsReadWhereTheTableCannotBeAsked() async throws {
        let fixture = try await Fixture()
        try await fixture.launch(isLive: false) { people, table, store in
            try await people.prefetch(0..<50)
            await store.flush()
            let gate = OneShot<Void>()
            store.core.writer.queue.schedule { _ in _ = gate.wait(atMost: .seconds(60)) }
            defer { gate.resume(.success(())) }
            try await people.prefetch(50..<100)
            table.fail(.page)
            let fetch = Fetch(
                id: people.state.withLock { $0.core.number() },
                request: PageRequest(people.query, start: .offset(60), limit: 10),
                expected: 60..<70,
                floor: nil
            )
            people.state.withLock { $0.core.fetches[fetch.id] = fetch }
            async let answer: Void = people.wait(for: fetch, starting: true)
            while table.count(of: .page) < 3 { await Task.yield() }
            gate.resume(.success(()))
            try await answer
        }
    }

    /// What is read does not wait for what is written, and is written all the same.
    @Test func readingDoesNotWaitForWriting() async throws {
        let fixture = try await Fixture()
        let expected = try await fixture.expected()
        try await fixture.launch { people, _, store in
            let gate = OneShot<Void>()
            // What a new collection notes first is to be known before anything is looked for.
            await store.flush()
            store.core.writer.queue.schedule { _ in _ = gate.wait(atMost: .seconds(60)) }
            defer { gate.resume(.success(())) }
            let seen = try await Self.seen(people)
            #expect(seen == expected)
        }
        try await fixture.launch(online: false) { people, _, _ in
            let seen = try await Self.seen(people)
            #expect(seen == expected)
        }
    }

    @Test func whatHappenedSinceIsToldExactly() async throws {
        let fixture = try await Fixture()
        try await fixture.launch { people, _, _ in try await people.populate() }
        try await fixture.put(1, from: 7, age: 1_000)
        try await fixture.put(2, from: 300)
        _ = try await fixture.base.commit(.delete("p1020"))
        try await fixture.launch(isSubscribingHeld: true) { people, table, _ in
            var changes = people.changes.makeAsyncIterator()
            // Of rows that nobody has seen yet, an update is not told.
            _ = try await people.row(at: 0)
            try await people.prefetch(0..<people.count)
            await table.waitForHeld()
            table.letAllGo()
            var told: [String] = []
            while told.count < 4 {
                guard let change = await changes.next() else { break }
                if change.type != .dataLoaded { told.append("\(change.type) \(change.ids)") }
            }
            #expect(told == ["updated [p1007]", "created [p1300]", "created [p1301]", "deleted [p1020]"])
            let (seen, expected) = (try await Self.seen(people), try await fixture.expected())
            #expect(seen == expected)
            #expect(table.count(of: .page) == 0)
        }
        try await fixture.launch(online: false) { people, _, _ in
            let (seen, expected) = (try await Self.seen(people), try await fixture.expected())
            #expect(seen == expected)
        }
    }

    // MARK: Changes that were missed

    @Test func whatWasMissedForGoodIsFoundAndToldExactly() async throws {
        let fixture = try await Fixture(120, logCapacity: 3)
        try await fixture.launch { people, _, _ in try await people.populate() }
        try await fixture.put(1, from: 7, age: 1_000)
        try await fixture.put(2, from: 300)
        _ = try await fixture.base.commit(.delete("p1020"))
        _ = try await fixture.base.commit(.delete("p1021"))
        try await fixture.launch { people, _, _ in
            let shown = try await people.row(at: 0)
            #expect(shown.age == 0)
            try await people.untilLive()
            let (seen, expected) = (try await Self.seen(people), try await fixture.expected())
            #expect(seen == expected)
        }
        try await fixture.launch(online: false) { people, _, _ in
            let (seen, expected) = (try await Self.seen(people), try await fixture.expected())
            #expect(seen == expected)
        }
    }

    @Test func rowsThatWereKeptAndNotLookedAtAgainAreStillThereOffline() async throws {
        let fixture = try await Fixture(120, logCapacity: 3)
        let before = try await fixture.expected()
        try await fixture.launch { people, _, _ in try await people.populate() }
        try await fixture.put(5, from: 0, age: 1_000)
        try await fixture.launch { people, _, _ in
            _ = try await people.row(at: 0)
            try await people.untilLive()
        }
        let after = try await fixture.expected()
        try await fixture.launch(online: false) { people, _, _ in
            let seen = try await Self.seen(people)
            #expect(seen.count == 120)
            #expect(Array(seen.suffix(60)) == Array(before.suffix(60)))
            #expect(Array(seen.prefix(5)) == Array(after.prefix(5)))
        }
    }

    @Test(arguments: [true, false]) func tablesWithoutRevisionsAreReadAnewAndKept(isLive: Bool) async throws {
        let fixture = try await Fixture(120) { capabilities in
            capabilities.revisions = false
            capabilities.resume = false
        }
        try await fixture.launch(isLive: isLive) { people, _, _ in try await people.populate() }
        let before = try await fixture.expected()
        try await fixture.launch(online: false, isLive: isLive) { people, _, _ in
            let seen = try await Self.seen(people)
            #expect(seen == before)
        }
        try await fixture.put(5, from: 0, age: 1_000)
        _ = try await fixture.base.commit(.delete("p1020"))
        let after = try await fixture.expected()
        try await fixture.launch(isLive: isLive) { people, _, _ in
            if isLive { try await people.untilLive() }
            let seen = try await Self.seen(people)
            #expect(seen == after)
        }
        try await fixture.launch(online: false, isLive: isLive) { people, _, _ in
            let seen = try await Self.seen(people)
            #expect(seen == after)
        }
    }

    @Test func withoutChangesTheServerIsAskedFirst() async throws {
        let fixture = try await Fixture(120)
        try await fixture.launch(isLive: false) { people, _, _ in try await people.populate() }
        try await fixture.launch(isLive: false) { people, table, _ in
            let (seen, expected) = (try await Self.seen(people), try await fixture.expected())
            #expect(seen == expected)
            #expect(table.count(of: .page) == 0)
        }
        try await fixture.put(5, from: 0, age: 1_000)
        try await fixture.launch(isLive: false) { people, table, _ in
            let (seen, expected) = (try await Self.seen(people), try await fixture.expected())
            #expect(seen == expected)
            #expect(table.count(of: .page) > 0)
        }
    }
}

extension RemoteDataCollection {
    /// Waits until changes come and nothing is being compared.
    func untilLive() async throws {
        for await status in liveStatuses { if case .live = status { return } }
    }
}
