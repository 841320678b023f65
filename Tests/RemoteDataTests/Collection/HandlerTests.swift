import Dispatch
import RemoteData
import RemoteDataTesting
import Testing

/// Where changes are applied and handlers called.
@Suite(.timeLimit(.minutes(2))) struct HandlerTests {
    private enum Delivering {
        @TaskLocal static var isNow = false
    }

    private typealias People = RemoteDataCollection<Person>

    @Test func changesAreAppliedAndToldOnTheQueueOfTheOptionsOnly() async throws {
        let table = try await makePeople(3)
        let queue = ManualQueue()
        let people = try await People(
            table: table,
            options: CollectionOptions().with(delivery: queue.delivery)
        )
        let watcher = Watcher(people)
        try await eventually("changes are delivered") {
            queue.runAll()
            return people.hasGoneLive
        }
        try await table.putByOthers(#"{"objectId":"a","name":"new"}"#)
        try await eventually("the change has come") { queue.count > 0 }
        #expect(people.count == 3)
        #expect(watcher.changes == [])
        try await eventually("the change is applied") {
            queue.runAll()
            return people.count == 4
        }
        #expect(watcher.changes == [.created])
        #expect(try await people.names().first == "new")
    }

    @Test func everyHandlerIsCalledThere() async throws {
        let table = try await makePeople(5)
        let queue = DispatchQueue(label: "delivery of a test")
        let delivery = DeliveryQueue.custom { job in
            queue.async { Delivering.$isNow.withValue(true) { job() } }
        }
        let people = try await People(table: table, options: CollectionOptions().with(delivery: delivery))
        let log = Log<(what: String, isThere: Bool)>()
        people.requestStartedHandler = { log.add(("started", Delivering.isNow)) }
        people.requestCompletedHandler = { log.add(("completed", Delivering.isNow)) }
        people.errorHandler = { _ in log.add(("error", Delivering.isNow)) }
        people.dataChangedHandler = { log.add(("\($0)", Delivering.isNow)) }
        try await people.populate()
        try await people.add(Person(id: "a", name: "a"))
        try await table.removeByOthers("p00003")
        table.fail(.commit)
        await #expect(throws: RemoteDataError.self) { try await people.removeAll() }
        let expected: Set = ["started", "completed", "error", "dataLoaded", "created", "deleted"]
        try await eventually("all are called") { Set(log.all.map(\.what)) == expected }
        #expect(log.all.allSatisfy { $0.isThere })
    }

    @Test(arguments: [false, true])
    func aHandlerMayCallTheCollectionAndBlock(isOnQueueOfItsOwn: Bool) async throws {
        let table = try await makePeople(7)
        let queue = DispatchQueue(label: "delivery of a test")
        let delivery = isOnQueueOfItsOwn ? DeliveryQueue.queue(queue) : .privateQueue
        let options = CollectionOptions.pages(of: 2).with(delivery: delivery)
        let people = try await People(table: table, options: options)
        let log = Log<[String]>()
        let errors = Log<any Error>()
        people.dataChangedHandler = { [weak people] type in
            guard type == .updated, let people else { return }
            do {
                log.add(people.map(\.name))
                try people.add(Person(id: "p00001a", name: "added"))
                try people.remove(at: 0)
                log.add([people[1].name])
                try people.refresh()
                try people.populate()
                log.add(people.map(\.name))
            } catch {
                errors.add(error)
            }
        }
        try await people.untilLive()
        try await table.updateByOthers("p00002", #"{"name":"changed"}"#)
        try await eventually("the handler is done") { log.all.count == 3 || !errors.all.isEmpty }
        #expect(errors.all.isEmpty)
        let others = (3..<7).map(Person.id)
        #expect(log.all.first == ["p00000", "p00001", "changed"] + others)
        #expect(log.all.dropFirst().first == ["added"])
        #expect(log.all.last == ["p00001", "added", "changed"] + others)
    }

    @Test func aHandlerIsNotCalledWhileAnotherRuns() async throws {
        let table = try await makePeople(1)
        let people = try await People(table: table)
        let running = Counter()
        let overlaps = Counter()
        let calls = Counter()
        people.dataChangedHandler = { _ in
            if running.value != 0 { overlaps.add() }
            running.add()
            calls.add()
            running.add(-1)
        }
        try await people.untilLive()
        try await withThrowingTaskGroup { group in
            for number in 0..<50 {
                group.addTask { _ = try await people.add(Person(id: "a\(number)", name: "new")) }
                group.addTask { try await table.putByOthers(#"{"objectId":"b\#(number)","name":"b"}"#) }
            }
            try await group.waitForAll()
        }
        try await eventually("all are told") { calls.value == 100 }
        #expect(overlaps.value == 0)
        #expect(people.count == 101)
    }
}
