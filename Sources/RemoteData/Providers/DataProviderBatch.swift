import Synchronization

/// Providers of which somebody is told together: once for all that changes at once, after each of them has been told.
///
/// ```swift
/// let batch = DataProviderBatch(space) { changed, _ in redraw(changed) }
/// batch.add(me)
/// batch.add(contacts)
/// ```
///
/// A provider is in one batch at most, the last.
public final class DataProviderBatch: Sendable {
    private struct State {
        /// Who has changed, and what was said with it.
        var changed: [any AnyObject & Sendable] = []
        var context = ConsistencyContext.none
        /// Pauses a provider that is still in the batch, or lets it go on.
        var pauses: [@Sendable (DataProviderBatch, Bool) -> Void] = []
        var isPaused = false
    }

    private let space: ModelSpace
    private let state = Mutex(State())
    private let handler: @Sendable ([any AnyObject & Sendable], ConsistencyContext) -> Void

    /// Creates a batch without providers.
    ///
    /// - Parameters:
    ///   - space: Where the providers are.
    ///   - handler: Called where the space delivers, with the providers that have changed, in the order in which they were told.
    public init(
        _ space: ModelSpace,
        _ handler: @escaping @Sendable ([any AnyObject & Sendable], ConsistencyContext) -> Void
    ) {
        self.space = space
        self.handler = handler
    }

    /// Tells of a provider from now on; it is held weakly.
    public func add<Model>(_ provider: DataProvider<Model>) {
        provider.join(self)
        keep { [weak provider] batch, isPaused in
            if let provider, provider.batch === batch { provider.isPaused = isPaused }
        }
    }

    /// Tells of a provider from now on; it is held weakly.
    public func add<Model>(_ provider: CollectionDataProvider<Model>) {
        provider.state.withLock { $0.batch = self }
        keep { [weak provider] batch, isPaused in
            if let provider, provider.state.withLock({ $0.batch }) === batch { provider.isPaused = isPaused }
        }
    }

    private func keep(_ pause: @escaping @Sendable (DataProviderBatch, Bool) -> Void) {
        let isPaused = state.withLock { state in
            state.pauses.append(pause)
            return state.isPaused
        }
        if isPaused { pause(self, true) }
    }

    /// Whether all of them are paused.
    public var isPaused: Bool {
        get { state.withLock { $0.isPaused } }
        set {
            let pauses = state.withLock { state in
                state.isPaused = newValue
                return state.pauses
            }
            for pause in pauses { pause(self, newValue) }
        }
    }

    /// A provider has been told something; on the delivery queue.
    func note(_ provider: any AnyObject & Sendable, _ context: ConsistencyContext) {
        let isFirst = state.withLock { state in
            state.context = context
            defer {
                if !state.changed.contains(where: { $0 === provider }) { state.changed.append(provider) }
            }
            return state.changed.isEmpty
        }
        if isFirst { space.consistency.atEndOfRound { self.tell() } }
    }

    private func tell() {
        let (changed, context) = state.withLock { state in
            defer { state.changed = [] }
            return (state.changed, state.context)
        }
        if !changed.isEmpty { handler(changed, context) }
    }
}
