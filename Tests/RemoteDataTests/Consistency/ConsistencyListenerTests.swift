import Synchronization
import Testing

@testable import RemoteData

/// Listeners: who is told, and until when.
@Suite struct ConsistencyListenerTests {
    let manual = ManualManager()

    @Test func aListenerIsToldOfItsModel() {
        let listener = manual.listener(Thing("a"))
        manual.update(Thing("a", 1), saying: 7)
        #expect(listener.hearing.things == [Thing("a", 1)])
        #expect(listener.hearing.updates == [ModelUpdates(changed: ["a"])])
        #expect(listener.hearing.contexts == [7])
    }

    @Test func aListenerGoesOnBeingToldWithoutBeingAddedAgain() {
        let listener = manual.listener(Thing("a"))
        for number in 1...3 { manual.update(Thing("a", number)) }
        #expect(listener.hearing.things == [Thing("a", 1), Thing("a", 2), Thing("a", 3)])
    }

    @Test func aListenerThatIsAddedTwiceIsToldOnce() {
        let listener = manual.listener(Thing("a"))
        manual.manager.add(listener)
        manual.manager.add(listener)
        manual.update(Thing("a", 1))
        #expect(listener.hearing.things == [Thing("a", 1)])
        #expect(manual.manager.counts.listeners == 1)
    }

    @Test func aListenerWithoutAModelIsNotAdded() {
        let listener = manual.listener(nil)
        manual.update(Thing("a", 1))
        #expect(listener.hearing.count == 0)
        #expect(manual.isEmpty)
    }

    @Test func aListenerMayBeAddedWithAModelThatItIsGiven() {
        let listener = RecordingListener(nil)
        listener.swap(Thing("a"))
        manual.manager.add(listener, to: Thing("a"))
        manual.update(Thing("a", 1))
        #expect(listener.hearing.things == [Thing("a", 1)])
    }

    @Test func aListenerThatHasLetGoOfItsModelIsToldNothing() {
        let listener = manual.listener(Thing("a"))
        listener.swap(nil)
        manual.update(Thing("a", 1))
        manual.update(Thing("a", 2))
        #expect(listener.hearing.count == 0)
        #expect(manual.manager.counts.trees == 0)
    }

    @Test func aListenerMayHoldAnotherModel() {
        let listener = manual.listener(Thing("a"))
        listener.swap(Thing("b"))
        manual.manager.add(listener)
        manual.update(Thing("a", 1))
        manual.update(Thing("b", 2))
        #expect(listener.hearing.things == [Thing("b", 2)])
        #expect(manual.manager.counts.ids == 1)
    }

    @Test func listenersThatHoldEqualModelsShareATree() {
        let listeners = (0..<5).map { _ in manual.listener(Thing("a", 0, [Thing("b")])) }
        #expect(manual.manager.counts == (2, 1, 5))
        manual.update(Thing("b", 1))
        #expect(listeners.map(\.hearing.count) == [1, 1, 1, 1, 1])
    }

    @Test func listenersWhoseModelsBecomeEqualShareATree() {
        // Not more, as of many trees of one model only some are compared.
        let listeners = (0..<3).map { manual.listener(Thing("a", $0)) }
        #expect(manual.manager.counts.trees == 3)
        manual.update(Thing("a", 9))
        #expect(manual.manager.counts == (1, 1, 3))
        manual.update(Thing("a", 10))
        #expect(listeners.map(\.hearing.count) == [2, 2, 2])
    }

    @Test func theManagerMayBeCalledFromAListener() {
        let listener = manual.listener(Thing("a", 0, [Thing("b")])) { [manual] in
            manual.manager.update(Thing("b", 5))
        }
        manual.update(Thing("a", 1, [Thing("b")]))
        #expect(listener.hearing.things == [Thing("a", 1, [Thing("b")]), Thing("a", 1, [Thing("b", 5)])])
    }

    // MARK: Order

    @Test func aLongFirstChangeIsToldBeforeAShortSecond() {
        let parts = (0..<500).map { Thing("\($0)") }
        let (long, short) = (manual.listener(Thing("a", 0, parts)), manual.listener(Thing("z")))
        let order = EventLog<Int?>()
        let observation = manual.manager.observeAll { order.note($1[Int.self]) }
        manual.manager.update(Thing("a", 1, parts.map { Thing($0.id, 1) }), context: ConsistencyContext(1))
        manual.manager.update(Thing("z", 2), context: ConsistencyContext(2))
        manual.settle()
        #expect(order.events == [1, 2])
        #expect(long.hearing.count == 1)
        #expect(short.hearing.count == 1)
        observation.cancel()
    }

    @Test func changesAreToldInTheirOrder() {
        let listener = manual.listener(Thing("a"))
        for number in 1...20 {
            manual.manager.update(Thing("a", number), context: ConsistencyContext(number))
        }
        manual.settle()
        #expect(listener.hearing.contexts == Array(1...20))
    }

    @Test func aListenerIsNotToldOfWhatWasSaidBeforeItWasAdded() {
        manual.manager.update(Thing("a", 1))
        let listener = manual.listener(Thing("a"))
        #expect(listener.hearing.count == 0)
    }

