/// A model that is kept the same as everywhere else as long as this is held.
///
/// Safe to use from any thread. ``ConsistencyManager/subscribe(to:_:)`` makes one.
public final class ConsistencySubscription<Model: ConsistentModel>: Sendable {
    let manager: ConsistencyManager
    let listening: Listening

    init(_ manager: ConsistencyManager, _ listening: Listening) {
        self.manager = manager
        self.listening = listening
    }

    deinit { cancel() }

    /// The model as it was told last, or set; nil when it was deleted, or has not come yet.
    public var model: Model? { listening.seen.flatMap { value(of: $0, as: Model.self) } }

    /// Holds another model from now on, or none; nobody else is told.
    ///
    /// What was asked for before and is not told yet is put together with it, and told.
    public func replace(with model: Model?) {
        enqueueReplacement(with: model)
    }

    /// Holds another model from now on, and tells everyone else who holds it or a part of it.
    public func set(_ model: Model, context: ConsistencyContext = .none) {
        manager.enqueue { [listening] in
            .set(listening, base: listening.replace(model, at: $0), model, context, merged: nil)
        }
    }

    /// Is told nothing until it is resumed; then what has become of the model meanwhile, at once.
    public func pause() { manager.pause(listening) }

    /// Is told what has changed while it was paused, if anything has in the end, and goes on.
    public func resume() { manager.resume(listening) }

    /// Whether it is paused.
    public var isPaused: Bool { listening.isPaused }

    /// Is told nothing any more, from now on.
    public func cancel() {
        listening.end()
        manager.enqueue { [listening] _ in .end(listening) }
    }

    private func enqueueReplacement(with model: Model?) {
        manager.enqueue { [listening] in .replace(listening, base: listening.replace(model, at: $0), model) }
    }
}

extension ConsistencyManager {
    /// Holds a model, and tells what becomes of it.
    ///
    /// Costs later, away from the caller, what laying out its parts asks for; where an equal model is held already, a comparison.
    ///
    /// - Parameters:
    ///   - model: The model, with all that it is made of.
    ///   - handler: Called where the manager delivers, for changes made elsewhere.
    /// - Returns: Ends it when let go of.
    @inlinable public func subscribe<Model: ConsistentModel>(
        to model: Model,
        _ handler: @escaping @Sendable (ConsistencyChange<Model>) -> Void
    ) -> ConsistencySubscription<Model> {
        subscribe(to: model, accepts: { $0 is Model }, Self.telling(handler))
    }

    @usableFromInline func subscribe<Model: ConsistentModel>(
        to model: Model,
        accepts: @escaping @Sendable (any ConsistentModel) -> Bool,
        _ tell: @escaping Handler
    ) -> ConsistencySubscription<Model> {
        let shared = share(model)
        let listening = Listening(.handler(tell), seen: shared, accepts: accepts)
        enqueue { _ in .listen(listening, shared) }
        return ConsistencySubscription(self, listening)
    }

    /// Waits for a model that nobody here has seen yet: holds the first that comes with this id and type, and tells what becomes of it.
    @inlinable public func subscribe<Model: ConsistentModel>(
        to id: ModelID,
        of type: Model.Type,
        _ handler: @escaping @Sendable (ConsistencyChange<Model>) -> Void
    ) -> ConsistencySubscription<Model> {
        subscribe(to: id, accepts: { $0 is Model }, Self.telling(handler))
    }

    @usableFromInline func subscribe<Model: ConsistentModel>(
        to id: ModelID,
        accepts: @escaping @Sendable (any ConsistentModel) -> Bool,
        _ tell: @escaping Handler
    ) -> ConsistencySubscription<Model> {
        let listening = Listening(.handler(tell), seen: nil, accepts: accepts)
        enqueue { _ in .wait(listening, id) }
        return ConsistencySubscription(self, listening)
    }

    /// Calls a handler once for each change that some of these are told of, after them; one is in one batch at most, the last.
    ///
    /// - Parameters:
    ///   - subscriptions: Which it is about.
    ///   - handler: Which were told, by their places in the list, what has changed for any of them, and what was said with it.
    public func batch<Model>(
        _ subscriptions: [ConsistencySubscription<Model>],
        _ handler: @escaping @Sendable ([Int], ModelUpdates, ConsistencyContext) -> Void
    ) {
        var places: [ObjectIdentifier: Int] = [:]
        for (place, subscription) in subscriptions.enumerated() {
            places[ObjectIdentifier(subscription.listening)] = place
        }
        let batch = BatchListening { [places] told, updates, context in
            handler(told.compactMap { places[$0] }, updates, context)
        }
        for subscription in subscriptions { subscription.listening.join(batch) }
    }

    /// Is called with what has changed, and when that was initiated.
    @usableFromInline typealias Handler =
        @Sendable ((any SharedModel)?, ModelUpdates, ConsistencyContext, UInt64) -> Void

    // Inlined where the type is known: it is called for everyone who is told.
    @inlinable static func telling<Model: ConsistentModel>(
        _ handler: @escaping @Sendable (ConsistencyChange<Model>) -> Void
    ) -> Handler {
        { model, updates, context, _ in
            let model = model.flatMap { value(of: $0, as: Model.self) }
            handler(ConsistencyChange(model: model, updates: updates, context: context))
        }
    }
}
