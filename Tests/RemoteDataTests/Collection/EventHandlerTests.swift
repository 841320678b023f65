import RemoteData
import RemoteDataTesting
import Testing

/// Each change is told once, whoever made it and however its news travel.
@Suite(.timeLimit(.minutes(2))) struct EventHandlerTests {
    private typealias People = RemoteDataCollection<Person>
    private typealias OwnWrite = @Sendable (People) async throws -> Void

    private let ownWrites: [(type: EventType, write: OwnWrite)] = [
        (.created, { try await $0.add(Person(id: "a", name: "a", age: 50)) }),
        (.updated, { try await $0.update(Person(id: "a", name: "b", age: 50)) }),
        (.deleted, { try await $0.remove(Person(id: "a", name: "b")) }),
        (.bulkDeleted, { try await $0.removeAll(where: "age < 3") }),
        (.created, { try await $0.add(contentsOf: [Person(id: "c", name: "c", age: 60)]) }),
        (.bulkDeleted, { try await $0.removeAll() }),
    ]

    private func open(isLive: Bool = true) async throws -> (FaultyTable, People, Watcher) {
        let table = try await makePeople(9)
        // No time passes, so nothing is done because something took too long.
        let options = CollectionOptions.pages(of: 2).with(clock: ManualClock(), isLive: isLive)
        let people = try await People(table: table, options: options)
        let watcher = Watcher(people)
        if isLive { try await people.untilLive() }
        try await people.populate()
        try await watcher.until(1, .dataLoaded)
        return (table, people, watcher)
    }

    /// Waits for one more change, which others make, and compares all that was told before it.
    private func expectOwnWritesOnce(_ watcher: Watcher, _ table: FaultyTable) async throws {
        try await table.putByOthers(#"{"objectId":"last","name":"last"}"#)
        try await watcher.until(3, .created)
        #expect(watcher.changes == [.dataLoaded] + ownWrites.map(\.type) + [.created])
    }

    private func count(_ type: EventType, upTo index: Int) -> Int {
        ownWrites[...index].count { $0.type == type }
    }

    @Test func ownWritesAreToldOnceAndAsOwn() async throws {
        let (table, people, watcher) = try await open()
        var changes = people.changes.makeAsyncIterator()
        for (type, write) in ownWrites {
            try await write(people)
            let change = try #require(await changes.next())
            #expect(change.type == type)
            #expect(change.isOwn)
        }
        try await expectOwnWritesOnce(watcher, table)
        #expect(await changes.next()?.isOwn == false)
    }

    @Test func ownWritesAreToldOnceWhenTheirEventsAreFaster() async throws {
        let (table, people, watcher) = try await open()
        table.hold(.commit, .beforeAnswering)
        for (index, (type, write)) in ownWrites.enumerated() {
            async let done: Void = write(people)
            await table.waitForHeld()
            try await watcher.until(count(type, upTo: index), type)
            table.letGo(0)
            try await done
        }
        try await expectOwnWritesOnce(watcher, table)
    }

    @Test func ownWritesAreToldOnceWhenTheirAnswersAreFaster() async throws {
        let (table, people, watcher) = try await open()
        let before = watcher.notices.count { if case .completed = $0 { true } else { false } }
        table.holdEvents()
        for (index, own) in ownWrites.enumerated() {
            async let done: Void = own.write(people)
            try await watcher.until("the answer to \(own.type)") { notices in
                notices.count { if case .completed = $0 { true } else { false } } > before + index
            }
            try await eventually("its event is there") { table.heldEventCount > 0 }
            table.letEventsGo(.max)
            try await done
        }
        table.letAllEventsGo()
        try await expectOwnWritesOnce(watcher, table)
    }

    @Test func ownWritesAreToldOnceWhereNoEventsCome() async throws {
        let (_, people, watcher) = try await open(isLive: false)
        for (_, write) in ownWrites { try await write(people) }
        try await people.refresh()
        try await watcher.until(2, .dataLoaded)
        #expect(watcher.changes == [.dataLoaded] + ownWrites.map(\.type) + [.dataLoaded])
    }

    @Test(arguments: [true, false])
    func anInsertionIsToldOnceAtItsPosition(isEventFaster: Bool) async throws {
        let (table, people, watcher) = try await open()
        var changes = people.changes.makeAsyncIterator()
        if isEventFaster { table.hold(.commit, .beforeAnswering) } else { table.holdEvents() }
        async let stored = people.insert(Person(id: "z", name: "held"), at: 1)
        if isEventFaster {
            await table.waitForHeld()
            try await watcher.until(1, .created)
            table.letAllGo()
        } else {
            try await eventually("its event is there") { table.heldEventCount > 0 }
            table.letAllEventsGo()
        }
        #expect(try await stored?.name == "held")
        #expect(try await people.row(at: 1).name == "held")
        try await table.removeByOthers("p00003")
        try await watcher.until(1, .deleted)
        let change = try #require(await changes.next())
        #expect(watcher.changes == [.dataLoaded, .created, .deleted])
        #expect(change.inserted == [1])
    }

    @Test func writesOfOthersAreToldOnceAndNotAsOwn() async throws {
        let (table, people, watcher) = try await open()
        var changes = people.changes.makeAsyncIterator()
        try await table.putByOthers(#"{"objectId":"a","name":"a"}"#)
        try await table.updateByOthers("p00003", #"{"name":"new"}"#)
        try await table.removeByOthers("p00004")
        _ = try await table.base.commit(.deleteAll(try Where.parse("age < 3")))
        try await table.putByOthers(#"{"objectId":"last","name":"last"}"#)
        try await watcher.until(2, .created)
        #expect(watcher.changes == [.dataLoaded, .created, .updated, .deleted, .bulkDeleted, .created])
        for _ in 0..<5 { #expect(await changes.next()?.isOwn == false) }
        #expect(people.count == 7)
    }

    @Test func writesOfAnotherCollectionAreThoseOfOthers() async throws {
        let (table, people, watcher) = try await open()
        let other = try await People(table: table)
        var changes = people.changes.makeAsyncIterator()
        for (type, write) in ownWrites {
            try await write(other)
            let change = try #require(await changes.next())
            #expect(change.type == type)
            #expect(!change.isOwn)
        }
        try await expectOwnWritesOnce(watcher, table)
    }
}
