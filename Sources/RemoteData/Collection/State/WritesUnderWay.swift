/// Own writes whose answers have not come: an event that is faster than the answer is known by what the write is to do.
struct WritesUnderWay: Sendable {
    private var mutations: [Int: Mutation] = [:]
    private let idColumn: String

    init(idColumn: String) { self.idColumn = idColumn }

    /// A write is about to be sent.
    mutating func begin(_ number: Int, _ mutation: Mutation) { mutations[number] = mutation }

    /// Its answer has come, or it has failed.
    mutating func end(_ number: Int) { mutations[number] = nil }

    /// Whether one of them makes a change.
    func make(_ change: Change) -> Bool { mutations.values.contains { makes($0, change) } }

    private func makes(_ mutation: Mutation, _ change: Change) -> Bool {
        switch mutation {
        case .create(let drafts), .upsert(let drafts):
            guard let row = change.row else { return false }
            return drafts.contains { draft in
                draft.id.map { $0 == row.id } ?? (draft.row(id: row.id, idColumn: idColumn).json == row.json)
            }
        case .update(let id, _, _), .delete(let id, _): return change.id == id
        case .deleteAll(let filter): return change.kind == .bulkDeleted && change.predicate == filter
        case .updateAll: return false
        }
    }
}
