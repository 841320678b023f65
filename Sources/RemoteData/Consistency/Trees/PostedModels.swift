/// What is told at once: newer versions of models, with all that they are made of, and models that are no more.
///
/// Of several versions of one model the last counts, also inside the others.
struct PostedModels {
    /// A newer version.
    struct Newer {
        let model: any ConsistentModel
        /// How it is made, if nothing was put into it.
        let part: ModelLayout.Part?
        /// Versions of other types, in their order before it.
        var others: [any ConsistentModel] = []

        /// Whether nothing is left of an older version.
        func replaces(_ old: any ConsistentModel) -> Bool {
            type(of: model) == type(of: old) || others.contains { type(of: $0) == type(of: old) }
        }

        /// What becomes of an older version: of the same type this one, with what other types say after it.
        func version(of old: any ConsistentModel) -> any ConsistentModel {
            let versions = others + [model]
            guard let last = versions.lastIndex(where: { type(of: $0) == type(of: old) }) else {
                return versions.reduce(old) { $0.merged(with: $1) }
            }
            return versions[(last + 1)...].reduce(versions[last]) { $0.merged(with: $1) }
        }
    }

    /// What becomes of a model.
    enum Fate {
        case newer(Newer)
        case gone
    }

    /// What becomes of models, in any order.
    private(set) var fates: ContiguousArray<Fate> = []
    /// Whose they are.
    private(set) var ids: ContiguousArray<Int32> = []
    /// Where each model's fate is; left out where there is only one.
    private var places: [Int32: Int] = [:]
    private var layout: ModelLayout
    private var ends: ContiguousArray<Int32> = []
    /// Where the last version of each model is.
    private var latest: [Int32: Int32] = [:]
    /// Where the last versions of other types are, in their order.
    private var others: [Int32: [Int32]] = [:]

    /// Takes in what is told; ids are given numbers.
    ///
    /// - Complexity: O(n) for n models with all that they are made of.
    /// - Throws: When a model is a part of itself.
    init(_ post: ModelPost, _ numbers: inout ModelNumbers) throws(ModelTree.Problem) {
        layout = try ModelLayout(post.models) { numbers.number(of: $0) }
        // A leaf, as most are.
        if layout.positions.count == 1, post.deleted.isEmpty, post.renamed.isEmpty {
            let part = ModelLayout.Part(layout: layout, start: 0, end: 1)
            if layout.positions[0].id >= 0 {
                decide(layout.positions[0].id, .newer(Newer(model: layout.models[0], part: part)))
            }
            return
        }
        for id in post.deleted { decide(numbers.number(of: id), .gone) }
        ends = layout.ends
        var isMixed = !fates.isEmpty
        for (position, place) in layout.positions.enumerated() where place.id >= 0 {
            guard let earlier = latest.updateValue(Int32(position), forKey: place.id) else { continue }
            if position < ends[Int(earlier)] { throw .isPartOfItself(numbers.id(place.id)) }
            if !isMixed { isMixed = !layout.models[position].isSame(as: layout.models[Int(earlier)]) }
            noteOther(place.id, Int32(position), earlier)
        }
        if isMixed { try resolve(numbers) } else { takeAsTheyAre() }
        for former in post.renamed.keys { rename(former, to: post.finalID(of: former), &numbers) }
    }

    /// Whoever has a model with a former id has the one with the other id in its place.
    private mutating func rename(_ former: ModelID, to id: ModelID, _ numbers: inout ModelNumbers) {
        let (old, new) = (numbers.number(of: former), numbers.number(of: id))
        if place(old) == nil { decide(old, fate(new) ?? .gone) }
    }

    /// All the ids that are told something of.
    func forEach(_ body: (ModelID, Fate) -> Void, _ numbers: ModelNumbers) {
        for (id, fate) in zip(ids, fates) { body(numbers.id(id), fate) }
    }

