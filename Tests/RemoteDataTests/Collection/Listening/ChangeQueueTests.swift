import RemoteDataTesting
import Testing

@testable import RemoteData

/// What waits for a slow reader, in each of the ways it can be asked for.
@Suite struct ChangeQueueTests {
    private typealias Change = CollectionChange<Person>

    private func change(_ type: EventType, _ id: String, _ name: String = "", own: Bool = false) -> Change {
        let rows = type == .deleted ? [] : [Person(id: id, name: name)]
        return Change(type, rows: rows, ids: [.text(id)], isOwn: own, revision: Revision(Int64(name.count)))
    }

    private func bulk(_ ids: [String], removed: Int) -> Change {
        Change(
            type: .bulkDeleted,
            rows: [],
            ids: ids.map { .text($0) },
            inserted: [],
            removedRanges: [0..<removed],
            updated: [],
            moved: [],
            isOwn: false,
            revision: nil
        )
    }

    private func summary(_ changes: [Change]) -> [String] {
        changes.map { change in
            let ids = change.ids.map(\.description).joined()
            return "\(change.type) \(ids)\(change.rows.map(\.name).joined())\(change.hasMissed ? "!" : "")"
        }
    }

    /// A queue whose reader knows every row it was not told of.
    private func followed(_ policy: ChangeBuffering) -> any ChangeQueue<Change> {
        var queue = policy.queue(of: Person.self)
        _ = queue.takeAll()
        return queue
    }

