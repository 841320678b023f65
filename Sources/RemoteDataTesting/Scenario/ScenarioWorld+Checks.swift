import RemoteData
import Synchronization

// What has to be so.
extension ScenarioWorld {
    /// Heals everything, waits until it has come to rest, and checks every guarantee.
    func checkGuarantees() {
        heal()
        var healed = scheduler.now
        state.withLock { $0.healed = healed }
        guard let collection = opened() else {
            // Of those that were written, some are about that.
            if scenario.seed != nil { fail("collection", "It does not open.") }
            return
        }
        guard comeToRest(collection) else { return }
        if let refusal = refusal(of: collection.query) {
            checkRefused(collection, with: refusal)
            guard scenario.seed != nil, state.withLock({ $0.failures.isEmpty }) else { return }
            bringColumnsBack()
            healed = scheduler.now
            guard comeToRest(collection) else { return }
        }
        // A wait that the server has asked for goes on: a minute, by a clock that may be another one ahead.
        if scenario.steps.contains(where: { $0.retryAfter != nil }), !scheduler.run(for: .seconds(130)) {
            return fail("no hang", "Something is done over and over.")
        }
        checkStatusAtRest(collection, since: healed)
        checkRowsStayed(collection)
        checkReplica(collection)
        guard readAnew(collection) else { return fail("no hang", "Reading anew does not end.") }
        checkWrites()
        checkUpdates()
        checkBuffers(collection)
        if scenario.collection.cacheLimit == nil {
            checkConvergence(collection)
        } else {
            checkPasses(collection)
        }
        // One that nobody needs any more may still be on its way, or about to be sent again.
        scheduler.run(atMost: .seconds(60)) { [self] in state.withLock { $0.openRequests } == 0 }
        let open = state.withLock { $0.openRequests }
        if open != 0 { fail("handlers", "\(open) requests were told to begin and not to end.") }
    }

    /// The collection, which is opened where that has failed; also once its query is no longer refused.
    ///
    /// A query of a written scenario may be about a column that never comes.
    private func opened() -> RemoteDataCollection<Element>? {
        for _ in 0..<2 where collection == nil {
            scheduler.run(atMost: .seconds(120)) { [self] in isIdle }
            if collection == nil, scenario.seed != nil, refusal(of: query) != nil { bringColumnsBack() }
            if collection == nil { open?() }
            scheduler.run(atMost: .seconds(120)) { [self] in isIdle }
        }
        return collection
    }

    /// Of a collection that does not keep every row: what is here is right, and a pass takes every row.
    private func checkPasses(_ collection: RemoteDataCollection<Element>) {
        // Without revisions the count is only right once every row has been read.
        if !scenario.countsHigh, !scenario.lacksRevisions, let difference = difference(collection) {
            return fail("convergence", difference)
        }
        finishIterations()
        perform(ScenarioStep(.iterate, name: "(the last)"))
        scheduler.run(atMost: .seconds(60)) { isIdle }
        let taken = state.withLock { $0.iterations["(the last)"]?.taken } ?? []
        let rows = immediately { [server, query] () async throws(RemoteDataError) in
            try await server.rows(of: query)
        }
        // Rows that keep a position of the caller's choice are anywhere.
        let held = collection.inspect().held
        let right = ((try? rows.get()) ?? []).map(\.id)
        if taken.filter({ !held.contains($0) }) != right.filter({ !held.contains($0) })
            || !held.isSubset(of: taken)
        {
            fail("iteration", "A pass over all rows took \(taken.count), or in another order.")
        }
        checkCache(collection)
        if let difference = difference(collection) { fail("convergence", "After a pass: " + difference) }
        checkAudit(collection)
        checkNarrowed()
    }

    /// Whether a collection has nothing left to do, or is known to be refused by the server.
    func isAtRest(_ collection: RemoteDataCollection<Element>) -> Bool {
        switch collection.liveStatus {
        case .live where collection.isAtRest:
            return (collection.appliedRevision ?? server.table.revision) == server.table.revision
        case .off where collection.isAtRest: return true
        case .interrupted(let error): return error.code == refusal(of: collection.query)?.code
        // A feed may go on although the rows cannot be compared, or counted.
        case .off, .catchingUp, .live: return refusal(of: collection.query) != nil
        case .connecting: return false
        }
    }

