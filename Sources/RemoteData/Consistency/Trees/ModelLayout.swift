/// Models with all that they are made of, each before its parts.
struct ModelLayout {
    /// A model in it with its parts.
    struct Part {
        let layout: ModelLayout
        let start: Int
        let end: Int
    }

    private(set) var models: ContiguousArray<any ConsistentModel> = []
    /// Where they are, of models beside each other as well: their roots have no parents.
    private(set) var positions: ContiguousArray<ModelTree.Position> = []

    /// Lays out some models.
    ///
    /// - Complexity: O(n) for n models with all they are made of.
    /// - Throws: When one is a part of itself.
    init(_ roots: [any ConsistentModel], number: (ModelID) -> Int32) throws(ModelTree.Problem) {
        if roots.count == 1, let root = roots.first, root._part(at: 0) == nil, root.parts.isEmpty {
            // A leaf, as most are.
            models = [root]
            positions = [ModelTree.Position(id: root.modelID.map(number) ?? -1, parent: -1, place: 0)]
            return
        }
        var levels: ContiguousArray<Int32> = []
        var waiting: ContiguousArray<(model: any ConsistentModel, parent: Int32, place: Int32)> = []
        for root in roots {
            waiting.append((root, -1, 0))
            while let (model, parent, place) = waiting.popLast() {
                let level = parent < 0 ? 0 : levels[Int(parent)] + 1
                guard level < ModelTree.levelLimit else { throw .isEndless }
                let position = Int32(positions.count)
                let id = model.modelID.map(number) ?? -1
                models.append(model)
                positions.append(ModelTree.Position(id: id, parent: parent, place: place))
                levels.append(level)
                let start = waiting.count
                var count: Int32 = 0
                model.forEach { part in
                    waiting.append((part, position, count))
                    count += 1
                }
                if count > 1 { waiting[start...].reverse() }
            }
        }
    }

    /// Lays out one model.
    init(_ root: any ConsistentModel, number: (ModelID) -> Int32) throws(ModelTree.Problem) {
        try self.init([root], number: number)
    }

    /// Where a position's parts end.
    var ends: ContiguousArray<Int32> {
        var ends = ContiguousArray<Int32>(repeating: 0, count: positions.count)
        for position in positions.indices.reversed() {
            if ends[position] == 0 { ends[position] = Int32(position) + 1 }
            let parent = Int(positions[position].parent)
            if parent >= 0 { ends[parent] = max(ends[parent], ends[position]) }
        }
        return ends
    }
}
