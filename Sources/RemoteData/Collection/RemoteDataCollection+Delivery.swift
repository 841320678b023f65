import RemoteDataExecution
import Synchronization

// When rows move: on the delivery queue, one change at a time, each told before the next is applied. Code that runs there
// then sees no position change under its hands.
//
// A blocking call made on the delivery queue itself holds it up: what the call waits for is then applied at once, on the
// thread that brings it. And where the queue does not run at all, for longer than the fence, as well.
extension RemoteDataCollection {
    /// Something that moves rows and waits for its turn.
    struct Step: Sendable {
        /// Does it, and notes what is to be told.
        let run: @Sendable (inout State) -> Void
        let done: OneShot<Void>
    }

    /// How long a page that is newer than the changes received waits for them before it is used anyway, and everything
    /// else for its turn: two seconds, and less where a blocking call would give up before.
    var fenceDeadline: Duration { Swift.min(.seconds(2), options.deadline / 2) }

    /// Has the delivery queue apply what waits and tell what is to be told.
    func scheduleDelivery() { start(state.withLock { $0.schedule() }) }

    /// Starts what waits for nobody.
    func start(_ work: State.Work) {
        // The cache does not wait for the delivery queue, which may not run.
        link?.flush()
        for waiter in work.woken { waiter.resume(.success(())) }
        if work.delivers { options.delivery.run { self.deliver() } }
        startRepairs(work)
    }

    private func deliver() {
        for number in 0..<Self.turnsOfAJob {
            let (turn, isOther, work) = state.withLock { state in
                if number == 0 { state.isDeliveryScheduled = false }
                let turn = state.takeTurn()
                return turn == nil
                    ? (turn, state.takeSeenOtherwise(), state.repairs()) : (turn, false, State.Work())
            }
            guard let turn else {
                link?.settle()
                if isOther { tellObservers() }
                return startRepairs(work)
            }
            for waiter in turn.waiters { waiter.resume(.success(())) }
            for notice in turn.notices { tell(notice) }
            if let said = turn.said { apply(said) }
        }
        if state.withLock({ $0.takeSeenOtherwise() }) { tellObservers() }
        scheduleDelivery()
    }

    /// How much is told before others have their turn on the queue.
    private static var turnsOfAJob: Int { 100 }

    /// Moves rows when it is time to, and returns when that is done.
    ///
    /// Does not block. In the order of the calls.
    func inTurn(_ run: @escaping @Sendable (inout State) -> Void) async {
        let step = Step(run: run, done: OneShot())
        let ready = state.withLock { state in
            state.steps.append(step)
            return state.parkedCalls > 0 ? state.catchUp() : []
        }
        for waiter in ready { waiter.resume(.success(())) }
        scheduleDelivery()
        await wait(step.done)
    }

    /// Does something when its turn has come.
    ///
    /// - Returns: What it returns; nil when it did not get its turn.
    func turn<Value: Sendable>(_ run: @escaping @Sendable (inout State) -> Value) async -> Value? {
        let result = Mutex<Value?>(nil)
        await inTurn { state in
            let value = run(&state)
            result.withLock { $0 = value }
        }
        return result.withLock { $0 }
    }

    /// Waits until something has been applied, and no longer than the fence for its turn.
    func wait(_ done: OneShot<Void>) async {
        let (clock, deadline) = (options.clock, fenceDeadline)
        let timer = Task(executorPreference: options.surroundings.executor) { [weak self] in
            guard (try? await clock.sleep(for: deadline)) != nil else { return }
            self?.catchUp()
            done.resume(.success(()))
        }
        try? await done.value()
        timer.cancel()
    }

    /// Applies what somebody waits for: at once where a blocking call holds up the delivery queue, otherwise there.
    func catchUpIfParked() {
        if state.withLock({ $0.parkedCalls > 0 }) { catchUp() } else { scheduleDelivery() }
    }

    /// Applies, at once, what somebody waits for.
    func catchUp() {
        let ready = state.withLock { $0.catchUp() }
        for waiter in ready { waiter.resume(.success(())) }
        scheduleDelivery()
    }

