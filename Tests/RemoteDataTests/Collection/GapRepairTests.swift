import RemoteDataTesting
import Testing

@testable import RemoteData

/// Changes that were missed for good, and how a collection finds out what they were.
@Suite(.timeLimit(.minutes(2))) struct GapRepairTests {
    private typealias People = RemoteDataCollection<Person>

    /// A collection of a table whose log holds three changes.
    private final class Fixture: Sendable {
        let table: FaultyTable
        let people: RemoteDataCollection<Person>
        let watcher: Watcher
        let clock = ManualClock()

        init(
            rows: Int = 40,
            sort: String = "",
            pageSize: Int = 4,
            _ change: (inout Capabilities) -> Void = { _ in }
        ) async throws {
            let base = MemoryTable("people", logCapacity: 3)
            try await makePeople(rows, in: base)
            var capabilities = Capabilities.full
            change(&capabilities)
            table = FaultyTable(LimitedTable(base, to: capabilities))
            let options = CollectionOptions.pages(of: pageSize).with(clock: clock)
            people = try await RemoteDataCollection(table: table, sort: sort, options: options)
            watcher = Watcher(people)
            try await people.untilLive()
        }

        /// Cuts the feed, lets others write, and lets the feed come again.
        ///
        /// - Returns: What was told of it, but for `dataLoaded`.
        func miss(
            _ write: (FaultyTable) async throws -> Void
        ) async throws -> [CollectionChange<Person>] {
            var changes = people.changes.makeAsyncIterator()
            table.fail(.subscribe)
            table.endFeeds()
            try await eventually("the feed is interrupted") { isInterrupted }
            try await write(table)
            // More than the log holds, and not of this table's rows as they are in the end.
            for _ in 0..<4 { try await table.putByOthers(#"{"objectId":"zz","name":"passing"}"#) }
            try await table.removeByOthers("zz")
            table.heal()
            // The wait before the next attempt may begin only now.
            try await eventually("the feed comes again") {
                clock.advance(by: .seconds(5))
                return !isInterrupted
            }
            var told: [CollectionChange<Person>] = []
            while let change = await changes.next() {
                if change.type != .dataLoaded {
                    told.append(change)
                    continue
                }
                // Sizes of gaps are told before the end; what is read anew may be so before the feed says that it is live.
                if case .catchingUp = people.liveStatus { continue }
                break
            }
            try await people.untilLive()
            return told
        }

        private var isInterrupted: Bool {
            if case .interrupted = people.liveStatus { true } else { false }
        }

        func pages(_ isMeant: (PageRequest) -> Bool = { _ in true }) -> [PageRequest] {
            table.requests.compactMap(\.page).filter(isMeant)
        }
    }

    @Test(arguments: ["", "age", "age desc", "name desc, age"])
    func exactlyWhatWasMissedIsTold(sort: String) async throws {
        let fixture = try await Fixture(sort: sort)
        try await fixture.people.populate()
        try await fixture.watcher.until(1, .dataLoaded)
        let told = try await fixture.miss { table in
            for number in [3, 7, 39] { try await table.removeByOthers(Person.id(number)) }
            try await table.updateByOthers("p00020", #"{"age":-5}"#)
            try await table.updateByOthers("p00021", #"{"name":"other"}"#)
            try await table.putByOthers(#"{"objectId":"p00011a","name":"new","age":11}"#)
        }
        func ids(_ type: EventType) -> Set<String> {
            Set(told.filter { $0.type == type }.flatMap(\.ids).map(\.description))
        }
        #expect(ids(.deleted) == ["p00003", "p00007", "p00039"])
        #expect(ids(.updated) == ["p00020", "p00021"])
        #expect(ids(.created) == ["p00011a"])
        #expect(told.count == 6)
        let other = try await People(table: fixture.table.base, sort: sort)
        #expect(try await fixture.people.names() == other.names())
        #expect(fixture.people.count == 38)
    }

    @Test("A row whose columns come in another order is the table's, and has not changed")
    func orderOfColumns() async throws {
        let fixture = try await Fixture(rows: 4) { $0.revisions = false }
        try await fixture.people.populate()
        try await fixture.watcher.until(1, .dataLoaded)
        let other = #"{"age":2,"name":"p00002","objectId":"p00002"}"#
        let reported = try await fixture.miss { try await $0.putByOthers(other) }
        #expect(reported.isEmpty)
        func bytes(_ rows: [Row?]) -> [String?] {
            rows.map { $0.map { String(decoding: $0.json, as: UTF8.self) } }
        }
        let page = try await fixture.table.base.page(PageRequest(Query(nil), limit: 10))
        #expect(bytes(fixture.people.inspect().rows) == bytes(page.rows))
        // The event of a change that changes nothing else.
        try await fixture.table.putByOthers(#"{"name":"p00003","objectId":"p00003","age":3}"#)
        #expect(try await fixture.people.audit().drift == 0)
        #expect(fixture.watcher.changes.allSatisfy { $0 == .dataLoaded })
    }

    @Test func rowsThatAreHereStayAndTheOthersAreCounted() async throws {
        let fixture = try await Fixture()
        _ = try await fixture.people.row(at: 1)
        _ = try await fixture.people.row(at: 21)
        let before = fixture.people.loadedCount
        let told = try await fixture.miss { table in
            try await table.removeByOthers("p00002")
            for number in 10..<13 { try await table.removeByOthers(Person.id(number)) }
            try await table.putByOthers(#"{"objectId":"p00038a","name":"new"}"#)
        }
        #expect(told.map(\.type) == [.deleted])
        #expect(fixture.people.loadedCount == before - 1)
        #expect(fixture.people.count == 37)
        let names = (0..<40).filter { $0 != 2 && !(10..<13).contains($0) }.map(Person.id)
        let read = try await fixture.people.names()
        #expect(read.count == 37)
        #expect(read.filter { $0 != "new" } == names)
    }

    /// A page that was under way when the counting began, as one from a cache may be, counts as here.
    @Test func rowsThatComeWhileTheTableIsCountedAreComparedToo() async throws {
        let fixture = try await Fixture()
        let (people, table) = (fixture.people, fixture.table)
        table.hold(.page)
        async let first = people.row(at: 0)
        await table.waitForHeld()
        table.hold(.count)
        async let told = fixture.miss { table in try await table.updateByOthers("p00001", #"{"age":-5}"#) }
        await table.waitForHeld(2)
        table.letGo(0)
        try await eventually("a page in its place") { people.loadedCount == 4 }
        table.letAllGo()
        #expect(try await told.map(\.type) == [.updated])
        #expect(people.loadedCount == 4)
        #expect(try await first.name == "p00000")
        #expect(try await people.row(at: 1).age == -5)
    }

    @Test func whatSomebodyLookedAtIsComparedFirst() async throws {
        let fixture = try await Fixture { $0.maximumPageSize = 4 }
        try await fixture.people.populate()
        try await fixture.watcher.until(1, .dataLoaded)
        _ = try await fixture.people.row(at: 30)
        let known = fixture.pages().count
        _ = try await fixture.miss { _ in }
        let first = try #require(fixture.pages().dropFirst(known).first?.query.filter)
        #expect(first.description.contains("p00029"), "\(first)")
    }

    @Test func whereAColumnTellsWhatWasWrittenOnlyThatIsRead() async throws {
        let fixture = try await Fixture(rows: 400, pageSize: 10) {
            $0.stamp = StampColumn("age", overlap: .zero)
            $0.maximumPageSize = 10
        }
        // Of all rows the last was written last, as its age tells.
        try await fixture.people.populate()
        try await fixture.watcher.until(1, .dataLoaded)
        let known = fixture.table.requests.count
        let told = try await fixture.miss { table in
            try await table.updateByOthers("p00100", #"{"age":1000}"#)
            try await table.removeByOthers("p00200")
        }
        #expect(Set(told.map(\.type)) == [.updated, .deleted])
        #expect(told.flatMap(\.ids).map(\.description).sorted() == ["p00100", "p00200"])
        // One page of what is new, one of the row that is gone and one for its id; the rest are counts.
        let requests = fixture.table.requests.dropFirst(known)
        #expect(requests.count { $0.call == .page } == 3)
        #expect(requests.count { $0.call == .count } < 20)
    }

    @Test func aRepairThatIsInterruptedGoesOn() async throws {
        let fixture = try await Fixture { $0.maximumPageSize = 4 }
        let (table, people, clock) = (fixture.table, fixture.people, fixture.clock)
        try await people.populate()
        try await fixture.watcher.until(1, .dataLoaded)
        table.fail(.subscribe)
        table.endFeeds()
        await clock.waitForSleepers()
        for number in 0..<10 { try await table.removeByOthers(Person.id(number * 4)) }
        table.heal()
        table.fail(.page, with: .busy(for: .seconds(5)), times: 3)
        clock.advance(by: .seconds(60))
        for _ in 0..<3 {
            try await eventually("the next attempt is waited for") { clock.sleepers.contains(.seconds(5)) }
            #expect(!people.liveStatus.isLive)
            clock.advance(by: .seconds(5))
        }
        try await fixture.watcher.until(10, .deleted)
        try await fixture.watcher.until(2, .dataLoaded)
        try await eventually("it is live") { people.liveStatus.isLive }
        #expect(people.count == 30)
    }

    @Test func readsWaitUntilWhatIsHereIsRight() async throws {
        let fixture = try await Fixture()
        let (table, people, clock) = (fixture.table, fixture.people, fixture.clock)
        _ = try await people.row(at: 0)
        table.fail(.subscribe)
        table.endFeeds()
        await clock.waitForSleepers()
        for number in 1..<6 { try await table.removeByOthers(Person.id(number)) }
        table.heal()
        table.hold(.page)
        clock.advance(by: .seconds(60))
        await table.waitForHeld(1)
        async let names = people.names()
        async let row = people.row(at: 30)
        table.letAllGo()
        #expect(try await names.count == 35)
        #expect(try await row.name == "p00035")
    }

    @Test("Rows in an order that cannot be reproduced are compared as well")
    func anOrderOfItsOwnIsCompared() async throws {
        let fixture = try await Fixture { $0.binaryOrder = false }
        try await fixture.people.populate()
        try await fixture.watcher.until(1, .dataLoaded)
        let told = try await fixture.miss { try await $0.removeByOthers("p00003") }
        #expect(told.map(\.type) == [.deleted])
        #expect(fixture.people.loadedCount == 39)
        #expect(try await fixture.people.names().count == 39)
    }

    @Test("An order of the table's own is compared from the row read last, and its gaps are counted")
    func partsOfAnOrderOfItsOwn() async throws {
        let fixture = try await Fixture(sort: "name") { $0.binaryOrder = false }
        _ = try await fixture.people.row(at: 1)
        let told = try await fixture.miss { table in
            try await table.removeByOthers("p00002")
            try await table.removeByOthers("p00030")
            try await table.updateByOthers("p00001", #"{"name":"p00001a"}"#)
        }
        #expect(Set(told.map(\.type)) == [.deleted, .updated])
        #expect(fixture.people.loadedCount == 3)
        #expect(fixture.people.count == 38)
        let other = try await People(table: fixture.table.base, sort: "name")
        #expect(try await fixture.people.names() == other.names())
    }

    @Test("Without revisions, exactly what was missed is raised as well", arguments: ["", "age desc"])
    func withoutRevisions(sort: String) async throws {
        let fixture = try await Fixture(sort: sort) { ($0.revisions, $0.resume) = (false, false) }
        try await fixture.people.populate()
        // What came before the feed is not reported: the table is counted, or compared, once more.
        try await eventually("the collection is at rest") {
            fixture.clock.advance(by: .seconds(1))
            return fixture.people.isAtRest
        }
        // Behind a row that comes and goes, none of that is still to be delivered.
        try await fixture.table.putByOthers(#"{"objectId":"q","name":"passing"}"#)
        try await fixture.watcher.until(1, .created)
        try await fixture.table.removeByOthers("q")
        try await fixture.watcher.until(1, .deleted)
        let told = try await fixture.miss { table in
            for number in [3, 39] { try await table.removeByOthers(Person.id(number)) }
            try await table.updateByOthers("p00020", #"{"age":-5}"#)
            try await table.putByOthers(#"{"objectId":"p00011a","name":"new","age":11}"#)
        }
        #expect(told.count { $0.type == .deleted } == 2)
        #expect(told.count { $0.type == .updated } == 1)
        #expect(told.count { $0.type == .created } == 1)
        #expect(told.count == 4)
        #expect(fixture.people.loadedCount == 39)
        let other = try await People(table: fixture.table.base, sort: sort)
        #expect(try await fixture.people.names() == other.names())
    }
}
