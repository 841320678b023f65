/// Which rows of a query are here: loaded stretches of its order, each with the revision it is known to be right at.
///
/// A value of one moment; see ``RemoteDataCollection/coverage``.
public struct Coverage: Sendable, Hashable {
    /// A stretch of the order without a gap: every row of the query in it is here.
    public struct Interval: Sendable, Hashable {
        /// The positions of the collection from its first row to its last, rows held between them included.
        public let positions: Range<Int>
        /// Where its first row sorts.
        public let first: Key
        /// Where its last row sorts.
        public let last: Key
        /// Whether nothing sorts in front of it.
        public let reachesStart: Bool
        /// Whether nothing sorts behind it.
        public let reachesEnd: Bool
        /// The last revision at which the table is known to have had exactly what was here in the stretch.
        ///
        /// That is ``Coverage/revision``, but for a stretch that is still to be compared with the table after changes were
        /// missed: then it is an older one. Nil where nothing tells: the table has no revisions, the pages were read at
        /// different moments, or changes did not come in time and a count is to settle it.
        public let verified: Revision?
    }

    /// The loaded stretches in order.
    public let intervals: [Interval]
    /// The positions of the collection between and behind them, where rows are not here (but for those held there).
    public let gaps: [Range<Int>]
    /// Whether every row is here, and the end is known to be one.
    public let isComplete: Bool
    /// The revision that everything here is right at; nil where it is not, or not known to be, of one moment.
    public let revision: Revision?
    let query: Query
    let idColumn: String
}

extension Coverage {
    /// Whether a place in the order lies in a loaded stretch, so that it is known whether a row is there, and which.
    ///
    /// - Complexity: O(log intervals).
    public func contains(_ key: Key) -> Bool {
        if isComplete { return true }
        var (low, high) = (0, intervals.count)
        while low < high {
            let middle = (low + high) / 2
            let interval = intervals[middle]
            if !interval.reachesStart, order(key, interval.first) == .ascending {
                high = middle
            } else if !interval.reachesEnd, order(key, interval.last) == .descending {
                low = middle + 1
            } else {
                return true
            }
        }
        return false
    }

    /// Whether every row of the query that matches a clause is known to lie in loaded stretches.
    ///
    /// So it is where everything is here, and where the clause, with the query's own, bounds the sort columns to what is: with
    /// rows sorted by age and those up to 50 here, `age < 40` does. See ``Where/implies(_:)`` for what is seen.
    /// - Complexity: That of ``Where/implies(_:)``, times the number of intervals.
    public func contains(_ clause: Where) -> Bool {
        if isComplete { return true }
        let parts = intervals.compactMap { $0.clause(sort: query.sort, idColumn: idColumn) }
        guard let first = parts.first else { return false }
        let whole = query.filter.map { Where.and([$0, clause]) } ?? clause
        return whole.implies(parts.count == 1 ? first : .or(parts))
    }

    private func order(_ left: Key, _ right: Key) -> Order { Key.order(left, right, sort: query.sort) }
}

extension Coverage.Interval {
    /// What only rows in the stretch meet; nil where no clause can say it.
    fileprivate func clause(sort: [SortTerm], idColumn: String) -> Where? {
        let interval = KeyInterval(
            lower: reachesStart ? nil : .init(key: first, isIncluded: true),
            upper: reachesEnd ? nil : .init(key: last, isIncluded: true)
        )
        guard let parts = interval.conditions(sort: sort, idColumn: idColumn) else { return nil }
        return parts.count > 1 ? .and(parts) : parts.first ?? .truth(.literal(true))
    }
}

extension Coverage: CustomStringConvertible {
    /// The stretches, a line each, by positions and by the ids of the rows at their ends; no contents of rows.
    public var description: String {
        guard !intervals.isEmpty || !gaps.isEmpty else {
            return isComplete ? "no rows" : "no rows known"
        }
        let loaded = intervals.map { interval in
            let verified = interval.verified.map { "as of revision \($0)" } ?? "not verified"
            let ends = [interval.reachesStart ? "the start" : nil, interval.reachesEnd ? "the end" : nil]
                .compactMap(\.self)
            let reach = ends.isEmpty ? "" : ", reaches " + ends.joined(separator: " and ")
            let rows = "rows \(interval.first.id) to \(interval.last.id)"
            return (interval.positions, "loaded, \(rows)\(reach), \(verified)")
        }
        return (loaded + gaps.map { ($0, "not loaded") })
            .sorted { $0.0.lowerBound < $1.0.lowerBound }
            .map { "\($0.0.lowerBound)..<\($0.0.upperBound): \($0.1)" }
            .joined(separator: "\n")
    }
}
