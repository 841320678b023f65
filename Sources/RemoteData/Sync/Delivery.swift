import Foundation

/// Brings writes to a server's table, each exactly once, as far as the table lets that be known.
///
/// What was sent before and got no answer may have arrived: the row is looked at before anything is sent again, and a row
/// that is as the write was to make it counts as success.
package struct Delivery: Sendable {
    /// One write.
    package struct Item: Sendable {
        package let id: RowID
        package let change: QueuedChange
        /// The server's row as it was when the write was made, as far as it has a revision.
        package let baseRevision: Revision?
        package let key: String
        /// Whether it was sent before and may have arrived.
        package let isRepeated: Bool

        package init(
            id: RowID,
            change: QueuedChange,
            baseRevision: Revision?,
            key: String,
            isRepeated: Bool
        ) {
            self.id = id
            self.change = change
            self.baseRevision = baseRevision
            self.key = key
            self.isRepeated = isRepeated
        }
    }

    /// What came of a write.
    package enum Answer: Sendable {
        /// The server has it: the row as it is there, where it told, and the revision of the table; no row for a removal.
        case done(Row?, Revision?)
        /// The server has something else since, or nothing any more.
        case conflict(theirs: Row?)
        /// It cannot be made together with others.
        case alone
        /// The server does not take it.
        case refused(RemoteDataError)
        /// There was no answer that decides anything.
        case failed(RemoteDataError)
    }

    private let table: any Table
    /// Whether rows are created with the ids they have here, and not with ones that the server makes.
    private let sendsIDs: Bool
    private var isOnce: Bool { table.capabilities.idempotency }

    package init(to table: any Table, sendsIDs: Bool = true) {
        (self.table, self.sendsIDs) = (table, sendsIDs)
    }

    /// Sends a write.
    package func send(_ item: Item) async -> Answer {
        if let refusal = unknowable([item]) { return refusal }
        var condition = item.baseRevision
        do throws(RemoteDataError) {
            if item.isRepeated {
                switch try await probe(item) {
                case .answered(let answer): return answer
                case .isMissing(let revision): condition = revision
                }
            }
        } catch { return Self.answer(error) }
        do throws(RemoteDataError) {
            let change = try mutation(item, condition)
            let outcome = try await table.commit(change, idempotencyKey: item.key)
            return .done(try row(outcome, item), outcome.revision)
        } catch {
            return await answer(error, to: item)
        }
    }

    /// Looks at the server's row, for a write that is known to have been made over another one and was not sent.
    package func look(_ item: Item) async -> Answer {
        do throws(RemoteDataError) { return try compare(try await table.row(item.id), with: item) } catch {
            return Self.answer(error)
        }
    }

    /// Whether the server's row is as a write was to make it.
    private func compare(_ theirs: Row?, with item: Item) throws(RemoteDataError) -> Answer {
        guard let theirs else {
            return item.change.kind == .delete ? .done(nil, nil) : .conflict(theirs: nil)
        }
        guard item.change.kind != .delete, try theirs.holds(item.change.body) else {
            return .conflict(theirs: theirs)
        }
        return .done(theirs, theirs.revision)
    }

    /// Sends rows to be created together; an answer for each.
    package func create(_ items: [Item], key: String) async -> [Answer] {
        if let refusal = unknowable(items) { return items.map { _ in refusal } }
        do throws(RemoteDataError) {
            if sendsIDs, items.contains(where: \.isRepeated), let answers = try await look(items) {
                return answers
            }
            var drafts: [Draft] = []
            for item in items { drafts.append(try draft(item)) }
            let outcome = try await table.commit(.create(drafts), idempotencyKey: key)
            return try answers(outcome, to: items)
        } catch {
            let answer = Self.answer(error)
            if case .refused = answer { return items.map { _ in .alone } }
            return items.map { _ in answer }
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
        guard !sendsIDs, !isOnce, items.contains(where: { $0.isRepeated && $0.change.kind == .create }) else {
            return nil
        }
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

    /// What a look at the server's row says of a write that was sent before.
    private enum Probe {
        case answered(Answer)
        /// It has to be sent again, as long as the row is of a revision, if one is known.
        case isMissing(Revision?)
    }

    private func probe(_ item: Item) async throws(RemoteDataError) -> Probe {
        let isMissing = Probe.isMissing(item.baseRevision)
        // By the key the server knows what it did, and by its id the row cannot be found.
        if !sendsIDs, item.change.kind == .create { return isMissing }
        let row = try await table.row(item.id)
        guard let row else {
            switch item.change.kind {
            case .create, .upsert: return isMissing
            case .update: return isOnce ? isMissing : .answered(.conflict(theirs: nil))
            case .delete: return .answered(.done(nil, nil))
            }
        }
        if item.change.kind != .delete, try row.holds(item.change.body) {
            return .answered(.done(row, row.revision))
        }
        switch item.change.kind {
        // The server knows what it did by the key.
        case _ where isOnce: return isMissing
        case .upsert: return isMissing
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

    private func answer(_ error: RemoteDataError, to item: Item) async -> Answer {
        switch (item.change.kind, error.code) {
        case (.delete, .notFound): return .done(nil, nil)
        case (.update, .notFound): return .conflict(theirs: nil)
        case (.create, .alreadyExists), (_, .conflict):
            return await look(item)
        default: return Self.answer(error)
        }
    }

    private static func answer(_ error: RemoteDataError) -> Answer {
        switch error.code {
        case .unauthorized, .cancelled, .invalidAnswer: .failed(error)
        default: error.isTransient ? .failed(error) : .refused(error)
        }
    }
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
