/// The rows of a page, in the order of the table, on the way to their places.
struct PlaceSpan: Sendable {
    /// What is to be done next.
    enum Step: Sendable {
        /// Nothing: these are the places, and they are noted.
        case places([SortPlace])
        /// The place of this row has to be found out.
        case ask(Int)
        /// These rows are not among those of the page: do they exist?
        case check([PlaceBook.Entry])
    }

    let keys: [Key]
    /// The places that were asked for.
    var asked: [RowID: SortPlace] = [:]
    /// Rows that exist and are not among those of the page.
    var strangers: Set<RowID> = []

    private let revisions: [Revision?]
    private let lower: SortPlace?
    private let isStartKnown: Bool
    private let isLast: Bool

    /// - Parameters:
    ///   - rows: The rows, at least one.
    ///   - sort: The order.
    ///   - start: Where the page starts.
    ///   - isLast: Whether nothing follows.
    init(_ rows: [Row], sort: [SortTerm], start: PageRequest.Start, isLast: Bool) {
        keys = rows.map { Key($0, sort: sort) }
        revisions = rows.map(\.revision)
        self.isLast = isLast
        switch start {
        case .after(let key): (lower, isStartKnown) = (key.place, key.place != nil)
        case .offset(let offset): (lower, isStartKnown) = (nil, offset == 0)
        case .before: (lower, isStartKnown) = (nil, false)
        }
    }

    /// What is to be done next; the places are noted when there is nothing left.
    ///
    /// - Complexity: O(rows · log rows known).
    mutating func step(_ book: inout PlaceBook) -> Step {
        var places = known(&book)
        if !isStartKnown, places[0] == nil, book.count > 0 { return .ask(0) }
        var lower = lower
        var position = 0
        while position < keys.count {
            if let place = places[position] {
                lower = place
                position += 1
                continue
            }
            let end = places[position...].firstIndex { $0 != nil } ?? keys.count
            let upper = end < keys.count ? places[end] : nil
            let between = book.range(from: lower, to: upper)
            if !between.isEmpty {
                // The last row tells what lies behind the page.
                if upper == nil, !isLast { return .ask(keys.count - 1) }
                let others = book.entries(in: between, but: [])
                let unknown = others.filter { !strangers.contains($0.key.id) }
                if !unknown.isEmpty { return .check(Array(unknown.prefix(PlacingTable.pivotLimit))) }
                if !others.isEmpty { return .ask((position + end) / 2) }
                // Nobody minds on which side of rows that are gone these are.
                lower = book[between.upperBound - 1].place
            }
            let new: [SortPlace?] = SortPlace.places(end - position, between: lower, and: upper)
            places.replaceSubrange(position..<end, with: new)
            position = end
        }
        let all = places.compactMap(\.self)
        for (position, place) in all.enumerated() {
            book.note(keys[position], at: place, revisions[position])
        }
        return .places(all)
    }

    /// The places that are known; one that the page contradicts is forgotten.
    private mutating func known(_ book: inout PlaceBook) -> [SortPlace?] {
        var lower = lower
        var places: [SortPlace?] = []
        for key in keys {
            let place = asked[key.id] ?? book.place(of: key)
            if let place, let last = lower, place <= last {
                asked[key.id] = nil
                book.remove(key.id)
                places.append(nil)
            } else {
                lower = place ?? lower
                places.append(place)
            }
        }
        return places
    }
}
