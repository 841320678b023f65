import Testing

@testable import RemoteData

/// Those who want to be told nothing for a while.
@Suite struct ConsistencyPauseTests {
    let manual = ManualManager()

    /// Somebody who is paused.
    private func paused(_ model: Thing) -> Subscriber<Thing> {
        let holder = manual.subscriber(model)
        holder.subscription.pause()
        manual.settle()
        return holder
    }

    private func resume(_ holder: Subscriber<Thing>) {
        holder.subscription.resume()
        manual.settle()
    }

    @Test func whatWasDeletedInAPauseIsNotBroughtBackByWhoIsNotToldYet() {
        let group = Thing("g", 1, [Thing(nil, 1, need: Card("c", 1)), Thing("t", 1)])
        let holder = manual.subscriber(group)
        holder.subscription.pause()
        manual.delete("c")
        holder.subscription.resume()
        manual.work.runAll()
        var mine = group
        mine.value = 2
        holder.subscription.replace(with: mine)
        manual.settle()
        #expect(holder.model == Thing("g", 2, [Thing("t", 1)]))
    }

    @Test func whoIsPausedIsToldNothing() {
        let holder = paused(Thing("a"))
        manual.update(Thing("a", 1))
        #expect(holder.hearing.count == 0)
        #expect(holder.model == Thing("a"))
    }

    @Test func othersAreToldMeanwhile() {
        let (holder, other) = (paused(Thing("a")), manual.subscriber(Thing("a")))
        manual.update(Thing("a", 1))
        #expect(other.hearing.count == 1)
        resume(holder)
        #expect(other.hearing.count == 1)
    }

    @Test func manyChangesMeanwhileAreToldAsOne() {
        let holder = paused(Thing("a", 0, [Thing("b"), Thing("c"), Thing("d")]))
        for number in 1...10 { manual.update(Thing("b", number), saying: number) }
        manual.update(Thing("c", 3), saying: 11)
        resume(holder)
        #expect(holder.hearing.things == [Thing("a", 0, [Thing("b", 10), Thing("c", 3), Thing("d")])])
        #expect(holder.hearing.updates == [ModelUpdates(changed: ["a", "b", "c"])])
        #expect(holder.hearing.contexts == [11])
    }

    @Test func ifNothingHasChangedNothingIsTold() {
        let holder = paused(Thing("a"))
        resume(holder)
        #expect(holder.hearing.count == 0)
    }

    @Test func whatIsOfNoConsequenceIsNotTold() {
        let holder = paused(Thing("a"))
        manual.update(Thing("a"), Thing("z", 1))
        resume(holder)
        #expect(holder.hearing.count == 0)
    }

    @Test func changesThatCancelOutAreNotTold() {
        let holder = paused(Thing("a", 0, [Thing("b", 1)]))
        manual.update(Thing("b", 2))
        manual.update(Thing("b", 1))
        resume(holder)
        #expect(holder.hearing.count == 0)
    }

    @Test func ofChangesOfWhichSomeCancelOutTheOthersAreTold() {
        let holder = paused(Thing("a", 0, [Thing("b", 1), Thing("c", 1)]))
        manual.update(Thing("b", 2), Thing("c", 2))
        manual.update(Thing("b", 1))
        resume(holder)
        #expect(holder.hearing.things == [Thing("a", 0, [Thing("b", 1), Thing("c", 2)])])
        #expect(holder.hearing.updates == [ModelUpdates(changed: ["a", "c"])])
    }

    @Test func afterwardsEverythingIsToldAtOnce() {
        let holder = paused(Thing("a"))
        manual.update(Thing("a", 1))
        resume(holder)
        manual.update(Thing("a", 2))
        #expect(holder.hearing.things == [Thing("a", 1), Thing("a", 2)])
    }

    @Test func whatWasUnderWayWhenItWasPausedIsToldAfterwards() {
        let holder = manual.subscriber(Thing("a"))
        manual.manager.update(Thing("a", 1), context: ConsistencyContext(1))
        manual.work.runAll()
        holder.subscription.pause()
        manual.settle()
        #expect(holder.hearing.count == 0)
        resume(holder)
        #expect(holder.hearing.things == [Thing("a", 1)])
    }

