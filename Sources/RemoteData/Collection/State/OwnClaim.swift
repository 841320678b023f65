/// A write of the collection's own that is under way: by what it writes, its events are known when they come before its
/// answer.
struct OwnClaim: Sendable {
    private let mutation: Mutation
    /// Which rows of a creation have been seen.
    private var seen: Set<Int> = []

    init(_ mutation: Mutation) { self.mutation = mutation }

    /// Whether a change is, as far as its contents tell, one that this write made; each row counts once.
    mutating func takes(_ change: Change) -> Bool {
        switch mutation {
        case .create(let drafts), .upsert(let drafts):
            guard let row = change.row else { return false }
            let index = drafts.indices.first { !seen.contains($0) && Self.isSame(drafts[$0], row) }
            guard let index else { return false }
            seen.insert(index)
            return true
        case .update(let id, let patch, _): return change.id == id && (change.row.map { Self.holds($0, patch) } ?? change.left)
        case .delete(let id, _): return change.kind == .deleted && change.id == id && !change.left
        case .deleteAll(let filter): return change.kind == .bulkDeleted && change.predicate == filter
        case .updateAll: return false
        }
    }

    private static func isSame(_ draft: Draft, _ row: Row) -> Bool {
        draft.id.map { $0 == row.id } ?? holds(row, draft.json)
    }

    /// Whether a row has all members of an object.
    private static func holds(_ row: Row, _ json: ArraySlice<UInt8>) -> Bool {
        guard let wanted = try? JSONObject.members(of: json), let there = try? JSONObject.members(of: row.json)
        else { return false }
        return wanted.allSatisfy { member in
            there.contains { $0.name == member.name && $0.json == member.json }
        }
    }
}
