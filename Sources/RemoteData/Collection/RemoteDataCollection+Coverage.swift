public import Foundation
import Synchronization

// What is here, and what is known of the rest.
extension RemoteDataCollection {
    /// Which rows are here: the loaded stretches with the keys at their ends and the revision each is right at.
    ///
    /// Never blocks, never asks the table.
    /// - Complexity: O(stretches × log n).
    public var coverage: Coverage {
        state.withLock { $0.core.coverage(idColumn: table.idColumn, isTold: isToldEverything) }
    }

    /// Whether there are rows that are not here.
    ///
    /// True or false is said of the revision that ``Coverage/revision`` tells: with live changes the one the collection has
    /// reached; without them the one at which everything was read. Where there is none, because the table has no
    /// revisions or pages were read at different moments, and while changes are interrupted, it is unknown: rows may have
    /// come or gone.
    ///
    /// Never blocks, never asks the table. O(1).
    public var hasMore: Truth { isToldEverything ? state.withLock { $0.core.hasMore } : .unknown }

    /// Whether there is a row behind a position, here or not; unknown as for ``hasMore``.
    ///
    /// Never blocks, never asks the table. O(1).
    public func hasMore(behind position: Int) -> Truth {
        isToldEverything ? state.withLock { $0.core.hasMore(behind: position) } : .unknown
    }

    /// Whether, where changes are followed, none is kept back: rows that leave a clause are.
    var isToldEverything: Bool {
        let follows = options.isLive && table.capabilities.liveChanges
        return !follows || query.filter == nil || table.capabilities.reportsLeaving
    }

    /// The rows that are here and match a further clause, and whether they are all there are.
    ///
    /// Never blocks, never asks the table: for counting, searching and showing something while offline. The clause is evaluated
    /// here, and a column it names that no row has is null.
    ///
    /// - Parameter clause: Which of the collection's rows, such as `age > 90`; empty for all.
    /// - Returns: The rows.
    /// - Throws: ``RemoteDataError`` with code `invalidClause` when the clause cannot be read.
    /// - Complexity: O(loaded rows), and decodes those nobody has looked at.
    public func loadedRows(where clause: String) throws(RemoteDataError) -> LoadedRows<Element> {
        try loadedRows(matching: try Where.parse(clause, for: Element.self, in: table))
    }

    /// The rows that are here and for which a predicate holds, and whether they are all there are.
    ///
    /// Never blocks, never asks the table.
    ///
    /// - Parameter predicate: Which of the collection's rows.
    /// - Returns: The rows.
    /// - Throws: ``RemoteDataError`` when the predicate cannot be translated, naming the expression.
    /// - Complexity: O(loaded rows), and decodes those nobody has looked at.
    public func loadedRows(
        where predicate: Predicate<Element>
    ) throws(RemoteDataError) -> LoadedRows<Element> {
        try loadedRows(matching: try Where(predicate, in: table))
    }

    private func loadedRows(matching clause: Where?) throws(RemoteDataError) -> LoadedRows<Element> {
        if clause?.hasSubQuery == true {
            throw RemoteDataError(
                .invalidClause,
                "What is here cannot answer IN (SELECT …): other tables can."
            )
        }
        let look = look()
        let matcher = clause.map { Where.Matcher($0) }
        var rows: [Element] = []
        for case .rows(let part) in look.parts {
            let matching = part.range.filter { matcher?.matches(part.rows[$0]) ?? true }
            guard !matching.isEmpty else { continue }
            let decoded = decode(part)
            rows += matching.compactMap { try? decoded.element(at: $0) }
        }
        let isComplete = look.coverage.revision != nil && look.holdsAll(of: clause, in: table)
        return LoadedRows(rows: rows, isComplete: isComplete, revision: look.coverage.revision)
    }
}

extension RemoteDataCollection {
    /// What is here at one moment.
    struct Look: Sendable {
        let coverage: Coverage
        let parts: [CollectionState.Part]
        let hasHeld: Bool

        /// Whether every row of the query that matches a clause is here, as far as the clause means the same here and there.
        func holdsAll(of clause: Where?, in table: any Table) -> Bool {
            guard table.capabilities.binaryOrder, !hasHeld, clause?.hasSubQuery != true else { return false }
            return clause.map { coverage.contains($0) } ?? coverage.isComplete
        }
    }

    func look() -> Look {
        let isTold = isToldEverything
        return state.withLock { state in
            Look(
                coverage: state.core.coverage(idColumn: table.idColumn, isTold: isTold),
                parts: state.core.parts(),
                hasHeld: !state.core.held.isEmpty
            )
        }
    }
}
