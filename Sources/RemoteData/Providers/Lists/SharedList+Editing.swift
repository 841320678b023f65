// What providers do to a list. A provider that is paused sees the list as it was; what it does is done to both.
extension SharedList.State {
    /// The list as a member sees it.
    func visible(to member: ObjectIdentifier) -> SharedList<Model>.Contents {
        members[member]?.frozen ?? contents
    }

    /// Puts another list in the place of this one.
    ///
    /// - Parameters:
    ///   - models: The models.
    ///   - areOld: Whether others may hold newer ones.
    /// - Returns: What is to be told.
    mutating func set(_ models: ModelList<Model>, areOld: Bool = false) -> SharedList<Model>.Change {
        let old = contents.models
        // Others may have just this already.
        if !areOld, isSet, members.count > 1, old.isSame(as: models) {
            return SharedList.Change(list: .changes([]))
        }
        contents.models = models
        contents.keys = ElementKeys(nextKey..<nextKey + models.count)
        let batch = ConsistencyCore.ModelBatch(count: models.count) { models[$0] }
        defer { (nextKey, isSet, versions) = (nextKey + models.count, true, [:]) }
        let coming: ConsistencyCore.ListEdit =
            areOld ? .adopted(batch, firstKey: nextKey) : .entered(batch, firstKey: nextKey)
        return SharedList.Change(list: .reset, edits: [.leftAll(was: old), coming])
    }

    mutating func insert(_ models: [Model], at index: Int, for member: ObjectIdentifier)
        -> SharedList<Model>.Change
    {
        let place = self.place(of: index, for: member)
        let keys = nextKey..<nextKey + models.count
        nextKey = keys.upperBound
        if loads == 0 { isSet = true }
        contents.models.insert(contentsOf: models, at: place)
        contents.keys.insert(keys, at: place)
        members[member]?.frozen?.models.insert(contentsOf: models, at: index)
        members[member]?.frozen?.keys.insert(keys, at: index)
        let batch = ConsistencyCore.ModelBatch(count: models.count) { models[$0] }
        return SharedList.Change(
            list: .changes(models.indices.map { .insert(place + $0) }),
            edits: [.entered(batch, firstKey: keys.lowerBound)],
            posted: models,
            written: models
        )
    }

    /// What was in the cache comes in front of what was added while it was looked for.
    mutating func load(_ models: ModelList<Model>) -> SharedList<Model>.Change {
        guard !contents.models.isEmpty else { return set(models, areOld: true) }
        let keys = nextKey..<nextKey + models.count
        (nextKey, isSet) = (keys.upperBound, true)
        contents.models.insert(contentsOf: models, at: 0)
        contents.keys.insert(keys, at: 0)
        let batch = ConsistencyCore.ModelBatch(count: models.count) { models[$0] }
        return SharedList.Change(
            list: .changes(models.indices.map { .insert($0) }),
            edits: [.adopted(batch, firstKey: keys.lowerBound)]
        )
    }

    /// Where an index that a member sees is in the list: behind what is in front of it there.
    private func place(of index: Int, for member: ObjectIdentifier) -> Int {
        guard let frozen = members[member]?.frozen else { return index }
        var before = index
        while before > 0 {
            if let place = contents.keys.index(of: frozen.keys[before - 1]) { return place + 1 }
            before -= 1
        }
        return index == frozen.models.count ? contents.models.count : 0
    }

    /// - Returns: What is to be told; nil where only the member has the model still.
    mutating func update(_ model: Model, at index: Int, for member: ObjectIdentifier) -> SharedList<Model>
        .Change?
    {
        let visible = visible(to: member)
        let (key, base) = (visible.keys[index], visible.models[index])
        members[member]?.frozen?.models.replace(at: index, with: model)
        guard let place = contents.keys.index(of: key) else { return nil }
        contents.models.replace(at: place, with: model)
        let version = (versions[key] ?? 0) + 1
        versions[key] = version
        return SharedList.Change(
            list: .changes([.update(place)]),
            edits: [.replaced(ListListening.Place(key: key, version: version), base: base, model)],
            written: [model]
        )
    }

    /// - Returns: What is to be told; nil where only the member had the model still.
    mutating func remove(at index: Int, for member: ObjectIdentifier) -> SharedList<Model>.Change? {
        let key = visible(to: member).keys[index]
        members[member]?.frozen?.models.remove(at: index)
        members[member]?.frozen?.keys.remove(at: index)
        guard let place = contents.keys.index(of: key) else { return nil }
        contents.models.remove(at: place)
        contents.keys.remove(at: place)
        versions[key] = nil
        return SharedList.Change(list: .changes([.delete(place)]), edits: [.left([key])])
    }
}
