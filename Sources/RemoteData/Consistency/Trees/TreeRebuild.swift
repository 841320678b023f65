/// Makes a tree's model anew where some of its parts have changed, along the way from these to its root.
///
/// One serves many trees, one after another, so that its memory is allocated once.
struct TreeRebuild {
    /// A position in a tree that something is told of; they sort by trees, and then by positions.
    struct Hit {
        let home: UInt64
        /// What is told, by its place in ``PostedModels/fates``.
        let fate: Int

        init(_ tree: Int32, _ position: Int32, fate: Int) {
            home = UInt64(UInt32(tree)) << 32 | UInt64(UInt32(position))
            self.fate = fate
        }

        var tree: Int32 { Int32(truncatingIfNeeded: home >> 32) }
        var position: Int32 { Int32(truncatingIfNeeded: home) }
    }

    enum Outcome {
        /// Nothing has changed.
        case same
        case changed(Result)
        /// Parts are described by other types than what is newer: all has to be looked at.
        case isProjected
    }

    struct Result {
        let model: (any SharedModel)?
        let updates: ModelUpdates
        /// Whether the tree has the same ids at the same positions.
        let keepsShape: Bool
    }

    /// A model that has parts that change, or parts of which have such.
    private struct Spot {
        let position: Int32
        /// The spot of what it is a part of; -1 for the root.
        let parent: Int
        let model: any ConsistentModel
        /// What it is made of, where single parts are not found otherwise.
        var parts: ContiguousArray<any ConsistentModel>?
        var change: ModelChange?
        var otherChanges: [ModelChange] = []

        mutating func put(_ change: ModelChange) {
            if self.change == nil { self.change = change } else { otherChanges.append(change) }
        }
    }

    private var spots: ContiguousArray<Spot> = []
    /// The way from the root to where the last hit was, as spots.
    private var path: ContiguousArray<Int> = []
    private var chain: ContiguousArray<Int32> = []
    private var models: ContiguousArray<any ConsistentModel> = []
    private var changes: [ModelChange] = []
    private var changed: ContiguousArray<(position: Int32, id: ModelID)> = []
    private var deleted: ContiguousArray<ModelID> = []
    private var root: (any ConsistentModel)??
    private var keepsShape = true
    private var isRepeated = false

    /// Does it.
    ///
    /// - Parameters:
    ///   - tree: The tree.
    ///   - hits: Where something is told of it, in the order of positions.
    ///   - posted: What is told.
    ///   - numbers: The ids.
    /// - Returns: What becomes of the tree.
    mutating func run(
        _ tree: ModelTree,
        _ hits: ContiguousArray<Hit>.SubSequence,
        _ posted: PostedModels,
        _ numbers: ModelNumbers
    ) -> Outcome {
        reset(tree)
        if hits.count == 1, let hit = hits.first, case .newer(let newer) = posted.fates[hit.fate],
            let outcome = runSingle(tree, hit.position, newer, numbers)
        {
            return outcome
        }
        var done: Int32 = -1
        for hit in hits {
            if done >= 0, tree.isInside(hit.position, done) {
                // Whatever is above has it already that this is no more.
                if case .gone = posted.fates[hit.fate] { noteDeletion(hit.position, tree, numbers) }
                continue
            }
            let parent = spot(above: hit.position, tree)
            guard let old = model(at: hit.position, in: parent, tree) else { continue }
            switch posted.fates[hit.fate] {
            case .newer(let newer):
                guard newer.others.isEmpty, type(of: newer.model) == type(of: old) else {
                    return .isProjected
                }
                done = hit.position
                if newer.model.isSame(as: old) { continue }
                noteChanges(old, newer, hit.position, tree, numbers)
                put(newer.model, at: hit.position, in: parent, tree)
            case .gone:
                (done, keepsShape) = (hit.position, false)
                noteDeletion(hit.position, tree, numbers)
                put(nil, at: hit.position, in: parent, tree)
            }
        }
        return finish(tree, numbers)
    }

    private mutating func reset(_ tree: ModelTree) {
        spots.removeAll(keepingCapacity: true)
        path.removeAll(keepingCapacity: true)
        changed.removeAll(keepingCapacity: true)
        deleted.removeAll(keepingCapacity: true)
        (root, keepsShape, isRepeated) = (nil, true, !tree.repeats.isEmpty)
    }

