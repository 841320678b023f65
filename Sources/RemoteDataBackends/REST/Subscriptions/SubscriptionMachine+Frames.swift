import RemoteData

/// Frames, one by one.
extension SubscriptionMachine {
    /// Frames came over the open connection.
    mutating func received(session: Int, _ frames: [IncomingFrame]) -> [Action] {
        var actions: [Action] = []
        var rest = frames[...]
        while session == self.session, link == .open, let frame = rest.first {
            if let run = takeRun(&rest) {
                actions.append(run)
            } else {
                rest.removeFirst()
                actions += received(frame)
            }
        }
        return actions
    }

    /// Takes the changes in front that are of one subscription and in order, which mostly are all; nil where the first is not.
    private mutating func takeRun(_ frames: inout ArraySlice<IncomingFrame>) -> Action? {
        guard case .change(let name, _, _)? = frames.first, let id = id(name), var entry = entries[id] else {
            return nil
        }
        var events: [ChangeEvent] = []
        while case .change(name, let change, let after)? = frames.first, let revision = change.revision,
            entry.passes(revision, after: after)
        {
            if events.isEmpty { events.reserveCapacity(frames.count) }
            events.append(.change(change))
            frames.removeFirst()
        }
        guard !events.isEmpty else { return nil }
        entries[id] = entry
        return .deliver(id, events)
    }

    private mutating func received(_ frame: IncomingFrame) -> [Action] {
        switch frame {
        case .subscribed(let wireID, let revision): return id(wireID).map { subscribed($0, revision) } ?? []
        case .change(let wireID, let change, let after):
            return id(wireID).map { changed($0, change, after: after) } ?? []
        case .unreadableChange(let wireID, let revision, let after):
            // A gap, but one whose end is known.
            return id(wireID).map { received($0, .reset, placed(revision, $0), after: after) } ?? []
        case .progress(let wireID, let revision, let after):
            return id(wireID).map { id in
                let revision = placed(revision, id)
                return received(id, .progress(revision), revision, after: after)
            } ?? []
        case .reset(let wireID): return id(wireID).map { reset($0) } ?? []
        case .unsubscribed(let wireID):
            // Expected for one that has left; for another one the table behind it is gone for now.
            guard id(wireID) != nil else { return [] }
            return drop(
                RemoteDataError(.unavailable, "\(server) ended a subscription; it is being made again.")
            )
        case .problem(let wireID?, let problem): return id(wireID).map { refused($0, problem) } ?? []
        case .problem(nil, let problem):
            return drop(RemoteDataError(.invalidAnswer, problem.error(table: "", server: server).message))
        case .malformed(let what): return drop(RemoteDataError(.invalidAnswer, "\(server) sent \(what)."))
        case .unknown: return []
        }
    }

    private mutating func subscribed(_ id: Int, _ revision: Revision?) -> [Action] {
        guard var entry = entries[id] else { return [] }
        let step = entry.step(to: revision)
        // A repeated answer says nothing new.
        guard entry.phase != .live || step == .ahead else { return [] }
        let isGap = entry.owesReset || step != .none
        entry.begin(at: revision)
        entries[id] = entry
        return confirm() + [.deliver(id, isGap ? [.reset, .live(revision)] : [.live(revision)])]
    }

    /// The server begins anew after a gap, without having to be asked.
    private mutating func reset(_ id: Int) -> [Action] {
        entries[id]?.isAnswered = true
        entries[id]?.since = nil
        entries[id]?.owesReset = false
        return [.deliver(id, [.reset])] + expect([id])
    }

    private mutating func changed(_ id: Int, _ change: Change, after: Revision?) -> [Action] {
        let change = change.placed(in: entries[id]?.epoch)
        if let revision = change.revision { return received(id, .change(change), revision, after: after) }
        return entries[id]?.phase == .live ? [.deliver(id, [.change(change)])] : []
    }

    /// A revision in the history of its subscription, which the frame does not repeat.
    private func placed(_ revision: Revision, _ id: Int) -> Revision {
        Revision(revision.rawValue, epoch: entries[id]?.epoch)
    }

    private mutating func refused(_ id: Int, _ problem: ServerProblem) -> [Action] {
        let error = problem.error(table: entries[id]?.request.table ?? "", server: server)
        if error.code == .unavailable { return drop(error) }
        entries[id] = nil
        return [.deliver(id, [.interrupted(error)]), .finish(id)] + rest()
    }
}
