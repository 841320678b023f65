import Synchronization

extension CollectionDataProvider {
    /// Whether the list stays as it is, whatever changes elsewhere, until this is false again; then it is told what has changed in the end.
    public var isPaused: Bool {
        get { isPaused(in: list) }
        set {
            if newValue { list.pause(ObjectIdentifier(self)) } else { list.resume(ObjectIdentifier(self)) }
        }
    }

    func isPaused(in list: SharedList<Model>) -> Bool {
        list.state.withLock { $0.members[ObjectIdentifier(self)]?.frozen != nil }
    }
}

extension SharedList {
    /// Shows a member the list as it is now from now on.
    func pause(_ member: ObjectIdentifier) {
        state.withLock { state in
            guard state.members[member]?.frozen == nil else { return }
            state.members[member]?.frozen = state.contents
            state.members[member]?.pausedContext = .none
        }
    }

    /// Shows a member the list as it is, and tells it what that is.
    func resume(_ member: ObjectIdentifier) {
        state.withLock { state in
            guard let frozen = state.members[member]?.frozen else { return }
            state.members[member]?.frozen = nil
            let change = ListChange(from: frozen, to: state.contents)
            guard change != .changes([]) else { return }
            let context = state.members[member]?.pausedContext ?? .none
            let before = state.members[member]?.notice?.change ?? .changes([])
            state.members[member]?.notice = Notice(change: before.followed(by: change), context: context)
            scheduleTelling(&state)
        }
    }
}

extension ListChange {
    /// What makes one list of another, of which models may have come, gone and changed.
    init<Model>(from old: SharedList<Model>.Contents, to new: SharedList<Model>.Contents) {
        let (before, after) = (old.keys.all, new.keys.all)
        // Another list altogether.
        if !before.isEmpty, !after.isEmpty, !before.contains(where: new.keys.contains) {
            self = old.models.isSame(as: new.models) ? .changes([]) : .reset
            return
        }
        var steps: [Step] = []
        var kept: [Int: Int] = [:]
        for (index, key) in before.enumerated().reversed() {
            if new.keys.contains(key) { kept[key] = index } else { steps.append(.delete(index)) }
        }
        var later: [Step] = []
        for (index, key) in after.enumerated() {
            guard let place = kept[key] else {
                later.append(.insert(index))
                continue
            }
            if !old.models[place].isSame(as: new.models[index]) { later.append(.update(index)) }
        }
        self = .changes(steps + later)
    }
}
