/// Changes that wait for a reader, in bounded room.
package protocol ChangeQueue<Change>: Sendable {
    associatedtype Change: Sendable

    /// Whether nothing waits.
    var isEmpty: Bool { get }

    /// One more change.
    mutating func add(_ change: Change)

    /// What waits, oldest first; then nothing does.
    mutating func takeAll() -> [Change]
}

/// Nothing but the newest.
struct NewestOnly<Change: Sendable>: ChangeQueue {
    private var newest: Change?

    var isEmpty: Bool { newest == nil }

    mutating func add(_ change: Change) { newest = change }

    mutating func takeAll() -> [Change] { newest.take().map { [$0] } ?? [] }
}

extension ChangeBuffering {
    /// What holds changes in this way.
    func queue<Element>(of _: Element.Type) -> any ChangeQueue<CollectionChange<Element>> {
        switch self {
        case .buffer(let count): ChangesInOrder<Element>(limit: count)
        case .latest: LatestChange<Element>()
        case .coalescing(let limit): ChangesByRow<Element>(limit: limit)
        }
    }
}

/// Every change, up to a number of them.
struct ChangesInOrder<Element: Sendable>: ChangeQueue {
    let limit: Int
    private var changes: [CollectionChange<Element>] = []

    init(limit: Int) { self.limit = max(1, limit) }

    var isEmpty: Bool { changes.isEmpty }

    mutating func add(_ change: CollectionChange<Element>) {
        if changes.count < limit { changes.append(change) } else { changes = [.gap] }
    }

    mutating func takeAll() -> [CollectionChange<Element>] {
        defer { changes = [] }
        return changes
    }
}

/// The newest change, which knows whether it is the only one.
struct LatestChange<Element: Sendable>: ChangeQueue {
    private var latest: CollectionChange<Element>?

    var isEmpty: Bool { latest == nil }

    mutating func add(_ change: CollectionChange<Element>) {
        let isFirst = latest == nil
        latest = change
        if !isFirst { latest?.hasMissed = true }
    }

    mutating func takeAll() -> [CollectionChange<Element>] { latest.take().map { [$0] } ?? [] }
}
