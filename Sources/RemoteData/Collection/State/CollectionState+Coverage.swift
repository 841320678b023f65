// What is known for sure.
extension CollectionState {
    /// The revision at which the table is known to have had exactly what is here, gaps of their size included; nil where
    /// nothing tells.
    var verified: Revision? {
        let revision = following == .off ? counted : applied
        guard repair == nil, isExact, let revision, ahead.map({ $0 <= revision }) ?? true else { return nil }
        return revision
    }

    /// Whether there are rows that are not here; as of ``verified``.
    var hasMore: Truth { isUpToDate ? Truth(!index.isComplete) : .unknown }

    /// Whether there is a row behind a position; as of ``verified``.
    func hasMore(behind position: Int) -> Truth { isUpToDate ? Truth(position < count - 1) : .unknown }

    /// Whether what is here is right, and nothing is known to have been missed.
    private var isUpToDate: Bool { verified != nil && following != .interrupted && !needsResync }

    /// Which stretches are here.
    ///
    /// - Complexity: O(intervals × log n).
    func coverage(idColumn: String, isTold: Bool) -> Coverage {
        var (intervals, gaps) = ([Coverage.Interval](), [Range<Int>]())
        let isEnd = isExact || isEndKnown
        let verified = isTold ? verified : nil
        var start = 0
        while start < index.count {
            let gap = index.firstGap(from: start) ?? index.count..<index.count
            let range = start..<gap.lowerBound
            if let first = key(at: range.lowerBound), let last = key(at: range.upperBound - 1) {
                intervals.append(
                    Coverage.Interval(
                        positions: positions(range),
                        first: first,
                        last: last,
                        reachesStart: start == 0,
                        reachesEnd: range.upperBound == index.count && isEnd,
                        verified: verified ?? (isTold ? verifiedBefore(first, last) : nil)
                    )
                )
            }
            if !gap.isEmpty { gaps.append(positions(gap)) }
            start = gap.upperBound
        }
        return Coverage(
            intervals: intervals,
            gaps: gaps,
            isComplete: index.isComplete && isEnd,
            revision: verified,
            query: query,
            idColumn: idColumn
        )
    }

    /// While what is here is compared with the table: when a stretch was last known to be right.
    private func verifiedBefore(_ first: Key, _ last: Key) -> Revision? {
        guard let repair else { return nil }
        let isCompared =
            repair.scan == nil && repair.doubtful.isEmpty && repair.isDrained
            && !(repair.stretches + repair.uncounted).contains { $0.meets(first, last, query.sort) }
        return isCompared ? applied : repair.since
    }

    /// The positions of the collection from the first to the last of some of the index.
    private func positions(_ range: Range<Int>) -> Range<Int> {
        held.position(ofBase: range.lowerBound)..<(held.position(ofBase: range.upperBound - 1) + 1)
    }

    /// Says which row lies at which position, as long as it is the same and none is held.
    struct Layout: Equatable {
        private let index: Int
        private let held: Int

        fileprivate init(_ state: CollectionState) {
            (index, held) = (state.index.version, state.held.version)
        }
    }

    var layout: Layout { Layout(self) }

    /// Takes away every row, to be let go of; nil where there are none.
    mutating func takeIndex() -> Rest<RowIndex>? {
        guard index.loadedCount > 0 else { return nil }
        let rest = Rest([index])
        index = RowIndex(replacing: index, keepsVersions: false)
        return rest
    }

    /// Begins with every row here, in order.
    mutating func begin(with rows: [Row]) {
        index = RowIndex(sort: query.sort)
        index.insert(rows, at: 0)
        isEndKnown = true
    }
}
