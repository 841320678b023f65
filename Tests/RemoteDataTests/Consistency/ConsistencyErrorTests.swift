import Testing

@testable import RemoteData

/// What cannot be done, and how deep a model may be.
@Suite struct ConsistencyErrorTests {
    let manual = ManualManager()
    let delegate = RecordingDelegate()

    init() { manual.manager.delegate = delegate }

    private var messages: [String] { delegate.errors.events.map(\.message) }

    @Test func aModelWithoutAnIDCannotBeDeleted() {
        manual.manager.delete(Thing(nil, 1))
        manual.settle()
        #expect(delegate.errors.events.map(\.code) == [.invalidModel])
        #expect(messages == ["A Thing without an id cannot be deleted."])
    }

    @Test func theDelegateIsToldInTheOrderOfChanges() {
        let order = EventLog<String>()
        let subscription = manual.manager.subscribe(to: Thing("a")) { change in
            order.note("\(change.model?.value ?? -1)")
        }
        let delegate = OrderDelegate(order)
        manual.manager.delegate = delegate
        manual.manager.update(Thing("a", 1))
        manual.manager.delete(Thing(nil))
        manual.manager.update(Thing("a", 2))
        manual.settle()
        #expect(order.events == ["1", "error", "2"])
        subscription.cancel()
    }

    @Test func theDelegateIsHeldWeakly() {
        manual.manager.delegate = RecordingDelegate()
        #expect(manual.manager.delegate == nil)
    }

    // MARK: Models that are parts of themselves

    @Test func aModelThatIsAPartOfItselfIsNotHeld() {
        let holder = manual.subscriber(Thing("a", 0, [Thing("b", 0, [Thing("a")])]))
        #expect(messages == ["The model a is a part of itself, so it cannot be the same everywhere."])
        manual.update(Thing("b", 1))
        #expect(holder.hearing.count == 0)
        #expect(manual.manager.counts.trees == 0)
        #expect(manual.manager.counts.ids == 0)
    }

    @Test func aModelThatIsAPartOfItselfIsNotTaken() {
        let holder = manual.subscriber(Thing("a"))
        manual.update(Thing("a", 1, [Thing("a", 2)]))
        #expect(delegate.errors.events.map(\.code) == [.invalidModel])
        #expect(holder.hearing.count == 0)
        manual.update(Thing("a", 3))
        #expect(holder.hearing.things == [Thing("a", 3)])
    }

    @Test func twoModelsToldAtOnceThatAreMadeOfEachOtherAreNotTaken() {
        let holder = manual.subscriber(Thing("a"))
        manual.update(Thing("a", 1, [Thing("b")]), Thing("b", 1, maybe: Card("a")))
        #expect(delegate.errors.events.map(\.code) == [.invalidModel])
        #expect(holder.hearing.count == 0)
    }

    @Test func oneOfTwoModelsToldAtOnceIsMadeOfTheOtherAsThatIsMadeOfItLast() {
        let holder = manual.subscriber(Thing("b"))
        manual.update(Thing("a", 1, [Thing("b")]), Thing("b", 1, [Thing("a")]))
        #expect(delegate.errors.events.isEmpty)
        #expect(holder.hearing.things == [Thing("b", 1, [Thing("a")])])
    }

    @Test func aModelThatWouldBecomeAPartOfItselfStaysAsItIs() {
        let holder = manual.subscriber(Thing("a", 0, [Thing("b")]))
        let other = manual.subscriber(Thing("b"))
        // What is told of a keeps its parts, of which one would be made of it.
        manual.update(Thing("b", 1, maybe: Card("a")))
        #expect(messages == ["The model a is a part of itself, so it cannot be the same everywhere."])
        #expect(holder.hearing.count == 0)
        #expect(other.hearing.count == 1)
        manual.update(Thing("b", 2))
        #expect(holder.hearing.things == [Thing("a", 0, [Thing("b", 2)])])
    }

    @Test func whoReplacesItsModelWithOneThatIsAPartOfItselfHoldsNothing() {
        let holder = manual.subscriber(Thing("a"))
        holder.subscription.replace(with: Thing("a", 0, [Thing("a")]))
        manual.update(Thing("a", 1))
        #expect(delegate.errors.events.count == 1)
        #expect(holder.hearing.count == 0)
        holder.subscription.replace(with: Thing("a", 2))
        manual.update(Thing("a", 3))
        #expect(holder.hearing.things == [Thing("a", 3)])
    }

