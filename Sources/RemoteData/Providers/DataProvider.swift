import Synchronization
public import Observation

/// A model, kept the same as everywhere else: set at once, told of what changes elsewhere, and cached.
///
/// ```swift
/// let me = DataProvider<Person>(space)
/// me.onChange { _ in redraw() }
/// _ = try await me.fetchFromCache(ModelID("ada", of: "person"))
/// me.set(try await server.person("ada"))
/// ```
///
/// All methods may be called on any thread and none blocks; who calls them where the space delivers never sees the model change between two reads.
public final class DataProvider<Model: ConsistentModel & Codable>: Sendable, Observable {
    private struct State {
        weak var delegate: (any DataProviderDelegate)?
        var onChange: (@Sendable (ConsistencyContext) -> Void)?
        weak var batch: DataProviderBatch?
        /// How often the model was set.
        var settings = 0
        /// How often the cache was asked.
        var fetches = 0
        /// What is waited for.
        var awaited: ModelID?
    }

    /// Where the model is shared.
    public let space: ModelSpace
    private let state = Mutex(State())
    private let registrar = ObservationRegistrar()
    private let listening: Mutex<Listening?> = Mutex(nil)

    /// Creates a provider without a model.
    public init(_ space: ModelSpace) {
        self.space = space
        let target = Listening.Target.handler { [weak self] model, _, context, time in
            self?.take(model.flatMap { value(of: $0, as: Model.self) }, context, time)
        }
        let listening = Listening(target, seen: nil) { $0 is Model }
        self.listening.withLock { $0 = listening }
    }

    deinit {
        guard let listening = listening.withLock({ $0 }) else { return }
        listening.end()
        space.consistency.enqueue { _ in .end(listening) }
    }

    /// Who is told of what changes elsewhere; held weakly.
    public var delegate: (any DataProviderDelegate)? {
        get { state.withLock { $0.delegate } }
        set { state.withLock { $0.delegate = newValue } }
    }

    /// Calls a handler when the model has changed elsewhere, after the delegate; nil for none.
    public func onChange(_ handler: (@Sendable (ConsistencyContext) -> Void)?) {
        // The one before is let go of when the lock is open: it may hold others.
        _ = state.withLock { state in
            defer { state.onChange = handler }
            return state.onChange
        }
    }

    // MARK: The model

    /// The model as it is now; nil for none, also when it was deleted elsewhere.
    public var data: Model? {
        registrar.access(self, keyPath: \.data)
        return current
    }

    private var current: Model? { listening.withLock { $0 }?.seen.flatMap { value(of: $0, as: Model.self) } }

    /// Puts another model in the place of this one, or none, which deletes nothing.
    ///
    /// Returns at once. All who hold the model, and the cache, are told later.
    ///
    /// - Parameters:
    ///   - model: The model; nil for none.
    ///   - updateCache: Whether the cache is to know.
    ///   - context: What those who are told are to know with it.
    public func set(_ model: Model?, updateCache: Bool = true, context: ConsistencyContext = .none) {
        state.withLock { state in
            state.settings += 1
            state.awaited = nil
            guard let model, let listening = listening.withLock({ $0 }) else { return hold(nil) }
            space.consistency.enqueue { time in
                if updateCache { space.writer?.write([model], at: time) }
                let base = listening.replace(model, at: time)
                return .set(listening, base: base, model, context) { [writer = space.writer] merged in
                    // While it is paused nobody else writes that.
                    if updateCache, let merged = merged as? Model { writer?.write([merged], at: time) }
                }
            }
        }
        registrar.withMutation(of: self, keyPath: \.data) {}
    }

    private func hold(_ model: Model?) {
        guard let listening = listening.withLock({ $0 }) else { return }
        space.consistency.enqueue { .replace(listening, base: listening.replace(model, at: $0), model) }
    }

    private func adopt(_ model: Model) {
        guard let listening = listening.withLock({ $0 }) else { return }
        space.consistency.enqueue { time in
            _ = listening.replace(model, at: time)
            return .adopt(listening, model)
        }
    }

    /// The id of the model; where there is none, of the one that is waited for.
    ///
    /// Set it to have the first model that comes with this id; while there is a model, setting it does nothing.
    public var modelID: ModelID? {
        get { current?.modelID ?? state.withLock { $0.awaited } }
        set {
            state.withLock { state in
                guard current == nil else { return }
                state.awaited = newValue
                wait(for: newValue)
            }
        }
    }

    private func wait(for id: ModelID?) {
        guard let listening = listening.withLock({ $0 }) else { return }
        if let id { space.consistency.enqueue { _ in .wait(listening, id) } } else { hold(nil) }
    }

    // MARK: The cache

    /// Has the model of the cache, unless a model is set meanwhile.
    ///
    /// - Parameters:
    ///   - id: The model's id.
    ///   - waits: Whether, where the cache does not have it, the first model that comes with this id is taken.
    /// - Returns: The model that the provider has then; nil for none.
    /// - Throws: ``RemoteDataError`` when the cache fails, or has something else under this id.
    @discardableResult public func fetchFromCache(
        _ id: ModelID,
        waits: Bool = true
    ) async throws(RemoteDataError) -> Model? {
        if let current, current.modelID == id { return current }
        let (settings, fetch) = state.withLock { state in
            state.fetches += 1
            return (state.settings, state.fetches)
        }
        let cached: Model? = try await space.cachedModel(id)
        let hasTaken = state.withLock { state in
            // Whatever was set meanwhile is newer, and whoever asked later wants something else.
            guard state.settings == settings, state.fetches == fetch else { return false }
            if let cached {
                adopt(cached)
            } else if waits, current == nil {
                state.awaited = id
                wait(for: id)
            }
            return cached != nil
        }
        if hasTaken { registrar.withMutation(of: self, keyPath: \.data) {} }
        return current
    }

    /// Has the model of the cache, unless a model is set meanwhile.
    ///
    /// - Parameters:
    ///   - id: The model's id.
    ///   - waits: Whether, where the cache does not have it, the first model that comes with this id is taken.
    ///   - completion: Called once, where the space delivers, with the model that the provider has then.
    public func fetchFromCache(
        _ id: ModelID,
        waits: Bool = true,
        completion: @escaping @Sendable (Result<Model?, RemoteDataError>) -> Void
    ) {
        space.complete(completion) { () throws(RemoteDataError) in
            try await self.fetchFromCache(id, waits: waits)
        }
    }

    // MARK: Pausing

    /// Whether the model stays as it is, whatever changes elsewhere, until this is false again; then it is told what has changed in the end.
    public var isPaused: Bool {
        get { listening.withLock { $0 }?.isPaused ?? false }
        set {
            guard let listening = listening.withLock({ $0 }) else { return }
            if newValue { space.consistency.pause(listening) } else { space.consistency.resume(listening) }
        }
    }

    // MARK: Being told

    func join(_ batch: DataProviderBatch) { state.withLock { $0.batch = batch } }

    var batch: DataProviderBatch? { state.withLock { $0.batch } }

    private func take(_ model: Model?, _ context: ConsistencyContext, _ time: UInt64) {
        // Without a model as well: it has come, and is gone again.
        state.withLock { $0.awaited = nil }
        if let model { space.writer?.write([model], at: time) }
        registrar.withMutation(of: self, keyPath: \.data) {}
        let (delegate, handler, batch) = state.withLock { ($0.delegate, $0.onChange, $0.batch) }
        delegate?.dataProviderHasUpdated(self, context: context)
        handler?(context)
        batch?.note(self, context)
    }
}
