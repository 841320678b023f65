/// Stretches of the order that were read at a later revision than the changes have come to.
///
/// Rows there may have come from elsewhere, or be gone, by changes that are still to be applied, so iterations wait before
/// they take them.
struct NewerStretches: Sendable {
    private var stretches: [(stretch: KeyInterval, revision: Revision)] = []

    /// How many stretches are kept apart; more become one.
    private static let limit = 256

    var isEmpty: Bool { stretches.isEmpty }

    /// Notes that a stretch was read at a later revision.
    mutating func note(_ stretch: KeyInterval, at revision: Revision) {
        guard stretches.count == Self.limit else { return stretches.append((stretch, revision)) }
        let last = stretches.reduce(revision) { max($0, $1.revision) }
        stretches = [(KeyInterval(), last)]
    }

    /// Forgets what was read at a revision that the changes have come to.
    mutating func reach(_ revision: Revision) {
        if !stretches.isEmpty { stretches.removeAll { $0.revision <= revision } }
    }

    /// The latest revision at which something from one key to another was read; nil where changes have come up to it.
    ///
    /// - Complexity: O(stretches).
    func revision(of first: Key, through last: Key, _ sort: [SortTerm]) -> Revision? {
        stretches.filter { $0.stretch.meets(first, last, sort) }.map(\.revision).max()
    }
}
