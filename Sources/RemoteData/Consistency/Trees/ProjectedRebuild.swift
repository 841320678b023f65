/// Makes a tree's model anew where things are described by several types, looking at all that it is made of.
struct ProjectedRebuild {
    struct Result {
        /// The model; nil where it cannot be without what is gone.
        let model: (any ConsistentModel)?
        let updates: ModelUpdates
    }

    private let layout: ModelLayout
    private var changes: [Int32: [ModelChange]] = [:]
    private var deleted: Set<ModelID> = []

    /// Does it, from the leaves to the root.
    ///
    /// - Returns: What comes of it; nil when nothing has changed.
    /// - Complexity: O(n) for n models in the tree.
    static func run(
        _ model: any ConsistentModel,
        _ fate: (Int32) -> PostedModels.Fate?,
        _ numbers: ModelNumbers
    ) throws(ModelTree.Problem) -> Result? {
        // What is new to all has no fate either.
        let layout = try ModelLayout(model) { numbers.known($0) ?? -1 }
        var rebuild = ProjectedRebuild(layout: layout)
        return rebuild.run(fate, numbers)
    }

    private init(layout: ModelLayout) { self.layout = layout }

    private mutating func run(_ fate: (Int32) -> PostedModels.Fate?, _ numbers: ModelNumbers) -> Result? {
        let fates = layout.positions.map { $0.id < 0 ? nil : fate($0.id) }
        let isSettled = isSettledAbove(fates)
        var root: (any ConsistentModel)??
        for position in layout.positions.indices.reversed() {
            if isSettled[position] {
                // Whatever is above has it already that this is no more.
                if case .gone = fates[position] { noteDeletion(position, numbers) }
                continue
            }
            guard let model = rebuilt(position, fates[position], numbers) else { continue }
            let place = layout.positions[position]
            if place.parent < 0 {
                root = .some(model)
            } else {
                changes[place.parent, default: []].append(ModelChange(place: Int(place.place), model: model))
            }
        }
        guard let root else { return nil }
        // What could not be in one place may still be in another, as another type describes it.
        if !deleted.isEmpty, let remaining = root?.byID { deleted.subtract(remaining.keys) }
        let changed = root.map { layout.models[0].changes(to: $0) } ?? []
        let updates = ModelUpdates(changed: changed, deleted: deleted)
        return Result(model: root, updates: updates)
    }

    /// Which positions are parts of what becomes something whatever its parts do.
    private func isSettledAbove(_ fates: [PostedModels.Fate?]) -> [Bool] {
        var isSettled = Array(repeating: false, count: fates.count)
        for position in fates.indices {
            let parent = Int(layout.positions[position].parent)
            guard parent >= 0 else { continue }
            switch fates[parent] {
            case .gone: isSettled[position] = true
            case .newer(let newer):
                isSettled[position] = isSettled[parent] || newer.replaces(layout.models[parent])
            case nil: isSettled[position] = isSettled[parent]
            }
        }
        return isSettled
    }

    private mutating func noteDeletion(_ position: Int, _ numbers: ModelNumbers) {
        let id = layout.positions[position].id
        if id >= 0 { deleted.insert(numbers.id(id)) }
    }

    /// What becomes of the model at a position; nil if it is the same.
    private mutating func rebuilt(
        _ position: Int,
        _ fate: PostedModels.Fate?,
        _ numbers: ModelNumbers
    ) -> (any ConsistentModel)?? {
        let old = layout.models[position]
        let parts = changes.removeValue(forKey: Int32(position))
        guard parts != nil || fate != nil else { return nil }
        var model: (any ConsistentModel)? = old
        if let parts { model = old._replacing(parts.reversed()[...]) }
        switch fate {
        case .gone: model = nil
        case .newer(let newer): model = model.map { newer.version(of: $0) }
        case nil: break
        }
        guard let model else {
            noteDeletion(position, numbers)
            return .some(nil)
        }
        if model.isSame(as: old) { return nil }
        return .some(model)
    }
}
