/// What is known of an order that cannot be reproduced: keys in the order of the table, each with its place.
///
/// The order of two keys never changes, whatever happens to their rows, so that what was learned once stays true.
struct PlaceBook: Sendable {
    /// A row whose place is known.
    struct Entry: Sendable {
        let key: Key
        let place: SortPlace
        /// The revision of the row that had the key.
        let revision: Revision?
        /// Grows with every row noted.
        let number: Int
        /// Whether the table has no row with this key any more, although no change has told so yet.
        var isGone = false
    }

    /// How many of the rows noted last are kept in any case.
    static let recentCount = 10_000

    private let sort: [SortTerm]
    private var entries: [Entry] = []
    private var places: [RowID: SortPlace] = [:]
    private var lastNumber = 0

    init(sort: [SortTerm]) { self.sort = sort }

    var count: Int { entries.count }

    subscript(position: Int) -> Entry { entries[position] }

    /// The position of the first entry that is not in front of a place; behind it, when there is an entry at the place.
    ///
    /// - Complexity: O(log n), like everything here that says nothing else.
    private func position(of place: SortPlace, isBehind: Bool = false) -> Int {
        entries.partition { $0.place < place || (isBehind && $0.place == place) }
    }

    /// The entries between two places; nil for the start and the end.
    func range(from lower: SortPlace?, to upper: SortPlace?) -> Range<Int> {
        let start = lower.map { position(of: $0, isBehind: true) } ?? 0
        let end = upper.map { position(of: $0) } ?? entries.count
        return start..<max(start, end)
    }

    /// The entries of a range, without some rows and those that are gone.
    ///
    /// - Complexity: O(range).
    func entries(in range: Range<Int>, but excluded: Set<RowID>) -> [Entry] {
        entries[range].filter { !$0.isGone && !excluded.contains($0.key.id) }
    }

    /// Notes that the table has no row with a key, unless it is known better by now.
    ///
    /// The place stays: the row may still be here.
    mutating func noteGone(_ known: Entry) {
        guard let entry = entry(known.key.id), entry.number == known.number else { return }
        entries[position(of: entry.place)].isGone = true
    }

    /// What is known of a row.
    func entry(_ id: RowID) -> Entry? {
        guard let place = places[id] else { return nil }
        let position = position(of: place)
        guard position < entries.count, entries[position].key.id == id else { return nil }
        return entries[position]
    }

    /// The place of a key; nil when it is not known.
    func place(of key: Key) -> SortPlace? { entry(key.id).flatMap { $0.key == key ? $0.place : nil } }

    /// The part of a range of entries, all others of which are known to be in front of a key or behind it without asking.
    func narrowed(_ range: Range<Int>, to key: Key) -> Range<Int> {
        let lower = entries[range].partition { Key.knownOrder($0.key, key, sort: sort) == .ascending }
        let upper = entries[lower..<range.upperBound]
            .partition { Key.knownOrder($0.key, key, sort: sort) != .descending }
        return lower..<upper
    }

    /// A place in front of the entry at a position, which is nobody's yet.
    func newPlace(at position: Int) -> SortPlace {
        SortPlace(
            between: position > 0 ? entries[position - 1].place : nil,
            and: position < entries.count ? entries[position].place : nil
        )
    }

    /// Notes the place of a row, instead of an earlier one; a row that is older than what is known is passed over.
    ///
    /// - Complexity: O(n), but O(log n) for the last place and for one that stays.
    mutating func note(_ key: Key, at place: SortPlace, _ revision: Revision?) {
        let known = entry(key.id)
        if let revision, let newest = known?.revision, revision < newest { return }
        lastNumber += 1
        let entry = Entry(key: key, place: place, revision: revision, number: lastNumber)
        if known?.place == place {
            entries[position(of: place)] = entry
            return
        }
        remove(key.id)
        places[key.id] = place
        entries.insert(entry, at: position(of: place, isBehind: true))
    }

    /// Forgets a row.
    ///
    /// - Complexity: O(n).
    mutating func remove(_ id: RowID) {
        guard let place = places.removeValue(forKey: id) else { return }
        var position = position(of: place)
        while position < entries.count, entries[position].place == place {
            if entries[position].key.id == id {
                entries.remove(at: position)
                return
            }
            position += 1
        }
    }

    /// Forgets all rows but some, and but those noted last, which may be on their way still.
    ///
    /// - Complexity: O(n).
    mutating func removeAll(but isKept: (RowID) -> Bool) {
        let oldest = lastNumber - Self.recentCount
        entries.removeAll { $0.number <= oldest && !isKept($0.key.id) }
        places = Dictionary(entries.map { ($0.key.id, $0.place) }) { first, _ in first }
    }
}

extension RandomAccessCollection where Index == Int {
    /// The first position for which a condition does not hold, where it holds for all in front of that.
    fileprivate func partition(_ isInFront: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if isInFront(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