    private func comeToRest(_ collection: RemoteDataCollection<Element>) -> Bool {
        let isFollowed = collection.liveStatus.isFollowed
        // Where no revision tells that something is missing, only silence does, after a while.
        if isFollowed, scenario.lacksRevisions, !scheduler.run(for: .seconds(90)) {
            fail("no hang", "Something is done over and over.")
        }
        let steps = scheduler.steps
        let isAtRest = scheduler.run(atMost: .seconds(600)) { [self] in
            guard scheduler.messages == 0, !scheduler.isBusy, isIdle else { return false }
            let all = [collection] + state.withLock { Array($0.narrowed.values) }
            return all.allSatisfy { self.isAtRest($0) }
        }
        if isAtRest { return true }
        let running = state.withLock { $0.running }
        let applied = collection.appliedRevision.map(\.description) ?? "none"
        fail(
            "no hang",
            "It does not come to rest: \(running) calls under way, \(scheduler.messages) messages, "
                + "status \(collection.liveStatus.word), at revision \(applied) of \(server.table.revision), "
                + "\(scheduler.steps - steps) steps."
        )
        return false
    }

    /// Has everything read anew, where only that shows what others did, or rows that could not be read.
    private func readAnew(_ collection: RemoteDataCollection<Element>) -> Bool {
        guard scenario.isUnfollowed || !state.withLock({ $0.spoiled.isEmpty }) else { return true }
        start("refresh") { () async throws(RemoteDataError) in try await collection.refresh() }
        // Whoever calls may go on before it has been told, where telling takes long.
        return scheduler.run(atMost: .seconds(600)) { isIdle && collection.isAtRest }
    }

    /// Whoever read nothing but the changes knows what the collection holds.
    private func checkReplica(_ collection: RemoteDataCollection<Element>) {
        let inspection = collection.inspect()
        let difference = state.withLock { state in
            // What was loaded since is known from now on, too.
            defer { state.replica?.look(inspection) }
            return state.replica?.difference(from: inspection)
        }
        if let difference { fail("events", difference) }
    }

    /// Compares what was told with what the collection holds, where it happens to be at rest.
    func lookAtRest() {
        guard let collection, scheduler.messages == 0, !scheduler.isBusy, collection.isAtRest
        else { return }
        checkReplica(collection)
        if collection.liveStatus.isLive, !network.holdsFrames, difference(collection) == nil {
            let moment = server.history.count - 1
            state.withLock { $0.restMoment = moment }
        }
    }

    func checkWrites() {
        let calls = server.appliedCalls
        if let twice = calls.first(where: { $0.value > 1 }) {
            fail("no lost write", "A write was applied \(twice.value) times.")
        }
        let writes = state.withLock { $0.writes }
        for write in writes.done where !server.hasMade(write) {
            fail("no lost write", "The write \(write) was acknowledged, and not made.")
        }
        for write in writes.refused where server.hasMadeInTime(write) {
            fail("no lost write", "The write \(write) was refused, and made.")
        }
        // A request that got no answer may come behind the refusal of the one that was sent in its place.
        // What a store has that is gone may be refused by the one that has taken its place.
        let open = writes.unknown + server.lateCalls + server.callsOfFormerStores
        if calls.count < writes.done.count || calls.count > writes.done.count + open {
            fail(
                "no lost write",
                "\(calls.count) writes were applied, \(writes.done.count) were acknowledged, "
                    + "of \(open) it is not known."
            )
        }
    }

    func checkBuffers(_ collection: RemoteDataCollection<Element>, waiting: Int = 0) {
        let limits = [
            "iterations": state.withLock { $0.iterations.count },
            "changes to be applied": waiting,
        ]
        for (name, count) in collection.inspect().buffers where count > limits[name, default: 0] {
            fail("bounds", "\(count) \(name) are kept at rest.")
        }
    }

    /// No more rows are here than asked for; four pages are always kept, and one more where any are asked for
    /// ahead.
    private func checkCache(_ collection: RemoteDataCollection<Element>) {
        guard let limit = scenario.collection.cacheLimit else { return }
        let page = scenario.collection.pageSize ?? 100
        let least = scenario.collection.readAhead == 0 ? 4 : 5
        let inspection = collection.inspect()
        let count = inspection.rows.count { row in row.map { !inspection.held.contains($0.id) } ?? false }
        if count > max(limit, least * page) {
            fail("bounds", "\(count) rows are here, with a limit of \(limit) and pages of \(page).")
        }
    }

