import Foundation
import RemoteData
import RemoteDataExecution
import Synchronization

// Turns: take from the file, send, note the answers.
extension OutboxCore {
    /// Sends what can be sent now; never blocks.
    func pump() {
        let now = now
        let hasRoom = state.withLock { state in
            guard !state.isTaking else {
                state.isMore = true
                return false
            }
            state.isTaking = state.room(now: now) > 0
            return state.isTaking
        }
        guard hasRoom else { return setTimer() }
        surroundings.start { [weak self] in await self?.take() }
    }

    private func take() async {
        var parcels: [Parcel] = []
        var due: Duration?
        do throws(RemoteDataError) {
            let time: Int64?
            (parcels, due, time) = try await store.writer.commit {
                [self] (transaction) throws(RemoteDataError) in
                let isSender = try prepare(&transaction)
                state.withLock { $0.isSender = isSender }
                guard isSender else { return ([], .seconds(1), nil) }
                if wasSetBack(transaction.milliseconds) { try transaction.hurry() }
                // Nothing is taken any more once somebody has said so.
                let room = state.withLock { $0.room(now: self.now) }
                let parcels = try transaction.take(room) { table in bulkSize(of: table) }
                let now = transaction.milliseconds
                let due = try transaction.nextDue().map { Duration.milliseconds(max(0, $0 - now)) }
                return (parcels, due, now)
            }
            if let time { state.withLock { ($0.owesRecovery, $0.lastTime) = (false, time) } }
        } catch {
            // A full disk may have room again; a file that is closed is not opened again.
            due = store.writer.queue.isOpen ? .seconds(5) : nil
        }
        let (isOpen, overtaken) = state.withLock { state in
            state.isClosed ? (false, []) : (true, parcels.flatMap { start($0, &state) })
        }
        for task in overtaken { task.cancel() }
        // What was taken for a store that is closed by now is sent when it is opened again.
        if !isOpen { for parcel in parcels { await putBack(parcel, wasSent: false) } }
        let (isMore, isSender) = state.withLock { state in
            state.isTaking = false
            defer { state.isMore = false }
            return (state.isMore && state.isSender, state.isSender)
        }
        tellIfQuiet()
        if !isSender { await lookAgain() }
        if isMore { pump() } else { setTimer(due) }
    }

    /// Begins a request.
    ///
    /// - Returns: Requests that must not be sent again behind it.
    private func start(_ parcel: Parcel, _ state: inout State) -> [Task<Void, Never>] {
        state.lastDelivery += 1
        let number = state.lastDelivery
        let task = surroundings.start { [weak self] in
            await self?.deliver(parcel, by: number)
            self?.ended(number)
        }
        let rows = Set(parcel.entries.map { RowPlace(table: $0.table, id: $0.id) })
        let numbers = Set(parcel.entries.map(\.number))
        state.deliveries[number] = Sending(task: task, rows: rows, numbers: numbers)
        return state.overtaken(by: rows, except: number)
    }

    private func ended(_ number: Int) {
        state.withLock { $0.deliveries[number] = nil }
        tellIfQuiet()
        pump()
    }

    /// Whether the device's clock shows less than it has: what waits for a time would wait for longer than was meant.
    private func wasSetBack(_ milliseconds: Int64) -> Bool {
        state.withLock { milliseconds < $0.lastTime - 1_000 }
    }

    /// Sees to it that nobody else sends, and that what was under way when somebody who did has ended is known to have been.
    private func prepare(_ transaction: inout StoreTransaction) throws(RemoteDataError) -> Bool {
        switch try lock.take() {
        case .isOurs: break
        case .isAnothers: return false
        // Until that is committed.
        case .hasBecomeOurs: state.withLock { $0.owesRecovery = true }
        }
        if state.withLock({ $0.owesRecovery }) { try transaction.recoverOutbox() }
        return true
    }

    private func bulkSize(of table: String) -> Int? {
        guard let remote = remote(table) else { return nil }
        let limit = state.withLock { $0.options.bulkSize }
        return max(1, min(limit, remote.capabilities.maximumBulkSize))
    }

    /// The server's table of a name; nil when there is none to send to.
    func remote(_ table: String) -> (any Table)? {
        let (known, find) = state.withLock { ($0.tables[table], $0.remote) }
        if let known { return known }
        guard let found = find?(table) else { return nil }
        state.withLock { $0.tables[table] = found }
        return found
    }

    /// Looks again when something is due, or the server is to be asked again; a timer that rings before that stays.
    private func setTimer(_ wait: Duration? = nil) {
        let now = now
        state.withLock { state in
            let times = [wait.map { now + $0 }, state.plan.wakes(after: now)]
            guard !state.isClosed, let time = times.compactMap(\.self).min(),
                state.timer.map({ $0.time > time }) ?? true
            else { return }
            state.timer?.task.cancel()
            let task = surroundings.start { [weak self, clock = surroundings.deadlineClock] in
                guard (try? await clock.sleep(for: time - now)) != nil, let self else { return }
                self.state.withLock { $0.timer = nil }
                self.pump()
            }
            state.timer = OutboxCore.Timer(time: time, task: task)
        }
    }

