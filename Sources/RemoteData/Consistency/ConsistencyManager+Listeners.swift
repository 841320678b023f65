import Synchronization

extension ConsistencyManager {
    // MARK: Listeners

    /// Begins to tell a listener of what becomes of the model that it holds, and of all that this is made of.
    ///
    /// To be called again when the listener puts another model in the place of its own, but not when it was told of it. Called as often as one
    /// likes; nothing happens if it holds no model. It may stay paused.
    public func add(_ listener: any ConsistencyListener) {
        if let model = listener.currentModel() { add(listener, to: model) }
    }

    /// Begins to tell a listener of what becomes of a model, which it will give as its own when it is asked.
    public func add(_ listener: any ConsistencyListener, to model: any ConsistentModel) {
        let listening = makeListening(of: listener)
        enqueue { .replace(listening, base: listening.replace(model, at: $0), model) }
    }

    /// What is known of a listener, who holds nothing yet if it is new.
    private func makeListening(of listener: any ConsistencyListener) -> Listening {
        let (listening, stale, isCrowded) = audience.withLock { audience -> (Listening, Listening?, Bool) in
            let id = ObjectIdentifier(listener)
            if let known = audience.listeners[id], known.isOf(listener) { return (known, nil, false) }
            let listening = Listening(.listener(Listening.WeakListener(listener)), seen: nil)
            let stale = audience.listeners.updateValue(listening, forKey: id)
            return (listening, stale, audience.listeners.count >= audience.nextSweep)
        }
        // Let go of when the lock is open: its batch may hold others.
        withExtendedLifetime(stale) {}
        if isCrowded { forgetListeners() }
        return listening
    }

    /// Forgets listeners that are gone; that is done each time their number may have doubled.
    func forgetListeners() {
        // Whoever is looked at may go meanwhile, and then do something with the manager: not under the lock.
        let all = audience.withLock { $0.listeners }
        let gone = all.filter { $1.hasEnded }
        audience.withLock { audience in
            for (id, listening) in gone where audience.listeners[id] === listening {
                audience.listeners[id] = nil
            }
            audience.nextSweep = max(64, audience.listeners.count * 2)
        }
    }

    /// Tells a listener nothing any more.
    ///
    /// Not needed where it goes away.
    public func remove(_ listener: any ConsistencyListener) {
        guard let listening = listening(of: listener) else { return }
        _ = audience.withLock { $0.listeners.removeValue(forKey: ObjectIdentifier(listener)) }
        listening.end()
        enqueue { _ in .end(listening) }
    }

    func listening(of listener: any ConsistencyListener) -> Listening? {
        audience.withLock { audience in
            audience.listeners[ObjectIdentifier(listener)].flatMap { $0.isOf(listener) ? $0 : nil }
        }
    }

    // MARK: Pausing

    /// Tells a listener nothing until it is resumed; then what has become of its model meanwhile, at once.
    public func pause(_ listener: any ConsistencyListener) { listening(of: listener).map(pause) }

    /// Tells a listener what has changed while it was paused, if anything has in the end, and goes on telling.
    public func resume(_ listener: any ConsistencyListener) { listening(of: listener).map(resume) }

    /// Whether a listener is paused.
    public func isPaused(_ listener: any ConsistencyListener) -> Bool {
        listening(of: listener)?.isPaused ?? false
    }

    func pause(_ listening: Listening) {
        enqueue { time in listening.pause(at: time).map { .pause(listening, base: $0) } }
    }

    func resume(_ listening: Listening) { enqueue { _ in listening.resume() ? .resume(listening) : nil } }

    // MARK: Batches

    /// Calls a handler once for each change that some of these listeners are told of, after them.
    ///
    /// A listener is in one batch at most, the last. Ends with the listeners.
    ///
    /// - Parameters:
    ///   - listeners: Whom it is about, whether they listen already or not.
    ///   - handler: The listeners that were told, what has changed for any of them, and what was said with it.
    public func batch(
        _ listeners: [any ConsistencyListener],
        _ handler: @escaping @Sendable ([any ConsistencyListener], ModelUpdates, ConsistencyContext) -> Void
    ) {
        var members: [ObjectIdentifier: Listening.WeakListener] = [:]
        for listener in listeners {
            let listening = makeListening(of: listener)
            guard case .listener(let weak) = listening.target else { continue }
            members[ObjectIdentifier(listening)] = weak
        }
        let batch = BatchListening { [members] told, updates, context in
            handler(told.compactMap { members[$0]?.listener }, updates, context)
        }
        for listener in listeners { listening(of: listener)?.join(batch) }
    }

    // MARK: All that is told

    /// Calls a handler with everything that the manager is told, also where nobody holds it.
    ///
    /// - Returns: Ends it when let go of.
    public func observeAll(
        _ handler: @escaping @Sendable ([ModelID: ModelNews], ConsistencyContext) -> Void
    ) -> ConsistencyObservation { observeEverything { changes, context, _ in handler(changes, context) } }

    /// Calls a handler with everything that the manager is told, and when that was initiated.
    func observeEverything(_ handler: @escaping Observer) -> ConsistencyObservation {
        let number = audience.withLock { audience in
            audience.nextObserver += 1
            audience.observers[audience.nextObserver] = handler
            return audience.nextObserver
        }
        return ConsistencyObservation { [weak self] in
            // Let go of when the lock is open: the handler may hold another one.
            _ = self?.audience.withLock { $0.observers.removeValue(forKey: number) }
        }
    }
}

extension Listening {
    fileprivate func isOf(_ listener: any ConsistencyListener) -> Bool {
        guard case .listener(let weak) = target else { return false }
        return weak.listener === listener
    }
}
