import Testing

@testable import RemoteData

/// Models that are replaced by their holders before these are told what has become of them.
@Suite struct ConsistencyRaceTests {
    let manual = ManualManager()

    /// Says something newer, which is worked out but not told yet.
    private func begin(_ models: any ConsistentModel..., deleting ids: [ModelID] = []) {
        manual.manager.update(models, deleting: ids, context: ConsistencyContext(8))
        manual.work.runAll()
    }

    // MARK: Another id

    @Test func anotherModelTakenUnsaidIsNotOverwritten() {
        let listener = manual.listener(Thing("a"))
        begin(Thing("a", 1))
        listener.swap(Thing("b"))
        manual.settle()
        #expect(listener.hearing.count == 0)
        #expect(listener.thing == Thing("b"))
    }

    @Test func anotherModelTakenUnsaidIsListenedToFromThenOn() {
        let listener = manual.listener(Thing("a"))
        begin(Thing("a", 1))
        listener.swap(Thing("b"))
        manual.settle()
        manual.update(Thing("b", 2))
        #expect(listener.hearing.things == [Thing("b", 2)])
    }

    @Test func anotherModelThatWasSaidIsNotOverwritten() {
        let listener = manual.listener(Thing("a"))
        begin(Thing("a", 1))
        listener.swap(Thing("b"))
        manual.manager.add(listener)
        manual.settle()
        #expect(listener.hearing.count == 0)
        manual.update(Thing("b", 2))
        #expect(listener.hearing.things == [Thing("b", 2)])
    }

    // MARK: The same id

    @Test func aVersionOfItsOwnTakenUnsaidIsNotOverwritten() {
        let listener = manual.listener(Thing("a"))
        begin(Thing("a", 1))
        listener.swap(Thing("a", 9))
        manual.settle()
        #expect(listener.hearing.count == 0)
        #expect(listener.thing == Thing("a", 9))
    }

    @Test func aVersionOfItsOwnTakenUnsaidIsPutTogetherWithWhatIsTold() {
        let listener = manual.listener(Thing("a", 0, [Thing("b"), Thing("c")]))
        begin(Thing("b", 1))
        listener.swap(Thing("a", 0, [Thing("b"), Thing("c", 2)]))
        manual.settle()
        #expect(listener.hearing.things == [Thing("a", 0, [Thing("b", 1), Thing("c", 2)])])
        #expect(listener.hearing.contexts == [8])
    }

    @Test func aVersionOfItsOwnThatWasSaidIsPutTogetherWithWhatIsTold() {
        let holder = manual.subscriber(Thing("a", 0, [Thing("b"), Thing("c")]))
        begin(Thing("b", 1))
        holder.subscription.replace(with: Thing("a", 0, [Thing("b"), Thing("c", 2)]))
        manual.settle()
        #expect(holder.hearing.things == [Thing("a", 0, [Thing("b", 1), Thing("c", 2)])])
        #expect(holder.hearing.updates == [ModelUpdates(changed: ["a", "b"])])
        #expect(holder.hearing.contexts == [8])
    }

    @Test func ofTwoVersionsOfOneModelTheHoldersOwnCounts() {
        let holder = manual.subscriber(Thing("a", 0, [Thing("b")]))
        begin(Thing("b", 1))
        holder.subscription.replace(with: Thing("a", 0, [Thing("b", 2)]))
        manual.settle()
        #expect(holder.hearing.count == 0)
        #expect(holder.model == Thing("a", 0, [Thing("b", 2)]))
    }

    @Test func whatTheModelSaysAndWhatItIsMadeOfArePutTogether() {
        let holder = manual.subscriber(Thing("a", 0, [Thing("b")]))
        begin(Thing("a", 1, [Thing("b")]))
        holder.subscription.replace(with: Thing("a", 0, [Thing("b", 2)]))
        manual.settle()
        #expect(holder.hearing.things == [Thing("a", 1, [Thing("b", 2)])])
    }

    @Test func aVersionSetMeanwhileReachesEverybody() {
        let (setter, other) = (manual.subscriber(Thing("a")), manual.subscriber(Thing("a")))
        begin(Thing("a", 1))
        setter.subscription.set(Thing("a", 2))
        manual.settle()
        #expect(setter.model == Thing("a", 2))
        #expect(setter.hearing.count == 0)
        #expect(other.hearing.things == [Thing("a", 1), Thing("a", 2)])
    }