    // MARK: One request

    private func deliver(_ taken: Parcel, by number: Int) async {
        var parcel = taken
        guard let table = remote(parcel.table) else { return await putBack(parcel, wasSent: false) }
        let rule = store.writer.rules.withLock { $0[parcel.table] }
        let delivery = Delivery(to: table, sendsIDs: rule.sendsIDs)
        let items: [Delivery.Item]
        do throws(RemoteDataError) {
            let (entries, current) = try await self.items(of: taken)
            parcel.entries = entries
            items = current
        } catch {
            return await putBack(parcel, wasSent: false)
        }
        guard !items.isEmpty else { return }
        var answers: [Delivery.Answer]
        if let key = parcel.key, parcel.isWhole {
            answers = await delivery.create(items, key: key)
        } else {
            answers = []
            for (entry, item) in zip(parcel.entries, items) {
                let isKnown = entry.isOutdated && entry.attempts == 0
                answers.append(isKnown ? await delivery.sendOutdated(item) : await delivery.send(item))
            }
        }
        await note(answers, to: items, of: parcel, by: number)
    }

    /// The writes of a parcel as they are now, and what is sent of them.
    ///
    /// A write that has become outdated since it was taken is not sent as made over the newer row.
    private func items(
        of parcel: Parcel
    ) async throws(RemoteDataError) -> ([OutboxEntry], [Delivery.Item]) {
        try await store.read { (connection) throws(RemoteDataError) in
            var entries: [OutboxEntry] = []
            var items: [Delivery.Item] = []
            for taken in parcel.entries {
                let base = try connection.first(
                    """
                    SELECT serverRevision,epoch,json FROM bases JOIN tables ON number = tableNumber
                    WHERE name = ? AND id = ? AND json IS NOT NULL
                    """,
                    [.text(taken.table), Binding(taken.id)]
                ) { (ServerVersion($0, 0, $0.epoch(1)), $0.bytes(2)[...]) }
                // Afterwards, as an event may come between the two.
                let entry = try taken.refreshed(connection)
                entries.append(entry)
                items.append(
                    Delivery.Item(
                        id: entry.id,
                        change: entry.change,
                        baseRevision: entry.isOutdated ? entry.before?.revision : base?.0.revision,
                        key: entry.key,
                        isRepeated: entry.attempts > 0,
                        replaced: entry.isOutdated ? entry.before?.json : nil,
                        seen: entry.isOutdated ? nil : base.map { Delivery.Item.Seen($0.1, asOf: $0.0.asOf) }
                    )
                )
            }
            return (entries, items)
        }
    }

    private func note(
        _ answers: [Delivery.Answer],
        to items: [Delivery.Item],
        of parcel: Parcel,
        by number: Int
    ) async {
        var failure: RemoteDataError?
        // Events of all its writes are an answer.
        var hasAnswered = state.withLock { $0.deliveries[number]?.numbers.isEmpty ?? false }
        for answer in answers {
            switch answer {
            case .failed(let error), .notMade(let error): failure = error
            case .done, .absent, .conflict, .alone, .refused: hasAnswered = true
            }
        }
        let isBack = state.withLock { state -> Bool in
            if let failure, failure.isOfServer, !hasAnswered {
                state.plan.failed(failure, now: now, chance: surroundings.chance())
                state.trouble = failure
                return false
            }
            guard hasAnswered else { return false }
            state.trouble = nil
            return state.plan.answered()
        }
        let decisions = await decide(answers, to: items, of: parcel)
        let (schedule, chance) = (state.withLock { $0.schedule }, surroundings.chance())
        let error = failure
        do throws(RemoteDataError) {
            try await store.writer.commit { (transaction) throws(RemoteDataError) in
                transaction.isOfServer = true
                defer { transaction.isOfServer = false }
                for (entry, decision) in zip(parcel.entries, decisions) {
                    try transaction.settle(entry, decision) { failures in
                        schedule.delay(afterFailures: failures, atLeast: error?.retryAfter, chance: chance)
                    }
                }
                if isBack { try transaction.hurry() }
            }
        } catch {
            // The file could not be written: what the server has done is found out by asking it again.
            await putBack(parcel, wasSent: true)
        }
        guard isBack || decisions.contains(where: \.isAcknowledged) else { return }
        // What could not be read may be readable by now: all tables of a server that is back, and one that
        // has a row now.
        for puller in pullers where isBack || puller.name == parcel.table { puller.serverAnswered() }
    }

