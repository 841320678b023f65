@testable import RemoteData

/// Follows a collection by nothing but the positions it tells, as a table view does.
struct ShadowCollection {
    /// The ids by position, where known.
    private var ids: [RowID?] = []

    init() {}

    init(_ state: CollectionState) {
        ids = (0..<state.count).map { state.row(at: $0)?.id }
    }

    /// Makes the changes and compares; afterwards knows all that is loaded.
    ///
    /// - Returns: What is wrong; nil when nothing is.
    mutating func follow(
        _ told: [Applied],
        _ state: CollectionState,
        withPage: Bool
    ) -> String? {
        for change in told {
            if let fault = apply(change, isOnly: told.count == 1 && !withPage) {
                return "told \(change.summary), but \(fault)"
            }
        }
        let now = ShadowCollection(state)
        defer { self = now }
        guard ids.count == now.ids.count else {
            return "\(ids.count) rows known, but there are \(now.ids.count)"
        }
        for (position, id) in now.ids.enumerated() {
            guard let id else { continue }
            if let known = ids[position], known != id {
                return "\(known) known at \(position), where \(id) is"
            }
            if let known = ids.firstIndex(of: id), known != position {
                return "\(id) known at \(known), but is at \(position)"
            }
        }
        return nil
    }

    /// An unloaded row's position is only that of its stretch, so with something else behind it no id is taken from it.
    private mutating func apply(_ change: Applied, isOnly: Bool) -> String? {
        // Of rows behind gaps nobody knows afterwards where they are.
        if change.type == .bulkDeleted, !isOnly { ids = ids.map { _ in nil } }
        let gone = (change.removed + change.moved.map(\.from)).sorted(by: >)
        guard Set(gone).count == gone.count else { return "a position goes twice" }
        for position in gone {
            guard ids.indices.contains(position) else { return "there is no \(position) to go" }
            ids.remove(at: position)
        }
        let single = isOnly && change.ids.count == 1 ? change.ids.first : nil
        for position in (change.inserted + change.moved.map(\.to)).sorted() {
            guard position <= ids.count else { return "there is no place \(position)" }
            ids.insert(single, at: position)
        }
        for position in change.updated {
            guard ids.indices.contains(position) else { return "there is no \(position) to be updated" }
            if let known = ids[position], let single, known != single, known != change.formerID {
                return "\(known) is at \(position)"
            }
            // It is to be read again, and may no longer be here.
            ids[position] = nil
        }
        return nil
    }
}

extension Applied {
    /// Positions of rows that went, one by one.
    fileprivate var removed: [Int] { removedRanges.flatMap(\.self) }

    var summary: String {
        "\(type) \(ids) inserted \(inserted) removed \(removed) updated \(updated)"
            + " moved \(moved.map { "\($0.from) to \($0.to)" })"
    }
}