    /// The rows are what the server has, those that are here at once and then all of them.
    private func checkConvergence(_ collection: RemoteDataCollection<Element>) {
        let isExact = !scenario.isUnfollowed && !scenario.lacksRevisions && !scenario.countsHigh
        if isExact, let difference = difference(collection) {
            return fail("convergence", difference)
        }
        if !collection.isLoaded {
            start("populate") { () async throws(RemoteDataError) in try await collection.populate() }
            let isDone = scheduler.run(atMost: .seconds(600)) { [self] in
                isIdle && collection.isAtRest && scheduler.messages == 0
            }
            guard isDone else { return fail("no hang", "Loading every row does not end.") }
        }
        if let difference = difference(collection) { return fail("convergence", "Loaded: " + difference) }
        if !collection.isLoaded { return fail("convergence", "Not every row is here after all were loaded.") }
        checkReplica(collection)
        finishIterations()
        checkPass(collection)
        checkAudit(collection)
        checkNarrowed()
    }

    /// Iterations under way go on to their end.
    private func finishIterations() {
        // In one order in all processes, so that a run is the same in each.
        let open = state.withLock { $0.iterations.sorted { $0.key < $1.key }.filter { !$0.value.isEnded } }
        for iteration in open { iteration.value.orders.order(.max) }
        let isDone = scheduler.run(atMost: .seconds(60)) { [self] in
            state.withLock { $0.iterations.values.allSatisfy { $0.isEnded } }
        }
        if !isDone { fail("no hang", "An iteration does not end.") }
    }

    /// A pass over everything yields what the server has.
    private func checkPass(_ collection: RemoteDataCollection<Element>) {
        _ = network.takeSent()
        perform(ScenarioStep(.iterate, name: "(the last)"))
        scheduler.run(atMost: .seconds(60)) { isIdle }
        let taken = state.withLock { $0.iterations["(the last)"] }
        let ids = collection.inspect().rows.compactMap { $0?.id }
        if taken?.isEnded != true || taken?.taken != ids {
            fail(
                "iteration",
                "A pass over all rows took \(taken?.taken.count ?? 0) of \(ids.count), or in another order."
            )
        }
        // Narrowed collections ask for their own rows.
        let clause = query.filter.map { ScenarioValue.text($0.description) }
        let pages = network.takeSent().filter { $0["call"] == .text("page") && $0["where"] == clause }
        if !pages.isEmpty, !scenario.isUnfollowed {
            fail("iteration", "A pass over loaded rows asked the server.")
        }
    }

    /// How the collection differs from what the server has; nil when it does not.
    func difference(_ collection: RemoteDataCollection<Element>) -> String? {
        let inspection = collection.inspect()
        let query = collection.query
        let result = immediately { [server] () async throws(RemoteDataError) in
            try await server.rows(of: query)
        }
        guard case .success(var rows) = result else { return "The server cannot be asked." }
        guard inspection.rows.count == rows.count else {
            return "It has \(inspection.rows.count) rows; the server has \(rows.count)."
        }
        // Rows that keep a position of the caller's choice are anywhere.
        var here = inspection.rows
        if !inspection.held.isEmpty {
            let held = here.compactMap(\.self).filter { inspection.held.contains($0.id) }
            for row in held where !rows.contains(where: { $0.id == row.id && $0.json == row.json }) {
                return "It holds the row \(row.id), which the server has not, or not so."
            }
            here.removeAll { $0.map { inspection.held.contains($0.id) } ?? false }
            rows.removeAll { inspection.held.contains($0.id) }
        }
        for (position, (own, right)) in zip(here, rows).enumerated() {
            guard let own else { continue }
            if own.id != right.id {
                return "It has row \(own.id) at \(position); the server has \(right.id)."
            }
            if own.json != right.json {
                return "Its row \(own.id) at \(position) is not what the server has."
            }
        }
        return nil
    }

    /// Ends everything, so that nothing is left waiting.
    func letGo() {
        let iterations = state.withLock { state in
            defer {
                state.iterations = [:]
                state.listeners = [:]
                state.narrowed = [:]
                state.collection?.errorHandler = nil
                state.collection?.requestStartedHandler = nil
                state.collection?.requestCompletedHandler = nil
                state.collection = nil
            }
            return state.iterations.sorted { $0.key < $1.key }.map(\.value.orders)
                + state.listeners.sorted { $0.key < $1.key }.map(\.value.orders)
        }
        open = nil
        for orders in iterations { orders.end() }
        heal()
        if !scheduler.drain() { fail("no hang", "Something goes on for ever.") }
    }
}

extension LiveStatus {
    /// The status in the word of scenario files.
    var word: String {
        switch self {
        case .off: "off"
        case .connecting: "connecting"
        case .catchingUp: "catching up"
        case .live: "live"
        case .interrupted: "interrupted"
        }
    }

    /// Whether changes are followed.
    var isFollowed: Bool { if case .off = self { false } else { true } }
}