    private func putBack(_ parcel: Parcel, wasSent: Bool) async {
        let numbers = parcel.entries.map(\.number)
        var failures = 1
        while store.writer.queue.isOpen {
            do throws(RemoteDataError) {
                return try await store.writer.commit { (transaction) throws(RemoteDataError) in
                    try transaction.putBack(numbers, wasSent: wasSent) { _ in .seconds(5) }
                }
            } catch {
                failures += 1
                let wait = Backoff().delay(afterFailures: failures, chance: surroundings.chance())
                guard (try? await surroundings.deadlineClock.sleep(for: wait)) != nil else { return }
            }
        }
    }

    // MARK: Conflicts

    /// What becomes of writes by their answers.
    private func decide(
        _ answers: [Delivery.Answer],
        to items: [Delivery.Item],
        of parcel: Parcel
    ) async -> [Decision] {
        var decisions: [Decision] = []
        for (index, (entry, answer)) in zip(parcel.entries, answers).enumerated() {
            switch answer {
            case .done(let row, let revision): decisions.append(.acknowledged(row, revision))
            case .absent: decisions.append(.absent)
            case .alone: decisions.append(.separate)
            case .refused(let error): decisions.append(.refused(error))
            case .failed: decisions.append(.putBack)
            case .notMade: decisions.append(.putBackUnsent)
            case .conflict(let theirs): decisions.append(await decide(entry, items[index], theirs: theirs))
            }
        }
        return decisions
    }

    private func decide(_ entry: OutboxEntry, _ item: Delivery.Item, theirs: Row?) async -> Decision {
        let policy = store.writer.rules.withLock { $0[entry.table].conflicts }
        do throws(RemoteDataError) {
            let conflict = try await store.read { (connection) throws(RemoteDataError) in
                try entry.conflict(with: theirs, connection)
            }
            let resolution = try conflict.isOfRevisionsAlone ? .mine : policy.resolution(of: conflict)
            let isAnew = theirs?.isEarlier(than: item.baseRevision) ?? false
            return .conflict(
                theirs,
                mine: conflict.mine,
                resolution,
                over: ServerVersion(item.baseRevision, asOf: item.seen?.revision),
                serverBeganAnew: isAnew
            )
        } catch {
            return error.code == .storage || error.code == .cancelled ? .putBack : .refused(error)
        }
    }
}

extension OutboxCore.State {
    /// How many more requests may be sent.
    fileprivate func room(now: Duration) -> Int {
        guard !isClosed, remote != nil else { return 0 }
        return plan.room(limit: max(1, options.parallelRequests), inFlight: deliveries.count, now: now)
    }
}

/// What becomes of a write.
enum Decision: Sendable {
    case acknowledged(Row?, Revision?)
    /// There is no row to be removed.
    case absent
    case separate
    case refused(RemoteDataError)
    case putBack
    case putBackUnsent
    /// The server's row, what it would be here, what becomes of it, and as of when it was known when the
    /// write was sent.
    case conflict(Row?, mine: Row?, Conflict.Resolution, over: ServerVersion, serverBeganAnew: Bool)

    var isAcknowledged: Bool {
        switch self {
        case .acknowledged, .absent: true
        default: false
        }
    }
}

extension Conflict {
    /// Whether the server has the row as it was when it was changed here, by another revision.
    fileprivate var isOfRevisionsAlone: Bool {
        get throws(RemoteDataError) {
            guard let base, let theirs, base.revision != theirs.revision else { return false }
            return try JSONObject.changes(from: base.json, to: theirs.json).isEmpty
        }
    }
}

extension Row {
    /// Whether it is of an earlier revision of the same history, to which no server goes back by itself.
    fileprivate func isEarlier(than other: Revision?) -> Bool {
        guard let revision, let other, revision.isOfSameHistory(as: other) else { return false }
        return revision < other
    }
}

extension OutboxEntry {
    /// The versions of the row that are in conflict.
    fileprivate func conflict(with theirs: Row?, _ connection: Connection) throws(RemoteDataError) -> Conflict
    {
        var base: Row?
        if change.kind != .create {
            base = try connection.first(
                """
                SELECT json,serverRevision,epoch FROM bases JOIN tables ON number = tableNumber
                WHERE name = ? AND id = ? AND json IS NOT NULL
                """,
                [.text(table), Binding(id)]
            ) { row in
                let version = ServerVersion(row, 1, row.epoch(2))
                return Row(id: id, revision: version.revision, json: row.bytes(0)[...])
            }
        }
        // Afterwards, as an event may come between the two.
        let current = try refreshed(connection)
        if current.isOutdated { base = current.before }
        // An edit changes columns of whatever row there is, where it is not known what it was made over.
        let mine = try change.applied(to: base?.json ?? (change.kind == .update ? theirs?.json : nil))
        return Conflict(table: table, base: base, mine: mine.map { Row(id: id, json: $0) }, theirs: theirs)
    }
}
