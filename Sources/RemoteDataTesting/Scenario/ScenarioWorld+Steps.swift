import Foundation
import RemoteData
import Synchronization

// What the steps of a scenario do.
extension ScenarioWorld {
    /// A key for a write, other than all before.
    func nextKey() -> String {
        state.withLock { state in
            state.keys += 1
            return "key-\(state.keys)"
        }
    }

    /// Takes the collection and begins to listen to it.
    func begin(_ collection: RemoteDataCollection<Element>) {
        let changes = collection.changes
        let inspection = collection.inspect()
        let forgets = scenario.collection.cacheLimit != nil
        state.withLock { state in
            state.collection = collection
            state.replica = ScenarioReplica(inspection, of: Element.self, forgets: forgets)
        }
        collection.errorHandler = { [weak self] error in
            self?.state.withLock { state in
                state.lastError = error.code.description
                if state.errors.count < 1_000 { state.errors.append(error.code.description) }
            }
        }
        collection.requestStartedHandler = { [weak self] in self?.state.withLock { $0.openRequests += 1 } }
        collection.requestCompletedHandler = { [weak self] in self?.state.withLock { $0.openRequests -= 1 } }
        followStatus(of: collection)
        scheduler.start { [weak self] in
            for await change in changes { self?.noteChange(change) }
        }
    }

    private func noteChange(_ change: CollectionChange<Element>) {
        checkEvent(change)
        state.withLock { state in
            if state.events.count < 10_000 { state.events.append(Self.describe(change)) }
            state.replica?.apply(change)
        }
        scheduler.note(UInt64(change.type.rawValue) &+ UInt64(change.inserted.first ?? 0) << 8)
    }

    /// Starts something of the client's and does not wait for it.
    func start(_ what: String, _ body: @escaping @Sendable () async throws(RemoteDataError) -> Void) {
        state.withLock { $0.running += 1 }
        scheduler.start { [weak self] in
            do throws(RemoteDataError) { try await body() } catch {
                if let self, !Self.isUsual(error), !scenario.explains(error) {
                    fail("calls", "Nothing explains that \(what) failed: \(error)")
                }
                self?.state.withLock { $0.lastError = error.code.description }
                self?.scheduler.note(UInt64(error.code.description.utf8.count))
            }
            self?.state.withLock { $0.running -= 1 }
        }
    }

    /// Whether a call may fail so while nothing is wrong: rows come, change and go, and not all fit.
    private static func isUsual(_ error: RemoteDataError) -> Bool {
        [.notFound, .alreadyExists, .outOfRange, .tooLarge, .conflict].contains(error.code)
    }

    /// Does a step.
    func perform(_ step: ScenarioStep) {
        lookAtRest()
        checkStatus()
        if let action = step.do {
            scheduler.note(UInt64(action.rawValue.utf8.count) << 32 | UInt64(scheduler.steps))
            guard performAsOther(action, step) || performFault(action, step) || performOwn(action, step)
            else {
                return fail("step", "There is no such thing to do as \(action).")
            }
            let limit = scheduler.isShuffling ? scheduler.number(upTo: 24) : SimulatedScheduler.stepLimit
            if scheduler.runReady(atMost: limit) == SimulatedScheduler.stepLimit {
                fail("no hang", "Something is done over and over.")
            }
            checkStatus()
        }
        if let expectation = step.expectNow { check(expectation) }
        if let expectation = step.expect {
            settle()
            check(expectation)
        }
    }
}

// MARK: - Others

extension ScenarioWorld {
    private func performAsOther(_ action: ScenarioStep.Action, _ step: ScenarioStep) -> Bool {
        guard [.create, .update, .updateAll, .upsert, .delete, .deleteAll].contains(action) else {
            return false
        }
        let table = server.table
        let result = immediately { [server] () async throws(RemoteDataError) in
            guard let mutation = try step.mutation(action, idColumn: table.idColumn) else {
                throw RemoteDataError(.invalidRequest, "The step \(action) lacks a row or an id.")
            }
            _ = try await table.commit(server.stamped(mutation))
            await server.noteHistory()
        }
        // A table that is still empty has no columns to name.
        let usual: [RemoteDataError.Code] = [.notFound, .alreadyExists, .unknownColumn]
        if case .failure(let error) = result, !usual.contains(error.code) {
            fail("step", error.description)
        }
        return true
    }
}

extension ScenarioStep {
    fileprivate func mutation(_ action: Action, idColumn: String) throws(RemoteDataError) -> Mutation? {
        let json = row?.json[...]
        switch action {
        case .create:
            return try json.map { json throws(RemoteDataError) in
                .create([try Draft(json, idColumn: idColumn)])
            }
        case .upsert:
            return try json.map { json throws(RemoteDataError) in
                .upsert([try Draft(json, idColumn: idColumn)])
            }
        case .update:
            guard let json, let id = id?.id else { return nil }
            return .update(id, patch: json)
        case .updateAll:
            guard let json else { return nil }
            return .updateAll(try Where.parse(self.where ?? ""), patch: json)
        case .delete: return id?.id.map { .delete($0) }
        default: return .deleteAll(try Where.parse(self.where ?? ""))
        }
    }
}

// MARK: - Faults and time