    // MARK: One hit

    /// One part that becomes another, which is what happens most: without anything that more would ask for.
    ///
    /// - Returns: nil where it asks for more after all.
    private mutating func runSingle(
        _ tree: ModelTree,
        _ position: Int32,
        _ newer: PostedModels.Newer,
        _ numbers: ModelNumbers
    ) -> Outcome? {
        guard newer.others.isEmpty, let part = newer.part, part.end == part.start + 1 else { return nil }
        let model: any SharedModel
        switch exchange(tree, position, newer.model) {
        case .same: return .same
        case .exchanged(let exchanged): model = exchanged
        case .unknown: return nil
        }
        var place = tree.positions[Int(position)]
        var ids: ContiguousArray<ModelID> = []
        ids.reserveCapacity(2)
        if place.id >= 0 { ids.append(numbers.id(place.id)) }
        if let id = newID(newer, place, numbers) { ids.append(id) }
        while place.parent >= 0 {
            place = tree.positions[Int(place.parent)]
            if place.id >= 0 { ids.append(numbers.id(place.id)) }
        }
        let keepsShape = tree.hasShape(of: part, at: position)
        return .changed(Result(model: model, updates: ModelUpdates(changed: ids), keepsShape: keepsShape))
    }

    /// The tree's model with another one at a position.
    private mutating func exchange(
        _ tree: ModelTree,
        _ position: Int32,
        _ newer: any ConsistentModel
    ) -> SharedExchange {
        guard let root = tree.shared else { return .unknown }
        let place = tree.positions[Int(position)]
        if place.parent < 0 {
            let old = root.model
            guard type(of: newer) == type(of: old) else { return .unknown }
            return newer.isSame(as: old) ? .same : .exchanged(share(newer))
        }
        // The root's own, as most are.
        if place.parent == 0 { return root.exchanging(Int(place.place), for: newer) }
        guard fillModels(root.model, tree, place.parent), var model = models.popLast() else {
            return .unknown
        }
        switch model._exchange(Int(place.place), for: newer) {
        case .same: return .same
        case .exchanged: break
        case .unknown: return .unknown
        }
        var position = place.parent
        while let parent = models.popLast() {
            let place = tree.positions[Int(position)]
            let change = ModelChange(place: Int(place.place), model: model)
            guard let replaced = parent._replacing([change]) else { return .unknown }
            (model, position) = (replaced, place.parent)
        }
        return .exchanged(share(model))
    }

    /// Gathers the models from the root to a position.
    ///
    /// - Returns: Whether all were found.
    private mutating func fillModels(_ root: any ConsistentModel, _ tree: ModelTree, _ position: Int32)
        -> Bool
    {
        chain.removeAll(keepingCapacity: true)
        models.removeAll(keepingCapacity: true)
        models.append(root)
        var next = position
        while next > 0 {
            chain.append(tree.positions[Int(next)].place)
            next = tree.positions[Int(next)].parent
        }
        while let place = chain.popLast() {
            guard let part = models[models.count - 1]._part(at: Int(place)) else { return false }
            models.append(part)
        }
        return true
    }

    // MARK: Down

    /// The spot of what a position is a part of; -1 for the root.
    private mutating func spot(above position: Int32, _ tree: ModelTree) -> Int {
        chain.removeAll(keepingCapacity: true)
        var next = tree.positions[Int(position)].parent
        // Positions come in their order, so what this one has in common with earlier ones is on the way to the last.
        while next >= 0 {
            while let last = path.last, spots[last].position > next { path.removeLast() }
            if let last = path.last, spots[last].position == next { break }
            chain.append(next)
            next = tree.positions[Int(next)].parent
        }
        if next < 0 { path.removeAll(keepingCapacity: true) }
        var parent = path.last ?? -1
        while let position = chain.popLast() {
            guard let model = model(at: position, in: parent, tree) else { return parent }
            spots.append(Spot(position: position, parent: parent, model: model))
            parent = spots.count - 1
            path.append(parent)
        }
        return parent
    }

    private mutating func model(at position: Int32, in spot: Int, _ tree: ModelTree) -> (any ConsistentModel)?
    {
        guard spot >= 0 else { return tree.model }
        let place = Int(tree.positions[Int(position)].place)
        if let parts = spots[spot].parts { return parts[place] }
        if let part = spots[spot].model._part(at: place) { return part }
        let parts = spots[spot].model.parts
        spots[spot].parts = parts
        return place < parts.count ? parts[place] : nil
    }

