import RemoteData
import Synchronization

/// What a server was seen to do.
final class MarkBook: Sendable {
    private struct State {
        var made: [String: Int] = [:]
        /// How often each was made in an earlier history, at most.
        var madeBefore: [String: Int] = [:]
        var lost: Set<RowID> = []
        var changed: Set<RowID> = []
        /// The numbers that patches without a mark had: what was left of writes that were merged.
        var merged: [RowID: Set<Value>] = [:]
        var unconditional: [String: Int] = [:]
        var removed: Set<RowID> = []
    }

    private let state = Mutex(State())

    var made: [String: Int] { state.withLock { $0.made.merging($0.madeBefore) { max($0, $1) } } }
    var madeLately: [String: Int] { state.withLock { $0.made } }
    var unconditional: [String: Int] { state.withLock { $0.unconditional } }

    func hasMerged(_ number: Value, into id: RowID) -> Bool {
        state.withLock { $0.merged[id]?.contains(number) ?? false }
    }

    func hasRemoved(_ id: RowID) -> Bool { state.withLock { $0.removed.contains(id) } }

    func hasBegunWithout(_ id: RowID, _ table: String) -> Bool {
        state.withLock { state in
            state.lost.contains(id) || state.changed.contains(id)
                || (table == SyncPlan.Table.items.rawValue && !state.lost.isEmpty)
        }
    }

    func beginAnew(without lost: Set<RowID>, _ changed: Set<RowID>) {
        state.withLock { state in
            state.madeBefore.merge(state.made) { max($0, $1) }
            state.made = [:]
            state.lost.formUnion(lost)
            state.changed.formUnion(changed)
            state.removed.formUnion(lost)
        }
    }

    func noteRemoval(of ids: [RowID]) { state.withLock { $0.removed.formUnion(ids) } }

    func note(_ mutation: Mutation) {
        state.withLock { state in
            for body in mutation.bodies {
                guard case .text(let mark) = body["mark"] else { continue }
                state.made[mark, default: 0] += 1
                if !mutation.isConditional { state.unconditional[mark, default: 0] += 1 }
            }
            if case .update(let id, let patch, _) = mutation {
                let members = Row(id: id, json: patch)
                if members["mark"] == .null { state.merged[id, default: []].insert(members["n"]) }
            }
            if case .delete(let id, _) = mutation { state.removed.insert(id) }
        }
    }
}

extension Mutation {
    fileprivate var isConditional: Bool {
        switch self {
        case .update(_, _, let revision), .delete(_, let revision): revision != nil
        case .create, .upsert, .updateAll, .deleteAll: false
        }
    }

    /// The rows and patches of a write, as if they were rows.
    var bodies: [Row] {
        switch self {
        case .create(let drafts), .upsert(let drafts): drafts.map { Row(id: "", json: $0.json) }
        case .update(_, let patch, _), .updateAll(_, let patch): [Row(id: "", json: patch)]
        case .delete, .deleteAll: []
        }
    }
}
