// What is not told yet, so that it does not grow for as long as the delivery queue stands still.
extension Telling {
    /// What is to be told, in order, so that each listener is told once between any two who wait for what comes before.
    ///
    /// It is told of its model as it is in the end, with all that has become of it meanwhile. So is who listens to all, of each model.
    ///
    /// - Complexity: O(n) for n listeners that are to be told of something, in each of them.
    static func folded(_ tellings: [Telling]) -> [Telling] {
        var folded: [Telling] = []
        var folding = Folding()
        // From the last one back: what is told later counts.
        for telling in tellings.reversed() {
            folding.add(telling)
            guard telling.waiter != nil else { continue }
            folded += folding.result
            folding = Folding(errorCount: folding.errorCount)
        }
        folded += folding.result
        // The last one says up to when all is told.
        folded.removeAll { $0.isEmpty && $0.time != tellings.last?.time }
        return folded.reversed()
    }
}

private struct Folding {
    private struct PlaceKey: Hashable {
        let list: ObjectIdentifier
        let key: Int
    }

    /// What was told to a listener before its last part.
    private struct Past: Hashable {
        /// The number of the first part.
        var first: Int
        var deleted: Set<ModelID>
    }

    /// From the last one back.
    private var tellings: [Telling] = []
    private var partCount = 0
    /// The models that parts were about before, by the numbers of the parts.
    private var oldModels: [Int: any SharedModel] = [:]
    private var listeners: Set<ObjectIdentifier> = []
    /// Of those that are to be told more than once.
    private var pasts: [ObjectIdentifier: Past] = [:]
    private var places: Set<PlaceKey> = []
    /// Which of the tellings says what has become of a model.
    private var newsPlaces: [ModelID: Int] = [:]
    /// The models that what was said before does not matter of.
    private var closed: Set<ModelID> = []
    private(set) var errorCount: Int

    /// How many errors are kept, the last ones.
    private static var errorLimit: Int { 100 }

    /// - Parameter errorCount: How many errors are kept already.
    init(errorCount: Int = 0) { self.errorCount = errorCount }

    /// What is left, from the last one back.
    ///
    /// Of the older parts only what has become of their models is kept, with the later ones.
    var result: [Telling] {
        tellings.map { telling in
            var completed = telling
            completed.parts = telling.parts.flatMap(self.completed)
            return completed
        }
    }

    /// Takes what is told in front of the others, without what is told later anyway.
    mutating func add(_ telling: Telling) {
        var folded = telling
        folded.parts = telling.parts.reversed().compactMap { rest(of: $0, telling.time) }.reversed()
        folded.changes = telling.changes.filter { isLast($0.key, $0.value) }
        folded.errors = telling.errors.suffix(Self.errorLimit - errorCount)
        errorCount += folded.errors.count
        tellings.append(folded)
    }

    // MARK: Parts

    private mutating func rest(of part: Telling.Part, _ time: UInt64) -> Telling.Part? {
        let number = partCount
        partCount += 1
        var rest = part
        rest.listenings = part.listenings.filter { isLast($0, part, number, time) }
        rest.places = part.places.filter { place in
            guard !place.list.hasEnded else { return false }
            return places.insert(PlaceKey(list: ObjectIdentifier(place.list), key: place.place.key)).inserted
        }
        return rest.listenings.isEmpty && rest.places.isEmpty ? nil : rest
    }

    /// Whether a listener is told nothing later.
    private mutating func isLast(
        _ listening: Listening,
        _ part: Telling.Part,
        _ number: Int,
        _ time: UInt64
    ) -> Bool {
        // What it will not be told is not where it starts from either.
        guard !listening.hasEnded, !listening.view(at: time).isDeaf else { return false }
        let id = ObjectIdentifier(listening)
        guard !listeners.insert(id).inserted else { return true }
        oldModels[number] = part.old
        let deleted = pasts[id]?.deleted ?? []
        pasts[id] = Past(first: number, deleted: deleted.union(part.updates.deletedIDs))
        return false
    }

    /// A part with what was told before to its listeners: one part for all who were told the same.
    private func completed(_ part: Telling.Part) -> [Telling.Part] {
        var rest = part
        rest.listenings = []
        // Nil for those to whom all is as it was.
        var (parts, groups): ([Telling.Part?], [Past: Int]) = ([], [:])
        for listening in part.listenings {
            guard let past = pasts[ObjectIdentifier(listening)] else {
                rest.listenings.append(listening)
                continue
            }
            if let group = groups[past] {
                parts[group]?.listenings.append(listening)
            } else {
                groups[past] = parts.count
                parts.append(completed(part, listening, past))
            }
        }
        return rest.listenings.isEmpty && rest.places.isEmpty
            ? parts.compactMap(\.self) : parts.compactMap(\.self) + [rest]
    }

    private func completed(_ part: Telling.Part, _ listening: Listening, _ past: Past) -> Telling.Part? {
        let old = oldModels[past.first]
        let deleted = past.deleted.union(part.updates.deletedIDs)
        // What was waited for, and has come and gone, is not waited for any more.
        let isOver = old == nil && part.model == nil
        let net = isOver ? part.updates : ConsistencyCore.netUpdates(old?.model, part.model?.model, deleted)
        guard let net else { return nil }
        var own = part
        (own.listenings, own.places, own.old, own.updates) = ([listening], [], old, net)
        return own
    }

    // MARK: News

    /// Whether nothing is told of a model later; otherwise what other types said is told with that.
    private mutating func isLast(_ id: ModelID, _ news: ModelNews) -> Bool {
        guard let place = newsPlaces[id] else {
            newsPlaces[id] = tellings.count
            if case .deleted = news { closed.insert(id) }
            return true
        }
        guard !closed.contains(id) else { return false }
        guard case .updated(let versions) = news, case .updated(let later) = tellings[place].changes[id]
        else {
            closed.insert(id)
            return false
        }
        let others = versions.filter { version in !later.contains { type(of: $0) == type(of: version) } }
        tellings[place].changes[id] = .updated(others + later)
        return false
    }
}
