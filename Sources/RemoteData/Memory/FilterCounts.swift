/// How many of some rows the filters of subscriptions match, as far as that takes no time from those who
/// write.
package struct FilterCounts {
    /// How many rows each filter has matched; none of the filters once they have taken too much work.
    package private(set) var counts: [Where: Int]
    private let matchers: [(Where, Where.Matcher)]
    private let budget = WorkBudget(steps: WorkBudget.quickSteps, within: nil)

    /// Counts by filters; O(size of the filters).
    package init(_ filters: Set<Where>) {
        counts = Dictionary(uniqueKeysWithValues: filters.map { ($0, 0) })
        matchers = filters.map { ($0, Where.Matcher($0)) }
    }

    /// Counts a row.
    ///
    /// - Complexity: O(bytes of the row) for each filter.
    package mutating func add(_ row: Row) {
        guard !counts.isEmpty else { return }
        let matching = budget.run { matchers.filter { $0.1.matches(row) }.map(\.0) }
        guard let matching else { return counts = [:] }
        for filter in matching { counts[filter, default: 0] += 1 }
    }
}
