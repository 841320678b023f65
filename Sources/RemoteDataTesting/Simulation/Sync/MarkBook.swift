import RemoteData
import Synchronization

/// What a server was seen to do.
final class MarkBook: Sendable {
    fileprivate struct State {
        var made: [String: Int] = [:]
        /// How often each was made in an earlier history, at most.
        var madeBefore: [String: Int] = [:]
        var lost: Set<RowID> = []
        var changed: Set<RowID> = []
        /// When rows were last added again by another program.
        var returns: [RowID: Int] = [:]
        /// The numbers that patches without a mark had: what was left of writes that were merged.
        var merged: [RowID: Set<Value>] = [:]
        var unconditional: [String: Int] = [:]
        /// How many writes were noted.
        var moment = 0
        var lives: [RowID: RowLife] = [:]
    }

    private let state = Mutex(State())

    var made: [String: Int] { state.withLock { $0.made.merging($0.madeBefore) { max($0, $1) } } }
    var madeLately: [String: Int] { state.withLock { $0.made } }
    var unconditional: [String: Int] { state.withLock { $0.unconditional } }

    func hasMerged(_ number: Value, into id: RowID) -> Bool {
        state.withLock { $0.merged[id]?.contains(number) ?? false }
    }

    func hasRemoved(_ id: RowID) -> Bool { !life(of: id).removals.isEmpty }

    /// What has passed so far: what is noted next is of a greater moment.
    var moment: Int { state.withLock { $0.moment } }

    /// When a row was added and removed.
    func life(of id: RowID) -> RowLife { state.withLock { $0.lives[id] ?? RowLife() } }

    func hasBegunWithout(_ id: RowID) -> Bool {
        state.withLock { $0.lost.contains(id) || $0.changed.contains(id) }
    }

    func hasLost(_ id: RowID) -> Bool { state.withLock { $0.lost.contains(id) } }

    func beginAnew(without lost: Set<RowID>, _ changed: Set<RowID>) {
        state.withLock { state in
            state.madeBefore.merge(state.made) { max($0, $1) }
            state.made = [:]
            state.lost.formUnion(lost)
            state.changed.formUnion(changed)
            state.noteRemoval(of: lost)
        }
    }

    func noteRemoval(of ids: [RowID]) { state.withLock { $0.noteRemoval(of: ids) } }

    /// When another program last added a row again that it had removed; nil for never.
    func lastReturn(of id: RowID) -> Int? { state.withLock { $0.returns[id] } }

    /// Rows that were removed were added again, by no write of a device.
    func noteReturn(of ids: [RowID]) {
        state.withLock { state in
            state.moment += 1
            for id in ids {
                state.lives[id, default: RowLife()].add(at: state.moment, mark: RowLife.returned)
                state.returns[id] = state.moment
            }
        }
    }

    func note(_ mutation: Mutation) {
        state.withLock { state in
            state.moment += 1
            for body in mutation.bodies {
                guard case .text(let mark) = body["mark"] else { continue }
                state.made[mark, default: 0] += 1
                if !mutation.isConditional { state.unconditional[mark, default: 0] += 1 }
            }
            switch mutation {
            case .update(let id, let patch, _):
                let members = Row(id: id, json: patch)
                if members["mark"] == .null { state.merged[id, default: []].insert(members["n"]) }
                state.lives[id, default: RowLife()].change(at: state.moment, mark: members["mark"])
            case .create(let drafts), .upsert(let drafts):
                for draft in drafts {
                    guard let id = draft.id else { continue }
                    let row = Row(id: id, json: draft.json)
                    state.lives[id, default: RowLife()].add(at: state.moment, mark: row["mark"])
                }
            case .delete(let id, _): state.lives[id, default: RowLife()].remove(at: state.moment)
            case .updateAll, .deleteAll: break
            }
        }
    }
}

extension MarkBook.State {
    mutating func noteRemoval(of ids: some Sequence<RowID>) {
        moment += 1
        for id in ids { lives[id, default: RowLife()].remove(at: moment) }
    }
}

/// When a row was added and removed, in the moments of a ``MarkBook``.
struct RowLife: Sendable {
    /// A write that added or changed it.
    struct Change: Sendable {
        let moment: Int
        /// The write's mark; null for what is left of one that was merged.
        let mark: Value
    }

    /// What stands for the mark where another program has added the row again.
    static let returned = Value.text("returned")

    private(set) var additions: [Change] = []
    /// The additions and updates.
    private(set) var changes: [Change] = []
    private(set) var removals: [Int] = []

    /// Whether the row was not there at some moment after another one, or at it.
    func isAbsent(since moment: Int) -> Bool {
        removals.contains { $0 > moment } || !isThere(at: moment)
    }

    /// Whether the row was there once a moment had passed.
    func isThere(at moment: Int) -> Bool {
        guard let addition = additions.last(where: { $0.moment <= moment }) else { return false }
        return !removals.contains { $0 > addition.moment && $0 <= moment }
    }

    fileprivate mutating func add(at moment: Int, mark: Value) {
        // An upsert of a row that is there adds nothing.
        if !isThere(at: moment) { additions.append(Change(moment: moment, mark: mark)) }
        change(at: moment, mark: mark)
    }

    fileprivate mutating func change(at moment: Int, mark: Value) {
        changes.append(Change(moment: moment, mark: mark))
    }

    fileprivate mutating func remove(at moment: Int) { removals.append(moment) }
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
