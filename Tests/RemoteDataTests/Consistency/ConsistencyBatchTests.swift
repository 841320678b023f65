import Testing

@testable import RemoteData

/// Those who are told together.
@Suite struct ConsistencyBatchTests {
    /// What a batch was told: by whom, in their order.
    private struct News: Sendable, Equatable {
        let members: [String]
        let updates: ModelUpdates
        let context: Int?
    }

    let manual = ManualManager()
    private let news = EventLog<News>()
    private let order = EventLog<String>()

    /// Listeners to models, which note their names when they are told.
    private func batch(_ models: [String: Thing]) -> [String: RecordingListener] {
        var listeners: [String: RecordingListener] = [:]
        for (name, model) in models {
            listeners[name] = manual.listener(model) { [order] in order.note(name) }
        }
        let names = Dictionary(uniqueKeysWithValues: listeners.map { (ObjectIdentifier($1), $0) })
        manual.manager.batch(Array(listeners.values)) { [news, order] told, updates, context in
            let members = told.compactMap { names[ObjectIdentifier($0)] }.sorted()
            news.note(News(members: members, updates: updates, context: context[Int.self]))
            order.note("batch")
        }
        return listeners
    }

    @Test func theBatchIsToldOnceAfterItsMembers() {
        let listeners = batch(["a": Thing("1"), "b": Thing("2", 0, [Thing("1")])])
        manual.update(Thing("1", 1), saying: 4)
        #expect(order.events.sorted() == ["a", "b", "batch"])
        #expect(order.events.last == "batch")
        let updates = ModelUpdates(changed: ["1", "2"])
        #expect(news.events == [News(members: ["a", "b"], updates: updates, context: 4)])
        #expect(listeners["a"]?.hearing.updates == [ModelUpdates(changed: ["1"])])
    }

    @Test func onlyThoseWhoWereToldAreNamed() {
        let listeners = batch(["a": Thing("1"), "b": Thing("2"), "c": Thing("3")])
        manual.update(Thing("1", 1), Thing("3", 1))
        #expect(news.events.map(\.members) == [["a", "c"]])
        #expect(listeners["b"]?.hearing.count == 0)
    }

    @Test func aBatchOfWhichNobodyIsToldIsNotTold() {
        let listeners = batch(["a": Thing("1")])
        manual.update(Thing("2", 1))
        #expect(news.events == [])
        #expect(listeners.count == 1)
    }

    @Test func everyChangeIsToldForItself() {
        let listeners = batch(["a": Thing("1"), "b": Thing("2")])
        manual.manager.update(Thing("1", 1), context: ConsistencyContext(1))
        manual.manager.update(Thing("2", 1), context: ConsistencyContext(2))
        manual.settle()
        #expect(news.events.map(\.members) == [["a"], ["b"]])
        #expect(news.events.map(\.context) == [1, 2])
        #expect(listeners.count == 2)
    }

    @Test func deletionsAreToldToTheBatch() {
        let listeners = batch(["a": Thing("1"), "b": Thing("2", 0, [Thing("1")])])
        manual.delete("1")
        #expect(news.events.map(\.members) == [["a", "b"]])
        #expect(news.events.map(\.updates) == [ModelUpdates(changed: ["2"], deleted: ["1"])])
        #expect(listeners["a"]?.hearing.things == [nil])
    }

    @Test func aPausedMemberIsNamedWhenItIsResumed() {
        let listeners = batch(["a": Thing("1"), "b": Thing("1")])
        guard let paused = listeners["a"] else { return }
        manual.manager.pause(paused)
        manual.update(Thing("1", 1), saying: 1)
        manual.update(Thing("1", 2), saying: 2)
        #expect(news.events.map(\.members) == [["b"], ["b"]])
        manual.manager.resume(paused)
        manual.settle()
        #expect(news.events.last == News(members: ["a"], updates: ModelUpdates(changed: ["1"]), context: 2))
    }

    @Test func aMemberThatIsRemovedIsNotNamed() {
        let listeners = batch(["a": Thing("1"), "b": Thing("1")])
        listeners["a"].map(manual.manager.remove)
        manual.update(Thing("1", 1))
        #expect(news.events.map(\.members) == [["b"]])
    }

    @Test func aMemberOfAnotherBatchHasLeftTheFirst() {
        let listeners = batch(["a": Thing("1"), "b": Thing("1")])
        let others = EventLog<Int>()
        guard let moved = listeners["a"] else { return }
        manual.manager.batch([moved]) { told, _, _ in others.note(told.count) }
        manual.update(Thing("1", 1))
        #expect(news.events.map(\.members) == [["b"]])
        #expect(others.events == [1])
    }

    @Test func subscriptionsAreNamedByTheirPlaces() {
        let models = [Thing("1"), Thing("2"), Thing("3", 0, [Thing("1")])]
        let subscribers = models.map { manual.subscriber($0) }
        let told = EventLog<Set<Int>>()
        manual.manager.batch(subscribers.map(\.subscription)) { places, _, _ in told.note(Set(places)) }
        manual.update(Thing("1", 1))
        manual.update(Thing("2", 1))
        #expect(told.events == [[0, 2], [1]])
        #expect(subscribers.map(\.hearing.count) == [1, 1, 1])
    }

    @Test func aCancelledSubscriptionIsNotNamed() {
        let subscribers = [manual.subscriber(Thing("1")), manual.subscriber(Thing("1"))]
        let told = EventLog<[Int]>()
        manual.manager.batch(subscribers.map(\.subscription)) { places, _, _ in told.note(places) }
        subscribers[0].subscription.cancel()
        manual.update(Thing("1", 1))
        #expect(told.events == [[1]])
    }

    @Test func twoBatchesAreToldOfOneChange() {
        let subscribers = (0..<4).map { _ in manual.subscriber(Thing("1")) }
        let told = EventLog<String>()
        manual.manager.batch(subscribers[..<2].map(\.subscription)) { places, _, _ in
            told.note("first \(places)")
        }
        manual.manager.batch(subscribers[2...].map(\.subscription)) { places, _, _ in
            told.note("second \(places)")
        }
        manual.update(Thing("1", 1))
        #expect(told.events == ["first [0, 1]", "second [0, 1]"])
    }
}
