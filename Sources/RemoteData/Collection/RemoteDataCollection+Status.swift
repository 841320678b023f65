import RemoteDataExecution

// How it is with the delivery of changes. The status follows from what is known, so that it is never set
// later than its cause.
extension RemoteDataCollection.State {
    /// The connection that changes come over, as the feed has reported it last.
    enum Connection: Sendable {
        /// There is none, and will be none.
        case off
        /// It has not been made yet.
        case connecting
        /// Every change comes.
        case open
        /// No change comes for now.
        case lost(RemoteDataError)
    }

    init(core: CollectionState, positions: DecodedPositions<Element>, follows: Bool) {
        self.core = core
        self.positions = positions
        connection = follows ? .connecting : .off
        deliveredStatus = status
    }

    /// How it is with the delivery of changes.
    var status: LiveStatus {
        switch connection {
        case .off: .off
        case .connecting: .connecting
        case .open: core.knowsGap ? .catchingUp : .live
        case .lost(let error): .interrupted(error)
        }
    }

    /// Notes what an event says of the connection.
    mutating func noteConnection(_ event: ChangeEvent) {
        switch event {
        case .live:
            connection = .open
            core.restoration = .none
        case .interrupted(let error):
            // Each attempt fails alike as long as the reason lasts.
            let isNews = if case .lost(let known) = connection { known.code != error.code } else { true }
            connection = .lost(error)
            deliveredStatus = nil
            if isNews { notices.append(.failed(error)) }
            // The comparison may go on much later, and own writes are to be delivered meanwhile.
            if overrun == .lasting { overrun = .over }
        case .change, .progress, .reset: return
        }
        deliverStatus()
    }

    /// Notes that a request could not reach the table: where no changes come either, what was kept is all
    /// there is.
    mutating func noteUnreachable() {
        guard case .lost = connection, core.restoration == .restored else { return }
        core.restoration = .offline
    }

    /// Delivers the status to its listeners, if it is another than they know.
    ///
    /// That changes are missing is delivered at once, however long handlers take. That none is missing any
    /// more is delivered after the changes that wait for the handlers, of which `dataLoaded` is one.
    mutating func deliverStatus() {
        let status = status
        guard !(deliveredStatus?.isSame(as: status) ?? false) else { return }
        if status.isLive, isTellingChange || overrun == .over || notices.contains(where: \.isOfRows) {
            return
        }
        deliveredStatus = status
        statusWaiters += statusListeners.inOrder.compactMap { $0.add(status) }
    }

    /// The listeners of the status that are to be woken, once the lock has been released.
    mutating func takeStatusWaiters() -> [OneShot<Void>] {
        defer { statusWaiters = [] }
        return statusWaiters
    }
}

// More changes than may wait, because handlers take longer than the changes come.
extension RemoteDataCollection.State {
    /// What becomes of changes that handlers are too slow for: one `dataLoaded` stands for all of them.
    enum Overrun: Sendable {
        /// Each change is delivered.
        case none
        /// None is delivered: some are missing, and the rows are being compared with the table.
        case lasting
        /// None is delivered before the `dataLoaded` that is due.
        case over
    }

    /// Makes a gap of the changes that wait: the rows are compared with the table, and handlers are called
    /// once for all of it.
    ///
    /// - Parameter limit: How many changes may wait.
    mutating func overrun(limit: Int) {
        // What waits for a comparison does not wait for handlers.
        let waitsForTable = core.needsResync
        core.losePending()
        guard overrun != .lasting, !waitsForTable || overrun == .over else { return }
        if overrun == .none {
            let error = RemoteDataError(
                .tooLarge,
                "More than \(limit) changes waited for the delivery queue, which a handler or other work"
                    + " holds up: the rows are compared with the table, and handlers are called once for all"
                    + " of them."
            )
            notices.append(.failed(error))
        }
        // The comparison may begin much later, and own writes are to be delivered meanwhile.
        overrun = if case .lost = connection { .over } else { .lasting }
        leaveOutChanges()
    }

    /// Leaves out single changes, as long as one `dataLoaded` is to stand for all of them.
    mutating func leaveOutChanges() {
        if overrun != .none { notices.removeAll(where: \.isOfRows) }
    }

    /// Has handlers called because rows may be others: they were compared with the table, or read anew.
    mutating func noteLoaded(at revision: Revision?) {
        switch overrun {
        case .none: notices.append(.changed(Applied(type: .dataLoaded, revision: revision)))
        // While more is known to be missing, they are called at the end of that.
        case .lasting: if !core.knowsGap { overrun = .over }
        case .over: break
        }
    }

    /// Has handlers called once for all changes that were left out; from then on each is delivered again.
    ///
    /// At the last moment, so that what was applied meanwhile is among them: a reader of the collection
    /// then sees it.
    mutating func endOverrun() {
        guard overrun == .over else { return }
        leaveOutChanges()
        overrun = .none
        notices.append(.changed(Applied(type: .dataLoaded, revision: core.applied, hasMissed: true)))
    }
}

extension LiveStatus {
    /// Whether another status says the same, besides why there is no connection.
    fileprivate func isSame(as other: LiveStatus) -> Bool {
        switch (self, other) {
        case (.off, .off), (.connecting, .connecting), (.catchingUp, .catchingUp), (.live, .live): true
        case (.interrupted, .interrupted): true
        default: false
        }
    }
}
