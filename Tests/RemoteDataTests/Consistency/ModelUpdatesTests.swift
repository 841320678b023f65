import Testing

@testable import RemoteData

/// Which models are said to have changed, and which to be deleted.
@Suite struct ModelUpdatesTests {
    let manual = ManualManager()

    /// What one is told of who holds a model, when something is told.
    private func updates(
        _ model: Thing,
        _ newer: [any ConsistentModel],
        deleting ids: [ModelID] = []
    ) -> ModelUpdates? {
        let holder = manual.subscriber(model)
        manual.manager.update(newer, deleting: ids)
        manual.settle()
        #expect(holder.hearing.count == 1)
        return holder.hearing.updates.first
    }

    @Test func allThatTheChangedModelIsAPartOfHaveChanged() {
        let model = Thing("a", 0, [Thing("b", 0, [Thing("c")]), Thing("d")])
        #expect(updates(model, [Thing("c", 1)]) == ModelUpdates(changed: ["a", "b", "c"]))
    }

    @Test func partsThatAreEqualHaveNotChanged() {
        let model = Thing("a", 0, [Thing("b", 0, [Thing("c")]), Thing("d")])
        let newer = Thing("a", 1, [Thing("b", 0, [Thing("c")]), Thing("d", 1)])
        #expect(updates(model, [newer]) == ModelUpdates(changed: ["a", "d"]))
    }

    @Test func whatComesNewHasNotChanged() {
        #expect(updates(Thing("a"), [Thing("a", 0, [Thing("b")])]) == ModelUpdates(changed: ["a"]))
    }

    @Test func whatIsTakenOutIsNotDeleted() {
        #expect(updates(Thing("a", 0, [Thing("b")]), [Thing("a")]) == ModelUpdates(changed: ["a"]))
    }

    @Test func aModelThatMovesUnchangedHasNotChanged() {
        let model = Thing("a", 0, [Thing("b", 0, [Thing("d")]), Thing("c")])
        let newer: [any ConsistentModel] = [Thing("b"), Thing("c", 0, [Thing("d")])]
        #expect(updates(model, newer) == ModelUpdates(changed: ["a", "b", "c"]))
    }

    @Test func aModelThatMovesAndChangesHasChanged() {
        let model = Thing("a", 0, [Thing("b", 0, [Thing("d")]), Thing("c")])
        let newer: [any ConsistentModel] = [Thing("b"), Thing("c", 0, [Thing("d", 1)])]
        #expect(updates(model, newer) == ModelUpdates(changed: ["a", "b", "c", "d"]))
    }

    @Test func modelsWithoutIDsAreNotNamed() {
        let model = Thing("a", 0, [Thing(nil, 0, [Thing("b")])])
        #expect(updates(model, [Thing("b", 1)]) == ModelUpdates(changed: ["a", "b"]))
    }

    // MARK: Shared and recurring parts

    @Test func aPartThatTwoShareChangesInBoth() {
        let shared = Thing("s")
        let model = Thing("a", 0, [Thing("b", 0, [shared]), Thing("c", 0, [shared]), Thing("d")])
        #expect(updates(model, [Thing("s", 1)]) == ModelUpdates(changed: ["a", "b", "c", "s"]))
    }

    @Test func aPartThatRecursInOneListChangesInAllPlaces() {
        let model = Thing("a", 0, [Thing("s"), Thing("b"), Thing("s")])
        let holder = manual.subscriber(model)
        manual.update(Thing("s", 1))
        #expect(holder.hearing.things == [Thing("a", 0, [Thing("s", 1), Thing("b"), Thing("s", 1)])])
        #expect(holder.hearing.updates == [ModelUpdates(changed: ["a", "s"])])
    }

    @Test func aPartThatRecursAtDifferentDepthsChangesInAllPlaces() {
        let holder = manual.subscriber(
            Thing("a", 0, [Thing("s"), Thing("b", 0, [Thing("c", 0, [Thing("s")])])])
        )
        manual.update(Thing("s", 1))
        let expected = Thing("a", 0, [Thing("s", 1), Thing("b", 0, [Thing("c", 0, [Thing("s", 1)])])])
        #expect(holder.hearing.things == [expected])
        #expect(holder.hearing.updates == [ModelUpdates(changed: ["a", "b", "c", "s"])])
    }

