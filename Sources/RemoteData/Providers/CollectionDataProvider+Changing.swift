import Synchronization

extension CollectionDataProvider {
    /// Puts another list in the place of this one.
    ///
    /// Returns at once: O(n) for copying the models. All who hold one of these models, and all who have the list with this key, are told later.
    ///
    /// - Parameters:
    ///   - models: The models.
    ///   - cacheKey: The key of the list in the cache, which other providers may have as well; nil for a list of this provider alone, which is not cached.
    ///   - updateCache: Whether the cache is to know.
    ///   - context: What those who are told are to know with it.
    public func set(
        _ models: some Sequence<Model>,
        cacheKey: String?,
        updateCache: Bool = true,
        context: ConsistencyContext = .none
    ) {
        let array = models as? [Model] ?? Array(models)
        let models = ModelList(array: array)
        let member = ObjectIdentifier(self)
        let list = take(cacheKey)
        list.change(by: member, updatesCache: updateCache, context) { state in
            var change = state.set(models)
            (change.posted, change.written) = (array, array)
            if state.members[member]?.frozen != nil { state.members[member]?.frozen = state.contents }
            return change
        }
        noteMutation()
    }

    /// Puts models in front of an index, or behind all.
    public func insert(
        _ models: some Collection<Model>,
        at index: Int,
        updateCache: Bool = true,
        context: ConsistencyContext = .none
    ) {
        insert(Array(models), updateCache: updateCache, context) { count in
            precondition(index >= 0 && index <= count, "The index \(index) is not in a list of \(count).")
            return index
        }
    }

    /// Puts models behind all others.
    public func append(
        _ models: some Collection<Model>,
        updateCache: Bool = true,
        context: ConsistencyContext = .none
    ) { insert(Array(models), updateCache: updateCache, context) { $0 } }

    // The index is asked for under a lock, with how many models there are.
    private func insert(
        _ models: [Model],
        updateCache: Bool,
        _ context: ConsistencyContext,
        at index: (Int) -> Int
    ) {
        guard !models.isEmpty else { return }
        let member = ObjectIdentifier(self)
        list.change(by: member, updatesCache: updateCache, context) { state in
            state.insert(models, at: index(state.visible(to: member).models.count), for: member)
        }
        noteMutation()
    }

    /// Puts a model in the place of the one at an index.
    ///
    /// What has changed elsewhere in the model that was there and has not been told yet is put together with it.
    public func update(
        _ model: Model,
        at index: Int,
        updateCache: Bool = true,
        context: ConsistencyContext = .none
    ) {
        let member = ObjectIdentifier(self)
        list.change(by: member, updatesCache: updateCache, context) {
            $0.update(model, at: index, for: member)
        }
        noteMutation()
    }

    /// Takes the model at an index out of the list; it stays wherever else it is held.
    public func remove(at index: Int, updateCache: Bool = true, context: ConsistencyContext = .none) {
        let member = ObjectIdentifier(self)
        list.change(by: member, updatesCache: updateCache, context) { $0.remove(at: index, for: member) }
        noteMutation()
    }

    /// Has the list with a key from now on.
    func take(_ cacheKey: String?) -> SharedList<Model> {
        let new = cacheKey.map { space.list($0, of: Model.self) }
        // One at a time: whoever has it last is a member of it alone.
        return state.withLock { state in
            let old = state.list
            if let new, new === old { return old }
            if new == nil, old.key == nil { return old }
            let list = new ?? SharedList(space, key: nil)
            let isPaused = isPaused(in: old)
            state.list = list
            old.leave(ObjectIdentifier(self))
            join(list)
            if isPaused { list.pause(ObjectIdentifier(self)) }
            return list
        }
    }
}

extension ModelList where Element: ConsistentModel {
    /// Whether both say the same.
    func isSame(as other: ModelList) -> Bool {
        count == other.count && zip(self, other).allSatisfy { $0.isSame(as: $1) }
    }
}
