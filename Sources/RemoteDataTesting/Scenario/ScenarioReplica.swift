package import RemoteData

/// What somebody knows of a collection who looked at it once and has read nothing but its changes since.
package struct ScenarioReplica: Sendable {
    /// The row at each position; nil where it was not here, or where what is told does not say.
    package private(set) var rows: [RowID?]
    /// Whether the collection said that one has to look again.
    package private(set) var isStale = false
    /// What was told that cannot be.
    private(set) var problem: String?

    /// Looks at a collection.
    package init(_ inspection: CollectionInspection) { rows = inspection.rows.map { $0?.id } }

    /// Takes a change.
    package mutating func apply<Element>(_ change: CollectionChange<Element>) {
        guard !isStale, problem == nil else { return }
        guard change.type != .dataLoaded else {
            isStale = true
            return
        }
        var gone = change.moved.map(\.from)
        for range in change.removedRanges { gone += range }
        let came = (change.inserted + change.moved.map(\.to)).sorted()
        guard gone.allSatisfy({ rows.indices.contains($0) }) else {
            problem = "A position is told to be removed that is not there: \(gone) of \(rows.count)."
            return
        }
        for position in gone.sorted(by: >) { rows.remove(at: position) }
        let id = change.ids.count == 1 ? change.ids[0] : nil
        for position in came {
            guard position <= rows.count else {
                problem = "A position is told to be inserted that is not there: \(position) of \(rows.count)."
                return
            }
            rows.insert(place(id, at: position), at: position)
        }
        for position in change.updated {
            guard rows.indices.contains(position) else {
                problem = "A position is told to be updated that is not there: \(position) of \(rows.count)."
                return
            }
            if let known = rows[position], let id, known != id {
                problem = "The row \(id) is told to be updated where \(known) is."
            }
        }
    }

    /// The row, unless it is told to be in an unloaded stretch: then it is somewhere in it.
    private func place(_ id: RowID?, at position: Int) -> RowID? {
        let isBehindUnknown = position > 0 && rows[position - 1] == nil
        let isBeforeUnknown = position < rows.count && rows[position] == nil
        return isBehindUnknown || isBeforeUnknown ? nil : id
    }

    /// What differs from the collection; nil when nothing does.
    package func difference(from inspection: CollectionInspection) -> String? {
        if let problem { return problem }
        guard !isStale else { return nil }
        guard rows.count == inspection.rows.count else {
            return "The changes lead to \(rows.count) rows; the collection has \(inspection.rows.count)."
        }
        for (position, id) in rows.enumerated() {
            guard let id, let row = inspection.rows[position], row.id != id else { continue }
            return "The changes lead to row \(id) at \(position), where the collection has \(row.id)."
        }
        return nil
    }
}