    // MARK: Depth

    @Test func anEndlessModelIsNotHeld() {
        let holder = manual.subscriber(Endless())
        #expect(messages == ["A model has more than 100000 levels of parts; is it a part of itself?"])
        #expect(manual.manager.counts.trees == 0)
        #expect(holder.hearing.count == 0)
    }

    @Test func anEndlessModelIsNotTaken() {
        let holder = manual.subscriber(Thing("a"))
        manual.update(Endless())
        manual.update(Thing("a", 1))
        #expect(delegate.errors.events.map(\.code) == [.invalidModel])
        #expect(holder.hearing.count == 1)
    }

    @Test func aModelOfManyLevelsIsRebuiltFromItsLastPart() {
        let count = 50_000
        let holder = manual.subscriber(Link.chain(count))
        manual.update(Link("\(count - 1)", 7))
        #expect(delegate.errors.events.isEmpty)
        #expect(holder.model?.last.value == 7)
        #expect(holder.hearing.updates.first?.changedIDs.count == count)
    }

    @Test func aPartOfAModelOfManyLevelsIsDeleted() {
        let holder = manual.subscriber(Link.chain(20_000))
        manual.delete(ModelID("15000", of: "link"))
        #expect(holder.model?.last.id == "14999")
        #expect(manual.manager.counts.ids == 15_000)
    }

    @Test func modelsOfManyLevelsToldTogetherArePutIntoEachOther() {
        let count = 20_000
        let holder = manual.subscriber(Link("0"))
        manual.update(Link.chain(count), Link("\(count - 1)", 7))
        #expect(holder.model?.last.value == 7)
        #expect(holder.hearing.count == 1)
    }

    @Test func modelsOfManyLevelsArePutTogether() {
        let count = 20_000
        let chain = Link.chain(count)
        let holder = manual.subscriber(chain)
        manual.manager.update(Link("\(count - 1)", 7))
        holder.subscription.replace(with: Link("0", 1, next: chain.next))
        manual.settle()
        #expect(holder.model?.last.value == 7)
        #expect(holder.model?.value == 1)
    }

    // MARK: What is about to be replaced

    @Test func theDelegateIsToldOfEachModelBeforeItIsReplaced() {
        let holder = manual.subscriber(Thing("a"))
        let counts = EventLog<Int>()
        let delegate = RecordingDelegate { counts.note(holder.hearing.count) }
        manual.manager.delegate = delegate
        manual.update(Thing("a", 1), saying: 3)
        manual.delete("a", saying: 4)
        let replacements = delegate.replacements.events
        #expect(replacements.map { $0.old as? Thing } == [Thing("a"), Thing("a", 1)])
        #expect(replacements.map { $0.new as? Thing } == [Thing("a", 1), nil])
        #expect(replacements.map { $0.context[Int.self] } == [3, 4])
        #expect(counts.events == [0, 1])
    }

    @Test func theDelegateIsToldOnceForThoseWhoHoldTheSame() {
        let holders = (0..<3).map { _ in manual.subscriber(Thing("a")) }
        manual.update(Thing("a", 1))
        #expect(delegate.replacements.events.count == 1)
        #expect(holders.map(\.hearing.count) == [1, 1, 1])
    }

    @Test func aDelegateMayCareForErrorsOnly() {
        let delegate = OrderDelegate(EventLog())
        manual.manager.delegate = delegate
        let holder = manual.subscriber(Thing("a"))
        manual.update(Thing("a", 1))
        #expect(holder.hearing.count == 1)
    }
}

/// A model that is made of itself.
private final class Endless: ConsistentModel {
    var modelID: ModelID? { nil }

    func forEach(_ visit: (any ConsistentModel) -> Void) { visit(self) }
    func map(_ transform: (any ConsistentModel) -> (any ConsistentModel)?) -> Endless? { self }
    func isSame(as other: any ConsistentModel) -> Bool { (other as? Endless) === self }
}

/// A delegate that notes errors among other things.
private final class OrderDelegate: ConsistencyManagerDelegate {
    let order: EventLog<String>

    init(_ order: EventLog<String>) { self.order = order }

    func consistencyManager(_ manager: ConsistencyManager, failedWith error: RemoteDataError) {
        order.note("error")
    }
}
