// What becomes of trees when some of their models do.
extension ConsistencyGraph {
    /// Where trees hold something of what is told.
    func hits(_ posted: PostedModels) -> ContiguousArray<TreeRebuild.Hit> {
        var hits: ContiguousArray<TreeRebuild.Hit> = []
        for (fate, id) in posted.ids.enumerated() {
            numbers.forEachHolder(of: id) { holder in
                hits.append(TreeRebuild.Hit(holder.tree, holder.position, fate: fate))
                guard let tree = tree(holder.tree), !tree.repeats.isEmpty else { return }
                var position = holder.position
                while let next = tree.repeats[position] {
                    hits.append(TreeRebuild.Hit(holder.tree, next, fate: fate))
                    position = next
                }
            }
        }
        if hits.count > 1 { hits.sort { $0.home < $1.home } }
        return hits
    }

    /// Applies what is told to a tree that holds some of it.
    ///
    /// The caller sweeps the numbers.
    ///
    /// - Parameters:
    ///   - number: The tree's number.
    ///   - hits: Where, in the order of positions.
    ///   - posted: What is told.
    /// - Returns: What the tree has become; nil when nothing has changed.
    /// - Throws: When it would become a part of itself; it stays as it is then.
    /// - Complexity: The way from what is told to the root; that of laying out the tree where it is made of other models than it was.
    mutating func settle(
        _ number: Int32,
        _ hits: ContiguousArray<TreeRebuild.Hit>.SubSequence,
        _ posted: PostedModels
    ) throws(ModelTree.Problem) -> Effect? {
        guard let tree = tree(number) else { return nil }
        guard let old = tree.shared else { return try arrive(tree, hits, posted) }
        let result: TreeRebuild.Result
        switch scratch.run(tree, hits, posted, numbers) {
        case .same: return nil
        case .changed(let changed): result = changed
        case .isProjected:
            guard let changed = try ProjectedRebuild.run(old.model, { posted.fate($0) }, numbers) else {
                return nil
            }
            result = TreeRebuild.Result(
                model: changed.model.map { share($0) },
                updates: changed.updates,
                keepsShape: false
            )
        }
        if let model = result.model {
            if result.keepsShape { tree.replace(model) } else { try replace(tree, model) }
        }
        return Effect(
            tree: tree,
            old: old,
            model: result.model,
            updates: result.updates,
            twin: hits.first?.position == 0 ? twin(of: tree) : nil
        )
    }

    /// A tree that holds the same as one of which the root is another.
    private func twin(of tree: ModelTree) -> ModelTree? {
        guard let root = tree.positions.first?.id, root >= 0, let model = tree.model else { return nil }
        return twin(of: model, root, besides: tree.number)
    }

    /// A model that was waited for has come.
    private mutating func arrive(
        _ tree: ModelTree,
        _ hits: ContiguousArray<TreeRebuild.Hit>.SubSequence,
        _ posted: PostedModels
    ) throws(ModelTree.Problem) -> Effect? {
        guard let hit = hits.first, case .newer(let newer) = posted.fates[hit.fate],
            let version = (newer.others + [newer.model]).last(where: { tree.isAwaited($0) }),
            let id = version.modelID
        else { return nil }
        let model = share(newer.version(of: version))
        try replace(tree, model)
        return Effect(
            tree: tree,
            old: nil,
            model: model,
            updates: ModelUpdates(changed: [id]),
            twin: twin(of: tree)
        )
    }
}
