import Foundation

/// Brings writes to a server's table, each exactly once, as far as the table lets that be known.
///
/// What was sent before and got no answer may have arrived: the row is looked at before anything is sent
/// again, and a row that is as the write was to make it counts as success. A look decides by the row it
/// finds, and never by finding none: where there is no row or no table, or where reading is not allowed, the
/// write is sent, and what is answered to it counts.
package struct Delivery: Sendable {
    /// What came of a write.
    package enum Answer: Sendable {
        /// The server has it: the row as it is there, where it told, and the revision of the table; no row for a removal.
        case done(Row?, Revision?)
        /// The server has no such row, or none any more, as a removal wants it.
        case absent
        /// The server has something else since, or nothing any more.
        case conflict(theirs: Row?)
        /// It cannot be made together with others.
        case alone
        /// The server does not take it.
        case refused(RemoteDataError)
        /// There was no answer that decides anything.
        case failed(RemoteDataError)
        /// There was none, and the server is known not to have made it: it is as if it had not been sent.
        case notMade(RemoteDataError)
    }

    private let table: any Table
    /// Whether rows are created with the ids they have here, and not with ones that the server makes.
    private let sendsIDs: Bool
    private var isOnce: Bool { table.capabilities.idempotency }
    /// Whether a creation that is sent again by its key is made once.
    private var createsOnce: Bool { isOnce || table.capabilities.idempotentCreation }

    package init(to table: any Table, sendsIDs: Bool = true) {
        (self.table, self.sendsIDs) = (table, sendsIDs)
    }

    /// Sends a write.
    package func send(_ item: Item) async -> Answer {
        if let refusal = unknowable([item]) { return refusal }
        // Of a row that the server has given an id, the key alone knows.
        let isLookedAt = item.isRepeated || lastSeen(item) != nil
        guard isLookedAt, sendsIDs || item.change.kind != .create else {
            return await commit(item, item.baseRevision)
        }
        switch await look(at: item) {
        case .found(let row):
            do throws(RemoteDataError) {
                switch try probe(row, item) {
                case .answered(let answer): return answer
                case .isMissing(let revision): return await commit(item, revision)
                }
            } catch { return .failed(error) }
        // It would bring back what is known to have been removed.
        case .foundNone where item.change.kind == .upsert && item.replacesRow: return .conflict(theirs: nil)
        // It would be made over what others have written.
        case .refused(let error) where item.replacesRow && !isConditional(item): return .failed(error)
        // The key, the id or the revision keeps it from being made twice.
        case .foundNone, .refused: return await commit(item, item.baseRevision)
        case .failed(let error): return item.isRepeated ? .failed(error) : .notMade(error)
        }
    }

    /// The row of a write as it was seen, where it takes a look to find out its revision.
    private func lastSeen(_ item: Item) -> Item.Seen? {
        let kind = item.change.kind
        guard kind == .update || kind == .delete, item.baseRevision == nil else { return nil }
        return table.capabilities.conditionalWrites ? item.seen : nil
    }

    /// Sends a write that is known to have been made over another row than the server has, unless it has one
    /// still.
    package func sendOutdated(_ item: Item) async -> Answer {
        switch await look(at: item) {
        case .found(let row) where isUnchanged(row, for: item): return await commit(item, nil)
        case .found(let row): return compare(row, with: item)
        // It would bring back what is known to have been removed.
        case .foundNone where item.change.kind == .upsert && item.replacesRow: return .conflict(theirs: nil)
        case .foundNone: return await commit(item, item.baseRevision)
        // The server makes it over no other row than the one it was made over.
        case .refused where isConditional(item): return await commit(item, item.baseRevision)
        case .refused(let error), .failed(let error): return .failed(error)
        }
    }

    /// Whether the server makes a write over the row that it was made over, and refuses it over another one.
    private func isConditional(_ item: Item) -> Bool {
        switch item.change.kind {
        case .create: return true
        case .upsert: return false
        case .update, .delete:
            guard let revision = item.baseRevision, revision != .zero else { return false }
            return table.capabilities.conditionalWrites
        }
    }

    private func commit(_ item: Item, _ condition: Revision?) async -> Answer {
        guard !Task.isCancelled else { return .notMade(.cancelledDelivery) }
        do throws(RemoteDataError) {
            let change = try mutation(item, condition)
            let outcome = try await table.commit(change, idempotencyKey: item.key)
            return .done(try row(outcome, item), outcome.revision)
        } catch {
            return await answer(error, to: item)
        }
    }

    // MARK: Looking

    /// What a look at the server's row says.
    private enum Look {
        case found(Row)
        /// There is no such row, or no such table.
        case foundNone
        /// It may not be looked at.
        case refused(RemoteDataError)
        /// There was no answer, or none that can be read.
        case failed(RemoteDataError)
    }

    private func look(at item: Item) async -> Look {
        guard !Task.isCancelled else { return .failed(.cancelledDelivery) }
        do throws(RemoteDataError) {
            return try await table.row(item.id).map { .found($0) } ?? .foundNone
        } catch {
            if error.code == .notFound { return .foundNone }
            return error.mayPass ? .failed(error) : .refused(error)
        }
    }

    /// Whether the server's row is still what a write was made over.
    ///
    /// Where rows have no revisions, what has come since may be older, from an answer that was late.
    private func isUnchanged(_ theirs: Row, for item: Item) -> Bool {
        guard theirs.revision == nil, let replaced = item.replaced else { return false }
        return (try? JSONObject.changes(from: replaced, to: theirs.json).isEmpty) ?? false
    }

    /// Whether the server's row is as a write was to make it.
    private func compare(_ theirs: Row, with item: Item) -> Answer {
        do throws(RemoteDataError) {
            guard item.change.kind != .delete, try theirs.holds(item.change.body) else {
                return .conflict(theirs: theirs)
            }
            return .done(theirs, theirs.revision)
        } catch { return .failed(error) }
    }

    // MARK: Several rows

    /// Sends rows to be created together; an answer for each.
    package func create(_ items: [Item], key: String) async -> [Answer] {
        if let refusal = unknowable(items) { return items.map { _ in refusal } }
        if sendsIDs, items.contains(where: \.isRepeated) {
            do throws(RemoteDataError) { if let answers = try await look(items) { return answers } } catch {
                if error.mayPass { return items.map { _ in .failed(error) } }
            }
        }
        guard !Task.isCancelled else { return items.map { _ in .notMade(.cancelledDelivery) } }
        do throws(RemoteDataError) {
            var drafts: [Draft] = []
            for item in items { drafts.append(try draft(item)) }
            let outcome = try await table.commit(.create(drafts), idempotencyKey: key)
            return try answers(outcome, to: items)
        } catch {
            // The ids are made of the key: rows that are there would be made again by keys of their own.
            if error.code == .alreadyExists, !sendsIDs, !isOnce, createsOnce {
                return items.map { _ in .refused(error) }
            }
            return items.map { _ in error.mayPass ? failure(error, of: .create) : .alone }
        }
    }

    /// What a look at the server's rows says of creations that were sent together before; nil when they are to be sent again.
    private func look(_ items: [Item]) async throws(RemoteDataError) -> [Answer]? {
        let found = try await present(items)
        let answers = try zip(items, found).map { (item, row) throws(RemoteDataError) -> Answer? in
            guard let row, try row.holds(item.change.body) else { return nil }
            return .done(row, row.revision)
        }
        // What is not there may have been removed since, or changed: the server knows by the key what it did.
        let isUnknown = isOnce ? answers.contains { $0 == nil } : found.allSatisfy { $0 == nil }
        return isUnknown ? nil : answers.map { $0 ?? .alone }
    }

    private func answers(_ outcome: Outcome, to items: [Item]) throws(RemoteDataError) -> [Answer] {
        guard outcome.rows.count == items.count else {
            guard outcome.ids.isEmpty || outcome.ids.count == items.count else {
                throw RemoteDataError(
                    .invalidAnswer,
                    "\(table.name) answered with \(outcome.ids.count) ids to \(items.count) rows."
                )
            }
            var answers: [Answer] = []
            for (index, item) in items.enumerated() {
                let id = outcome.ids.isEmpty ? item.id : outcome.ids[index]
                answers.append(.done(try row(item, id: id), outcome.revision))
            }
            return answers
        }
        return outcome.rows.map { .done($0, outcome.revision) }
    }

    private func present(_ items: [Item]) async throws(RemoteDataError) -> [Row?] {
        var rows: [RowID: Row] = [:]
        let size = max(1, table.capabilities.maximumPageSize)
        var start = 0
        while start < items.count {
            let part = items[start..<min(items.count, start + size)]
            let ids = part.map { Where.Operand.literal($0.id.value) }
            let filter = Where.isIn(.column(ColumnPath(table.idColumn)), ids)
            let page = try await table.page(PageRequest(Query(filter), limit: part.count))
            for row in page.rows { rows[row.id] = row }
            start += part.count
        }
        return items.map { rows[$0.id] }
    }

    private func draft(_ item: Item) throws(RemoteDataError) -> Draft {
        let json =
            sendsIDs ? item.change.body : try JSONObject.removing(table.idColumn, from: item.change.body)
        return try Draft(json, idColumn: table.idColumn)
    }

    /// Why a creation cannot be sent again: it may have arrived, under an id that nobody here knows.
    private func unknowable(_ items: [Item]) -> Answer? {
        guard !sendsIDs, !createsOnce,
            items.contains(where: { $0.isRepeated && $0.change.kind == .create })
        else { return nil }
        return .refused(
            RemoteDataError(
                .timedOut,
                """
                The server did not answer, and may have the row under an id of its own: see whether it is there, then retry \
                or discard it.
                """
            )
        )
    }

    /// What the server's row says of a write that was sent before.
    private enum Probe {
        case answered(Answer)
        /// It has to be sent again, as long as the row is of a revision, if one is known.
        case isMissing(Revision?)
    }

    private func probe(_ row: Row, _ item: Item) throws(RemoteDataError) -> Probe {
        if item.change.kind != .delete, try row.holds(item.change.body) {
            return .answered(.done(row, row.revision))
        }
        if let seen = lastSeen(item) {
            let isChanged = seen.reaches(row.revision) ? false : !(try row.holds(seen.json))
            // By the key the server tells whether this write has changed it.
            if isChanged, item.isRepeated, isOnce { return .isMissing(.zero) }
            return isChanged ? .answered(.conflict(theirs: row)) : .isMissing(row.revision)
        }
        switch item.change.kind {
        // It takes no condition, and would be made over what others have written.
        case .upsert where item.replacesRow: return .answered(.conflict(theirs: row))
        // The server knows what it did by the key.
        case _ where isOnce: return .isMissing(item.baseRevision)
        case .upsert: return .isMissing(item.baseRevision)
        // Nobody else makes the same random id: somebody has changed the row since.
        case .create:
            return .answered(item.id.isRandom ? .done(row, row.revision) : .conflict(theirs: row))
        case .update, .delete:
            let isUnchanged = item.baseRevision == nil || row.revision == item.baseRevision
            // What is still on its way may arrive before this does: then the row is of another revision.
            return isUnchanged ? .isMissing(row.revision) : .answered(.conflict(theirs: row))
        }
    }

    private func mutation(_ item: Item, _ condition: Revision?) throws(RemoteDataError) -> Mutation {
        let revision = table.capabilities.conditionalWrites ? condition : nil
        return switch item.change.kind {
        case .create: .create([try draft(item)])
        case .upsert: .upsert([try Draft(item.change.body, idColumn: table.idColumn)])
        case .update: .update(item.id, patch: item.change.body, ifRevision: revision)
        case .delete: .delete(item.id, ifRevision: revision)
        }
    }

    /// The row as the server has it after a write, as far as it told.
    private func row(_ outcome: Outcome, _ item: Item) throws(RemoteDataError) -> Row? {
        if item.change.kind == .delete { return nil }
        if let row = outcome.rows.first { return row }
        guard item.change.kind != .update, let id = outcome.ids.first, id != item.id else { return nil }
        return try row(item, id: id)
    }

    private func row(_ item: Item, id: RowID) throws(RemoteDataError) -> Row? {
        let member = JSONObject.Member(name: table.idColumn, value: id.value)
        return Row(
            id: id,
            json: try JSONObject.merging(JSONObject.object(of: [member]), into: item.change.body)
        )
    }

    /// What an answer to a write makes of it that decides nothing.
    private func failure(_ error: RemoteDataError, of kind: QueuedChange.Kind) -> Answer {
        // With a key it may have been sent several times, and the earlier ones may have arrived.
        error.leavesUndone && kind == .create && !createsOnce ? .notMade(error) : .failed(error)
    }

    /// What the server's answer to a write makes of it.
    private func answer(_ error: RemoteDataError, to item: Item) async -> Answer {
        switch (item.change.kind, error.code) {
        case (.delete, .notFound): return .absent
        case (.update, .notFound): return .conflict(theirs: nil)
        case (.create, .alreadyExists), (_, .conflict): break
        default: return error.mayPass ? failure(error, of: item.change.kind) : .refused(error)
        }
        // A random id is made once: the write arrived by an earlier attempt.
        let isRepeated = item.isRepeated || error.attempts > 1
        let hasArrived = error.code == .alreadyExists && isRepeated && item.id.isRandom
        switch await look(at: item) {
        case .found(let row): return hasArrived ? .done(row, row.revision) : compare(row, with: item)
        case .foundNone where item.change.kind == .delete: return .absent
        case .foundNone where item.change.kind != .create: return .conflict(theirs: nil)
        // It may not be seen, or is gone since.
        case .foundNone where hasArrived, .refused where hasArrived: return .done(nil, nil)
        case .foundNone, .refused: return .refused(error)
        case .failed(let failure): return .failed(failure)
        }
    }
}

extension RemoteDataError {
    /// Whether it decides nothing of what it was answered to, as the same request may be answered in another
    /// way later.
    fileprivate var mayPass: Bool {
        switch code {
        // Storage fails on the server's side here.
        case .unauthorized, .cancelled, .invalidAnswer, .storage: true
        default: isTransient
        }
    }

    fileprivate static let cancelledDelivery = RemoteDataError(.cancelled, "The write was not sent any more.")
}

extension RowID {
    /// Whether it is a UUID, which nobody makes twice.
    fileprivate var isRandom: Bool {
        if case .text(let text) = self { UUID(uuidString: text) != nil } else { false }
    }
}

extension Row {
    /// Whether the row has every member of an object.
    package func holds(_ object: ArraySlice<UInt8>) throws(RemoteDataError) -> Bool {
        let mine = Dictionary(
            try JSONObject.members(of: json).map { ($0.name, JSONObject.value(of: $0.json)) }
        ) { _, last in last }
        return try JSONObject.members(of: object)
            .allSatisfy { (mine[$0.name] ?? .null) == JSONObject.value(of: $0.json) }
    }
}
