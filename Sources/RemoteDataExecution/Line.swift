/// What waits for its turn: first come, first served.
package struct Line<Item: Sendable>: Sendable {
    private var items: [Item?] = []
    /// The place of the first one; those before it had their turn.
    private var first = 0

    /// How much memory an empty one keeps, in items.
    private static var spare: Int { 1_024 }

    package init() {}

    package var isEmpty: Bool { first == items.count }
    package var count: Int { items.count - first }

    /// Adds one behind the others.
    ///
    /// - Complexity: O(1) on average.
    package mutating func append(_ item: Item) { items.append(item) }

    /// Takes the first one out; nil when there is none.
    ///
    /// - Complexity: O(1) on average: no more items are moved to the front than were taken since they were moved last.
    package mutating func next() -> Item? {
        guard first < items.count else { return nil }
        let item = items[first].take()
        first += 1
        if isEmpty {
            items.removeAll(keepingCapacity: items.capacity <= Self.spare)
            first = 0
        } else if first >= 64, first * 2 >= items.count {
            items.removeFirst(first)
            first = 0
        }
        return item
    }
}