    @Test func severalAreEachToldWhenTheyAreResumed() {
        let (first, second) = (paused(Thing("a")), paused(Thing("a")))
        manual.update(Thing("a", 1))
        resume(first)
        manual.update(Thing("a", 2))
        resume(second)
        #expect(first.hearing.things == [Thing("a", 1), Thing("a", 2)])
        #expect(second.hearing.things == [Thing("a", 2)])
    }

    @Test func onePausedAfterAChangeAndOneBeforeItAreToldWhatEachHasMissed() {
        let (first, second) = (manual.subscriber(Thing("a")), manual.subscriber(Thing("a")))
        first.subscription.pause()
        manual.update(Thing("a", 1))
        second.subscription.pause()
        manual.update(Thing("a", 0))
        resume(first)
        resume(second)
        #expect(first.hearing.count == 0)
        #expect(second.hearing.things == [Thing("a", 1), Thing("a", 0)])
    }

    // MARK: Deleting

    @Test func whatIsDeletedMeanwhileIsNamed() {
        let holder = paused(Thing("a", 0, [Thing("b"), Thing("c")]))
        manual.delete("b", saying: 3)
        manual.update(Thing("c", 1), saying: 4)
        resume(holder)
        #expect(holder.hearing.things == [Thing("a", 0, [Thing("c", 1)])])
        #expect(holder.hearing.updates == [ModelUpdates(changed: ["a", "c"], deleted: ["b"])])
        #expect(holder.hearing.contexts == [4])
    }

    @Test func whatIsDeletedAndComesBackMeanwhileIsNotNamedAsDeleted() {
        let holder = paused(Thing("a", 0, [Thing("b"), Thing("c")]))
        manual.delete("b")
        manual.update(Thing("a", 1, [Thing("b", 5)]))
        resume(holder)
        #expect(holder.hearing.things == [Thing("a", 1, [Thing("b", 5)])])
        #expect(holder.hearing.updates == [ModelUpdates(changed: ["a", "b"])])
    }

    @Test func whatComesAndGoesMeanwhileIsNotNamed() {
        let holder = paused(Thing("a"))
        manual.update(Thing("a", 1, [Thing("b")]))
        manual.delete("b")
        resume(holder)
        #expect(holder.hearing.things == [Thing("a", 1)])
        #expect(holder.hearing.updates == [ModelUpdates(changed: ["a"])])
    }

    @Test func aModelDeletedMeanwhileIsToldAsNil() {
        let holder = paused(Thing("a", 0, [Thing("b")]))
        manual.update(Thing("b", 1), saying: 1)
        manual.delete("a", saying: 2)
        #expect(holder.hearing.count == 0)
        resume(holder)
        #expect(holder.hearing.things == [nil])
        #expect(holder.hearing.updates == [ModelUpdates(deleted: ["a"])])
        #expect(holder.hearing.contexts == [2])
    }

    @Test func aModelThatComesBackAfterItsDeletionIsToldAsNil() {
        let holder = paused(Thing("a"))
        manual.delete("a")
        manual.update(Thing("a", 1))
        resume(holder)
        #expect(holder.hearing.things == [nil])
    }

    // MARK: Replacing

    @Test func aModelReplacedWhilePausedIsWhatChangesAreComparedWith() {
        let holder = paused(Thing("a", 0, [Thing("b")]))
        holder.subscription.replace(with: Thing("a", 1, [Thing("b")]))
        manual.update(Thing("b", 2))
        resume(holder)
        #expect(holder.hearing.things == [Thing("a", 1, [Thing("b", 2)])])
        #expect(holder.hearing.updates == [ModelUpdates(changed: ["a", "b"])])
    }

    @Test func aModelReplacedAfterAChangeIsPutTogetherWithIt() {
        let holder = paused(Thing("a", 0, [Thing("b"), Thing("c")]))
        manual.update(Thing("b", 2))
        holder.subscription.replace(with: Thing("a", 0, [Thing("b"), Thing("c", 3)]))
        resume(holder)
        #expect(holder.hearing.things == [Thing("a", 0, [Thing("b", 2), Thing("c", 3)])])
        #expect(holder.hearing.updates == [ModelUpdates(changed: ["a", "b"])])
    }

