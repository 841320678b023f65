import Testing

@testable import RemoteData

/// What becomes of held models when something is no more.
@Suite struct ConsistencyDeleteTests {
    let manual = ManualManager()

    @Test func whoHoldsADeletedModelIsToldOfNil() {
        let holder = manual.subscriber(Thing("a", 0, [Thing("b")]))
        manual.delete("a", saying: 5)
        #expect(holder.hearing.things == [nil])
        #expect(holder.hearing.updates == [ModelUpdates(deleted: ["a"])])
        #expect(holder.hearing.contexts == [5])
        #expect(holder.model == nil)
    }

    @Test func aDeletedModelIsKnownByItsIDAlone() {
        let holder = manual.subscriber(Thing("a", 1))
        manual.manager.delete(Thing("a", 9))
        manual.settle()
        #expect(holder.hearing.things == [nil])
    }

    @Test func whoseModelWasDeletedIsToldNothingMoreOfIt() {
        let holder = manual.subscriber(Thing("a", 0, [Thing("b")]))
        manual.delete("a")
        manual.update(Thing("a", 1), Thing("b", 1))
        manual.delete("a")
        #expect(holder.hearing.count == 1)
        #expect(manual.manager.counts.trees == 0)
    }

    @Test func aDeletedPartGoesFromItsList() {
        let holder = manual.subscriber(Thing("a", 0, [Thing("b"), Thing("c"), Thing("d")]))
        manual.delete("c")
        #expect(holder.hearing.things == [Thing("a", 0, [Thing("b"), Thing("d")])])
    }

    @Test func severalPartsGoFromTheirListAtOnce() {
        let holder = manual.subscriber(Thing("a", 0, (0..<9).map { Thing("\($0)") }))
        manual.update(deleting: ["0", "4", "8"])
        #expect(holder.hearing.things == [Thing("a", 0, [1, 2, 3, 5, 6, 7].map { Thing("\($0)") })])
    }

    @Test func aDeletedPartThatMayBeMissingIsMissing() {
        let holder = manual.subscriber(Thing("a", 0, maybe: Card("c")))
        manual.delete("c")
        #expect(holder.hearing.things == [Thing("a")])
        #expect(holder.hearing.updates == [ModelUpdates(changed: ["a"], deleted: ["c"])])
    }

    @Test func aModelGoesWithAPartThatItCannotBeWithout() {
        let holder = manual.subscriber(Thing("a", 0, need: Card("c")))
        manual.delete("c")
        #expect(holder.hearing.things == [nil])
        #expect(holder.hearing.updates == [ModelUpdates(deleted: ["a", "c"])])
    }

    @Test func aPartGoesFromItsListWithWhatItCannotBeWithout() {
        let holder = manual.subscriber(Thing("a", 0, [Thing("b", 0, need: Card("c")), Thing("d")]))
        manual.delete("c")
        #expect(holder.hearing.things == [Thing("a", 0, [Thing("d")])])
    }

    @Test func aPartWithoutAnIDGoesWithWhatItCannotBeWithout() {
        let holder = manual.subscriber(Thing("a", 0, [Thing(nil, 0, need: Card("c")), Thing("d")]))
        manual.delete("c")
        #expect(holder.hearing.things == [Thing("a", 0, [Thing("d")])])
        #expect(holder.hearing.updates == [ModelUpdates(changed: ["a"], deleted: ["c"])])
    }

    @Test func whatADeletedModelIsMadeOfStaysElsewhere() {
        let holder = manual.subscriber(Thing("x", 0, [Thing("b")]))
        manual.manager.delete(Thing("a", 0, [Thing("b")]))
        manual.settle()
        #expect(holder.hearing.count == 0)
    }

    @Test func whatNobodyHoldsIsDeletedWithoutAWord() {
        let holder = manual.subscriber(Thing("a"))
        manual.delete("z")
        #expect(holder.hearing.count == 0)
    }

    @Test func aDeletedPartMayComeBack() {
        let holder = manual.subscriber(Thing("a", 0, [Thing("b")]))
        manual.delete("b")
        manual.update(Thing("a", 0, [Thing("b", 1)]))
        manual.update(Thing("b", 2))
        #expect(
            holder.hearing.things == [
                Thing("a"), Thing("a", 0, [Thing("b", 1)]), Thing("a", 0, [Thing("b", 2)]),
            ]
        )
    }

    @Test func theIDOfADeletedModelIsLetGoOf() {
        let holder = manual.subscriber(Thing("a", 0, [Thing("b")]))
        manual.delete("b")
        #expect(manual.manager.counts.ids == 1)
        #expect(holder.model == Thing("a"))
    }

    // MARK: With updates

    @Test func aDeletionAndAnUpdateInOneCallAreOneChange() {
        let holder = manual.subscriber(Thing("a", 0, [Thing("b"), Thing("c")]))
        manual.update(Thing("c", 1), deleting: ["b"])
        #expect(holder.hearing.things == [Thing("a", 0, [Thing("c", 1)])])
        #expect(holder.hearing.updates == [ModelUpdates(changed: ["a", "c"], deleted: ["b"])])
    }

    @Test func whatIsDeletedInOneCallGoesFromWhatIsToldWithIt() {
        let holder = manual.subscriber(Thing("a", 0, [Thing("b")]))
        manual.update(Thing("a", 1, [Thing("b", 1), Thing("c", 1)]), deleting: ["b"])
        #expect(holder.hearing.things == [Thing("a", 1, [Thing("c", 1)])])
        #expect(holder.hearing.updates == [ModelUpdates(changed: ["a"], deleted: ["b"])])
    }

    @Test func aModelToldAndDeletedInOneCallIsDeleted() {
        let holder = manual.subscriber(Thing("a"))
        manual.update(Thing("a", 1), deleting: ["a"])
        #expect(holder.hearing.things == [nil])
    }

    @Test func aNewVersionThatHasLostTheDeletedPartNamesItAsDeleted() {
        let holder = manual.subscriber(Thing("a", 0, [Thing("b")]))
        manual.update(Thing("a", 1), deleting: ["b"])
        #expect(holder.hearing.things == [Thing("a", 1)])
        #expect(holder.hearing.updates == [ModelUpdates(changed: ["a"], deleted: ["b"])])
    }

    @Test func aVersionThatCannotBeWithoutADeletedPartIsDeleted() {
        let holder = manual.subscriber(Thing("x", 0, [Thing("a")]))
        manual.update(Thing("a", 1, need: Card("c")), deleting: ["c"])
        #expect(holder.hearing.things == [Thing("x")])
        #expect(holder.hearing.updates == [ModelUpdates(changed: ["x"], deleted: ["a"])])
    }

    @Test func aModelThatSaysItselfWhatItIsMadeOfGoesWithItsLastMember() {
        let holder = manual.subscriber(Group(id: "g", members: [Thing("a"), Thing("b")]))
        manual.delete("a")
        #expect(holder.model == Group(id: "g", members: [Thing("b")]))
        manual.delete("b")
        #expect(holder.model == nil)
        #expect(holder.hearing.updates.last == ModelUpdates(deleted: ["g", "b"]))
    }
}
