/// Which rows are made of which models, as they were when they were looked at last.
struct PartIndex: Sendable {
    private var rows: [ModelID: Set<RowID>] = [:]
    private var count = 0
    /// How many entries there may be before those are forgotten that are not true any more.
    private var limit = Int.max

    /// Whether so much of it may not be true any more that it is better made anew.
    var isCrowded: Bool { count > limit }

    /// All that there is has been noted.
    mutating func settle() { limit = 4_096 + 2 * count }

    /// Takes note of what a row is made of, besides what was known of it.
    ///
    /// - Complexity: O(n) for n models that the row is made of.
    mutating func add(_ row: RowID, _ model: any ConsistentModel) {
        var levels = 0
        model.walk { part in
            levels += 1
            // One that is a part of itself has no end.
            guard levels <= ModelTree.levelLimit else { return false }
            if levels > 1, let id = part.modelID, rows[id, default: []].insert(row).inserted { count += 1 }
            return true
        }
    }

    /// A row is not made of a model.
    mutating func remove(_ row: RowID, from part: ModelID) {
        guard rows[part]?.remove(row) != nil else { return }
        count -= 1
        if rows[part]?.isEmpty ?? false { rows[part] = nil }
    }

    /// The rows that may be made of one of some models, with those of them that they may be made of.
    func rows(with parts: some Sequence<ModelID>) -> [RowID: [ModelID]] {
        var found: [RowID: [ModelID]] = [:]
        for part in parts {
            for row in rows[part] ?? [] { found[row, default: []].append(part) }
        }
        return found
    }
}