    private func taken(_ changes: [Change], _ policy: ChangeBuffering) -> [String] {
        var queue = followed(policy)
        for change in changes { queue.add(change) }
        defer { #expect(queue.isEmpty) }
        return summary(queue.takeAll())
    }

    @Test func aFullBufferBecomesOneGap() {
        let three = ["a", "b", "c"].map { change(.created, $0) }
        #expect(taken(three, .buffer(3)) == ["created a", "created b", "created c"])
        #expect(taken(three, .buffer(2)) == ["dataLoaded !"])
        #expect(taken(three + [change(.created, "d")], .buffer(2)) == ["dataLoaded !", "created d"])
        #expect(taken(three, .buffer(-5)) == ["dataLoaded !"])
    }

    @Test func theLatestTellsWhetherItIsTheOnlyOne() {
        #expect(taken([change(.created, "a")], .latest) == ["created a"])
        #expect(taken([change(.created, "a"), change(.deleted, "b")], .latest) == ["deleted b!"])
        var queue = followed(.latest)
        queue.add(change(.created, "a"))
        queue.add(change(.created, "b"))
        _ = queue.takeAll()
        queue.add(change(.created, "c"))
        #expect(summary(queue.takeAll()) == ["created c"])
    }

    @Test(arguments: [
        ([EventType.created, .updated], ["created a2"]),
        ([.created, .deleted], []),
        ([.created, .updated, .deleted], []),
        ([.updated, .updated], ["updated a2"]),
        ([.updated, .deleted], ["deleted a1"]),
        ([.deleted, .created], ["updated a2"]),
        ([.deleted, .created, .deleted], ["deleted a2"]),
        ([.created, .deleted, .created], ["created a3"]),
    ])
    func changesOfARowBecomeOne(types: [EventType], expected: [String]) {
        let changes = types.enumerated().map { change($1, "a", "\($0 + 1)") }
        #expect(taken(changes, .coalescing(limit: 10)) == expected)
    }

    /// The reader knows the row by the id it had when it was last told of it.
    @Test func aRowWithAnotherIDIsOneRow() {
        func renamed(_ old: String, _ new: String) -> Change {
            var change = change(.updated, new, "12")
            change.formerIDs = [.text(new): .text(old)]
            return change
        }
        let twice = [renamed("a", "b"), renamed("b", "c")]
        var queue = followed(.coalescing(limit: 10))
        for change in twice { queue.add(change) }
        #expect(queue.takeAll().map(\.formerIDs) == [["c": "a"]])
        #expect(taken(twice, .coalescing(limit: 10)) == ["updated c12"])
        #expect(taken([change(.created, "a")] + twice, .coalescing(limit: 10)) == ["created c12"])
        let gone = [change(.created, "a")] + twice + [change(.deleted, "c")]
        #expect(taken(gone, .coalescing(limit: 10)) == [])
        #expect(taken(twice + [change(.deleted, "c")], .coalescing(limit: 10)) == ["deleted a12"])
    }

    /// Who has read a change has read all that were made before it.
    @Test func rowsComeInTheOrderOfTheirLastChange() {
        let changes = [
            change(.created, "a", "1"), change(.updated, "b", "1"), change(.updated, "a", "2"),
            change(.deleted, "c"),
        ]
        #expect(taken(changes, .coalescing(limit: 10)) == ["updated b1", "created a2", "deleted c"])
    }

    /// An id that a row has given up and another one has taken is two rows to the reader.
    @Test func aRowWithTheFormerIDOfAnotherIsAGap() {
        var renamed = change(.updated, "b", "1")
        renamed.formerIDs = ["b": "a"]
        let changes = [renamed, change(.created, "a", "2")]
        #expect(taken(changes, .coalescing(limit: 10)) == ["updated b1", "created a2"])
        let unclear = changes + [change(.updated, "b", "3")]
        #expect(taken(unclear, .coalescing(limit: 10)) == ["dataLoaded !"])
    }

    @Test func whatIsOwnAndTheRevisionAreOfAllChangesOfARow() throws {
        var queue = followed(.coalescing(limit: 10))
        queue.add(change(.created, "a", "1", own: true))
        queue.add(change(.updated, "a", "12", own: true))
        queue.add(change(.created, "b", "1", own: true))
        queue.add(change(.updated, "b", "123"))
        let changes = queue.takeAll()
        #expect(changes.map(\.isOwn) == [true, false])
        #expect(changes.map(\.revision?.rawValue) == [2, 3])
    }

    @Test func changesOfTooManyRowsBecomeOneGap() {
        let three = ["a", "b", "c"].map { change(.updated, $0, "1") }
        #expect(taken(three, .coalescing(limit: 2)) == ["dataLoaded !"])
        #expect(taken(three + three, .coalescing(limit: 3)) == ["updated a1", "updated b1", "updated c1"])
        let after = three + [change(.updated, "d", "1")]
        #expect(taken(after, .coalescing(limit: 2)) == ["dataLoaded !", "updated d1"])
    }

    @Test func aBulkDeletionIsOneOfEachWhereAllAreKnown() {
        let before = [change(.created, "a", "1"), change(.updated, "b", "1")]
        let known = before + [bulk(["a", "b", "c"], removed: 3)]
        #expect(taken(known, .coalescing(limit: 10)) == ["deleted b1", "deleted c"])
        #expect(taken(before + [bulk(["a"], removed: 2)], .coalescing(limit: 10)) == ["dataLoaded !"])
    }

    @Test func beingReadAnewTakesThePlaceOfAll() {
        let loaded = Change(.dataLoaded, rows: [], ids: [], isOwn: false, revision: nil)
        let changes = [change(.created, "a"), loaded, change(.created, "b")]
        #expect(taken(changes, .coalescing(limit: 10)) == ["dataLoaded ", "created b"])
        let gap = ["a", "b", "c"].map { change(.created, $0) } + [loaded]
        #expect(taken(gap, .coalescing(limit: 2)) == ["dataLoaded !"])
    }

    @Test func aRowThatTheReaderMayHaveMetIsDeleted() {
        var queue = ChangeBuffering.coalescing(limit: 10).queue(of: Person.self)
        queue.add(change(.created, "a"))
        queue.add(change(.deleted, "a"))
        #expect(summary(queue.takeAll()) == ["deleted a"])
        queue.add(.gap)
        _ = queue.takeAll()
        // Now it looks at the collection.
        queue.add(change(.created, "b"))
        queue.add(change(.deleted, "b"))
        #expect(summary(queue.takeAll()) == ["deleted b"])
        queue.add(change(.created, "c"))
        queue.add(change(.deleted, "c"))
        #expect(queue.takeAll().isEmpty)
    }

    @Test func rowsThatComeAndGoWithoutEndTakeNoRoom() {
        var queue = ChangesByRow<Person>(limit: 10)
        _ = queue.takeAll()
        for number in 0..<10_000 {
            queue.add(change(.created, "\(number)"))
            queue.add(change(.deleted, "\(number)"))
        }
        #expect(queue.isEmpty)
        let parts = Mirror(reflecting: queue).children.compactMap { $0.value as? any Collection }
        #expect(!parts.isEmpty)
        #expect(parts.allSatisfy { $0.isEmpty })
    }

    @Test(arguments: [
        ChangeBuffering.buffer(1), .buffer(5), .latest, .coalescing(limit: 1), .coalescing(limit: 4),
        .coalescing(limit: 100),
    ])
    func aReplicaThatLooksAgainWhereItMissedSomethingIsRight(policy: ChangeBuffering) {
        for seed in 0..<UInt64(Campaign.size(quick: 400)) {
            var replica = ReplicaHistory(seed: seed, policy)
            if let fault = replica.fault() {
                Issue.record("seed \(seed): \(fault)\n\(replica.trail.joined(separator: "\n"))")
                return
            }
        }
    }
}

/// A reader that keeps the rows by what it is told, and looks at the collection where it has to.
private struct ReplicaHistory {
    private var random: SeededGenerator
    private var queue: any ChangeQueue<CollectionChange<Person>>
    private var rows: [RowID: String] = [:]
    private var replica: [RowID: String] = [:]
    private var batch: ArraySlice<CollectionChange<Person>> = []
    private var hasBegun = false
    private(set) var trail: [String] = []