    // MARK: Up

    private mutating func put(
        _ model: (any ConsistentModel)?,
        at position: Int32,
        in spot: Int,
        _ tree: ModelTree
    ) {
        guard spot >= 0 else { return root = .some(model) }
        let place = Int(tree.positions[Int(position)].place)
        spots[spot].put(ModelChange(place: place, model: model))
    }

    private mutating func finish(_ tree: ModelTree, _ numbers: ModelNumbers) -> Outcome {
        for index in spots.indices.reversed() {
            guard let change = spots[index].change else { continue }
            let (position, parent) = (spots[index].position, spots[index].parent)
            if let model = rebuilt(index, change) {
                noteChange(position, tree, numbers)
                put(model, at: position, in: parent, tree)
            } else {
                keepsShape = false
                changed.removeAll { tree.isInside($0.position, position) }
                noteDeletion(position, tree, numbers)
                put(nil, at: position, in: parent, tree)
            }
        }
        guard let root else { return .same }
        if root == nil { changed.removeAll(keepingCapacity: true) }
        // What could not be in one place may still be in another, as another type describes it.
        if !tree.repeats.isEmpty, !deleted.isEmpty, let remaining = root?.byID {
            deleted.removeAll { remaining[$0] != nil }
        }
        let model = root.map { share($0) }
        return .changed(Result(model: model, updates: updates, keepsShape: keepsShape))
    }

    private mutating func rebuilt(_ spot: Int, _ change: ModelChange) -> (any ConsistentModel)? {
        changes.removeAll(keepingCapacity: true)
        changes.append(change)
        if !spots[spot].otherChanges.isEmpty {
            changes += spots[spot].otherChanges
            changes.sort { $0.place < $1.place }
        }
        return spots[spot].model._replacing(changes[...])
    }

    // MARK: What has changed

    private var updates: ModelUpdates {
        guard isRepeated || !deleted.isEmpty else {
            var ids: ContiguousArray<ModelID> = []
            ids.reserveCapacity(changed.count)
            for (_, id) in changed { ids.append(id) }
            return ModelUpdates(changed: ids)
        }
        return ModelUpdates(changed: Set(changed.map(\.id)), deleted: Set(deleted))
    }

    private mutating func noteChange(_ position: Int32, _ tree: ModelTree, _ numbers: ModelNumbers) {
        let id = tree.positions[Int(position)].id
        if id >= 0 { changed.append((position, numbers.id(id))) }
    }

    private mutating func noteDeletion(_ position: Int32, _ tree: ModelTree, _ numbers: ModelNumbers) {
        let id = tree.positions[Int(position)].id
        if id >= 0 { deleted.append(numbers.id(id)) }
    }

    /// The id of what comes into the place of a model with another one.
    private func newID(
        _ newer: PostedModels.Newer,
        _ place: ModelTree.Position,
        _ numbers: ModelNumbers
    ) -> ModelID? {
        guard place.id >= 0 else { return nil }
        if let part = newer.part {
            let number = part.layout.positions[part.start].id
            return number < 0 || number == place.id ? nil : numbers.id(number)
        }
        guard let id = newer.model.modelID, numbers.known(id) != place.id else { return nil }
        return id
    }

    private mutating func noteChanges(
        _ old: any ConsistentModel,
        _ newer: PostedModels.Newer,
        _ position: Int32,
        _ tree: ModelTree,
        _ numbers: ModelNumbers
    ) {
        if let id = newID(newer, tree.positions[Int(position)], numbers) {
            noteChange(position, tree, numbers)
            changed.append((position, id))
        }
        if keepsShape { keepsShape = newer.part.map { tree.hasShape(of: $0, at: position) } ?? false }
        if let part = newer.part, part.end == part.start + 1 {
            noteChange(position, tree, numbers)
        } else {
            isRepeated = true
            let changes = old.changes(to: newer.model) { model in
                guard let number = model.modelID.flatMap(numbers.known) else { return nil }
                return tree.model(like: model, at: numbers.position(of: number, in: tree.number))
            }
            for id in changes { changed.append((position, id)) }
        }
    }
}
