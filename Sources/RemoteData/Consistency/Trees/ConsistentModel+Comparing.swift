extension ConsistentModel {
    /// This and all that it is made of, each before its parts.
    ///
    /// - Parameter visit: Looks at one; whether to look at what that is made of.
    func walk(_ visit: (any ConsistentModel) -> Bool) {
        var waiting: ContiguousArray<any ConsistentModel> = [self]
        while let model = waiting.popLast() {
            guard visit(model) else { continue }
            let start = waiting.count
            model.forEach { waiting.append($0) }
            waiting[start...].reverse()
        }
    }

    /// The models with ids that this is made of, and itself; of several with one id the first that is visited.
    var byID: [ModelID: any ConsistentModel] {
        var all: [ModelID: any ConsistentModel] = [:]
        walk { model in
            if let id = model.modelID, all[id] == nil { all[id] = model }
            return true
        }
        return all
    }

    /// The same by ids and types.
    var byVersion: [ModelVersion: any ConsistentModel] {
        var all: [ModelVersion: any ConsistentModel] = [:]
        walk { model in
            if let version = ModelVersion(model), all[version] == nil { all[version] = model }
            return true
        }
        return all
    }

    /// The ids of what this and another one have both, as models of one type, and not the same.
    ///
    /// - Parameters:
    ///   - other: The other one.
    ///   - elsewhere: What this was not made of, but what it is a part of: the one like a model, by id and type.
    /// - Returns: The ids.
    /// - Complexity: O(n) for n models that this is made of and those in the other that are others.
    func changes(
        to other: any ConsistentModel,
        elsewhere: (any ConsistentModel) -> (any ConsistentModel)? = { _ in nil }
    ) -> Set<ModelID> {
        let old = byVersion
        var changes: Set<ModelID> = []
        other.walk { model in
            guard let version = ModelVersion(model), let before = old[version] ?? elsewhere(model) else {
                return true
            }
            if model.isSame(as: before) { return false }
            changes.insert(version.id)
            return true
        }
        return changes
    }
}

/// What one type says of a model.
struct ModelVersion: Hashable {
    let id: ModelID
    let type: ObjectIdentifier

    init?(_ model: any ConsistentModel) {
        guard let id = model.modelID else { return nil }
        self.id = id
        type = ObjectIdentifier(Swift.type(of: model))
    }
}
