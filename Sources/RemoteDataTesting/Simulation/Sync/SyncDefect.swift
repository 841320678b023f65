import RemoteData

/// Something broken on purpose in what sends writes, so that the simulator can be seen to catch it.
package enum SyncDefect: String, Sendable, CaseIterable {
    /// Removals count as made without being sent.
    case removalsNotSent
    /// Writes are sent again without a key that tells the server so.
    case writesWithoutKeys
    /// What the server refuses counts as made.
    case refusalsUnseen
}

extension SyncDefect {
    /// What is broken in the table that writes go through.
    var ofTable: Defect? { self == .writesWithoutKeys ? .writesWithoutKeys : nil }

    /// What counts as the answer to a write that is not sent; nil for one that is.
    func outcome(insteadOf mutation: Mutation) -> Outcome? {
        guard self == .removalsNotSent, case .delete(let id, _) = mutation else { return nil }
        return Outcome(ids: [id], count: 1)
    }

    /// What counts as the answer to a write that was refused; nil for the refusal.
    func outcome(of mutation: Mutation, refusedWith error: RemoteDataError) -> Outcome? {
        guard self == .refusalsUnseen, error.code == SyncServer.refusal.code else { return nil }
        switch mutation {
        case .create(let drafts), .upsert(let drafts):
            return Outcome(ids: drafts.compactMap(\.id), count: drafts.count)
        case .update(let id, _, _), .delete(let id, _): return Outcome(ids: [id], count: 1)
        case .updateAll, .deleteAll: return nil
        }
    }
}
