import RemoteDataExecution
import Synchronization

/// Where models are shared: what is told to one who holds a model reaches all others, and the cache.
///
/// One for an app or a server's user. ``DataProvider`` and ``CollectionDataProvider`` hold models in it.
public final class ModelSpace: Sendable {
    /// Keeps models the same wherever they are held.
    public let consistency: ConsistencyManager
    let writer: CacheWriter?
    /// The lists that providers have in common, by their keys.
    private let lists = Mutex<[ListKey: WeakList]>([:])

    /// The tables whose rows are held by somebody here, by their names.
    let tables = Mutex<[String: SharedTable]>([:])
    private let observation = Mutex<ConsistencyObservation?>(nil)

    private struct ListKey: Hashable {
        let key: String
        let type: ObjectIdentifier
    }

    private final class WeakList: Sendable {
        weak let list: (any AnyObject & Sendable)?

        init(_ list: any AnyObject & Sendable) { self.list = list }
    }

    /// Creates a space in which nothing is held yet.
    ///
    /// - Parameters:
    ///   - cache: Where models and lists are kept for the next time; nil for nowhere.
    ///   - delivery: Where all handlers and delegates are called, one after another; for an app the main queue.
    ///   - deadline: How long the cache is waited for when something is read.
    public init(
        cache: (any ModelCache)? = nil,
        delivery: DeliveryQueue = .privateQueue,
        deadline: Duration = .seconds(30)
    ) {
        consistency = ConsistencyManager(delivery: delivery)
        let consistency = consistency
        writer = cache.map { cache in
            CacheWriter(cache, deadline: deadline, consistency.surroundings) { [weak consistency] in
                consistency?.toldUntil ?? .max
            }
        }
    }

    /// Says who is told of what the cache cannot do: nobody unless said otherwise.
    ///
    /// Called on a thread of the library's.
    public func onCacheError(_ handler: (@Sendable (RemoteDataError) -> Void)?) { writer?.onError(handler) }

    // MARK: Models

    /// There is something newer of some models, which is one change.
    ///
    /// - Parameters:
    ///   - models: The models.
    ///   - updateCache: Whether the cache is to know as well.
    ///   - context: What those who are told are to know with it.
    public func update<Model: ConsistentModel & Codable>(
        _ models: [Model],
        updateCache: Bool = true,
        context: ConsistencyContext = .none
    ) {
        consistency.enqueue { time in
            if updateCache { writer?.write(models, at: time) }
            return .update(models, deleted: [], context)
        }
    }

    /// There is something newer of a model.
    public func update<Model: ConsistentModel & Codable>(
        _ model: Model,
        updateCache: Bool = true,
        context: ConsistencyContext = .none
    ) { update([model], updateCache: updateCache, context: context) }

    /// A model is no more: it goes from all who hold it, and from the cache with the lists there.
    ///
    /// A model without an id is told to the manager's delegate as an error.
    public func delete<Model: ConsistentModel>(
        _ model: Model,
        updateCache: Bool = true,
        context: ConsistencyContext = .none
    ) {
        guard let id = model.modelID else { return consistency.delete(model, context: context) }
        consistency.enqueue { time in
            if updateCache { writer?.delete([id], at: time) }
            return .update([], deleted: [id], context)
        }
    }

    /// Waits until all that was asked for before has been told, and is in the cache as far as that can be.
    ///
    /// - Parameter limit: How long to wait for its being told; the cache is waited for until the space's deadline.
    /// - Returns: Whether it is so; false when the time is over, and when the task is cancelled.
    @discardableResult public func settled(within limit: Duration = .seconds(60)) async -> Bool {
        guard await consistency.settled(within: limit) else { return false }
        return await writer?.written() ?? true
    }

    // MARK: The cache

    /// Writes a model to the cache, in order with everything else; one without an id is not written.
    public func cache<Model: ConsistentModel & Codable>(_ model: Model) {
        consistency.enqueue { time in
            writer?.write([model], at: time)
            return nil
        }
    }