    // MARK: Removing

    @Test func aRemovedListenerIsToldNothing() {
        let (removed, other) = (manual.listener(Thing("a")), manual.listener(Thing("a")))
        manual.manager.remove(removed)
        manual.update(Thing("a", 1))
        #expect(removed.hearing.count == 0)
        #expect(other.hearing.count == 1)
    }

    @Test func aRemovedListenerIsNotToldWhatIsUnderWay() {
        let listener = manual.listener(Thing("a"))
        manual.manager.update(Thing("a", 1))
        manual.work.runAll()
        manual.manager.remove(listener)
        manual.settle()
        #expect(listener.hearing.count == 0)
    }

    @Test func aRemovedListenerMayBeAddedAgain() {
        let listener = manual.listener(Thing("a"))
        manual.manager.remove(listener)
        manual.manager.add(listener)
        manual.update(Thing("a", 1))
        #expect(listener.hearing.count == 1)
    }

    @Test func toRemoveAListenerThatWasNeverAddedDoesNothing() {
        let listener = manual.listener(Thing("a"))
        manual.manager.remove(RecordingListener(Thing("a")))
        manual.update(Thing("a", 1))
        #expect(listener.hearing.count == 1)
    }

    @Test func nothingIsKeptForRemovedListeners() {
        let listeners = (0..<20).map { manual.listener(Thing("\($0)", 0, [Thing("s")])) }
        for listener in listeners { manual.manager.remove(listener) }
        manual.settle()
        #expect(manual.isEmpty)
    }

    // MARK: Going away

    @Test func listenersAreHeldWeakly() {
        weak let listener = manual.listener(Thing("a"))
        #expect(listener == nil)
    }

    @Test func nothingIsKeptForListenersThatAreGoneOnceMemoryIsCleaned() {
        for number in 0..<10 { _ = manual.listener(Thing("\(number)", 0, [Thing("s")])) }
        #expect(manual.manager.counts.listeners == 10)
        manual.manager.cleanMemory()
        manual.settle()
        #expect(manual.isEmpty)
    }

    @Test func memoryIsCleanedOfNoListenerThatIsThere() {
        let listener = manual.listener(Thing("a"))
        manual.manager.cleanMemory()
        manual.update(Thing("a", 1))
        #expect(listener.hearing.count == 1)
    }

    @Test func listenersThatComeAndGoAreForgottenWithoutBeingAskedTo() {
        // Their memory is kept, so that none comes in the place of an earlier one.
        var gone: [Gone] = []
        for number in 0..<1_000 { gone.append(Gone(manual.listener(Thing("\(number)")))) }
        #expect(gone.count == 1_000)
        #expect(manual.manager.counts.listeners <= 128)
        #expect(manual.manager.counts.ids <= 128)
        #expect(manual.manager.audience.withLock { $0.listeners.count } <= 128)
    }

    @Test func aListenerThatIsGoneIsForgottenWhenItWouldBeTold() {
        _ = manual.listener(Thing("a"))
        manual.update(Thing("a", 1))
        #expect(manual.isEmpty)
    }

    // MARK: All

    @Test func afterAllAreRemovedNobodyIsTold() {
        let (listener, subscriber) = (manual.listener(Thing("a")), manual.subscriber(Thing("a")))
        manual.manager.removeAll()
        manual.update(Thing("a", 1))
        #expect(listener.hearing.count == 0)
        #expect(subscriber.hearing.count == 0)
        #expect(manual.isEmpty)
    }

    @Test func whenAllAreRemovedWhatWasAskedForIsNotTold() {
        let listener = manual.listener(Thing("a"))
        manual.manager.update(Thing("a", 1))
        manual.manager.removeAll()
        manual.settle()
        #expect(listener.hearing.count == 0)
    }

    @Test func whenAllAreRemovedWhatIsUnderWayIsNotTold() {
        let (listener, subscriber) = (manual.listener(Thing("a")), manual.subscriber(Thing("a")))
        let order = EventLog<Int>()
        let observation = manual.manager.observeAll { _, _ in order.note(1) }
        manual.manager.update(Thing("a", 1))
        manual.work.runAll()
        manual.manager.removeAll()
        manual.settle()
        #expect(listener.hearing.count == 0)
        #expect(subscriber.hearing.count == 0)
        #expect(order.events == [])
        observation.cancel()
    }

    @Test func afterAllAreRemovedListenersMayBeAddedAgain() {
        let listener = manual.listener(Thing("a"))
        manual.manager.removeAll()
        manual.manager.add(listener)
        manual.update(Thing("a", 1))
        #expect(listener.hearing.count == 1)
    }

    @Test func whoWaitsIsNotForgottenWhenAllAreRemoved() async {
        let manager = ConsistencyManager()
        async let settled = manager.settled()
        manager.removeAll()
        #expect(await settled)
    }
}

/// What is left of a listener: its memory.
private struct Gone {
    private unowned let listener: RecordingListener

    init(_ listener: RecordingListener) { self.listener = listener }
}
