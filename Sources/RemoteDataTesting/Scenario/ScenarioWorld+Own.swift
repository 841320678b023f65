import Foundation
import RemoteData
import Synchronization

// What the collection of a scenario is asked to do.
extension ScenarioWorld {
    func performOwn(_ action: ScenarioStep.Action, _ step: ScenarioStep) -> Bool {
        if action == .open {
            open?()
            return open != nil
        }
        // Opening it may take time, or have failed.
        guard let collection else { return open != nil }
        let at = step.at ?? 0
        switch action {
        case .add, .insert:
            write { [self] () async throws(RemoteDataError) in
                let element = try element(step.row ?? .object([:]))
                let stored =
                    action == .add
                    ? try await collection.add(element) : try await collection.insert(element, at: at)
                noteRead(stored)
                return stored != nil
            }
        case .change:
            write { [self] () async throws(RemoteDataError) in
                guard let id = step.id?.id else { return false }
                try await update(id, step, collection)
                return true
            }
        case .remove:
            write { [self] () async throws(RemoteDataError) in
                guard let id = step.id?.id else { return false }
                return try await collection.remove(try element(try await known(id, collection)))
            }
        case .removeAt:
            write { () async throws(RemoteDataError) in
                _ = try await collection.remove(at: at)
                return true
            }
        case .removeAll:
            write { () async throws(RemoteDataError) in
                guard let clause = step.where else { return try await collection.removeAll() > 0 }
                return try await collection.removeAll(where: clause) > 0
            }
        default: return performReading(action, step, collection)
        }
        return true
    }

    private func performReading(
        _ action: ScenarioStep.Action,
        _ step: ScenarioStep,
        _ collection: RemoteDataCollection<Element>
    ) -> Bool {
        let at = step.at ?? 0
        switch action {
        case .read:
            start("read") { [weak self] () async throws(RemoteDataError) in
                self?.noteRead(try await collection.row(at: at))
            }
        case .prefetch:
            let range = at..<max(at, step.to ?? at)
            start("prefetch") { () async throws(RemoteDataError) in try await collection.prefetch(range) }
        case .populate:
            start("populate") { [self] () async throws(RemoteDataError) in
                try await collection.populate()
                notePopulated(collection)
            }
        case .refresh:
            state.withLock { $0.isPopulated = false }
            start("refresh") { [self] () async throws(RemoteDataError) in
                defer { state.withLock { $0.isPopulated = false } }
                try await collection.refresh()
            }
        case .iterate: iterate(step.name ?? "", step.take ?? .max, collection)
        case .abandon:
            let gone = state.withLock { $0.iterations.removeValue(forKey: step.name ?? "") }
            if !keepsIterations { gone?.orders.end() }
        case .narrow: narrow(step, collection)
        case .audit: audit(collection)
        case .listen: listen(step.name ?? "", step, to: collection)
        case .hear: hear(step.name ?? "", step.take ?? 1)
        default: return false
        }
        return true
    }

    /// Starts an own write and notes what became of it.
    private func write(_ body: @escaping @Sendable () async throws(RemoteDataError) -> Bool) {
        let number = state.withLock { state in
            state.writes.count += 1
            return state.writes.count
        }
        start("write") { [self] () async throws(RemoteDataError) in
            let result: Result<Bool, RemoteDataError> = await SimulatedTable.$write.withValue(number) {
                do throws(RemoteDataError) {
                    return .success(try await body())
                } catch {
                    return .failure(error)
                }
            }
            do throws(RemoteDataError) {
                if try result.get() { state.withLock { $0.writes.done.append(number) } }
            } catch {
                // An answer that cannot be read may have been one to something done, and credentials may be refused
                // when a write is sent again whose answer was lost.
                let codes: [RemoteDataError.Code] = [.invalidAnswer, .cancelled, .unauthorized]
                let isUnknown = error.isTransient || codes.contains(error.code)
                state.withLock { state in
                    if isUnknown { state.writes.unknown += 1 } else { state.writes.refused.append(number) }
                }
                throw error
            }
        }
    }

    func element(_ row: ScenarioValue) throws(RemoteDataError) -> Element {
        var row = row
        if case .object(let members) = row, members[server.table.idColumn] == nil {
            row = row.merging(.object([server.table.idColumn: ""]))
        }
        do { return try JSONDecoder().decode(Element.self, from: Data(row.json)) } catch {
            throw RemoteDataError(.invalidRow, "A row of the scenario is no \(Element.self).", cause: error)
        }
    }

    /// The row as the client or, where it has none, the server knows it.
    func known(_ id: RowID, _ collection: RemoteDataCollection<Element>) async throws(RemoteDataError)
        -> ScenarioValue
    {
        let own = collection.inspect().rows.first { $0?.id == id }
        let row: Row?
        if let own { row = own } else { row = try await server.table.row(id) }
        let value = row.flatMap { ScenarioValue(json: $0.json) }
        return value ?? .object([server.table.idColumn: ScenarioValue(id)])
    }
}

// MARK: - Iterating

