// What is not told yet, so that it does not grow for as long as the delivery queue stands still.
extension Telling {
    /// What is to be told, in order, so that each listener is told once.
    ///
    /// It is told of its model as it is in the end, with all that has become of it meanwhile. So is who listens to all, of each model.
    ///
    /// - Complexity: O(n) for n listeners that are to be told of something, in each of them.
    static func folded(_ tellings: [Telling]) -> [Telling] {
        var folding = Folding()
        // From the last one back: what is told later counts.
        var folded = tellings.reversed().map { folding.fold($0) }
        // The last one says up to when all is told.
        folded.removeAll { $0.isEmpty && $0.time != tellings.last?.time }
        // Of the older parts only what has become of their models is kept, with the later ones.
        for index in folded.indices {
            folded[index].parts = folded[index].parts.flatMap { folding.completed($0) }
        }
        return folded.reversed()
    }
}

private struct Folding {
    private struct PlaceKey: Hashable {
        let list: ObjectIdentifier
        let key: Int
    }

    /// What was told to each listener before its last part, from the last one back.
    private var pasts: [ObjectIdentifier: [Telling.Part]] = [:]
    private var places: Set<PlaceKey> = []
    private var models: Set<ModelID> = []
    private var errorCount = 0

    /// How many errors are kept, the last ones.
    private static var errorLimit: Int { 100 }

    /// Takes out what is told later anyway.
    mutating func fold(_ telling: Telling) -> Telling {
        var folded = telling
        folded.parts = telling.parts.reversed().compactMap { fold($0) }.reversed()
        folded.changes = telling.changes.filter { models.insert($0.key).inserted }
        folded.errors = telling.errors.suffix(Self.errorLimit - errorCount)
        errorCount += folded.errors.count
        return folded
    }

    private mutating func fold(_ part: Telling.Part) -> Telling.Part? {
        var rest = part
        rest.listenings = part.listenings.filter { listening in
            let isLast = pasts[ObjectIdentifier(listening)] == nil
            pasts[ObjectIdentifier(listening), default: []] += isLast ? [] : [part]
            return isLast
        }
        rest.places = part.places.filter { place in
            places.insert(PlaceKey(list: ObjectIdentifier(place.list), key: place.place.key)).inserted
        }
        return rest.listenings.isEmpty && rest.places.isEmpty ? nil : rest
    }

    /// A part with what was told before to its listeners: one part for each of those who were told something.
    ///
    /// Where a listener has put another model in the place of its own meanwhile, more may be said to have changed than has.
    func completed(_ part: Telling.Part) -> [Telling.Part] {
        var rest = part
        rest.listenings = []
        var parts: [Telling.Part] = []
        for listening in part.listenings {
            let past = pasts[ObjectIdentifier(listening)] ?? []
            guard let first = past.last else {
                rest.listenings.append(listening)
                continue
            }
            let deleted = past.reduce(part.updates.deleted) { $0.union($1.updates.deletedIDs) }
            guard let updates = ConsistencyCore.netUpdates(first.old, part.model?.model, deleted) else {
                continue
            }
            var own = part
            (own.listenings, own.places, own.old, own.updates) = ([listening], [], first.old, updates)
            parts.append(own)
        }
        return rest.listenings.isEmpty && rest.places.isEmpty ? parts : parts + [rest]
    }
}
