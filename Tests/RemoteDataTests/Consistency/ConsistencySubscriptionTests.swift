import Testing

@testable import RemoteData

/// Subscriptions, which hold their models themselves.
@Suite struct ConsistencySubscriptionTests {
    let manual = ManualManager()

    @Test func aSubscriptionHasItsModelAtOnce() {
        let subscriber = Subscriber(manual.manager, Thing("a", 1))
        #expect(subscriber.model == Thing("a", 1))
        #expect(subscriber.hearing.count == 0)
    }

    @Test func theModelIsWhatWasToldLast() {
        let subscriber = manual.subscriber(Thing("a"))
        manual.manager.update(Thing("a", 1))
        manual.work.runAll()
        #expect(subscriber.model == Thing("a"))
        manual.settle()
        #expect(subscriber.model == Thing("a", 1))
    }

    @Test func theHandlerSeesTheModelThatItIsToldOf() {
        let models = EventLog<[Thing?]>()
        let box = EventLog<ConsistencySubscription<Thing>>()
        let subscription = manual.manager.subscribe(to: Thing("a")) { change in
            models.note([change.model, box.events.first?.model])
        }
        box.note(subscription)
        manual.update(Thing("a", 1))
        #expect(models.events == [[Thing("a", 1), Thing("a", 1)]])
        subscription.cancel()
    }

    // MARK: Setting and replacing

    @Test func toSetAModelTellsAllOthers() {
        let (setter, other) = (manual.subscriber(Thing("a")), manual.subscriber(Thing("x", 0, [Thing("a")])))
        setter.subscription.set(Thing("a", 1), context: ConsistencyContext(6))
        #expect(setter.model == Thing("a", 1))
        manual.settle()
        #expect(setter.hearing.count == 0)
        #expect(other.hearing.things == [Thing("x", 0, [Thing("a", 1)])])
        #expect(other.hearing.contexts == [6])
    }

    @Test func toSetTellsOfThePartsAsWell() {
        let (setter, other) = (manual.subscriber(Thing("a")), manual.subscriber(Card("c")))
        setter.subscription.set(Thing("a", 0, maybe: Card("c", 1)))
        manual.settle()
        #expect(other.hearing.cards == [Card("c", 1)])
    }

    @Test func toReplaceAModelTellsNobody() {
        let (holder, other) = (manual.subscriber(Thing("a")), manual.subscriber(Thing("a")))
        holder.subscription.replace(with: Thing("a", 1))
        manual.settle()
        #expect(holder.model == Thing("a", 1))
        #expect(holder.hearing.count == 0)
        #expect(other.hearing.count == 0)
    }

    @Test func aReplacedModelIsListenedToInsteadOfTheOldOne() {
        let holder = manual.subscriber(Thing("a"))
        holder.subscription.replace(with: Thing("b"))
        manual.update(Thing("a", 1))
        manual.update(Thing("b", 2))
        #expect(holder.hearing.things == [Thing("b", 2)])
    }

    @Test func oneOfManyThatHoldTheSameMayLeaveThem() {
        let holders = (0..<4).map { _ in manual.subscriber(Thing("a")) }
        holders[1].subscription.replace(with: Thing("b"))
        holders[0].subscription.cancel()
        manual.update(Thing("a", 1))
        #expect(holders.map(\.hearing.count) == [0, 0, 1, 1])
        holders[3].subscription.replace(with: nil)
        manual.update(Thing("a", 2))
        #expect(holders.map(\.hearing.count) == [0, 0, 2, 1])
    }

    @Test func whoHoldsNothingIsToldNothing() {
        let holder = manual.subscriber(Thing("a"))
        holder.subscription.replace(with: nil)
        manual.update(Thing("a", 1))
        #expect(holder.hearing.count == 0)
        #expect(holder.model == nil)
        #expect(manual.manager.counts.trees == 0)
    }

    @Test func afterADeletionAnotherModelMayBeHeld() {
        let holder = manual.subscriber(Thing("a"))
        manual.delete("a")
        holder.subscription.replace(with: Thing("a", 1))
        manual.update(Thing("a", 2))
        #expect(holder.hearing.things == [nil, Thing("a", 2)])
    }

    // MARK: Ending

    @Test func aCancelledSubscriptionIsToldNothing() {
        let holder = manual.subscriber(Thing("a"))
        manual.manager.update(Thing("a", 1))
        manual.work.runAll()
        holder.subscription.cancel()
        manual.settle()
        #expect(holder.hearing.count == 0)
        #expect(manual.isEmpty)
    }

    @Test func aHandlerMayCancelAnotherThatIsToldTheSame() {
        let other = manual.subscriber(Thing("x", 0, [Thing("a")]))
        let hearing = Hearing()
        let first = manual.manager.subscribe(to: Thing("a")) { change in
            other.subscription.cancel()
            hearing.note(change.model, change.updates, change.context)
        }
        manual.settle()
        manual.update(Thing("a", 1))
        manual.update(Thing("a", 2))
        #expect(hearing.count == 2)
        // Whichever came first, the other was told once at most.
        #expect(other.hearing.count <= 1)
        first.cancel()
    }