extension ScenarioWorld {
    private func iterate(_ name: String, _ count: Int, _ collection: RemoteDataCollection<Element>) {
        let (orders, isNew) = state.withLock { state -> (ScenarioOrders, Bool) in
            // One that has ended is begun anew.
            if let known = state.iterations[name], !known.isEnded { return (known.orders, false) }
            let iteration = Iteration()
            state.iterations[name] = iteration
            return (iteration.orders, true)
        }
        orders.order(count)
        guard isNew else { return }
        scheduler.start { [weak self] in
            // Without the feed the collection knows of nothing since; the promise is made all the same. Where
            // there are no revisions, what it knew is known only of moments when it was at rest.
            let history = self?.server.history ?? []
            let known = collection.rightRevision.map(history.moment)
            let begin = self?.isFollowing(collection) ?? true ? known : history.count - 1
            self?.state.withLock { state in
                state.iterations[name]?.begin = begin ?? state.restMoment
                state.iterations[name]?.known = known ?? state.restMoment
            }
            var rows = collection.rows.makeAsyncIterator()
            while await orders.next() {
                do throws(RemoteDataError) {
                    guard let element = try await rows.next() else {
                        self?.ended(name, orders)
                        return
                    }
                    self?.took(element, name, orders)
                } catch {
                    orders.stop()
                    self?.failed(name, error)
                }
            }
        }
    }

    /// Whether changes come, as far as the collection can know.
    private func isFollowing(_ collection: RemoteDataCollection<Element>) -> Bool {
        if scenario.lacksRevisions, case .catchingUp = collection.liveStatus { return true }
        return collection.liveStatus.isLive
    }

    private func took(_ element: Element, _ name: String, _ orders: ScenarioOrders) {
        noteRead(element)
        guard let id = RowID(anyIdentifier: element.id) else { return }
        let (isTwice, begin) = state.withLock { state in
            // Abandoned, and maybe begun anew by another of the name.
            guard let known = state.iterations[name], known.orders === orders else {
                return (false, 0)
            }
            state.iterations[name]?.taken.append(id)
            return (known.taken.contains(id), known.begin ?? 0)
        }
        guard isTwice else { return }
        // Only where no changes are followed may a row that was moved and forgotten come again.
        let mayRepeat = scenario.collection.cacheLimit != nil && scenario.isUnfollowed
        if !mayRepeat || server.history.rowsThroughout(from: begin, withoutMoved: true).contains(id) {
            fail("iteration", "\(name) took the row \(id) twice.")
        }
    }

    /// An iteration ended with an error: never because rows were forgotten, since it remembers more of them than there are.
    private func failed(_ name: String, _ error: RemoteDataError) {
        state.withLock { $0.lastError = error.code.description }
        if !scenario.explains(error) { fail("iteration", "Nothing explains that \(name) failed: \(error)") }
    }

    private func ended(_ name: String, _ orders: ScenarioOrders) {
        orders.end()
        guard let iteration = state.withLock({ $0.iterations[name] }), iteration.orders === orders else {
            return
        }
        state.withLock { $0.iterations[name]?.isEnded = true }
        let missed = missed(iteration, withoutMoved: scenario.isUnfollowed || scenario.lacksRevisions)
        if !missed.isEmpty {
            let ids = missed.map(\.description).sorted().joined(separator: ", ")
            fail("iteration", "\(name) did not take \(ids), which matched from its begin to its end.")
        }
        let known = scenario.isUnfollowed ? 0 : iteration.known
        let ghosts = Set(iteration.taken).subtracting(server.history.rowsEver(since: known))
        if !ghosts.isEmpty {
            let ids = ghosts.map(\.description).sorted().joined(separator: ", ")
            fail("iteration", "\(name) took \(ids), which matched at no time from its begin to its end.")
        }
    }

    /// The moment from which on an iteration is looked at: what the collection had reached then is what it could know.
    private func begin(of iteration: Iteration) -> Int {
        scenario.isUnfollowed ? 0 : iteration.begin ?? 0
    }

    /// The rows that matched from the begin of an iteration to now, by the server's own history, and were not taken.
    ///
    /// Where changes are not followed or have no revisions, rows that moved in the order do not count.
    private func missed(_ iteration: Iteration, withoutMoved: Bool) -> [RowID] {
        let matching = server.history.rowsThroughout(from: begin(of: iteration), withoutMoved: withoutMoved)
        return Array(matching.subtracting(iteration.taken).subtracting(state.withLock { $0.spoiled }))
    }
}

extension Scenario {
    /// Whether what goes wrong in it explains an error; in one that was not generated anything may.
    func explains(_ error: RemoteDataError) -> Bool {
        guard seed != nil else { return true }
        let actions = Set(steps.compactMap(\.do))
        return switch error.code {
        case _ where error.isTransient: !isCalm
        case .unauthorized: actions.contains(.expireToken)
        case .invalidAnswer, .invalidRow: !actions.isDisjoint(with: [.truncate, .spoil, .malformFrames])
        case .unknownColumn: actions.contains(.beginAnew) || table.rows?.isEmpty ?? true
        default: false
        }
    }

    /// Whether it was generated without anything going wrong in it.
    var isCalm: Bool {
        let usual: Set<ScenarioStep.Action> = [
            .create, .update, .updateAll, .upsert, .delete, .deleteAll, .add, .insert, .change, .remove,
            .removeAt, .removeAll, .iterate, .abandon, .read, .prefetch, .populate, .refresh, .wait,
            .listen, .hear, .narrow,
        ]
        return seed != nil && steps.allSatisfy { $0.do.map { usual.contains($0) } ?? true }
    }

    /// Whether the table counts more rows than match.
    var countsHigh: Bool { collection.where != nil && !countsExactly }

    /// Whether the table counts the rows that match.
    var countsExactly: Bool { table.capabilities?.contains("exactCounts") ?? true }

    /// Whether nothing tells what a page or a count is older or newer than; the count may be off until every row is here.
    var lacksRevisions: Bool { !(table.capabilities?.contains("revisions") ?? true) }

    /// Whether the collection does not follow the table's changes.
    var isUnfollowed: Bool {
        !(collection.live ?? true) || !(table.capabilities?.contains("liveChanges") ?? true)
    }
}