    @Test func anotherModelTakenWhilePausedIsListenedTo() {
        let holder = paused(Thing("a"))
        holder.subscription.replace(with: Thing("z"))
        manual.update(Thing("a", 1), Thing("z", 2))
        resume(holder)
        #expect(holder.hearing.things == [Thing("z", 2)])
    }

    @Test func aModelReplacedWithTheOneThereIsMeanwhileIsNotTold() {
        let holder = paused(Thing("a"))
        manual.update(Thing("a", 1))
        holder.subscription.replace(with: Thing("a", 1))
        resume(holder)
        #expect(holder.hearing.count == 0)
    }

    @Test func aPartDeletedMeanwhileIsNotBroughtBackByReplacing() {
        let holder = paused(Thing("a", 0, [Thing("b"), Thing("c")]))
        manual.delete("b")
        holder.subscription.replace(with: Thing("a", 1, [Thing("b"), Thing("c")]))
        resume(holder)
        #expect(holder.hearing.things == [Thing("a", 1, [Thing("c")])])
        #expect(holder.hearing.updates == [ModelUpdates(changed: ["a"], deleted: ["b"])])
    }

    // MARK: Listeners

    @Test func aListenerStaysPausedWhenItIsAddedAgain() {
        let listener = manual.listener(Thing("a"))
        manual.manager.pause(listener)
        manual.manager.add(listener)
        manual.update(Thing("a", 1))
        #expect(manual.manager.isPaused(listener))
        #expect(listener.hearing.count == 0)
        manual.manager.resume(listener)
        manual.settle()
        #expect(listener.hearing.things == [Thing("a", 1)])
    }

    @Test func aListenerThatIsRemovedAndAddedAgainIsNotPaused() {
        let listener = manual.listener(Thing("a"))
        manual.manager.pause(listener)
        manual.manager.remove(listener)
        manual.manager.add(listener)
        manual.update(Thing("a", 1))
        #expect(!manual.manager.isPaused(listener))
        #expect(listener.hearing.count == 1)
    }

    @Test func toPauseAndResumeTwiceIsAsOnce() {
        let listener = manual.listener(Thing("a"))
        manual.manager.pause(listener)
        manual.update(Thing("a", 1))
        manual.manager.pause(listener)
        manual.manager.resume(listener)
        manual.manager.resume(listener)
        manual.settle()
        #expect(listener.hearing.things == [Thing("a", 1)])
        #expect(!manual.manager.isPaused(listener))
    }

    @Test func aListenerThatWasNeverAddedIsNotPaused() {
        let listener = RecordingListener(Thing("a"))
        manual.manager.pause(listener)
        #expect(!manual.manager.isPaused(listener))
        manual.manager.resume(listener)
        manual.settle()
        #expect(manual.isEmpty)
    }

    @Test func aPausedListenerThatHasChangedItsModelKeepsItsChange() {
        let listener = manual.listener(Thing("a", 0, [Thing("b"), Thing("c")]))
        manual.manager.pause(listener)
        manual.update(Thing("b", 1))
        listener.swap(Thing("a", 0, [Thing("b"), Thing("c", 2)]))
        manual.manager.resume(listener)
        manual.settle()
        #expect(listener.hearing.things == [Thing("a", 0, [Thing("b", 1), Thing("c", 2)])])
    }

    @Test func aPausedListenerThatGoesAwayIsForgotten() {
        var listener: RecordingListener? = manual.listener(Thing("a"))
        listener.map(manual.manager.pause)
        manual.settle()
        listener = nil
        manual.manager.cleanMemory()
        manual.settle()
        #expect(manual.isEmpty)
    }

    @Test func memoryIsCleanedOfNoPausedListener() {
        let listener = manual.listener(Thing("a"))
        manual.manager.pause(listener)
        manual.update(Thing("a", 1))
        manual.manager.cleanMemory()
        manual.manager.resume(listener)
        manual.settle()
        #expect(listener.hearing.count == 1)
    }
}
