/// The rows of a page of the query, in the order of the table, on the way to their places.
struct PlaceSpan: Sendable {
    /// What is to be done next.
    enum Step: Sendable {
        /// Nothing: these are the places.
        case places([SortPlace])
        /// The place of a key has to be found out, which lies between two others.
        case ask(PlaceSearch)
        /// The rows are in another order than they were before.
        case contradiction
    }

    private let keys: [Key]
    private let start: PageRequest.Start
    private let isLast: Bool

    /// - Parameters:
    ///   - keys: The keys of the rows, at least one.
    ///   - start: Where the page starts.
    ///   - isLast: Whether nothing follows.
    init(_ keys: [Key], start: PageRequest.Start, isLast: Bool) {
        (self.keys, self.start, self.isLast) = (keys, start, isLast)
    }

    /// What is to be done next; the places are noted when there is nothing left.
    ///
    /// - Complexity: O(rows · log n) and, where rows belong between others, O(n).
    func step(_ book: inout PlaceBook) -> Step {
        var (lower, isStartKnown) = beginning(book)
        var next = 0
        while next < keys.count {
            if let place = book.place(of: keys[next]) {
                if let lower, place <= lower { return .contradiction }
                (lower, isStartKnown) = (place, true)
                next += 1
                continue
            }
            let end = keys[next...].firstIndex { book.place(of: $0) != nil } ?? keys.count
            let upper = end < keys.count ? book.place(of: keys[end]) : nil
            if let lower, let upper, upper <= lower { return .contradiction }
            let between = book.range(from: lower, to: upper)
            guard between.isEmpty, isStartKnown || book.count == 0 else {
                // The first row tells what lies in front of the page, the last one what lies behind.
                let isOpen = upper == nil && !isLast
                let position = !isStartKnown ? next : isOpen ? keys.count - 1 : (next + end) / 2
                return .ask(PlaceSearch(keys[position], from: lower, to: upper, version: book.version))
            }
            book.insert(Array(keys[next..<end]), at: between.lowerBound)
            isStartKnown = true
        }
        return .places(keys.compactMap { book.use($0) })
    }

    /// What lies in front of the page; not known for one that starts far away.
    private func beginning(_ book: PlaceBook) -> (place: SortPlace?, isKnown: Bool) {
        switch start {
        case .after(let key):
            let place = book.place(of: key)
            return (place, place != nil)
        case .offset(let offset): return (nil, offset == 0)
        case .before, .beyond: return (nil, false)
        }
    }
}