    @Test func ofTwoWhoSetAtOnceTheLaterReachesBoth() {
        let (first, second) = (manual.subscriber(Thing("a")), manual.subscriber(Thing("a")))
        first.subscription.set(Thing("a", 1))
        second.subscription.set(Thing("a", 2))
        manual.settle()
        #expect(first.model == Thing("a", 2))
        #expect(second.model == Thing("a", 2))
        #expect(second.hearing.count == 0)
    }

    @Test func severalChangesMeanwhileAreAllPutTogether() {
        let holder = manual.subscriber(Thing("a", 0, [Thing("b"), Thing("c"), Thing("d")]))
        begin(Thing("b", 1))
        begin(Thing("c", 2))
        holder.subscription.replace(with: Thing("a", 0, [Thing("b"), Thing("c"), Thing("d", 3)]))
        manual.settle()
        #expect(holder.hearing.things == [Thing("a", 0, [Thing("b", 1), Thing("c", 2), Thing("d", 3)])])
    }

    @Test func whatWasAskedForAfterwardsIsNewer() {
        let holder = manual.subscriber(Thing("a"))
        holder.subscription.replace(with: Thing("a", 1))
        begin(Thing("a", 2))
        manual.settle()
        #expect(holder.hearing.things == [Thing("a", 2)])
    }

    @Test func anEqualModelInItsPlaceChangesNothing() {
        let listener = manual.listener(Thing("a"))
        begin(Thing("a", 1))
        listener.swap(Thing("a"))
        manual.settle()
        #expect(listener.hearing.things == [Thing("a", 1)])
    }

    @Test func anEqualModelSaidToBeInItsPlaceIsToldWhatIsUnderWay() {
        let listener = manual.listener(Thing("a"))
        begin(Thing("a", 1))
        manual.manager.add(listener)
        manual.settle()
        #expect(listener.hearing.things == [Thing("a", 1)])
    }

    // MARK: Deletions

    @Test func aModelDeletedMeanwhileIsNotBroughtBack() {
        let holder = manual.subscriber(Thing("a"))
        begin(deleting: ["a"])
        holder.subscription.replace(with: Thing("a", 1))
        manual.settle()
        #expect(holder.hearing.things == [nil])
        #expect(holder.model == nil)
    }

    @Test func aPartDeletedMeanwhileIsNotBroughtBack() {
        let listener = manual.listener(Thing("a", 0, [Thing("b"), Thing("c")]))
        begin(deleting: ["b"])
        listener.swap(Thing("a", 1, [Thing("b"), Thing("c")]))
        manual.settle()
        #expect(listener.hearing.things == [Thing("a", 1, [Thing("c")])])
        #expect(listener.hearing.updates.first?.deleted == ["b"])
    }

    @Test func whatTheHolderBringsBackKnowingOfItsDeletionIsThere() {
        let holder = manual.subscriber(Thing("a", 0, [Thing("b")]))
        manual.delete("b")
        holder.subscription.replace(with: Thing("a", 0, [Thing("b")]))
        manual.settle()
        #expect(holder.hearing.count == 1)
        #expect(holder.model == Thing("a", 0, [Thing("b")]))
    }

    @Test func othersAreToldAllTheSame() {
        let (listener, other) = (manual.listener(Thing("a")), manual.listener(Thing("a")))
        begin(Thing("a", 1))
        listener.swap(Thing("b"))
        manual.settle()
        #expect(other.hearing.things == [Thing("a", 1)])
    }

    @Test func whatIsToldOfADeletionIsWhatWasSaidWithThatOne() {
        let listener = manual.listener(Thing("a", 0, [Thing("b")]))
        let other = manual.listener(Thing("b"))
        manual.manager.delete("a", context: ConsistencyContext(5))
        manual.manager.delete("b", context: ConsistencyContext(6))
        manual.work.runAll()
        listener.swap(Thing("a", 1, [Thing("b")]))
        manual.manager.add(listener)
        manual.settle()
        #expect(listener.hearing.contexts == [5])
        #expect(other.hearing.contexts == [6])
    }
}
