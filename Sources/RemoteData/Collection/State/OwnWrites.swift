/// What a collection knows its own writes by when they come back as changes: their idempotency keys and, from tables
/// that tell no keys, the revisions of their answers.
struct OwnWrites: Sendable {
    /// How many writes are known; an event that comes later than so many others is told as somebody else's.
    static let capacity = 1_024

    /// Whether events carry the keys of the writes; otherwise they are known by what they do to a row.
    private let tellsKeys: Bool
    private var keys: Set<String> = []
    /// When each was answered, by its key and the number of the state.
    private var answers: [String: Int] = [:]
    private var order: [String] = []
    private var next = 0
    private var revisions: Set<Revision> = []
    /// The same from the lowest on, behind those that were forgotten.
    private var ascending: ArraySlice<Revision> = []
    /// Where the next row of a write is to be held, by the write's key.
    private var positions: [String: Int] = [:]
    /// Writes whose answers have not been taken in.
    private var unanswered: Set<String> = []
    /// What updates write that are not known to have been made, by the write's key.
    private var updates: [String: WrittenValues.Update] = [:]
    /// What answers told of and events have not, and the other way round; only from tables without revisions, where no order
    /// tells that both are one.
    private var answered = Parts()
    private var told: Set<Part> = []

    init(tellsKeys: Bool = true) { self.tellsKeys = tellsKeys }

    /// A row's part in a write; of many rows together for nil.
    private struct Part: Hashable {
        /// The write's key, or what was done where events carry none.
        let key: String
        let id: RowID?
    }

    /// A row's part in a write; nil where the write is unknown.
    private func part(of change: Change, in key: String?) -> Part? {
        guard !tellsKeys else { return key.map { Part(key: $0, id: change.id) } }
        let content = change.row.map { " \($0.json.hashValue)" } ?? ""
        return Part(key: "\(change.kind)\(change.kind == .deleted ? "" : content)", id: change.id)
    }

    /// The keys of the writes that concern each row.
    private struct Parts {
        private var keys: [RowID?: Set<String>] = [:]
        private(set) var count = 0

        mutating func insert(_ part: Part) {
            if keys[part.id, default: []].insert(part.key).inserted { count += 1 }
        }

        mutating func remove(_ part: Part) -> Bool {
            guard count > 0, keys[part.id]?.remove(part.key) != nil else { return false }
            if keys[part.id]?.isEmpty ?? false { keys[part.id] = nil }
            count -= 1
            return true
        }

        mutating func remove(about ids: [RowID]) {
            guard count > 0 else { return }
            for id in ids { count -= keys.removeValue(forKey: id)?.count ?? 0 }
        }
    }

    /// How many such parts are remembered; of more, rows that are not here may be counted twice.
    private static let partLimit = 10_000

    /// A write is about to be sent.
    ///
    /// - Parameters:
    ///   - key: Its idempotency key.
    ///   - position: Where the rows it creates are to be held, one behind the other, if anywhere.
    ///   - update: What it writes, if it is an update.
    mutating func begin(
        _ key: String,
        heldAt position: Int? = nil,
        writing update: WrittenValues.Update? = nil
    ) {
        positions[key] = position
        updates[key] = update
        unanswered.insert(key)
        if order.count < Self.capacity {
            order.append(key)
        } else {
            keys.remove(order[next])
            answers[order[next]] = nil
            updates[order[next]] = nil
            order[next] = key
            next = (next + 1) % Self.capacity
        }
        keys.insert(key)
    }

    /// A write has been answered.
    ///
    /// - Parameters:
    ///   - key: Its idempotency key.
    ///   - number: The number of the state.
    mutating func noteAnswer(_ key: String, at number: Int) {
        if keys.contains(key) { answers[key] = number }
    }

    /// A write has been made, by its answer or its event; one without an answer may still have been.
    ///
    /// - Returns: What it wrote, the first time.
    mutating func takeUpdate(_ key: String?) -> WrittenValues.Update? {
        guard let key, !updates.isEmpty else { return nil }
        return updates.removeValue(forKey: key)
    }

    /// The answer to a write has been taken in, or it has failed.
    mutating func end(_ key: String) {
        positions[key] = nil
        unanswered.remove(key)
        told = tellsKeys ? told.filter { $0.key != key } : unanswered.isEmpty ? [] : told
    }

    /// The answer to a write tells of a change.
    ///
    /// - Returns: Whether its event came before.
    mutating func wasTold(_ change: Change, by key: String?) -> Bool {
        guard change.revision == nil, let part = part(of: change, in: key) else { return false }
        return told.remove(part) != nil
    }

    /// A change was taken by the answer to its write, before its event.
    mutating func answer(_ change: Change, to key: String?) {
        guard change.revision == nil, answered.count < Self.partLimit, let part = part(of: change, in: key)
        else { return }
        answered.insert(part)
    }

    /// An event tells of a change.
    ///
    /// - Returns: Whether the answer to its write told of it before.
    mutating func tell(_ change: Change) -> Bool {
        guard change.revision == nil, hasAnswers || !unanswered.isEmpty,
            let part = part(of: change, in: change.idempotencyKey)
        else { return false }
        if answered.remove(part) { return true }
        let isAwaited = tellsKeys ? unanswered.contains(part.key) : !unanswered.isEmpty
        if isAwaited, told.count < Self.partLimit { told.insert(part) }
        return false
    }

    /// Whether an answer told of something that its event has not.
    var hasAnswers: Bool { answered.count > 0 }

    /// Rows were changed by something that may be older than the answers about them: their events count then.
    mutating func forgetAnswers(about ids: [RowID]) {
        answered.remove(about: ids)
    }

    /// Where the row of a creation is to be held, if its write says so; the next row comes behind it.
    mutating func takePosition(_ change: Change) -> Int? {
        guard let key = change.idempotencyKey, let position = positions[key] else { return nil }
        positions[key] = position + 1
        return position
    }

    /// The answer to a write told the revisions of its changes.
    mutating func expect(_ revisions: some Sequence<Revision>) {
        let new = revisions.filter { self.revisions.insert($0).inserted }.sorted()
        let isHigher = ascending.last.map { last in new.first.map { last < $0 } ?? true } ?? true
        ascending += new
        if !isHigher { ascending.sort() }
    }

    /// Every change up to a revision has been applied.
    mutating func forget(through revision: Revision) {
        while let lowest = ascending.first, lowest <= revision {
            revisions.remove(lowest)
            ascending.removeFirst()
        }
    }

    /// Forgets the revisions, which no longer come, and what answers told of.
    mutating func forgetRevisions() {
        (revisions, ascending) = ([], [])
        answered = Parts()
    }

    /// Whether a change is the work of one of them, as far as the table tells.
    func made(_ change: Change) -> Bool {
        if let key = change.idempotencyKey { return keys.contains(key) }
        return change.revision.map { revisions.contains($0) } ?? false
    }

    /// Whether a change is the work of one that had been answered when the state had a number.
    func made(_ change: Change, by number: Int) -> Bool {
        change.idempotencyKey.flatMap { answers[$0] }.map { $0 <= number } ?? false
    }
}
