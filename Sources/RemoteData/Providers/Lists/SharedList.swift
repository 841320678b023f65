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
        /// What it has not been told yet, all at once.
        var notice: Notice?
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
        /// How many look for the list in the cache; what is added meanwhile is added to what is there.
        var loads = 0
        /// How often the list was changed.
        var generation = 0
        var members: [ObjectIdentifier: Member] = [:]
        /// Whether it is asked for already that the members are told.
        var isToTell = false
    }

    let space: ModelSpace
    /// The key that it has in the cache; nil for a list of one provider alone.
    let key: String?
    let state = Mutex(State())
    private let listening: Mutex<ListListening?> = Mutex(nil)

    init(_ space: ModelSpace, key: String?) {
        self.space = space
        self.key = key
        let listening = ListListening { [weak self] news, context, time in self?.take(news, context, time) }
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
        state.withLock { state in
            guard let change = body(&state), let listening = listening.withLock({ $0 }) else { return }
            state.generation += 1
            let posted = ConsistencyCore.ModelBatch(count: change.posted.count) { change.posted[$0] }
            space.consistency.enqueue { time in
                if updatesCache { write(change.written, at: time) }
                return .edit(listening, change.edits, posted: posted, context)
            }
            if state.note(change.list, context, by: origin) { scheduleTelling(&state) }
        }
    }

    /// Has members told what they have not been told, in the order of everything else that is told.
    func scheduleTelling(_ state: inout State) {
        guard !state.isToTell else { return }
        state.isToTell = true
        space.consistency.enqueue { _ in .notify { self.tellMembers() } }
    }

    /// The models as they are.
    var models: ModelList<Model> { state.withLock { $0.contents.models } }

    /// Something that was done to the list.
    struct Change {
        var list: ListChange
        /// What the manager is to know of the list.
        var edits: [ConsistencyCore.ListEdit] = []
        /// What everyone else who holds these models is to know, besides what is in the place of others.
        var posted: [Model] = []
        /// What the cache is to know.
        var written: [Model] = []
    }

    private func write(_ models: [Model], at time: UInt64) {
        guard let writer = space.writer else { return }
        writer.write(models, at: time)
        if let key { writer.writeList(self, key) }
    }

    /// Deletes models from the cache, but for those that somebody has brought back meanwhile.
    private func uncache(_ ids: [ModelID], at time: UInt64) {
        guard let writer = space.writer else { return }
        space.consistency.enqueue { _ in
            .derive(.none) { held in
                writer.delete(ids.filter { !held.contains($0) }, at: time)
                return ModelPost()
            }
        }
    }

    /// What consistency has changed; on the delivery queue.
    private func take(_ news: [ListListening.News], _ context: ConsistencyContext, _ time: UInt64) {
        state.withLock { state in
            let changed = state.apply(news)
            guard !changed.steps.isEmpty else { return }
            state.generation += 1
            _ = state.note(.changes(changed.steps), context, by: nil)
            write(changed.models, at: time)
            if !changed.gone.isEmpty { uncache(changed.gone, at: time) }
        }
        tellMembers()
    }

    /// Tells the members what they have not been told; on the delivery queue.
    func tellMembers() {
        let notices = state.withLock { state in
            state.isToTell = false
            var all: [(tell: @Sendable (Notice) -> Void, notice: Notice)] = []
            for id in state.members.keys {
                guard let member = state.members[id], let notice = member.notice else { continue }
                all.append((member.tell, notice))
                state.members[id]?.notice = nil
            }
            return all
        }
        for (tell, notice) in notices { tell(notice) }
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
        // Whoever changes a list of which they have not been told everything has another one before them.
        if let origin, let waiting = members[origin]?.notice {
            members[origin]?.notice = SharedList.Notice(change: .reset, context: waiting.context)
            hasOthers = true
        }
        for id in members.keys where id != origin {
            if members[id]?.frozen != nil {
                members[id]?.pausedContext = context
            } else {
                let before = members[id]?.notice?.change ?? .changes([])
                members[id]?.notice = SharedList.Notice(change: before.followed(by: change), context: context)
                hasOthers = true
            }
        }
        return hasOthers
    }

    /// Applies what has become of models, from the last to the first.
    mutating func apply(
        _ news: [ListListening.News]
    ) -> (steps: [ListChange.Step], models: [Model], gone: [ModelID]) {
        var found: [(index: Int, news: ListListening.News)] = []
        for item in news where versions[item.place.key] ?? 0 == item.place.version {
            if let index = contents.keys.index(of: item.place.key) { found.append((index, item)) }
        }
        found.sort { $0.index > $1.index }
        var (steps, models, gone): ([ListChange.Step], [Model], [ModelID]) = ([], [], [])
        for (index, item) in found {
            if let model = item.model as? Model {
                if model.isSame(as: contents.models[index]) { continue }
                contents.models.replace(at: index, with: model)
                models.append(model)
                steps.append(.update(index))
            } else if item.model == nil {
                if let id = contents.models.remove(at: index).modelID { gone.append(id) }
                contents.keys.remove(at: index)
                versions[item.place.key] = nil
                steps.append(.delete(index))
            }
        }
        return (steps, models, gone)
    }
}