    @Test func aSubscriptionThatIsLetGoOfEnds() {
        let hearing = Hearing()
        var subscription: ConsistencySubscription? = manual.manager.subscribe(to: Thing("a")) {
            hearing.note($0.model, $0.updates, $0.context)
        }
        manual.settle()
        #expect(subscription?.model == Thing("a"))
        subscription = nil
        manual.update(Thing("a", 1))
        #expect(hearing.count == 0)
        #expect(manual.isEmpty)
    }

    @Test func aCancelledSubscriptionHoldsNoModelAnewWhenItReplacesIt() {
        let holder = manual.subscriber(Thing("a"))
        holder.subscription.cancel()
        holder.subscription.replace(with: Thing("b"))
        manual.update(Thing("b", 1))
        #expect(holder.hearing.count == 0)
        #expect(manual.isEmpty)
    }

    @Test func aSubscriptionCancelledBeforeItWasTakenNoticeOfLeavesNothing() {
        Subscriber(manual.manager, Thing("a", 0, [Thing("b")])).subscription.cancel()
        manual.settle()
        #expect(manual.isEmpty)
    }

    // MARK: Pausing

    @Test func aSubscriptionSaysAtOnceThatItIsPaused() {
        let holder = manual.subscriber(Thing("a"))
        holder.subscription.pause()
        #expect(holder.subscription.isPaused)
        holder.subscription.resume()
        #expect(!holder.subscription.isPaused)
    }

    // MARK: Waiting for a model

    @Test func theFirstModelWithTheIDIsTold() {
        let waiting = Subscriber(manual.manager, waitingFor: "a", of: Thing.self)
        #expect(waiting.model == nil)
        manual.update(Thing("b", 1), saying: 1)
        manual.update(Thing("a", 2), saying: 2)
        #expect(waiting.hearing.things == [Thing("a", 2)])
        #expect(waiting.hearing.updates == [ModelUpdates(changed: ["a"])])
        #expect(waiting.hearing.contexts == [2])
    }

    @Test func aModelThatCameIsListenedTo() {
        let waiting = Subscriber(manual.manager, waitingFor: "a", of: Thing.self)
        manual.update(Thing("a", 1, maybe: Card("c")))
        manual.update(Card("c", 2))
        manual.delete("a")
        #expect(
            waiting.hearing.things == [
                Thing("a", 1, maybe: Card("c")), Thing("a", 1, maybe: Card("c", 2)), nil,
            ]
        )
    }

    @Test func aModelMayComeAsAPartOfAnother() {
        let waiting = Subscriber(manual.manager, waitingFor: "b", of: Thing.self)
        manual.update(Thing("a", 1, [Thing("b", 2)]))
        #expect(waiting.hearing.things == [Thing("b", 2)])
    }

    @Test func aModelOfAnotherTypeIsNotWaitedFor() {
        let waiting = Subscriber(manual.manager, waitingFor: "a", of: Thing.self)
        manual.update(Card("a", 1))
        #expect(waiting.hearing.count == 0)
        manual.update(Thing("a", 2))
        #expect(waiting.hearing.things == [Thing("a", 2)])
    }

    @Test func whoWaitsIsNotToldOfADeletion() {
        let waiting = Subscriber(manual.manager, waitingFor: "a", of: Thing.self)
        manual.delete("a")
        manual.update(Thing("a", 1))
        #expect(waiting.hearing.things == [Thing("a", 1)])
    }

    @Test func manyMayWaitForOneModel() {
        let waiting = (0..<3).map { _ in Subscriber(manual.manager, waitingFor: "a", of: Thing.self) }
        let holder = manual.subscriber(Thing("a"))
        manual.update(Thing("a", 1))
        #expect(waiting.map(\.hearing.count) == [1, 1, 1])
        #expect(holder.hearing.count == 1)
        #expect(manual.manager.counts == (1, 1, 4))
        manual.update(Thing("a", 2))
        #expect(waiting.map(\.hearing.count) == [2, 2, 2])
    }

    @Test func whoWaitsMayHoldSomethingElse() {
        let waiting = Subscriber(manual.manager, waitingFor: "a", of: Thing.self)
        waiting.subscription.replace(with: Thing("b"))
        manual.update(Thing("a", 1), Thing("b", 2))
        #expect(waiting.hearing.things == [Thing("b", 2)])
    }

    @Test func whoWaitsMayCancel() {
        let waiting = Subscriber(manual.manager, waitingFor: "a", of: Thing.self)
        manual.settle()
        #expect(manual.manager.counts == (1, 1, 1))
        waiting.subscription.cancel()
        manual.update(Thing("a", 1))
        #expect(waiting.hearing.count == 0)
        #expect(manual.isEmpty)
    }
}
