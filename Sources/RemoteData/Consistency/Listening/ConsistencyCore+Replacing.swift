// Models that holders put in the place of theirs.
extension ConsistencyCore {
    /// Takes note of what a holder has in the place of its model, together with what has become of that and it does not know yet.
    ///
    /// - Returns: Both put together; nil for none.
    @discardableResult mutating func replace(
        _ holding: Holding,
        _ base: (any ConsistentModel)?,
        _ mine: (any ConsistentModel)?,
        _ telling: inout Telling
    ) -> (any ConsistentModel)? {
        guard !holding.listening.hasEnded else {
            remove(holding)
            return mine
        }
        let tree = holding.tree
        telling.context = tree?.context ?? holding.farewell ?? .none
        if holding.isPaused { holding.base = mine }
        guard let mine else {
            leave(holding)
            return nil
        }
        let unknown = unknownDeletions(base, deletedInPause(holding), theirs: tree?.model)
        if tree?.model == nil, !unknown.isEmpty, holding.farewell == nil {
            telling.context = deletions.last?.context ?? .none
        }
        let result = putTogether(base, mine, theirs: tree?.model, without: unknown)
        let model = result.model.map { share($0) }
        if let model { hold(model, holding, &telling) } else { leave(holding) }
        guard !holding.isPaused, result.model == nil || holding.tree != nil, !result.updates.isEmpty else {
            return result.model
        }
        telling.parts.append(
            Telling.Part(
                listenings: [holding.listening],
                places: [],
                old: share(mine),
                model: model,
                updates: result.updates
            )
        )
        return result.model
    }

    /// Two versions of a model put together, without what was deleted.
    ///
    /// - Returns: The model, nil when it cannot be, and what is not as in mine; nothing when it is just that.
    mutating func putTogether(
        _ base: (any ConsistentModel)?,
        _ mine: any ConsistentModel,
        theirs: (any ConsistentModel)?,
        without deleted: Set<ModelID>
    ) -> (model: (any ConsistentModel)?, updates: ModelUpdates) {
        var model = mine
        if let base, let theirs, !theirs.isSame(as: base) {
            model = ModelMerge.merged(base: base, mine: mine, theirs: theirs)
        }
        var gone: Set<ModelID> = []
        if !deleted.isEmpty {
            let numbers = Set(deleted.map { graph.numbers.number(of: $0) })
            let result = try? ProjectedRebuild.run(
                model,
                { numbers.contains($0) ? .gone : nil },
                graph.numbers
            )
            if let result {
                gone = result.updates.deleted
                guard let remaining = result.model else { return (nil, ModelUpdates(deleted: gone)) }
                model = remaining
            }
        }
        guard !model.isSame(as: mine) else { return (mine, ModelUpdates()) }
        let changed = mine.changes(to: model)
        // Without an id nothing of it has a name, but it is not the same.
        return (
            model, ModelUpdates(changed: changed, deleted: gone.union(deleted.intersection(mine.byID.keys)))
        )
    }

    /// What was deleted from a model that somebody holds, without their knowing, and has not come back since.
    func unknownDeletions(
        _ base: (any ConsistentModel)?,
        _ others: Set<ModelID> = [],
        theirs: (any ConsistentModel)?
    ) -> Set<ModelID> {
        guard let base, !deletions.isEmpty || !others.isEmpty else { return [] }
        let gone = deletions.reduce(others) { $0.union($1.ids) }.intersection(base.byID.keys)
        guard !gone.isEmpty, let theirs else { return gone }
        return gone.subtracting(theirs.byID.keys)
    }
}
