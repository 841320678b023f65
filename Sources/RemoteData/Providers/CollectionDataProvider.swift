import Synchronization
public import Observation

/// A list of models, kept the same as everywhere else: set and changed at once, told of what changes elsewhere, and cached.
///
/// ```swift
/// let contacts = CollectionDataProvider<Person>(space)
/// contacts.onChange { change, _ in table.apply(change) }
/// if try await contacts.fetchFromCache("contacts") != nil { table.reload() }
/// contacts.set(try await server.contacts(), cacheKey: "contacts")
/// ```
///
/// Providers with the same cache key have the same list. All methods may be called on any thread and none blocks; who calls them where the space delivers never sees the list change between two reads.
public final class CollectionDataProvider<Model: ConsistentModel & Codable>: Sendable, Observable {
    struct State {
        var list: SharedList<Model>
        weak var delegate: (any CollectionDataProviderDelegate)?
        var onChange: (@Sendable (ListChange, ConsistencyContext) -> Void)?
        weak var batch: DataProviderBatch?
    }

    /// Where the models are shared.
    public let space: ModelSpace
    let state: Mutex<State>
    private let registrar = ObservationRegistrar()

    /// Creates a provider with an empty list.
    public init(_ space: ModelSpace) {
        self.space = space
        state = Mutex(State(list: SharedList(space, key: nil)))
        join(list)
    }

    deinit { state.withLock { $0.list }.leave(ObjectIdentifier(self)) }

    /// Who is told of what changes elsewhere; held weakly.
    public var delegate: (any CollectionDataProviderDelegate)? {
        get { state.withLock { $0.delegate } }
        set { state.withLock { $0.delegate = newValue } }
    }

    /// Calls a handler with what changes elsewhere, after the delegate; nil for none.
    public func onChange(_ handler: (@Sendable (ListChange, ConsistencyContext) -> Void)?) {
        // The one before is let go of when the lock is open: it may hold others.
        _ = state.withLock { state in
            defer { state.onChange = handler }
            return state.onChange
        }
    }

    // MARK: Reading

    /// The models as they are now; a copy that costs little and does not change.
    public var data: ModelList<Model> {
        registrar.access(self, keyPath: \.data)
        return list.contents(for: ObjectIdentifier(self)).models
    }

    /// How many models there are.
    public var count: Int { data.count }

    /// The model at an index, which has to be there.
    public subscript(index: Int) -> Model { data[index] }

    /// The key of the list in the cache; nil for one that only this provider has.
    public var cacheKey: String? { list.key }

    var list: SharedList<Model> { state.withLock { $0.list } }

    // MARK: Being told

    /// Has a list from now on.
    func join(_ list: SharedList<Model>) {
        list.join(ObjectIdentifier(self)) { [weak self] notice in self?.take(notice) }
    }

    /// Tells those who look at the list.
    func noteMutation() { registrar.withMutation(of: self, keyPath: \.data) {} }

    private func take(_ notice: SharedList<Model>.Notice) {
        noteMutation()
        let (delegate, handler, batch) = state.withLock { ($0.delegate, $0.onChange, $0.batch) }
        delegate?.collectionDataProvider(self, hasUpdated: notice.change, context: notice.context)
        handler?(notice.change, notice.context)
        batch?.note(self, notice.context)
    }
}
