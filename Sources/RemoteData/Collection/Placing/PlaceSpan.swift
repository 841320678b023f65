/// The rows of a page of the query, in the order of the table, on the way to their places.
struct PlaceSpan: Sendable {
    /// What is to be done next.
    enum Step: Sendable {
        /// Nothing: these are the places.
        case places([SortPlace])
        /// The place of the key at this position has to be found out.
        case ask(Int)
        /// The rows are in another order than they were before.
        case contradiction
    }

    let keys: [Key]
    private let start: PageRequest.Start
    private let isLast: Bool
    /// Rows that are gone: what they lie next to says nothing of anybody's place.
    private var gone: Set<Int> = []

    /// - Parameters:
    ///   - keys: The keys of the rows, at least one.
    ///   - start: Where the page starts.
    ///   - isLast: Whether nothing follows.
    init(_ keys: [Key], start: PageRequest.Start, isLast: Bool) {
        (self.keys, self.start, self.isLast) = (keys, start, isLast)
    }

    /// Notes that a row is gone.
    mutating func lose(_ position: Int) { gone.insert(position) }

    /// What is to be done next; the places are noted when there is nothing left.
    ///
    /// - Complexity: O(rows · log n) and, where rows belong between others, O(n).
    func step(_ book: inout PlaceBook) -> Step {
        let positions = keys.indices.filter { !gone.contains($0) }
        var (lower, isStartKnown) = beginning(book)
        var next = 0
        while next < positions.count {
            if let place = book.place(of: keys[positions[next]]) {
                if let lower, place <= lower { return .contradiction }
                (lower, isStartKnown) = (place, true)
                next += 1
                continue
            }
            if !isStartKnown, book.count > 0 { return .ask(positions[next]) }
            let end = positions[next...].firstIndex { book.place(of: keys[$0]) != nil } ?? positions.count
            let upper = end < positions.count ? book.place(of: keys[positions[end]]) : nil
            if let lower, let upper, upper <= lower { return .contradiction }
            let between = book.range(from: lower, to: upper)
            guard between.isEmpty else {
                // The last row tells what lies behind the page.
                let isOpen = upper == nil && !isLast
                return .ask(positions[isOpen ? positions.count - 1 : (next + end) / 2])
            }
            book.insert(positions[next..<end].map { keys[$0] }, at: between.lowerBound)
            isStartKnown = true
        }
        return .places(places(book))
    }

    /// What lies in front of the page; not known for one that starts far away.
    private func beginning(_ book: PlaceBook) -> (place: SortPlace?, isKnown: Bool) {
        switch start {
        case .after(let key):
            let place = book.place(of: key)
            return (place, place != nil)
        case .offset(let offset): return (nil, offset == 0)
        case .before: return (nil, false)
        }
    }

    /// The places of all rows; those of rows that are gone lie next to those of the others, and are not noted.
    private func places(_ book: PlaceBook) -> [SortPlace] {
        var places: [SortPlace] = []
        for (position, key) in keys.enumerated() {
            if !gone.contains(position), let place = book.place(of: key) {
                places.append(place)
                continue
            }
            let others = (position + 1..<keys.count).lazy.filter { !gone.contains($0) }
            let next = others.first.flatMap { book.place(of: keys[$0]) }
            places.append(SortPlace(between: places.last ?? beginning(book).place, and: next))
        }
        return places
    }
}