    init(seed: UInt64, _ policy: ChangeBuffering) {
        random = SeededGenerator(seed: seed)
        queue = policy.queue(of: Person.self)
    }

    mutating func fault() -> String? {
        for step in 0..<random.number(1..<60) { random.chance(3) ? read() : write(step) }
        while !batch.isEmpty || !queue.isEmpty || !hasBegun { read() }
        return replica == rows ? nil : "\(replica) where \(rows) is"
    }

    private mutating func write(_ step: Int) {
        let id = "\(random.number(0..<6))"
        let key = RowID.text(id)
        if random.chance(12) {
            let gone = rows.keys.sorted { $0.description < $1.description }
            let known = random.chance(2) ? gone : Array(gone.dropFirst())
            queue.add(
                CollectionChange(
                    type: .bulkDeleted,
                    rows: [],
                    ids: known,
                    inserted: [],
                    removedRanges: [0..<gone.count],
                    updated: [],
                    moved: [],
                    isOwn: false,
                    revision: nil
                )
            )
            rows = [:]
            // A reader that keeps ids has to look again when it does not know which went.
            return trail.append("bulk deletion of \(known) of \(gone)")
        }
        let old = rows[key]
        let name = old != nil && random.chance(2) ? nil : "\(step)"
        guard old != nil || name != nil else { return }
        rows[key] = name
        let type: EventType = name == nil ? .deleted : old == nil ? .created : .updated
        let person = name.map { [Person(id: id, name: $0)] } ?? []
        queue.add(CollectionChange(type, rows: person, ids: [key], isOwn: false, revision: nil))
        trail.append("\(type) \(id) \(name ?? "")")
    }

    private mutating func read() {
        guard hasBegun else {
            hasBegun = true
            replica = rows
            return trail.append("begins with \(rows)")
        }
        if batch.isEmpty { batch = queue.takeAll()[...] }
        guard let change = batch.popFirst() else { return }
        let isUnknown = change.type == .bulkDeleted && change.removed.count != change.ids.count
        if change.type == .dataLoaded || change.hasMissed || isUnknown {
            // Others write before it comes to look.
            while random.chance(2) { write(1_000 + trail.count) }
            replica = rows
            return trail.append("looks: \(rows)")
        }
        for id in change.ids { replica[id] = change.type == .deleted ? nil : change.rows.first?.name }
        trail.append("takes \(change.type) \(change.ids)")
    }
}
