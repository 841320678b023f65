/// Which rows have come, or become others, since somebody asked.
struct RowArrivals: Sendable {
    /// Nil where nobody has asked, or they were too many.
    private var ids: [RowID]?

    /// Whether somebody has asked, who is to be told of all that come from then on.
    var isFollowed: Bool { ids != nil }

    /// Takes note of a row, one of so many.
    mutating func note(_ id: @autoclosure () -> RowID, of count: Int) {
        guard let length = ids?.count else { return }
        // Whoever asks looks at all rows rather than at more than there are.
        if length > 1_024 + count { ids = nil } else { ids?.append(id()) }
    }

    /// The rows that have come since this was asked last, some of them maybe gone again.
    ///
    /// - Returns: Those; nil for all that there are.
    mutating func take() -> [RowID]? {
        defer { ids = [] }
        return ids
    }
}
