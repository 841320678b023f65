import Foundation
package import RemoteData

/// What somebody knows of a collection who looked at it once and has read nothing but its changes since.
package struct ScenarioReplica: Sendable {
    /// A row as it was seen or told.
    private struct Known: Sendable {
        let id: RowID
        /// The row as the collection had it.
        var seen: Row?
        /// The row as it was told since.
        var told: ScenarioValue?
    }

    /// The row at each position; nil where it was not here, or where what is told does not say.
    private var rows: [Known?]
    /// Whether the collection said that one has to look again.
    package private(set) var isStale = false
    /// What was told that cannot be.
    private var problem: String?
    private let forgets: Bool
    /// Makes of a row of the collection what would be told of it.
    private let describe: @Sendable (Row) -> ScenarioValue?

    /// Looks at a collection.
    ///
    /// - Parameters:
    ///   - inspection: What it holds.
    ///   - type: The model of its rows.
    ///   - forgets: Whether rows leave its cache. Nobody is told which, so that only their number is looked at.
    package init<Element: Codable & Sendable>(
        _ inspection: CollectionInspection,
        of type: Element.Type,
        forgets: Bool = false
    ) {
        self.forgets = forgets
        describe = { row in
            let element = try? JSONDecoder().decode(Element.self, from: Data(row.json))
            return element.flatMap { Self.value(of: $0) }
        }
        rows = []
        look(inspection)
    }

    /// Looks at the collection again.
    package mutating func look(_ inspection: CollectionInspection) {
        rows = inspection.rows.map { row in forgets ? nil : row.map { Known(id: $0.id, seen: $0) } }
        (isStale, problem) = (false, nil)
    }

    private static func value(of element: some Encodable) -> ScenarioValue? {
        (try? JSONEncoder().encode(element)).flatMap { ScenarioValue(json: Array($0)[...]) }
    }

    /// Takes a change.
    package mutating func apply<Element: Encodable>(_ change: CollectionChange<Element>) {
        guard !isStale, problem == nil else { return }
        guard change.type != .dataLoaded else {
            isStale = true
            return
        }
        var gone = change.moved.map(\.from)
        for range in change.removedRanges { gone += range }
        guard gone.allSatisfy({ rows.indices.contains($0) }) else {
            problem = "A position is told to be removed that is not there: \(gone) of \(rows.count)."
            return
        }
        let ids = Set(change.ids)
        checkKind(of: change)
        let isBulk = change.type == .bulkDeleted
        if !isBulk, let row = gone.compactMap({ rows[$0] }).first(where: { !ids.contains($0.id) }) {
            problem = "The row \(row.id) is removed by a change of \(change.ids)."
        }
        for position in gone.sorted(by: >) { rows.remove(at: position) }
        let told = change.ids.count == 1 ? Known(id: change.ids[0], told: value(in: change)) : nil
        for position in (change.inserted + change.moved.map(\.to)).sorted() {
            guard position <= rows.count else {
                problem = "A position is told to be inserted that is not there: \(position) of \(rows.count)."
                return
            }
            rows.insert(place(told, at: position), at: position)
        }
        for position in change.updated {
            guard rows.indices.contains(position) else {
                problem = "A position is told to be updated that is not there: \(position) of \(rows.count)."
                return
            }
            guard let known = rows[position], let told else { continue }
            if known.id != told.id {
                problem = "The row \(told.id) is told to be updated where \(known.id) is."
            }
            rows[position] = told
        }
    }

    /// Looks whether a change is of its kind: only a row that is not here is created, and none that is here
    /// is inserted otherwise.
    private mutating func checkKind<Element>(of change: CollectionChange<Element>) {
        let isCreated = change.type == .created
        guard isCreated || !change.inserted.isEmpty, !forgets else { return }
        let isHere = rows.contains { known in known.map { change.ids.contains($0.id) } ?? false }
        if isHere { problem = "The rows \(change.ids) are here before they are \(change.type)." }
        let keepsRows = change.removedRanges.isEmpty && change.moved.isEmpty && change.updated.isEmpty
        if isCreated, !keepsRows { problem = "The creation of \(change.ids) changes other positions." }
    }

    /// The row a change is about as it is after it.
    private func value<Element: Encodable>(in change: CollectionChange<Element>) -> ScenarioValue? {
        change.rows.count == 1 ? Self.value(of: change.rows[0]) : nil
    }

    /// The row, unless it is told to be in an unloaded stretch: then it is somewhere in it.
    private func place(_ row: Known?, at position: Int) -> Known? {
        let isBehindUnknown = position > 0 && rows[position - 1] == nil
        let isBeforeUnknown = position < rows.count && rows[position] == nil
        return forgets || isBehindUnknown || isBeforeUnknown ? nil : row
    }

    /// What differs from the collection; nil when nothing does.
    package func difference(from inspection: CollectionInspection) -> String? {
        if let problem { return problem }
        guard !isStale else { return nil }
        guard rows.count == inspection.rows.count else {
            return "The changes lead to \(rows.count) rows; the collection has \(inspection.rows.count)."
        }
        for (position, known) in rows.enumerated() {
            guard let known, let row = inspection.rows[position] else { continue }
            if row.id != known.id {
                return
                    "The changes lead to row \(known.id) at \(position), where the collection has \(row.id)."
            }
            if known.seen?.json != row.json, let value = known.told ?? known.seen.flatMap(describe),
                value != describe(row)
            {
                return "The changes lead to another row \(known.id) at \(position)."
            }
        }
        return nil
    }
}
