import Synchronization

/// A list of models that all providers with one key have in common, or that one has for itself.
final class SharedList<Model: ConsistentModel & Codable>: Sendable {
    /// What a provider that has the list is to be told.
    struct Notice: Sendable {
        let change: ListChange
        let context: ConsistencyContext
    }

    /// A provider that has the list.
    struct Member: Sendable {
        let tell: @Sendable (Notice) -> Void
        /// What it has not been told yet.
        var notices: [Notice] = []
        /// The list as it was when the provider was paused.
        var frozen: Contents?
        /// What was said last while it was paused.
        var pausedContext = ConsistencyContext.none
    }

    /// The models and who they are.
    struct Contents: Sendable {
        var models = ModelList<Model>()
        var keys = ElementKeys()
    }

    struct State {
        var contents = Contents()
        /// How often models were replaced, for those that were.
        var versions: [Int: Int32] = [:]
        var nextKey = 0
        /// Whether somebody has set the list, or it was in the cache.
        var isSet = false
        var members: [ObjectIdentifier: Member] = [:]
    }

    let space: ModelSpace
    /// The key that it has in the cache; nil for a list of one provider alone.
    let key: String?
    let state = Mutex(State())
    private let listening: Mutex<ListListening?> = Mutex(nil)

    init(_ space: ModelSpace, key: String?) {
        self.space = space
        self.key = key
        let listening = ListListening { [weak self] news, context in self?.take(news, context) }
        self.listening.withLock { $0 = listening }
    }

    deinit {
        guard let listening = listening.withLock({ $0 }) else { return }
        listening.end()
        space.consistency.enqueue { _ in .endList(listening) }
        if let key { space.forget(key, of: Model.self) }
    }

    // MARK: Members

    func join(_ member: ObjectIdentifier, _ tell: @escaping @Sendable (Notice) -> Void) {
        state.withLock { $0.members[member] = Member(tell: tell) }
    }

    func leave(_ member: ObjectIdentifier) { state.withLock { _ = $0.members.removeValue(forKey: member) } }

    /// The list as a provider shows it.
    func contents(for member: ObjectIdentifier) -> Contents {
        state.withLock { $0.members[member]?.frozen ?? $0.contents }
    }

    // MARK: Changes

    /// Does something to the list, and passes it on: to the manager, to the others who have the list, and to the cache.
    ///
    /// - Parameters:
    ///   - origin: Who does it and need not be told.
    ///   - updatesCache: Whether the cache is to know.
    ///   - context: What those who are told are to know with it.
    ///   - body: Does it under the lock.
    func change(
        by origin: ObjectIdentifier,
        updatesCache: Bool,
        _ context: ConsistencyContext,
        _ body: (inout State) -> Change?
    ) {
        let hasOthers = state.withLock { state in
            guard let change = body(&state) else { return false }
            if let listening = listening.withLock({ $0 }), !change.edits.isEmpty {
                space.consistency.enqueue { _ in .edit(listening, change.edits) }
            }
            if !change.posted.isEmpty { space.consistency.update(change.posted, context: context) }
            if updatesCache { write(change.posted) }
            return state.note(change.list, context, by: origin)
        }
        // In the order of everything else that is told.
        if hasOthers { space.consistency.enqueue { _ in .notify { self.tellMembers() } } }
    }

    /// Something that was done to the list.
    struct Change {
        var list: ListChange
        /// What the manager is to know of the list.
        var edits: [ConsistencyCore.ListEdit] = []
        /// What everyone else who holds these models is to know.
        var posted: [Model] = []
    }

    private func write(_ models: [Model]) {
        guard let writer = space.writer else { return }
        if !models.isEmpty {
            writer.write {
                try models.compactMap { model in
                    try model.modelID.map { .model($0, try CacheCoding.encoded(model)) }
                }
            }
        }
        guard let key else { return }
        writer.writeList(key) { [weak self] in
            guard let models = self?.state.withLock({ $0.contents.models }) else { return nil }
            return try CacheCoding.elements(models)
        }
    }

    /// What consistency has changed; on the delivery queue.
    private func take(_ news: [ListListening.News], _ context: ConsistencyContext) {
        state.withLock { state in
            let changed = state.apply(news)
            guard !changed.steps.isEmpty else { return }
            _ = state.note(.changes(changed.steps), context, by: nil)
            write(changed.models)
        }
        tellMembers()
    }

    /// Tells the members what they have not been told; on the delivery queue.
    func tellMembers() {
        let notices = state.withLock { state in
            var all: [(tell: @Sendable (Notice) -> Void, notices: [Notice])] = []
            for id in state.members.keys {
                guard let member = state.members[id], !member.notices.isEmpty else { continue }
                all.append((member.tell, member.notices))
                state.members[id]?.notices = []
            }
            return all
        }
        for (tell, notices) in notices { for notice in notices { tell(notice) } }
    }
}

extension SharedList.State {
    /// Keeps something for the members to be told.
    ///
    /// - Returns: Whether somebody is to be.
    mutating func note(_ change: ListChange, _ context: ConsistencyContext, by origin: ObjectIdentifier?)
        -> Bool
    {
        guard change != .changes([]) else { return false }
        var hasOthers = false
        for id in members.keys where id != origin {
            if members[id]?.frozen != nil {
                members[id]?.pausedContext = context
            } else {
                members[id]?.notices.append(SharedList.Notice(change: change, context: context))
                hasOthers = true
            }
        }
        return hasOthers
    }

    /// Applies what has become of models, from the last to the first.
    mutating func apply(
        _ news: [ListListening.News]
    ) -> (steps: [ListChange.Step], models: [Model]) {
        var found: [(index: Int, news: ListListening.News)] = []
        for item in news where versions[item.place.key] ?? 0 == item.place.version {
            if let index = contents.keys.index(of: item.place.key) { found.append((index, item)) }
        }
        found.sort { $0.index > $1.index }
        var (steps, models): ([ListChange.Step], [Model]) = ([], [])
        for (index, item) in found {
            if let model = item.model as? Model {
                if model.isSame(as: contents.models[index]) { continue }
                contents.models.replace(at: index, with: model)
                models.append(model)
                steps.append(.update(index))
            } else if item.model == nil {
                contents.models.remove(at: index)
                contents.keys.remove(at: index)
                versions[item.place.key] = nil
                steps.append(.delete(index))
            }
        }
        return (steps, models)
    }
}
