import Testing

@testable import RemoteData

/// What becomes of held models when something newer is told.
@Suite struct ConsistencyUpdateTests {
    let manual = ManualManager()

    @Test func othersWhoHoldTheModelAreToldOnceOfWhatIsNewer() {
        let (first, second) = (manual.subscriber(Thing("a", 1)), manual.subscriber(Thing("a", 2)))
        manual.update(Thing("a", 3))
        #expect(first.hearing.things == [Thing("a", 3)])
        #expect(second.hearing.things == [Thing("a", 3)])
        #expect(first.model == Thing("a", 3))
    }

    @Test func anEqualModelIsNotTold() {
        let holder = manual.subscriber(Thing("a", 1, [Thing("b", 2)]))
        manual.update(Thing("a", 1, [Thing("b", 2)]))
        manual.update(Thing("b", 2))
        #expect(holder.hearing.count == 0)
    }

    @Test func anEqualPartOfAListIsNotTold() {
        let holder = manual.subscriber(Thing("a", cards: [Card("b", 1), Card("c", 2)]))
        manual.update(Card("c", 2))
        #expect(holder.hearing.count == 0)
    }

    @Test func aPartThatHasAnotherIDNowHasChangedAsBoth() {
        let holder = manual.subscriber(Thing("a", cards: [Card("b", 1), Card("c", 2)]))
        manual.manager.enqueue { _ in
            .derive(.none, { _ in ModelPost(models: [Card("d", 3)], renamed: ["c": "d"]) })
        }
        manual.settle()
        #expect(holder.hearing.things == [Thing("a", cards: [Card("b", 1), Card("d", 3)])])
        #expect(holder.hearing.updates == [ModelUpdates(changed: ["a", "c", "d"])])
    }

    @Test func aModelWithAnotherIDIsNotTold() {
        let holder = manual.subscriber(Thing("a", 1))
        manual.update(Thing("b", 2), Thing(nil, 3))
        #expect(holder.hearing.count == 0)
    }