    @Test func aRecurringPartIsDeletedInAllPlaces() {
        let holder = manual.subscriber(Thing("a", 0, [Thing("s"), Thing("b", 0, [Thing("s")]), Thing("s")]))
        manual.delete("s")
        #expect(holder.hearing.things == [Thing("a", 0, [Thing("b")])])
        #expect(holder.hearing.updates == [ModelUpdates(changed: ["a", "b"], deleted: ["s"])])
    }

    @Test func aPartThatGoesWithOneParentAndStaysWithAnotherIsNotDeleted() {
        let shared = Card("s")
        // b cannot be without its card; the shared one goes with it, but only there.
        let model = Thing(
            "a",
            0,
            [Thing("b", 0, need: Card("n"), maybe: shared), Thing("c", 0, maybe: shared)]
        )
        #expect(updates(model, [], deleting: ["n"]) == ModelUpdates(changed: ["a"], deleted: ["b", "n"]))
    }

    @Test func whatGoesAsOneTypeAndStaysAsAnotherIsNotDeleted() {
        let model = Thing("a", 0, maybe: Card("b"), [Thing("b", 0, need: Card("n"))])
        #expect(updates(model, [], deleting: ["n"]) == ModelUpdates(changed: ["a"], deleted: ["n"]))
    }

    // MARK: Cascades

    @Test func whatCannotBeWithoutADeletedModelIsDeletedAsWell() {
        let model = Thing("a", 0, [Thing("b", 0, need: Card("n")), Thing("c")])
        #expect(updates(model, [], deleting: ["n"]) == ModelUpdates(changed: ["a"], deleted: ["b", "n"]))
    }

    @Test func whatADeletedModelIsMadeOfIsNotDeleted() {
        let model = Thing("a", 0, [Thing("b", 0, need: Card("n"), [Thing("c")])])
        #expect(updates(model, [], deleting: ["b"]) == ModelUpdates(changed: ["a"], deleted: ["b"]))
    }

    @Test func aChangeInsideWhatGoesIsNotNamed() {
        let model = Thing("a", 0, [Thing("b", 0, need: Card("n"), [Thing("c")])])
        let updates = updates(model, [Thing("c", 1)], deleting: ["n"])
        #expect(updates == ModelUpdates(changed: ["a"], deleted: ["b", "n"]))
    }

    @Test func aDeletedModelInsideADeletedModelIsNamed() {
        let model = Thing("a", 0, [Thing("b", 0, [Thing("c")])])
        #expect(
            updates(model, [], deleting: ["b", "c"]) == ModelUpdates(changed: ["a"], deleted: ["b", "c"])
        )
    }

    @Test func aCascadeMayReachTheRoot() {
        let holder = manual.subscriber(Wrapper(id: "w", content: Wrapper.Content(id: "c", card: Card("n"))))
        manual.delete("n")
        #expect(holder.hearing.told.map { $0.model == nil } == [true])
        #expect(holder.hearing.updates == [ModelUpdates(deleted: ["w", "c", "n"])])
    }

    // MARK: As a value

    @Test func whatWasDeletedHasNotChanged() {
        let updates = ModelUpdates(changed: ["a", "b"], deleted: ["b"])
        #expect(updates.changed == ["a"])
        #expect(updates.deleted == ["b"])
        #expect(updates.hasChanged("a") && !updates.hasChanged("b"))
        #expect(updates.hasDeleted("b") && !updates.hasDeleted("a"))
    }

    @Test func nothingIsEmpty() {
        #expect(ModelUpdates().isEmpty)
        #expect(!ModelUpdates(changed: ["a"]).isEmpty)
        #expect(!ModelUpdates(deleted: ["a"]).isEmpty)
    }
}

/// A model that cannot be without its content, nor this without its card.
private struct Wrapper: ConsistentModel, Equatable {
    struct Content: ConsistentModel, Equatable {
        var id: String
        var card: Card
        var modelID: ModelID? { ModelID(id) }
        static let children: [ModelChild<Content>] = [.one(\.card)]
    }

    var id: String
    var content: Content
    var modelID: ModelID? { ModelID(id) }
    static let children: [ModelChild<Wrapper>] = [.one(\.content)]
}
