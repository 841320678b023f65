extension ConsistencyCore {
    /// Does something.
    ///
    /// - Parameters:
    ///   - job: What.
    ///   - time: When it was initiated.
    ///   - toldUntil: Up to when whoever asked for it had been told everything.
    ///   - wantsAll: Whether somebody listens to all that is told.
    /// - Returns: What is to be told.
    mutating func run(_ job: Job, at time: UInt64, toldUntil: UInt64, wantsAll: Bool) -> Telling {
        self.toldUntil = toldUntil
        deletions.removeAll { $0.time <= toldUntil }
        var telling = Telling(time: time, context: .none)
        switch job {
        case .update(let models, let deleted, let context):
            telling.context = context
            update(ModelPost(models: models, deleted: deleted), wantsAll: wantsAll, &telling)
        case .derive(let context, let make, let then):
            let post = derived(make)
            telling.waiter = then
            guard !post.isEmpty else { break }
            telling.context = context
            update(post, wantsAll: wantsAll, &telling)
        case .listen(let listening, let model): hold(model, add(listening), &telling)
        case .wait(let listening, let id): wait(for: id, add(listening), &telling)
        case .replace(let listening, let base, let model): replace(add(listening), base, model, &telling)
        case .set(let listening, let base, let model, let context, merged: let noteMerged):
            let merged = replace(add(listening), base, model, &telling)
            if let merged, !merged.isSame(as: model) { noteMerged?(merged) }
            telling.context = context
            update(ModelPost(models: [merged ?? model]), wantsAll: wantsAll, &telling)
        case .adopt(let listening, let model): adopt(add(listening), model, &telling)
        case .pause(let listening, let base): if !listening.hasEnded { pause(add(listening), base) }
        case .resume(let listening): if let holding = holding(listening) { resume(holding, &telling) }
        case .end(let listening): if let holding = holding(listening) { remove(holding) }
        case .edit(let list, let edits, let posted, let context):
            var models = (0..<posted.count).map(posted.model)
            models += edit(list, edits, &telling)
            telling.context = context
            if !models.isEmpty { update(ModelPost(models: models), wantsAll: wantsAll, &telling) }
        case .endList(let list): removeList(list)
        case .clean: clean()
        case .forgetAll: removeAll()
        case .fail(let error): telling.errors.append(error)
        case .notify(let waiter): telling.waiter = waiter
        }
        graph.numbers.sweep()
        return telling
    }

    // MARK: Updating

    private mutating func update(_ post: ModelPost, wantsAll: Bool, _ telling: inout Telling) {
        let posted: PostedModels
        do throws(ModelTree.Problem) {
            posted = try PostedModels(post, &graph.numbers)
        } catch { return telling.errors.append(Self.error(of: error)) }
        graph.numbers.said.note(posted.ids, at: telling.time)
        if wantsAll { posted.forEach({ telling.changes[$0] = Self.news($1) }, graph.numbers) }
        var hits = graph.hits(posted)[...]
        var hasEffects = false
        var gone = Set(post.deleted)
        telling.parts.reserveCapacity(hits.count)
        while let number = hits.first?.tree {
            let own = hits.prefix { $0.tree == number }
            hits = hits.dropFirst(own.count)
            do throws(ModelTree.Problem) {
                if let effect = try graph.settle(number, own, posted) {
                    hasEffects = true
                    if !effect.updates.deletedIDs.isEmpty { gone.formUnion(effect.updates.deletedIDs) }
                    apply(effect, &telling)
                }
            } catch { telling.errors.append(Self.error(of: error)) }
        }
        guard hasEffects, !gone.isEmpty else { return }
        deletions.append(Deletion(time: telling.time, ids: gone, context: telling.context))
        if deletions.count >= Self.deletionLimit {
            let ids = deletions.reduce(into: Set()) { $0.formUnion($1.ids) }
            deletions = [Deletion(time: telling.time, ids: ids, context: telling.context)]
        }
    }

    private mutating func apply(_ effect: ConsistencyGraph.Effect, _ telling: inout Telling) {
        let tree = effect.tree
        tree.context = telling.context
        if !tree.listenings.isEmpty || !tree.places.isEmpty {
            telling.parts.append(
                Telling.Part(
                    listenings: tree.listenings,
                    places: tree.places,
                    old: effect.old,
                    model: effect.model,
                    updates: effect.updates
                )
            )
        }
        for listening in tree.pausedListenings {
            guard let holding = holding(listening) else { continue }
            holding.context = telling.context
            if !effect.updates.deletedIDs.isEmpty {
                holding.deletedWhilePaused.formUnion(effect.updates.deletedIDs)
            }
        }
        if effect.model == nil {
            moveAll(from: tree, to: nil)
        } else if let twin = effect.twin, twin.model != nil {
            twin.context = telling.context
            moveAll(from: tree, to: twin)
        }
    }

    private static func news(_ fate: PostedModels.Fate) -> ModelNews {
        switch fate {
        case .newer(let newer): .updated(newer.others + [newer.model])
        case .gone: .deleted
        }
    }

    static func error(of problem: ModelTree.Problem) -> RemoteDataError {
        switch problem {
        case .isEndless:
            RemoteDataError(
                .invalidModel,
                "A model has more than \(ModelTree.levelLimit) levels of parts; is it a part of itself?"
            )
        case .isPartOfItself(let id):
            RemoteDataError(
                .invalidModel,
                "The model \(id) is a part of itself, so it cannot be the same everywhere."
            )
        }
    }

    // MARK: Holding

    mutating func hold(_ model: any SharedModel, _ holding: Holding, _ telling: inout Telling) {
        do throws(ModelTree.Problem) {
            let tree = try graph.hold(model)
            guard holding.tree !== tree else { return }
            leave(holding)
            enter(tree, holding)
        } catch {
            // It holds what it held no longer either.
            leave(holding)
            telling.errors.append(Self.error(of: error))
        }
    }

    private mutating func adopt(_ holding: Holding, _ model: any ConsistentModel, _ telling: inout Telling) {
        guard !holding.listening.hasEnded else { return remove(holding) }
        let latest = latest(of: model).map { share($0) }
        hold(latest ?? share(model), holding, &telling)
        if holding.isPaused { holding.base = model }
        guard let latest, holding.tree != nil, !holding.isPaused else { return }
        telling.parts.append(
            Telling.Part(
                listenings: [holding.listening],
                places: [],
                old: share(model),
                model: latest,
                updates: ModelUpdates(changed: model.changes(to: latest.model))
            )
        )
    }

    /// A model with what others hold of it and of what it is made of; nil where that is the same.
    func latest(of model: any ConsistentModel) -> (any ConsistentModel)? {
        let result = try? ProjectedRebuild.run(
            model,
            { id in
                guard graph.numbers.isHeld(id) else { return nil }
                for holder in graph.numbers.someHolders(of: id, atMost: 4) {
                    guard let held = graph.tree(holder.tree)?.model(at: holder.position) else { continue }
                    return .newer(PostedModels.Newer(model: held, part: nil))
                }
                return nil
            },
            graph.numbers
        )
        return result?.model
    }

    private mutating func wait(for id: ModelID, _ holding: Holding, _ telling: inout Telling) {
        leave(holding)
        guard let number = graph.numbers.known(id), let model = held(number, by: holding.listening) else {
            return enter(graph.wait(for: id), holding)
        }
        // Others have it already.
        let shared = share(model)
        hold(shared, holding, &telling)
        guard !holding.isPaused else { return }
        telling.parts.append(
            Telling.Part(
                listenings: [holding.listening],
                places: [],
                old: nil,
                model: shared,
                updates: ModelUpdates(changed: [id])
            )
        )
    }

    /// A model that somebody holds, of the type that a listener wants; of many who hold it only some are looked at.
    private func held(_ number: Int32, by listening: Listening) -> (any ConsistentModel)? {
        for holder in graph.numbers.someHolders(of: number, atMost: 4) {
            let model = graph.tree(holder.tree)?.model(at: holder.position)
            if let model, listening.accepts(model) { return model }
        }
        return nil
    }
}
