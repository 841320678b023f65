import Testing

@testable import RemoteData

/// What a model says of the models that it is made of.
@Suite struct ModelChildTests {
    private let album = Album(
        songs: [Card("s0"), Card("s1"), Card("s2")],
        cover: Card("cover"),
        label: Card("label"),
        guests: [Thing("g0"), Thing("g1")]
    )

    /// The ids of what a model is made of, in its order.
    private func ids(_ model: any ConsistentModel) -> [String] {
        var ids: [String] = []
        model.forEach { ids.append($0.modelID?.text ?? "-") }
        return ids
    }

    /// An album without some of its parts, or with others in their places.
    private func mapped(_ changes: [String: Card] = [:], without gone: Set<String> = []) -> Album? {
        album.map { part in
            guard let id = part.modelID?.text else { return part }
            return gone.contains(id) ? nil : changes[id] ?? part
        }
    }

    @Test func partsAreVisitedInTheOrderInWhichTheyAreListed() {
        #expect(ids(album) == ["s0", "s1", "s2", "cover", "label", "g0", "g1"])
    }

    @Test func whatIsMissingIsNotVisited() {
        var bare = album
        (bare.songs, bare.cover) = ([], nil)
        #expect(ids(bare) == ["label", "g0", "g1"])
    }

    @Test func eachPartIsFoundByItsPlace() {
        let found = (0..<7).map { album._part(at: $0)?.modelID?.text }
        #expect(found == ids(album))
        #expect(album._part(at: 7) == nil)
    }

    @Test func aPartOfAListIsReplaced() {
        var expected = album
        expected.songs[1] = Card("s1", 5)
        #expect(mapped(["s1": Card("s1", 5)]) == expected)
    }

    @Test func partsOfSeveralListsAreReplacedAtOnce() {
        let changed = album.map { part -> (any ConsistentModel)? in
            switch part {
            case let card as Card: Card(card.id, 1)
            case let thing as Thing: Thing(thing.id, 2)
            default: part
            }
        }
        #expect(changed?.songs == [Card("s0", 1), Card("s1", 1), Card("s2", 1)])
        #expect(changed?.cover == Card("cover", 1))
        #expect(changed?.label == Card("label", 1))
        #expect(changed?.guests == [Thing("g0", 2), Thing("g1", 2)])
        #expect(changed?.title == album.title)
    }

    @Test func partsThatGoLeaveOtherListsAlone() {
        var expected = album
        (expected.songs, expected.cover) = ([Card("s1")], nil)
        #expect(mapped(without: ["s0", "s2", "cover"]) == expected)
    }

    @Test func onePartMayGoAndAnotherOfItsListChange() {
        var expected = album
        expected.songs = [Card("s1", 4), Card("s2")]
        #expect(mapped(["s1": Card("s1", 4)], without: ["s0"]) == expected)
    }

    @Test func aWholeListMayGo() {
        var expected = album
        expected.songs = []
        #expect(mapped(without: ["s0", "s1", "s2"]) == expected)
    }

    @Test func withoutAPartThatItNeedsThereIsNoModel() {
        #expect(mapped(without: ["label"]) == nil)
    }

    @Test func aPartOfAnotherTypeIsNone() {
        #expect(album.map { $0.modelID == "g0" ? Card("g0") : $0 }?.guests == [Thing("g1")])
        #expect(album.map { $0.modelID == "label" ? Thing("label") : $0 } == nil)
        #expect(album.map { $0.modelID == "cover" ? Thing("cover") : $0 }?.cover == .some(nil))
    }

    @Test func aModelWithoutPartsIsItself() {
        #expect(Card("a", 1).map { _ in nil } == Card("a", 1))
        #expect(ids(Card("a")) == [])
        #expect(Card("a")._part(at: 0) == nil)
    }

