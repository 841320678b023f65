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
        guard let cached: ModelList<Model> = try await space.cachedList(key) else {
            return list.state.withLock { $0.isSet ? $0.contents.models : nil }
        }
        list.change(by: ObjectIdentifier(self), updatesCache: false, .none) { state in
            // Whatever was set meanwhile is newer.
            guard !state.isSet else { return nil }
            let change = state.set(cached, areOld: true)
            if state.members[ObjectIdentifier(self)]?.frozen != nil {
                state.members[ObjectIdentifier(self)]?.frozen = state.contents
            }
            return change
        }
        noteMutation()
        return list.contents(for: ObjectIdentifier(self)).models
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
        let provider = try await loaded(cacheKey, in: space)
        let place = index(provider.data)
        try check(place >= 0 && place <= provider.count, place, provider)
        provider.insert(models, at: place, context: context)
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
        let provider = try await loaded(cacheKey, in: space)
        guard let place = index(provider.data) else { return }
        try check(place >= 0 && place < provider.count, place, provider)
        provider.update(model, at: place, context: context)
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
        let provider = try await loaded(cacheKey, in: space)
        guard let place = index(provider.data) else { return }
        try check(place >= 0 && place < provider.count, place, provider)
        provider.remove(at: place, context: context)
    }

    private static func loaded(
        _ cacheKey: String,
        in space: ModelSpace
    ) async throws(RemoteDataError) -> CollectionDataProvider {
        let provider = CollectionDataProvider(space)
        try await provider.fetchFromCache(cacheKey)
        return provider
    }

    private static func check(_ isThere: Bool, _ index: Int, _ provider: CollectionDataProvider)
        throws(RemoteDataError)
    {
        guard isThere else {
            throw RemoteDataError(
                .outOfRange,
                "The list has \(provider.count) models, and no place \(index)."
            )
        }
    }
}
