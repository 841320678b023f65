/// What is known of an order that cannot be reproduced: keys in the order of the table, each with its place.
///
/// The order of two keys never changes, whether or not there are rows with them, so that what was learned once stays true.
struct PlaceBook: Sendable {
    private struct Entry: Sendable {
        let key: Key
        let place: SortPlace
        /// Grows with every key noted or used.
        var number: Int
    }

    private let sort: [SortTerm]
    private var entries: [Entry] = []
    private var places: [Key: SortPlace] = [:]
    private var lastNumber = 0
    /// The last number when keys were last forgotten.
    private var oldNumber = 0
    /// How often keys have been forgotten: places of those are nowhere.
    private(set) var version = 0

    init(sort: [SortTerm]) { self.sort = sort }

    /// Begins with keys that have been noted before, in their order, each with its place.
    mutating func begin(with keys: [Key]) {
        for key in keys {
            guard let place = key.place else { continue }
            lastNumber += 1
            entries.append(Entry(key: key, place: place, number: lastNumber))
            places[key] = place
        }
        crowd = 2 * entries.count + Self.spareCount
    }

    /// How many keys more than are needed make it crowded.
    private static let spareCount = 10_000
    /// How many keys make it crowded.
    private var crowd = spareCount

    var count: Int { entries.count }

    /// Whether there are far more keys than were needed when some were last forgotten.
    var isCrowded: Bool { entries.count > crowd }

    subscript(position: Int) -> Key { entries[position].key }

    /// The place of a key; nil when it is not known.
    func place(of key: Key) -> SortPlace? { places[key] }

    /// The place of a key that a row on its way has.
    ///
    /// - Complexity: O(log n).
    mutating func use(_ key: Key) -> SortPlace? {
        guard let place = places[key] else { return nil }
        lastNumber += 1
        entries[entries.partition { $0.place < place }].number = lastNumber
        return place
    }

    /// The positions of the keys between two places; nil for the start and the end.
    ///
    /// - Complexity: O(log n).
    func range(from lower: SortPlace?, to upper: SortPlace?) -> Range<Int> {
        let start = lower.map { lower in entries.partition { $0.place <= lower } } ?? 0
        let end = upper.map { upper in entries.partition { $0.place < upper } } ?? entries.count
        return start..<max(start, end)
    }

    /// The part of a range, all other keys of which are known to be in front of a key or behind it without asking.
    ///
    /// - Complexity: O(log n).
    func narrowed(_ range: Range<Int>, to key: Key) -> Range<Int> {
        let lower = entries[range].partition { Key.knownOrder($0.key, key, sort: sort) == .ascending }
        let upper = entries[lower..<range.upperBound]
            .partition { Key.knownOrder($0.key, key, sort: sort) != .descending }
        return lower..<upper
    }

    /// Places in front of the key at a position, and behind all in front of that, which are nobody's yet.
    func newPlaces(_ count: Int, at position: Int) -> [SortPlace] {
        SortPlace.places(
            count,
            between: position > 0 ? entries[position - 1].place : nil,
            and: position < entries.count ? entries[position].place : nil
        )
    }

    /// Notes keys that lie, in their order, in front of the one at a position and behind all in front of that.
    ///
    /// - Parameters:
    ///   - keys: The keys, none of which is known.
    ///   - position: Where the first of them goes.
    /// - Returns: Their places.
    /// - Complexity: O(n), but O(1) for each key behind the last.
    @discardableResult
    mutating func insert(_ keys: [Key], at position: Int) -> [SortPlace] {
        let new = newPlaces(keys.count, at: position)
        let noted = zip(keys, new)
            .map { key, place in
                lastNumber += 1
                places[key] = place
                return Entry(key: key, place: place, number: lastNumber)
            }
        entries.insert(contentsOf: noted, at: position)
        return new
    }

    /// Forgets all keys but some, and but those noted or used since this was last done, which may be on their way still.
    ///
    /// - Complexity: O(n).
    mutating func forget(but isKept: (Key) -> Bool) {
        let oldest = oldNumber
        entries.removeAll { $0.number <= oldest && !isKept($0.key) }
        places = Dictionary(entries.map { ($0.key, $0.place) }) { first, _ in first }
        oldNumber = lastNumber
        version += 1
        crowd = 2 * entries.count + Self.spareCount
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