    /// Blocks the caller while work runs elsewhere, and lets changes be applied meanwhile if this holds up the delivery
    /// queue.
    func blocking<Value: Sendable>(
        atMost limit: Duration? = nil,
        _ body: @escaping @Sendable () async throws(RemoteDataError) -> Value
    ) throws(RemoteDataError) -> Value {
        let parks = options.delivery.isCurrent()
        if parks {
            state.withLock { $0.parkedCalls += 1 }
            catchUp()
        }
        defer { if parks { state.withLock { $0.parkedCalls -= 1 } } }
        return try Blocking.wait(atMost: limit ?? options.deadline, whenLate: { note(.failed($0)) }, body)
    }
}

extension RemoteDataCollection.State {
    /// Notes what has become of a page.
    ///
    /// - Returns: Whether it waits for changes, and those who have waited.
    mutating func take(
        _ reception: CollectionState.Reception,
        of fetch: Fetch
    ) -> (isWaiting: Bool, waiters: [OneShot<Void>]) {
        switch reception {
        case .merged(let told):
            notices += told.map { .changed($0) }
            noteLoading(byPage: true)
            noteLoadStep()
            return (false, takeWaiters([fetch]) + (parkedCalls > 0 ? takeReady() : []))
        case .waits(let told):
            notices += told.map { .changed($0) }
            return (true, parkedCalls > 0 ? takeReady() : [])
        case .outdated: return (false, takeWaiters([fetch]))
        }
    }

    /// What is to be started outside the lock.
    struct Work {
        var delivers = false
        /// Those who wait for a status.
        var woken: [OneShot<Void>] = []
        var compares = false
        var counts = false
        var proves = false
    }

    /// Notes that the delivery queue has something to do.
    mutating func schedule() -> Work {
        leaveOutChanges()
        condenseNotices()
        deliverStatus()
        enterNotes()
        var work = repairs()
        work.woken = takeStatusWaiters()
        work.delivers = !isDeliveryScheduled
        isDeliveryScheduled = true
        return work
    }

    /// What comes of moving rows, and is done without the lock, in this order.
    struct Turn {
        /// The waiters for what has been done.
        var waiters: [OneShot<Void>]
        /// What is to be told.
        var notices: ArraySlice<CollectionNotice> = []
        /// What others said of models, and is to be applied.
        var said: SaidModels?
        var hasApplied = false
    }

    /// Does the next thing that moves rows, unless something is to be told before.
    ///
    /// - Returns: What comes of it; nil when there is nothing to do.
    mutating func takeTurn() -> Turn? {
        isTellingChange = false
        endOverrun()
        leaveOutChanges()
        deliverStatus()
        var turn = moveRows()
        core.noteSeams()
        publishFound()
        leaveOutChanges()
        turn.waiters += takeStatusWaiters()
        // An event that changes nothing, or a page that nobody waits for, may have brought the turn of what others said.
        guard
            turn.hasApplied || turn.said != nil || !turn.waiters.isEmpty || !notices.isEmpty || isHintDue
                || overrun == .over
        else { return nil }
        turn.notices = takeNotices()
        isTellingChange = turn.notices.contains(where: \.isOfRows)
        if isTellingChange { isSeenOtherwise = true }
        return turn
    }

    /// What is to be told next: at most one change, since those behind it may still have to be left out.
    private mutating func takeNotices() -> ArraySlice<CollectionNotice> {
        let end = notices.firstIndex(where: \.isOfRows).map { $0 + 1 } ?? notices.endIndex
        let next = notices[..<end]
        notices = end == notices.endIndex ? [] : notices[end...]
        return next
    }

    private mutating func moveRows() -> Turn {
        guard notices.isEmpty else { return Turn(waiters: takeReached()) }
        runSteps()
        guard notices.isEmpty else { return Turn(waiters: takeReached()) }
        let ready = takeReady()
        guard notices.isEmpty else { return Turn(waiters: ready) }
        if isHintDue { return Turn(waiters: ready, said: applyHints(), hasApplied: true) }
        guard !core.needsResync else { return Turn(waiters: ready) }
        if applySome() { return Turn(waiters: ready + takeReached(), hasApplied: true) }
        return Turn(waiters: ready + takeReady())
    }

    /// Applies the next change that is to be delivered; where it has no listener, or none that gets it by
    /// itself, some at once.
    private mutating func applySome() -> Bool {
        guard overrun != .none || handlers.dataChanged == nil && listeners.isEmpty else {
            guard let applied = core.applyNext() else { return false }
            notices.append(.changed(applied))
            return true
        }
        // Nobody waits for one of the revisions between.
        let limit = core.waiting.isEmpty && revisionWaiters.isEmpty ? Self.unheardChanges : 1
        var count = 0
        while count < limit, !isHintDue, core.applyNextUnheard() { count += 1 }
        if count > 0 { isSeenOtherwise = true }
        return count > 0
    }

