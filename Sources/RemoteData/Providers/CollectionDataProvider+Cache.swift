import Synchronization

extension CollectionDataProvider {
    /// Has the list with a key from now on: the one that other providers have, or the one of the cache, unless a list is set meanwhile.
    ///
    /// Whatever becomes of the list with this key is heard from now on, also where neither has it yet.
    ///
    /// - Returns: The list as it is then; nil if nobody has set it and the cache does not have it.
    /// - Throws: ``RemoteDataError`` when the cache fails, or has something else under this key.
    @discardableResult public func fetchFromCache(_ key: String) async throws(RemoteDataError) -> ModelList<
        Model
    >? {
        let list = take(key)
        noteMutation()
        if list.state.withLock({ $0.isSet }) { return data }
        list.state.withLock { $0.loads += 1 }
        let cached: ModelList<Model>?
        do throws(RemoteDataError) { cached = try await space.cachedList(key) } catch {
            list.state.withLock { $0.endLoading() }
            throw error
        }
        list.change(by: ObjectIdentifier(self), updatesCache: cached != nil, .none) { state in
            defer { state.endLoading() }
            // Whatever was set meanwhile is newer.
            guard !state.isSet, let cached else { return nil }
            let change = state.load(cached)
            if state.members[ObjectIdentifier(self)]?.frozen != nil {
                state.members[ObjectIdentifier(self)]?.frozen = state.contents
            }
            return change
        }
        noteMutation()
        return list.state.withLock { $0.isSet } ? list.contents(for: ObjectIdentifier(self)).models : nil
    }

    /// Has the list with a key from now on.
    ///
    /// - Parameters:
    ///   - key: The key of the list.
    ///   - completion: Called once, where the space delivers, with the list as it is then.
    public func fetchFromCache(
        _ key: String,
        completion: @escaping @Sendable (Result<ModelList<Model>?, RemoteDataError>) -> Void
    ) { space.complete(completion) { () throws(RemoteDataError) in try await self.fetchFromCache(key) } }

    // MARK: Lists that one does not have

    /// Puts models into the list with a key, for all who have it and the cache.
    ///
    /// A list that nobody has set and the cache does not have becomes one of these models.
    ///
    /// - Parameters:
    ///   - models: The models.
    ///   - cacheKey: The key of the list.
    ///   - space: Where it is.
    ///   - context: What those who are told are to know with it.
    ///   - index: In front of which model, given the list as it is.
    /// - Throws: ``RemoteDataError`` when the cache fails; `outOfRange` where the list has no such place.
    public static func insert(
        _ models: [Model],
        cacheKey: String,
        in space: ModelSpace,
        context: ConsistencyContext = .none,
        at index: (ModelList<Model>) -> Int
    ) async throws(RemoteDataError) {
        try await change(cacheKey, in: space, context) { (list) throws(RemoteDataError) in
            let place = index(list)
            try check(place >= 0 && place <= list.count, place, list)
            return { $0.insert(models, at: place, for: $1) }
        }
    }

    /// Puts models behind all others of the list with a key, for all who have it and the cache.
    ///
    /// A list that nobody has set and the cache does not have becomes one of these models.
    ///
    /// - Throws: ``RemoteDataError`` when the cache fails.
    public static func append(
        _ models: [Model],
        cacheKey: String,
        in space: ModelSpace,
        context: ConsistencyContext = .none
    ) async throws(RemoteDataError) {
        try await loaded(cacheKey, in: space).append(models, context: context)
    }

    /// Puts a model in the place of another one of the list with a key, for all who have it and the cache.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - cacheKey: The key of the list.
    ///   - space: Where it is.
    ///   - context: What those who are told are to know with it.
    ///   - index: Of which model, given the list as it is; nil for none after all.
    /// - Throws: ``RemoteDataError`` when the cache fails; `outOfRange` where the list has no such place.
    public static func update(
        _ model: Model,
        cacheKey: String,
        in space: ModelSpace,
        context: ConsistencyContext = .none,
        at index: (ModelList<Model>) -> Int?
    ) async throws(RemoteDataError) {
        try await change(cacheKey, in: space, context) { (list) throws(RemoteDataError) in
            guard let place = index(list) else { return nil }
            try check(place >= 0 && place < list.count, place, list)
            return { $0.update(model, at: place, for: $1) }
        }
    }

    /// Takes a model out of the list with a key, for all who have it and the cache.
    ///
    /// - Parameters:
    ///   - cacheKey: The key of the list.
    ///   - space: Where it is.
    ///   - context: What those who are told are to know with it.
    ///   - index: Which one, given the list as it is; nil for none after all.
    /// - Throws: ``RemoteDataError`` when the cache fails; `outOfRange` where the list has no such place.
    public static func remove(
        cacheKey: String,
        in space: ModelSpace,
        context: ConsistencyContext = .none,
        at index: (ModelList<Model>) -> Int?
    ) async throws(RemoteDataError) {
        try await change(cacheKey, in: space, context) { (list) throws(RemoteDataError) in
            guard let place = index(list) else { return nil }
            try check(place >= 0 && place < list.count, place, list)
            return { $0.remove(at: place, for: $1) }
        }
    }

    private static func loaded(
        _ cacheKey: String,
        in space: ModelSpace
    ) async throws(RemoteDataError) -> CollectionDataProvider {
        let provider = CollectionDataProvider(space)
        try await provider.fetchFromCache(cacheKey)
        return provider
    }

    /// Changes a list that is as it was when it was decided how; decides anew where it is not.
    private static func change(
        _ cacheKey: String,
        in space: ModelSpace,
        _ context: ConsistencyContext,
        _ decide: (ModelList<Model>) throws(RemoteDataError) -> (
            (inout SharedList<Model>.State, ObjectIdentifier) -> SharedList<Model>.Change?
        )?
    ) async throws(RemoteDataError) {
        let provider = try await loaded(cacheKey, in: space)
        let (list, member) = (provider.list, ObjectIdentifier(provider))
        var isDone = false
        while !isDone {
            let (models, generation) = list.state.withLock { ($0.contents.models, $0.generation) }
            guard let body = try decide(models) else { return }
            list.change(by: member, updatesCache: true, context) { state in
                guard state.generation == generation else { return nil }
                isDone = true
                return body(&state, member)
            }
        }
    }

    private static func check(
        _ isThere: Bool,
        _ index: Int,
        _ list: ModelList<Model>
    ) throws(RemoteDataError) {
        guard isThere else {
            throw RemoteDataError(.outOfRange, "The list has \(list.count) models, and no place \(index).")
        }
    }
}

extension SharedList.State {
    /// Somebody has looked for the list in the cache.
    fileprivate mutating func endLoading() {
        loads -= 1
        // What was added meanwhile is the list, where there was none.
        if loads == 0, !contents.models.isEmpty { isSet = true }
    }
}