    /// A model of the cache, after all that was to be written before.
    ///
    /// - Returns: nil if it is not there.
    /// - Throws: ``RemoteDataError`` when the cache fails, does not answer by the deadline (`timedOut`), or has something else under this id.
    public func cachedModel<Model: ConsistentModel & Codable>(
        _ id: ModelID,
        of type: Model.Type = Model.self
    ) async throws(RemoteDataError) -> Model? {
        guard let writer else { return nil }
        guard let data = try await writer.read({ try await $0.model(id) }) else { return nil }
        let model: Model = try CacheCoding.decoded(data)
        return model
    }

    /// A list of the cache, after all that was to be written before.
    ///
    /// - Returns: nil if it is not there.
    /// - Throws: ``RemoteDataError`` when the cache fails, does not answer by the deadline (`timedOut`), or has something else under this key.
    public func cachedList<Model: ConsistentModel & Codable>(
        _ key: String,
        of type: Model.Type = Model.self
    ) async throws(RemoteDataError) -> ModelList<Model>? {
        guard let writer, let data = try await writer.read({ try await $0.list(key) }) else { return nil }
        var models: [Model] = []
        models.reserveCapacity(data.count)
        for data in data { models.append(try CacheCoding.decoded(data)) }
        return ModelList(models)
    }

    /// Does something and calls back with what came of it, once, where the space delivers.
    func complete<Value: Sendable>(
        _ completion: @escaping @Sendable (Result<Value, RemoteDataError>) -> Void,
        _ body: @escaping @Sendable () async throws(RemoteDataError) -> Value
    ) {
        Task(executorPreference: WorkerExecutor.shared) {
            let result: Result<Value, RemoteDataError>
            do throws(RemoteDataError) { result = .success(try await body()) } catch {
                result = .failure(error)
            }
            self.consistency.enqueue { _ in .notify { completion(result) } }
        }
    }

    // MARK: Rows of tables

    /// What those tell each other who hold rows of a table.
    func sharedTable(_ name: String) -> SharedTable {
        tables.withLock { tables in
            if let known = tables[name] { return known }
            let table = SharedTable(name)
            tables[name] = table
            return table
        }
    }

    /// From now on those who hold rows are told what is said of models.
    func tellTables() {
        observation.withLock { observation in
            guard observation == nil else { return }
            observation = consistency.observeEverything { [weak self] changes, context, time in
                guard let self else { return }
                let origin = context[SharedTable.Origin.self]?.table
                for table in self.tables.withLock({ Array($0.values) }) {
                    table.tell(.models(changes, time, isOfRows: origin == ObjectIdentifier(table)))
                }
            }
        }
    }

    // MARK: Lists in common

    /// The list that all providers with a key have in common.
    func list<Model>(_ key: String, of type: Model.Type) -> SharedList<Model> {
        let listKey = ListKey(key: key, type: ObjectIdentifier(type))
        return lists.withLock { lists in
            if let known = lists[listKey]?.list as? SharedList<Model> { return known }
            let list = SharedList<Model>(self, key: key)
            lists[listKey] = WeakList(list)
            return list
        }
    }

    /// A list that somebody has; nil if nobody does.
    func livingList<Model>(_ key: String, of type: Model.Type) -> SharedList<Model>? {
        lists.withLock { $0[ListKey(key: key, type: ObjectIdentifier(type))] }?.list as? SharedList<Model>
    }

    /// A list that nobody has any more.
    func forget<Model>(_ key: String, of type: Model.Type) {
        let listKey = ListKey(key: key, type: ObjectIdentifier(type))
        // Whether it is gone is not looked at under the lock: whoever looks may be the last who has it.
        guard let known = lists.withLock({ $0[listKey] }), known.list == nil else { return }
        lists.withLock { lists in
            if lists[listKey] === known { lists[listKey] = nil }
        }
    }
}