    @Test func aPartIsReplacedInsideWhatItIsAPartOf() {
        let holder = manual.subscriber(Thing("a", 1, maybe: Card("d", 5), [Thing("b", 2, [Thing("c", 3)])]))
        manual.update(Thing("c", 4))
        #expect(
            holder.hearing.things == [Thing("a", 1, maybe: Card("d", 5), [Thing("b", 2, [Thing("c", 4)])])]
        )
        #expect(holder.hearing.updates == [ModelUpdates(changed: ["a", "b", "c"])])
    }

    @Test func aSubtreeThatIsToldChangesItsPartsElsewhere() {
        let holder = manual.subscriber(Thing("x", 0, [Thing("c", 1)]))
        manual.update(Thing("a", 0, [Thing("b", 0, [Thing("c", 2)])]))
        #expect(holder.hearing.things == [Thing("x", 0, [Thing("c", 2)])])
    }

    @Test func aPartThatIsNewInAModelIsListenedTo() {
        let holder = manual.subscriber(Thing("a"))
        manual.update(Thing("a", 0, [Thing("b", 1)]))
        manual.update(Thing("b", 2))
        #expect(holder.hearing.things == [Thing("a", 0, [Thing("b", 1)]), Thing("a", 0, [Thing("b", 2)])])
    }

    @Test func aPartOfANewPartIsListenedTo() {
        let holder = manual.subscriber(Thing("a", 0, [Thing("b")]))
        manual.update(Thing("b", 0, need: Card("c", 1)))
        manual.update(Card("c", 2))
        #expect(holder.model == Thing("a", 0, [Thing("b", 0, need: Card("c", 2))]))
    }

    @Test func aPartThatHasBeenTakenOutAffectsNothing() {
        let holder = manual.subscriber(Thing("a", 0, [Thing("b", 1)]))
        manual.update(Thing("a", 1))
        manual.update(Thing("b", 2))
        manual.delete("b")
        #expect(holder.hearing.things == [Thing("a", 1)])
        #expect(manual.manager.counts.ids == 1)
    }

    @Test func aPartThatMovesToAnotherParentIsStillListenedTo() {
        let holder = manual.subscriber(Thing("a", 0, [Thing("b", 0, [Thing("d", 1)]), Thing("c")]))
        manual.update(Thing("b"), Thing("c", 0, [Thing("d", 1)]))
        manual.update(Thing("d", 2))
        #expect(holder.hearing.count == 2)
        #expect(holder.model == Thing("a", 0, [Thing("b"), Thing("c", 0, [Thing("d", 2)])]))
    }

    @Test func aModelWithoutAnIDIsHeldForItsParts() {
        let holder = manual.subscriber(Thing(nil, 1, [Thing("b", 2)]))
        manual.update(Thing("b", 3))
        #expect(holder.hearing.things == [Thing(nil, 1, [Thing("b", 3)])])
        #expect(holder.hearing.updates == [ModelUpdates(changed: ["b"])])
    }

    @Test func modelsWithOneIDAndDifferentKindsAreDifferent() {
        let holder = manual.subscriber(KindModel(modelID: ModelID("1", of: "dog"), value: 1))
        manual.update(KindModel(modelID: ModelID("1", of: "cat"), value: 2))
        #expect(holder.hearing.count == 0)
        manual.update(KindModel(modelID: ModelID("1", of: "dog"), value: 2))
        #expect(holder.hearing.count == 1)
    }

    // MARK: Several at once

    @Test func severalModelsToldInOneCallAreOneChange() {
        let holder = manual.subscriber(Thing("a", 0, [Thing("b"), Thing("c")]))
        manual.update(Thing("b", 1), Thing("c", 2))
        #expect(holder.hearing.things == [Thing("a", 0, [Thing("b", 1), Thing("c", 2)])])
        #expect(holder.hearing.updates == [ModelUpdates(changed: ["a", "b", "c"])])
    }

    @Test func ofTwoVersionsInOneCallTheLaterCounts() {
        let holder = manual.subscriber(Thing("a"))
        manual.update(Thing("a", 1), Thing("a", 2))
        #expect(holder.hearing.things == [Thing("a", 2)])
    }

    @Test func aLaterVersionOfAPartIsPutIntoAnEarlierParent() {
        let holder = manual.subscriber(Thing("a"))
        manual.update(Thing("a", 1, [Thing("b", 1)]), Thing("b", 2))
        #expect(holder.hearing.things == [Thing("a", 1, [Thing("b", 2)])])
    }

    @Test func aLaterParentCountsWithThePartsThatItHas() {
        let holder = manual.subscriber(Thing("b"))
        manual.update(Thing("b", 2), Thing("a", 1, [Thing("b", 1)]))
        #expect(holder.hearing.things == [Thing("b", 1)])
    }

    @Test func toldNothingTheManagerTellsNothing() {
        let holder = manual.subscriber(Thing("a"))
        manual.update()
        #expect(holder.hearing.count == 0)
    }

    // MARK: Projections

    @Test func whatAnotherTypeSaysIsMergedIntoTheModel() {
        let holder = manual.subscriber(Thing("a", 1, [Thing("b", 2)]))
        manual.update(Card("a", 7))
        #expect(holder.hearing.things == [Thing("a", 7, [Thing("b", 2)])])
        #expect(holder.hearing.updates == [ModelUpdates(changed: ["a"])])
    }

    @Test func ofTwoTypesInOneCallBothAreTakenInTheirOrder() {
        let (thing, card) = (manual.subscriber(Thing("a", 1)), manual.subscriber(Card("a", 1)))
        manual.update(Thing("a", 2, [Thing("b")]), Card("a", 3))
        #expect(thing.hearing.things == [Thing("a", 3, [Thing("b")])])
        #expect(card.hearing.cards == [Card("a", 3)])
    }

    @Test func whatOtherTypesDoNotKnowChangesNothing() {
        let holder = manual.subscriber(Thing("a", 7))
        manual.update(Card("a", 7))
        #expect(holder.hearing.count == 0)
    }

    @Test func aTypeThatMergesNothingKeepsItsModel() {
        let holder = manual.subscriber(KindModel(modelID: "a", value: 1))
        manual.update(Card("a", 2))
        #expect(holder.hearing.count == 0)
        #expect(holder.model?.value == 1)
    }

    // MARK: What is not worth telling

    @Test func whatDoesNotMatterToTheModelIsNotTold() {
        let holder = manual.subscriber(Noted(id: "a", value: 1, note: "old"))
        manual.update(Noted(id: "a", value: 1, note: "new"))
        #expect(holder.hearing.count == 0)
        manual.update(Noted(id: "a", value: 2, note: "newer"))
        #expect(holder.model?.note == "newer")
    }

    @Test func anEqualModelIsComparedOnceHoweverManyPartsItHas() {
        let counter = EventLog<Void>()
        func tree() -> Compared {
            Compared(
                id: "root",
                parts: (0..<300).map { Compared(id: "\($0)", counter: counter) },
                counter: counter
            )
        }
        let holder = manual.subscriber(tree())
        manual.update(tree())
        #expect(counter.events.count == 1)
        #expect(holder.hearing.count == 0)
    }
}

/// A model that is nothing but an id of a kind and a value.
private struct KindModel: ConsistentModel, Equatable {
    var modelID: ModelID?
    var value: Int
}

/// A model of which the note does not matter.
private struct Noted: ConsistentModel {
    var id: String
    var value: Int
    var note: String
    var modelID: ModelID? { ModelID(id) }

    func isSame(as other: any ConsistentModel) -> Bool { (other as? Noted)?.value == value }
}

/// A model that counts how often it is compared.
private struct Compared: ConsistentModel {
    var id: String
    var parts: [Compared] = []
    var counter: EventLog<Void>
    var modelID: ModelID? { ModelID(id) }
    static let children: [ModelChild<Compared>] = [.many(\.parts)]

    func isSame(as other: any ConsistentModel) -> Bool {
        counter.note(())
        return (other as? Compared)?.id == id
    }
}
