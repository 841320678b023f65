import RemoteData
import RemoteDataTesting

/// A write that was sent to the server, and what came of it.
struct SentWrite: Sendable {
    enum End: Sendable {
        case acknowledged(Outcome)
        case refused(RemoteDataError)
        /// No answer has come: it may be made or not.
        case unknown
    }

    let mutation: Mutation
    /// Its idempotency key, which the server's log has at each change.
    let key: String
    var end = End.unknown
    /// When it had ended.
    var endTime = ContinuousClock.now

    /// What is wrong with the changes that the server's log has of it; nil when nothing is.
    ///
    /// Every history makes a write at most once, one that was acknowledged in full, and none that it refused.
    func problem(in log: TableLog) -> String? {
        let histories = Dictionary(grouping: log.changes.filter { $0.idempotencyKey == key }) {
            $0.revision?.epoch
        }
        if histories.values.contains(where: Self.isRepeated) { return "The write \(words) was made twice." }
        switch end {
        case .acknowledged(let outcome):
            let isComplete = histories.values.contains { changes in
                log.isSame(changes.last?.revision, as: outcome.revision) && isMade(with: outcome, in: changes)
            }
            if isComplete || (isByClause && outcome.count == 0 && histories.isEmpty) { return nil }
            return
                "The write \(words) was acknowledged for \(outcome.count) rows at revision"
                + " \(outcome.revision?.description ?? "none"), and the server's log has"
                + " \(histories.values.joined().map(Self.words))."
        case .refused(let error):
            guard histories[log.epoch(at: endTime)] != nil else { return nil }
            return "The write \(words) was made, and refused: \(error)."
        case .unknown: return nil
        }
    }

    /// Whether it may be about no row at all.
    private var isByClause: Bool {
        switch mutation {
        case .updateAll, .deleteAll: true
        case .create, .upsert, .update, .delete: false
        }
    }

    /// The rows whose creation was acknowledged.
    var created: [RowID] {
        if case .create = mutation, case .acknowledged(let outcome) = end { outcome.ids } else { [] }
    }

    /// The row whose deletion was acknowledged.
    var deleted: RowID? {
        if case .delete(let id, _) = mutation, case .acknowledged = end { id } else { nil }
    }

    private static func isRepeated(_ changes: [Change]) -> Bool {
        Set(changes.map(\.id)).count < changes.count
    }

    /// Whether changes are all that was acknowledged.
    private func isMade(with outcome: Outcome, in changes: [Change]) -> Bool {
        switch mutation {
        case .create(let drafts):
            return changes.allSatisfy { $0.kind == .created } && hasRows(drafts, outcome, changes)
        case .upsert(let drafts):
            return changes.allSatisfy { [.created, .updated].contains($0.kind) }
                && hasRows(drafts, outcome, changes)
        case .update(let id, let patch, _):
            return changes.map(\.id) == [id] && changes.allSatisfy { Self.has($0, patch) }
        case .updateAll(_, let patch):
            return changes.count == outcome.count && changes.allSatisfy { Self.has($0, patch) }
        case .delete(let id, _): return changes.map(\.id) == [id] && changes[0].kind == .deleted
        case .deleteAll(let clause):
            if changes.map(\.kind) == [.bulkDeleted] { return changes[0].predicate == clause }
            return changes.count == outcome.count && changes.allSatisfy { $0.kind == .deleted }
        }
    }

    private func hasRows(_ drafts: [Draft], _ outcome: Outcome, _ changes: [Change]) -> Bool {
        changes.map(\.id) == outcome.ids && outcome.ids.count == drafts.count
            && zip(drafts, changes).allSatisfy { ($0.id ?? $1.id) == $1.id && Self.has($1, $0.json) }
    }

    /// Whether a changed row has the columns that were written.
    private static func has(_ change: Change, _ columns: ArraySlice<UInt8>) -> Bool {
        guard let row = change.row, change.kind != .deleted,
            case .object(let written)? = ScenarioValue(json: columns),
            case .object(let members)? = ScenarioValue(json: row.json)
        else { return false }
        return written.allSatisfy { members[$0.key] == $0.value }
    }

    private static func words(_ change: Change) -> String {
        "\(change.kind) \(change.id?.description ?? "by clause") at \(change.revision?.description ?? "none")"
    }

    /// The write in words.
    private var words: String {
        switch mutation {
        case .create(let drafts): "create " + drafts.map { String(decoding: $0.json, as: UTF8.self) }.joined()
        case .upsert(let drafts): "upsert " + drafts.map { String(decoding: $0.json, as: UTF8.self) }.joined()
        case .update(let id, let patch, _): "update \(id) \(String(decoding: patch, as: UTF8.self))"
        case .updateAll(let clause, let patch):
            "update where \(clause?.description ?? "") \(String(decoding: patch, as: UTF8.self))"
        case .delete(let id, _): "delete \(id)"
        case .deleteAll(let clause): "delete where \(clause?.description ?? "")"
        }
    }
}