    @Test func changesApplyToTheirPlaces() {
        let changes = [
            ModelChange(place: 0, model: nil), ModelChange(place: 3, model: Card("new")),
            ModelChange(place: 6, model: nil),
        ]
        var expected = album
        (expected.songs, expected.cover, expected.guests) = (
            [Card("s1"), Card("s2")], Card("new"), [Thing("g0")]
        )
        #expect(album._replacing(changes[...]) == expected)
        #expect(album._replacing([]) == album)
    }

    @Test(arguments: [0, 2, 3, 4, 6]) func aPartIsExchangedInItsPlace(place: Int) {
        let old = album._part(at: place)
        let newer: any ConsistentModel =
            old is Card ? Card(old?.modelID?.text, 9) : Thing(old?.modelID?.text, 9)
        var changed = album
        #expect(changed._exchange(place, for: newer) == .exchanged)
        #expect(changed == album._replacing([ModelChange(place: place, model: newer)]))
        #expect(changed._exchange(place, for: newer) == .same)
    }

    @Test func whatDoesNotFitIsNotExchanged() {
        var changed = album
        #expect(changed._exchange(1, for: Thing("s1")) == .unknown)
        #expect(changed._exchange(3, for: Thing("cover")) == .unknown)
        #expect(changed._exchange(4, for: Thing("label")) == .unknown)
        #expect(changed._exchange(7, for: Card("g2")) == .unknown)
        #expect(changed == album)
        var group = Group(id: "g", members: [Thing("a")])
        #expect(group._exchange(0, for: Thing("a", 1)) == .unknown)
    }

    @Test func aModelThatSaysItselfWhatItIsMadeOfTakesChangesByTheirPlaces() {
        let group = Group(id: "g", members: [Thing("a"), Thing("b"), Thing("c")])
        let changes = [ModelChange(place: 0, model: nil), ModelChange(place: 2, model: Thing("c", 1))]
        #expect(group._replacing(changes[...]) == Group(id: "g", members: [Thing("b"), Thing("c", 1)]))
        #expect(group._part(at: 0) == nil)
        #expect(group._replacing([]) == group)
    }

    // MARK: Held

    @Test func aHeldModelWithSeveralListsIsKeptTheSame() {
        let manual = ManualManager()
        let holder = manual.subscriber(album)
        manual.update(Card("s1", 1), Thing("g1", 2), deleting: ["s0", "g0", "cover"])
        var expected = album
        (expected.songs, expected.guests) = ([Card("s1", 1), Card("s2")], [Thing("g1", 2)])
        expected.cover = nil
        #expect(holder.model == expected)
        let updates = ModelUpdates(changed: ["album", "s1", "g1"], deleted: ["s0", "g0", "cover"])
        #expect(holder.hearing.updates == [updates])
    }

    @Test func aHeldModelThatSaysItselfWhatItIsMadeOfIsKeptTheSame() {
        let manual = ManualManager()
        let holder = manual.subscriber(Group(id: "g", members: [Thing("a", 0, [Thing("c")]), Thing("b")]))
        manual.update(Thing("c", 1), Thing("b", 2))
        #expect(holder.model == Group(id: "g", members: [Thing("a", 0, [Thing("c", 1)]), Thing("b", 2)]))
        manual.update(deleting: ["a"])
        manual.update(Thing("b", 3))
        #expect(holder.model == Group(id: "g", members: [Thing("b", 3)]))
    }

    @Test func equalModelsMayStandForEachOther() {
        #expect(album.isInterchangeable(with: album))
        #expect(!album.isInterchangeable(with: Card("album")))
        #expect(!Link("0").isInterchangeable(with: Link("0")))
    }
}

/// A model with several lists, between which there are single parts.
private struct Album: ConsistentModel, Equatable {
    var title = "title"
    var songs: [Card]
    var cover: Card?
    var label: Card
    var guests: [Thing]
    var modelID: ModelID? { "album" }
    static let children: [ModelChild<Album>] = [
        .many(\.songs), .one(\.cover), .one(\.label), .many(\.guests),
    ]
}
