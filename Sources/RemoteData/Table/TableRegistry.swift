/// The tables of a store by name.
///
/// A table that never had a row stays only as long as it is in use, so that asking for any number of names
/// takes no memory.
package struct TableRegistry<Entry: AnyObject & Sendable>: Sendable {
    /// How many tables a store can have.
    package static var limit: Int { 10_000 }

    /// How many entries there are when those that are not in use are looked for.
    private var nextSweep = Self.leastSweep
    private static var leastSweep: Int { 64 }
    private var entries: [String: Entry] = [:]
    /// Whether the table of an entry has no rows and no subscriptions.
    private let isIdle: @Sendable (Entry) -> Bool

    /// Creates an empty registry.
    ///
    /// - Parameter isIdle: Whether nothing is lost with an entry; called under the lock that guards the
    ///   registry.
    package init(isIdle: @escaping @Sendable (Entry) -> Bool) { self.isIdle = isIdle }

    /// The entry of a name; O(1).
    package subscript(name: String) -> Entry? { entries[name] }

    /// Every entry, in no order.
    package var all: [Entry] { Array(entries.values) }

    /// The entry of a name, made where there is none.
    ///
    /// - Complexity: O(1), amortized.
    /// - Throws: ``RemoteDataError`` with code `tooLarge` where the store has its limit of tables.
    package mutating func entry(
        _ name: String,
        making make: () -> Entry
    ) throws(RemoteDataError) -> Entry {
        if let known = entries[name] { return known }
        if entries.count >= min(nextSweep, Self.limit) { sweep() }
        guard entries.count < Self.limit else {
            throw RemoteDataError(.tooLarge, "The store has its limit of \(Self.limit) tables.")
        }
        return insert(make(), for: name)
    }

    /// Adds an entry whose table is known to be there.
    @discardableResult
    package mutating func insert(_ entry: Entry, for name: String) -> Entry {
        entries[name] = entry
        return entry
    }

    /// Removes what is idle and referenced from nowhere else.
    private mutating func sweep() {
        for name in Array(entries.keys) {
            guard var entry = entries.removeValue(forKey: name) else { continue }
            if isIdle(entry), isKnownUniquelyReferenced(&entry) { continue }
            entries[name] = entry
        }
        nextSweep = max(Self.leastSweep, entries.count * 2)
    }
}
