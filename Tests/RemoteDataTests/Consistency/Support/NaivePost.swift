import RemoteData

/// What becomes of models when something is told, said plainly: everything is rebuilt each time.
struct NaivePost {
    /// The last version of each type of each model, in the order of these, made of the last versions of others; none for what is
    /// no more.
    private(set) var versions: [ModelID: [any ConsistentModel]] = [:]
    private var posted: [ModelID: [any ConsistentModel]] = [:]

    /// Nil where a model is a part of itself.
    init?(_ models: [any ConsistentModel], deleted: [ModelID] = []) {
        for model in models {
            if Self.isPartOfItself(model) { return nil }
            Self.forAll(model) { model in
                guard let id = model.modelID else { return }
                posted[id, default: []].removeAll { type(of: $0) == type(of: model) }
                posted[id, default: []].append(model)
            }
        }
        for id in deleted { versions[id] = [] }
        for id in posted.keys where !resolve(id, []) { return nil }
    }

    private mutating func resolve(_ id: ModelID, _ path: [ModelID]) -> Bool {
        if versions[id] != nil { return true }
        if path.contains(id) { return false }
        var resolved: [any ConsistentModel] = []
        for model in posted[id] ?? [] {
            guard resolveParts(model, path + [id]) else { return false }
            guard let version = rebuiltParts(model) else {
                versions[id] = []
                return true
            }
            resolved.append(version)
        }
        versions[id] = resolved
        return true
    }

    private mutating func resolveParts(_ model: any ConsistentModel, _ path: [ModelID]) -> Bool {
        var parts: [any ConsistentModel] = []
        model.forEach { parts.append($0) }
        for part in parts {
            guard part.modelID.map({ resolve($0, path) }) ?? resolveParts(part, path) else { return false }
        }
        return true
    }

    private func rebuiltParts(_ model: any ConsistentModel) -> (any ConsistentModel)? {
        model.map { part in
            guard let id = part.modelID, let versions = versions[id] else { return rebuiltParts(part) }
            return versions.isEmpty ? nil : Self.version(versions, part)
        }
    }

    private static func version(_ versions: [any ConsistentModel], _ old: any ConsistentModel)
        -> any ConsistentModel
    {
        var model = old
        for version in versions {
            model = type(of: version) == type(of: old) ? version : model.merged(with: version)
        }
        return model
    }

    /// What a model becomes, and what of it cannot be any more.
    func applied(to model: any ConsistentModel) -> (model: (any ConsistentModel)?, updates: ModelUpdates) {
        var gone: Set<ModelID> = []
        let new = rebuilt(model, &gone)
        let (before, after) = (Self.byID(model), new.map(Self.byID) ?? [:])
        for (id, versions) in versions where versions.isEmpty && before[id] != nil { gone.insert(id) }
        let changed = new.map { Self.changed(model, $0) } ?? []
        return (new, ModelUpdates(changed: changed, deleted: gone.subtracting(after.keys)))
    }

    private func rebuilt(_ model: any ConsistentModel, _ gone: inout Set<ModelID>) -> (any ConsistentModel)? {
        let told = model.modelID.flatMap { versions[$0] }
        if let told, told.isEmpty {
            if let id = model.modelID { gone.insert(id) }
            return nil
        }
        if let told, told.contains(where: { type(of: $0) == type(of: model) }) {
            return Self.version(told, model)
        }
        var inside: Set<ModelID> = []
        guard let new = model.map({ rebuilt($0, &inside) }) else {
            gone.formUnion(inside)
            if let id = model.modelID { gone.insert(id) }
            return nil
        }
        gone.formUnion(inside)
        return told.map { Self.version($0, new) } ?? new
    }

    // MARK: Models

    static func forAll(_ model: any ConsistentModel, _ visit: (any ConsistentModel) -> Void) {
        visit(model)
        model.forEach { forAll($0, visit) }
    }

    static func byID(_ model: any ConsistentModel) -> [ModelID: any ConsistentModel] {
        var found: [ModelID: any ConsistentModel] = [:]
        forAll(model) { model in
            if let id = model.modelID, found[id] == nil { found[id] = model }
        }
        return found
    }

    /// The ids of what two models are both made of, in one type, and not the same.
    static func changed(_ old: any ConsistentModel, _ new: any ConsistentModel) -> Set<ModelID> {
        var changed: Set<ModelID> = []
        forAll(new) { now in
            var isFirst = true
            forAll(old) { before in
                guard isFirst, before.modelID == now.modelID, type(of: before) == type(of: now) else {
                    return
                }
                isFirst = false
                if let id = now.modelID, !now.isSame(as: before) { changed.insert(id) }
            }
        }
        return changed
    }

    static func isPartOfItself(_ model: any ConsistentModel, _ above: Set<ModelID> = []) -> Bool {
        if let id = model.modelID, above.contains(id) { return true }
        let ids = model.modelID.map { above.union([$0]) } ?? above
        var found = false
        model.forEach { if isPartOfItself($0, ids) { found = true } }
        return found
    }
}
