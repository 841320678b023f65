// Holders that are told nothing for a while.
extension ConsistencyCore {
    /// Tells a holder nothing any more.
    ///
    /// - Parameters:
    ///   - holding: The holder.
    ///   - base: The model as it was told last.
    mutating func pause(_ holding: Holding, _ base: (any ConsistentModel)?) {
        guard !holding.isPaused else { return }
        setPaused(true, holding)
        // What it was to be told and is not counts as well.
        let unknown = unknownDeletions(base, deletedInPause(holding), theirs: holding.tree?.model)
        let isSame = base.flatMap { base in holding.tree?.model.map { $0.isSame(as: base) } } ?? (base == nil)
        holding.base = base
        holding.deletedWhilePaused = unknown
        holding.hasGoneInPause = false
        holding.context = isSame ? .none : holding.tree?.context ?? deletions.last?.context ?? .none
    }

    private mutating func setPaused(_ isPaused: Bool, _ holding: Holding) {
        let tree = holding.tree
        leave(holding, keepsTree: true)
        holding.isPaused = isPaused
        if let tree { enter(tree, holding) }
    }

    /// Tells a holder what has become of its model in the end.
    mutating func resume(_ holding: Holding, _ telling: inout Telling) {
        guard holding.isPaused else { return }
        let (base, model, deleted) = (holding.base, holding.tree?.model, holding.deletedWhilePaused)
        setPaused(false, holding)
        (holding.base, holding.resumedAt) = (nil, telling.time)
        // What was waited for, and has come and gone, is not waited for any more.
        let isOver = base == nil && model == nil && holding.hasGoneInPause
        guard let updates = isOver ? ModelUpdates() : Self.netUpdates(base, model, deleted) else {
            return holding.deletedWhilePaused = []
        }
        telling.context = holding.context
        telling.parts.append(
            Telling.Part(
                listenings: [holding.listening],
                places: [],
                old: base.map { share($0) },
                model: model.map { share($0) },
                updates: updates
            )
        )
    }

    /// What was deleted while a holder was paused, and it has not been told yet.
    func deletedInPause(_ holding: Holding) -> Set<ModelID> {
        holding.isPaused || holding.resumedAt > toldUntil ? holding.deletedWhilePaused : []
    }

    /// What has become of a model in the end; nil for nothing.
    static func netUpdates(
        _ base: (any ConsistentModel)?,
        _ model: (any ConsistentModel)?,
        _ deleted: Set<ModelID>
    ) -> ModelUpdates? {
        switch (base, model) {
        case (nil, nil): return nil
        // What was waited for has come.
        case (nil, let model?): return ModelUpdates(changed: Set([model.modelID].compactMap(\.self)))
        case (let base?, nil): return ModelUpdates(deleted: deleted.intersection(base.byID.keys))
        case (let base?, let model?):
            if model.isSame(as: base) { return nil }
            let gone =
                deleted.isEmpty ? [] : deleted.intersection(base.byID.keys).subtracting(model.byID.keys)
            // One that has another id has changed as both.
            let ids = base.modelID == model.modelID ? [] : [base.modelID, model.modelID].compactMap(\.self)
            return ModelUpdates(changed: base.changes(to: model).union(ids), deleted: gone)
        }
    }
}