    /// How many changes are applied before others have their turn with the rows, where nobody listens to them.
    private static var unheardChanges: Int { 64 }

    private mutating func runSteps() {
        while !steps.isEmpty {
            let step = steps.removeFirst()
            step.run(&self)
            readySteps.append(step.done)
            if !notices.isEmpty { return }
        }
    }

    /// Applies as much as somebody waits for.
    mutating func catchUp() -> [OneShot<Void>] {
        while !steps.isEmpty { runSteps() }
        let wanted = core.waiting.compactMap(\.page.revision) + revisionWaiters.map(\.revision)
        if core.repair?.isDrained == false {
            notices += core.applyFound().map { .changed($0) }
        }
        if let last = wanted.filter(core.isToCome).max(), !core.needsResync {
            notices += core.applyPending(through: last).map { .changed($0) }
        }
        // They wait for more than a revision: for the feed to be live, or compared.
        if !changeWaiters.isEmpty { notices += core.applyPending().map { .changed($0) } }
        publishFound()
        return takeReady()
    }

    /// Puts pages in place whose revision has been reached.
    ///
    /// - Returns: The waiters for what has been done.
    mutating func takeReady(force: Bool = false) -> [OneShot<Void>] {
        let merged = core.mergeWaiting(force: force)
        noteLoading(byPage: !merged.isEmpty)
        if !merged.isEmpty { noteLoadStep() }
        return takeWaiters(merged) + takeReached()
    }

    /// The waiters for steps that are done and revisions that have been reached.
    private mutating func takeReached() -> [OneShot<Void>] {
        if readySteps.isEmpty, revisionWaiters.isEmpty, drainWaiters.isEmpty, repairWaiters.isEmpty,
            changeWaiters.isEmpty
        {
            return []
        }
        var ready = readySteps + takeChangeWaiters()
        readySteps = []
        if core.repair?.isDrained ?? true {
            ready += drainWaiters
            drainWaiters = []
        }
        ready += takeRepairWaiters()
        let applied = core.expectsChanges ? core.applied : nil
        let isReady = { (revision: Revision) in applied.map { !revision.isLater(than: $0) } ?? true }
        ready += revisionWaiters.filter { isReady($0.revision) }.map(\.waiter)
        revisionWaiters.removeAll { isReady($0.revision) }
        return ready
    }

    /// Whether it has not been told yet that a row does not decode.
    mutating func isNews(_ row: Row) -> Bool {
        let hash = row.json.hashValue
        guard undecodable[row.id] != hash else { return false }
        // Rather told twice than kept without end.
        if undecodable.count >= 10_000 { undecodable = [:] }
        undecodable[row.id] = hash
        return true
    }

    /// Makes few notices of very many, which wait because the delivery queue does not run.
    mutating func condenseNotices() {
        guard notices.count > 10_000 else { return }
        var open = 0
        for notice in notices {
            switch notice {
            case .requestStarted: open += 1
            case .requestCompleted: open -= 1
            case .failed, .changed: break
            }
        }
        let request: CollectionNotice = open > 0 ? .requestStarted : .requestCompleted
        let gap = CollectionNotice.changed(Applied(type: .dataLoaded, hasMissed: true))
        notices = ArraySlice(repeating: request, count: abs(open)) + [gap]
    }

    /// The waiters of fetches that are done.
    mutating func takeWaiters(_ fetches: [Fetch]) -> [OneShot<Void>] {
        repeatSaid(fetches)
        return fetches.flatMap { fetchWaiters.removeValue(forKey: $0.id) ?? [] }
    }

    /// Notes that a page brought the last rows that were not here, or that there are more or fewer than was thought, and
    /// which of its rows could not be read.
    mutating func noteLoading(byPage: Bool = false) {
        notices += core.takeFailures().map { .failed($0.error) }
        core.noteSeams()
        if byPage { isSeenOtherwise = true }
        let isLoaded = core.isLoaded
        if core.isRecounted || (byPage && isLoaded && !wasLoaded && core.fitsInCache) {
            notices.append(.changed(Applied(type: .dataLoaded)))
        }
        core.isRecounted = false
        wasLoaded = isLoaded
    }
}
