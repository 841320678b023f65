/// Finding out where a key belongs among those that are known, by few questions.
///
/// The rows next to the key bound it, as far as their keys are known. Of the keys that are left in between there are no rows any
/// more; of these it is asked on which side the row of the key itself lies.
struct PlaceSearch: Sendable {
    /// What is to be done next.
    enum Step: Sendable {
        /// Nothing: this is the place; of a former key, as far as its neighbours are known by now.
        case found(SortPlace, Key.Certainty = .sure)
        case ask(PlaceQuestion)
        /// No row has the key any more, nor some that lie near it: which of them comes first nobody can tell.
        case lost
    }

    /// How many rows a question names at most.
    static let nameLimit = 100

    private let key: Key
    private let isFormer: Bool
    private var lower: SortPlace?
    private var upper: SortPlace?
    /// Whether the rows next to the key have been asked for among all.
    private var hasAskedAll = false
    /// Known keys that no row has any more.
    private var vacant: Set<Key> = []
    /// Whether no row has the key itself any more.
    private var isGone = false
    /// A key that the row had before, on neither side of which it lies: it has another key by now, or sorts
    /// where it did.
    private var twin: Key?
    /// Whether the row has had its key since that was found: the same is asked once more then.
    private var isPresent = false
    /// The version of the book that the bounds are places of.
    private var version: Int

    /// - Parameters:
    ///   - key: The key.
    ///   - lower: A place that it is known to lie behind.
    ///   - upper: A place that it is known to lie in front of.
    ///   - version: The version of the book that these are places of.
    ///   - isFormer: Whether its row has another by now: its place is not noted, and one that is right among those of the rows
    ///     that exist will do.
    init(
        _ key: Key,
        from lower: SortPlace? = nil,
        to upper: SortPlace? = nil,
        version: Int = 0,
        isFormer: Bool = false
    ) {
        (self.key, self.lower, self.upper) = (key, lower, upper)
        (self.version, self.isFormer) = (version, isFormer)
    }

    /// What is to be done next.
    ///
    /// - Complexity: O(log n), and O(keys that are left between the bounds) once they are few; O(n) when the place is found.
    mutating func step(_ book: inout PlaceBook) -> Step {
        if let place = book.use(key) { return .found(place) }
        if version != book.version { startOver(version: book.version) }
        let range = book.narrowed(book.range(from: lower, to: upper), to: key)
        if range.isEmpty {
            return isFormer ? vaguePlace(range, book) : .found(book.insert([key], at: range.lowerBound)[0])
        }
        if range.count > Self.nameLimit {
            if !hasAskedAll { return .ask(PlaceQuestion(key: key, kind: .neighbours)) }
            let some = named(sample(range), book)
            if !some.isEmpty { return .ask(PlaceQuestion(key: key, kind: .named(some))) }
        }
        let others = named(Array(range), book)
        if !others.isEmpty {
            return .ask(PlaceQuestion(key: key, kind: .named(Array(others.prefix(Self.nameLimit)))))
        }
        if isGone { return isFormer ? vaguePlace(range, book) : .lost }
        guard let twin else {
            return .ask(PlaceQuestion(key: book[range.lowerBound + range.count / 2], kind: .side(key)))
        }
        return .ask(PlaceQuestion(key: isPresent ? twin : key, kind: isPresent ? .side(key) : .presence))
    }

    /// A place behind keys of which there are no rows any more: it is right among those of the rows that exist.
    ///
    /// It is not noted, so that keys may come to lie on either side of it that are not known yet.
    private func vaguePlace(_ range: Range<Int>, _ book: PlaceBook) -> Step {
        let before = range.lowerBound > 0 ? book.place(of: book[range.lowerBound - 1]) : nil
        let after = range.upperBound < book.count ? book.place(of: book[range.upperBound]) : nil
        return .found(book.newPlaces(1, at: range.upperBound)[0], .within(before, after))
    }

    /// The keys at some positions, without those that no row has any more.
    private func named(_ positions: [Int], _ book: PlaceBook) -> [Key] {
        positions.map { book[$0] }.filter { !vacant.contains($0) }
    }

    /// Positions all over a range.
    private func sample(_ range: Range<Int>) -> [Int] {
        (0..<Self.nameLimit).map { range.lowerBound + $0 * (range.count - 1) / (Self.nameLimit - 1) }
    }

    /// Places of keys that were forgotten meanwhile are bounds no more.
    private mutating func startOver(version: Int) {
        self.version = version
        (lower, upper) = (nil, nil)
        hasAskedAll = false
        vacant = []
        (twin, isPresent) = (nil, false)
    }

    /// Takes an answer.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - question: The question.
    ///   - book: What is known.
    mutating func take(_ answer: PlaceAnswer, to question: PlaceQuestion, _ book: PlaceBook) {
        let before = answer.before.last { book.place(of: $0) != nil }.flatMap { book.place(of: $0) }
        let after = answer.after.first { book.place(of: $0) != nil }.flatMap { book.place(of: $0) }
        switch question.kind {
        case .neighbours:
            hasAskedAll = true
            bound(before, after)
            // Only neighbours that are known show that there is nobody else.
            let isStartKnown = before != nil || answer.before.isEmpty
            guard isStartKnown, after != nil || answer.after.isEmpty, answer.isComplete else { return }
            vacant.formUnion(book.range(from: lower, to: upper).map { book[$0] })
        case .named(let others):
            bound(before, after)
            vacant.formUnion(Set(others).subtracting(answer.before + answer.after))
        case .side:
            takeSide(answer, of: question.key, book)
        case .presence:
            isPresent = answer.after.contains(key)
            isGone = !isPresent
        }
    }

    private mutating func takeSide(_ answer: PlaceAnswer, of other: Key, _ book: PlaceBook) {
        let place = book.place(of: other)
        if answer.after.contains(key) {
            (lower, twin) = (place ?? lower, nil)
        } else if answer.before.contains(key) {
            (upper, twin) = (place ?? upper, nil)
        } else if other.id != key.id || (answer.before + answer.after).contains(where: { $0.id == key.id }) {
            isGone = true
        } else if twin == nil {
            twin = other
        } else {
            // It sorts where it did.
            (lower, twin) = (place ?? lower, nil)
        }
        if twin == nil { isPresent = false }
    }

    private mutating func bound(_ before: SortPlace?, _ after: SortPlace?) {
        lower = before.map { max($0, lower ?? $0) } ?? lower
        upper = after.map { min($0, upper ?? $0) } ?? upper
    }
}

/// Which rows lie next to a key.
struct PlaceQuestion: Sendable {
    /// Among which rows.
    enum Kind: Sendable {
        /// All of the query.
        case neighbours
        /// Those that had some keys.
        case named([Key])
        /// The one that has a key.
        case side(Key)
        /// The one that the question's key is of, on whichever side.
        case presence
    }

    let key: Key
    let kind: Kind

    /// The ids of the rows; nil for all of the query.
    var ids: [RowID]? {
        switch kind {
        case .neighbours: nil
        case .named(let keys): keys.map(\.id)
        case .side(let key): [key.id]
        case .presence: [key.id]
        }
    }

    /// How many rows on either side tell it all: those that have other keys by now come with the others.
    var limit: Int { ids?.count ?? 1 }
}

/// The keys of the rows next to a key, in order.
struct PlaceAnswer: Sendable {
    var before: [Key]
    var after: [Key]
    /// Whether all of them could be read.
    var isComplete = true
}
