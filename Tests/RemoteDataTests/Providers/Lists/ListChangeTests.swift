import RemoteDataTesting
import Testing

@testable import RemoteData

@Suite struct ListChangeTests {
    private let mixed = ListChange.changes([
        .delete(4), .update(2), .delete(1), .insert(0), .insert(3), .insert(4),
    ])

    @Test func whoeverIsNotToldForLongIsToldOfAnotherList() {
        let many = ListChange.changes(Array(repeating: .update(0), count: ListChange.stepLimit))
        #expect(ListChange.changes([]).followed(by: many) == many)
        #expect(many.followed(by: .changes([])) == many)
        #expect(many.followed(by: .changes([.delete(0)])) == .reset)
        #expect(ListChange.reset.followed(by: .changes([.insert(0)])) == .reset)
    }

    @Test func insertionsAreCounted() {
        #expect(mixed.insertedCount == 3)
        #expect(ListChange.changes([]).insertedCount == 0)
        #expect(ListChange.reset.insertedCount == nil)
    }

    @Test func deletionsAreCounted() {
        #expect(mixed.deletedCount == 2)
        #expect(ListChange.updated(0).deletedCount == 0)
        #expect(ListChange.reset.deletedCount == nil)
    }

    @Test func theDifferenceOfBothIsKnown() {
        #expect(mixed.countChange == 1)
        #expect(ListChange.deleted(3).countChange == -1)
        #expect(ListChange.updated(3).countChange == 0)
        #expect(ListChange.reset.countChange == nil)
    }

    @Test func changesAreEqualIfTheirStepsAre() {
        #expect(ListChange.inserted(1) == .changes([.insert(1)]))
        #expect(ListChange.inserted(1) != .inserted(2))
        #expect(ListChange.inserted(1) != .updated(1))
        #expect(ListChange.reset != .changes([]))
    }

    // MARK: Two versions of one list

    @Test func whatMakesOneVersionOfAnotherIsFoundForAnyTwo() async {
        let faults = await Campaign.faults(in: Campaign.size(quick: 2_000)) {
            Versions.fault(seed: UInt64($0))
        }
        #expect(faults.isEmpty, "\(faults)")
    }

    @Test func equalVersionsDifferInNothing() {
        let list = Versions.contents([1, 2], [Song("a"), Song("b")])
        #expect(ListChange(from: list, to: list) == .changes([]))
    }

    @Test func anotherListAltogetherIsAReset() {
        let old = Versions.contents([1, 2], [Song("a"), Song("b")])
        #expect(ListChange(from: old, to: Versions.contents([3], [Song("a")])) == .reset)
    }

    @Test func anotherListThatSaysTheSameIsNoChange() {
        let old = Versions.contents([1, 2], [Song("a"), Song("b")])
        #expect(
            ListChange(from: old, to: Versions.contents([3, 4], [Song("a"), Song("b")])) == .changes([])
        )
    }
}

/// Two versions of one list, generated.
private enum Versions {
    static func contents(_ keys: [Int], _ songs: [Song]) -> SharedList<Song>.Contents {
        var contents = SharedList<Song>.Contents()
        for (place, key) in keys.enumerated() { contents.keys.insert(key..<key + 1, at: place) }
        contents.models = ModelList(songs)
        return contents
    }

    static func fault(seed: UInt64) -> String? {
        var random = SeededGenerator(seed: seed)
        let count = random.number(0..<8)
        let old = Array(0..<count)
        var new = old.filter { _ in !random.chance(3) }
        for key in 0..<random.number(0..<4) { new.insert(100 + key, at: random.number(0..<new.count + 1)) }
        let oldSongs = old.map { Song("\($0)") }
        let newSongs = new.map { Song("\($0)", random.chance(3) ? 1 : 0) }
        let change = ListChange(from: contents(old, oldSongs), to: contents(new, newSongs))
        if old == new, oldSongs == newSongs { return change == .changes([]) ? nil : "\(change)" }
        let isAnother = !old.isEmpty && !new.isEmpty && Set(old).isDisjoint(with: new)
        if isAnother { return change == .reset ? nil : "\(old) to \(new): \(change)" }
        if change == .reset { return "\(old) to \(new) was a reset" }
        let mirror = ListMirror()
        mirror.show(ModelList(oldSongs))
        mirror.apply(change)
        return mirror.check(ModelList(newSongs)).map { "\(old) to \(new): \(change): \($0)" }
    }
}