extension ScenarioWorld {
    private func performFault(_ action: ScenarioStep.Action, _ step: ScenarioStep) -> Bool {
        if let kind = step.requestFault(action) {
            let fault = RequestFault(kind: kind, call: step.call, remaining: max(1, step.times ?? 1))
            network.change { $0.requests.append(fault) }
            return true
        }
        let times = max(1, step.times ?? 1)
        let duration = Duration.milliseconds(step.ms ?? 0)
        switch action {
        case .wait: if !scheduler.run(for: duration) { fail("no hang", "Something is done over and over.") }
        case .settle: settle()
        case .skewClock: server.skew = duration
        case .online: network.change { $0.isOffline = false }
        default: return disturb(action, step, times: times, duration)
        }
        return true
    }

    private func disturb(
        _ action: ScenarioStep.Action,
        _ step: ScenarioStep,
        times: Int,
        _ duration: Duration
    ) -> Bool {
        switch action {
        case .expireToken: server.expireTokens(refusing: step.times ?? 0)
        case .disconnect: network.cutAll(silently: step.silently ?? false)
        case .offline:
            network.change { $0.isOffline = true }
            network.cutAll(silently: step.silently ?? false)
        case .dropFrames: network.change { $0.frames.drop += times }
        case .duplicateFrames: network.change { $0.frames.duplicate += times }
        case .reorderFrames: network.change { $0.frames.reorder += times }
        case .spoil:
            guard let id = step.id?.id else { return false }
            network.change { $0.spoiled.insert(id) }
            state.withLock { _ = $0.spoiled.insert(id) }
        case .malformFrames: network.change { $0.frames.malform += times }
        case .holdFrames: network.change { $0.frames.isHolding = true }
        case .releaseFrames: network.releaseFrames()
        case .resetSubscriptions: network.resetAll()
        case .restart: network.restartServer(keepsLog: step.keepsLog ?? true)
        case .beginAnew: beginAnew(step)
        case .stallDelivery: scheduler.stallDelivery(for: duration)
        case .heal: heal()
        default: return false
        }
        return true
    }

    /// Has the server start again with a store that has begun anew, as from a backup.
    ///
    /// Where no other epoch shows it, only a lower revision does: a store without one is not put back.
    private func beginAnew(_ step: ScenarioStep) {
        let isShown = step.keepsEpoch != true && scenario.table.epochs != false
        let limit = isShown ? nil : server.table.revision
        let result = immediately { [self] () async throws(RemoteDataError) in
            let rows = try await server.table.page(PageRequest(Query(), limit: 1_000)).rows
            let former = server.table.revision.epoch
            let isKept = step.keepsEpoch ?? (defect == .epochsUnseen)
            let table = makeTable(isKept ? former?.rawValue ?? 1 : UInt32(server.startCount + 2))
            // Rows that come and go leave the columns of the former table.
            var columns: [String: ScenarioValue] = [:]
            let row = rows.first.flatMap { ScenarioValue(json: $0.json) } ?? scenario.table.rows?.first
            if case .object(let members)? = row {
                columns = members.filter { $0.key != table.idColumn }
            }
            for _ in 0..<(step.times ?? 0) {
                let draft = try Draft(ScenarioValue.object(columns).json[...], idColumn: table.idColumn)
                for row in try await table.commit(.create([draft])).rows {
                    _ = try await table.commit(.delete(row.id))
                }
            }
            for row in rows.prefix(step.limit ?? .max) {
                _ = try await table.commit(.create([try Draft(row.json, idColumn: table.idColumn)]))
            }
            if let limit, table.revision >= limit { return }
            network.beginAnew(with: table, ordered: scenario.table.ordered(table))
            await server.noteHistory()
        }
        if case .failure(let error) = result { fail("step", error.description) }
    }

    /// Ends all faults.
    func heal() {
        network.change { faults in
            faults.requests = []
            faults.spoiled = []
            faults.isOffline = false
            let isHolding = faults.frames.isHolding
            faults.frames = FrameFaults()
            faults.frames.isHolding = isHolding
        }
        network.releaseFrames()
        network.beatAll()
    }

    /// Waits until nothing is under way.
    func settle() {
        let isSettled = scheduler.run(atMost: .seconds(120)) { [self] in
            scheduler.messages == 0 && !scheduler.isBusy && isIdle
        }
        if !isSettled { fail("no hang", "Something is still under way after two minutes.") }
    }

    /// Whether nobody waits for anything.
    var isIdle: Bool {
        state.withLock { state in
            state.running == 0 && state.iterations.values.allSatisfy { !$0.orders.isBusy }
        }
    }
}

extension ScenarioStep {
    fileprivate func requestFault(_ action: Action) -> RequestFault.Kind? {
        switch action {
        case .fail: .status(status ?? 503, retryAfter: retryAfter.map { .milliseconds($0) })
        case .answer: .body(body ?? "", status: status ?? 200)
        case .loseRequest: .loseRequest(isTold: !(silently ?? false))
        case .loseReply: .loseReply(isTold: !(silently ?? false))
        case .truncate: .truncate
        case .delay: .delay(.milliseconds(ms ?? 1_000))
        case .delayReply: .delayReply(.milliseconds(ms ?? 1_000))
        default: nil
        }
    }
}