    /// Keeps an earlier version that is of another type than the later ones.
    private mutating func noteOther(_ id: Int32, _ position: Int32, _ earlier: Int32) {
        func kind(_ position: Int32) -> ObjectIdentifier {
            ObjectIdentifier(type(of: layout.models[Int(position)]))
        }
        var versions = (others[id] ?? []) + [earlier]
        versions.removeAll { kind($0) == kind(position) }
        others[id] = versions.isEmpty ? nil : versions
    }

    /// What becomes of a model; nil where nothing is told of it.
    func fate(_ id: Int32) -> Fate? { place(id).map { fates[$0] } }

    private func place(_ id: Int32) -> Int? { ids.count == 1 ? (ids[0] == id ? 0 : nil) : places[id] }

    private mutating func decide(_ id: Int32, _ fate: Fate) {
        if let first = ids.first {
            if ids.count == 1 { places[first] = 0 }
            places[id] = ids.count
        }
        ids.append(id)
        fates.append(fate)
    }

    private mutating func takeAsTheyAre() {
        fates.reserveCapacity(latest.count)
        ids.reserveCapacity(latest.count)
        places.reserveCapacity(latest.count)
        for (id, position) in latest {
            let part = ModelLayout.Part(layout: layout, start: Int(position), end: Int(ends[Int(position)]))
            decide(id, .newer(Newer(model: layout.models[Int(position)], part: part)))
        }
    }

    // MARK: Several versions

    /// Puts the last versions of all models into each other.
    private mutating func resolve(_ numbers: ModelNumbers) throws(ModelTree.Problem) {
        var begun: Set<Int32> = []
        for id in latest.keys where place(id) == nil {
            var waiting = [id]
            while let id = waiting.last {
                guard place(id) == nil else {
                    waiting.removeLast()
                    continue
                }
                if begun.insert(id).inserted {
                    for part in versions(of: id).flatMap(region) {
                        let id = layout.positions[Int(part)].id
                        guard id >= 0, place(id) == nil else { continue }
                        if begun.contains(id) { throw .isPartOfItself(numbers.id(id)) }
                        waiting.append(id)
                    }
                } else {
                    decide(id, outcome(of: id))
                    waiting.removeLast()
                }
            }
        }
    }

    private func versions(of id: Int32) -> [Int32] { (others[id] ?? []) + (latest[id].map { [$0] } ?? []) }

    private func outcome(of id: Int32) -> Fate {
        var models: [any ConsistentModel] = []
        for version in versions(of: id) {
            guard let model = rebuilt(version) else { return .gone }
            models.append(model)
        }
        guard let last = models.popLast() else { return .gone }
        return .newer(Newer(model: last, part: nil, others: models))
    }

    /// The parts of a model, and of those without ids.
    private func region(of position: Int32) -> [Int32] {
        var region: [Int32] = []
        var next = position + 1
        while next < ends[Int(position)] {
            region.append(next)
            next = layout.positions[Int(next)].id >= 0 ? ends[Int(next)] : next + 1
        }
        return region
    }

    /// A model made of the last versions of its parts; nil when it cannot be without one that is gone.
    private func rebuilt(_ root: Int32) -> (any ConsistentModel)? {
        var changes: [Int32: [ModelChange]] = [:]
        func model(at position: Int32) -> (any ConsistentModel)? {
            let model = layout.models[Int(position)]
            guard let parts = changes[position] else { return model }
            return model._replacing(parts.sorted { $0.place < $1.place }[...])
        }
        for position in region(of: root).reversed() {
            let place = layout.positions[Int(position)]
            var model = model(at: position)
            var hasChanged = changes[position] != nil
            if place.id >= 0 {
                hasChanged = true
                switch fate(place.id) {
                case .newer(let newer): model = newer.version(of: layout.models[Int(position)])
                case .gone, nil: model = nil
                }
            }
            guard hasChanged else { continue }
            changes[place.parent, default: []].append(ModelChange(place: Int(place.place), model: model))
        }
        return model(at: root)
    }
}
