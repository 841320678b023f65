import RemoteDataTesting
import Testing

@testable import RemoteData

/// Places among keys that are known, of which some have no rows any more, over a table that sorts
/// backwards, and letters of either case alike.
struct PlaceSearchTests {
    /// The rows that exist, each with its key, in an order that the search does not know.
    private struct Rows {
        var keys: [RowID: Key] = [:]

        static func isInFront(_ left: Key, _ right: Key) -> Bool {
            let (first, second) = (text(left), text(right))
            return first == second ? Value.order(left.id.value, right.id.value) == .ascending : first < second
        }

        private static func text(_ key: Key) -> String {
            if case .text(let text) = key.values[0] { String(text.reversed()).lowercased() } else { "" }
        }

        func answer(_ question: PlaceQuestion) -> PlaceAnswer {
            let asked = keys.values.filter { key in question.ids?.contains(key.id) ?? true }
            if case .presence = question.kind { return PlaceAnswer(before: [], after: Array(asked)) }
            let before = asked.filter { Self.isInFront($0, question.key) }.sorted(by: Self.isInFront)
            let after = asked.filter { Self.isInFront(question.key, $0) }.sorted(by: Self.isInFront)
            return PlaceAnswer(
                before: before.suffix(question.limit),
                after: Array(after.prefix(question.limit))
            )
        }
    }

    private func key(_ id: Int64, _ number: Int, _ letter: String = "n") -> Key {
        Key(values: [.text("\(letter)\(number)")], id: .integer(id))
    }

    private func isRight(_ book: PlaceBook) -> Bool {
        zip(0..<book.count, 1..<max(1, book.count)).allSatisfy { !Rows.isInFront(book[$1], book[$0]) }
    }

    /// - Returns: The place, and how many questions it took; nil when it cannot be told.
    private func find(
        _ search: PlaceSearch,
        _ book: inout PlaceBook,
        _ meanwhile: (inout PlaceBook) -> Rows
    ) -> (place: SortPlace?, questions: Int) {
        var (search, questions) = (search, 0)
        while true {
            switch search.step(&book) {
            case .found(let place, _): return (place, questions)
            case .lost: return (nil, questions)
            case .ask(let question):
                questions += 1
                let answer = meanwhile(&book).answer(question)
                search.take(answer, to: question, book)
            }
        }
    }

    @Test(arguments: 0..<8) func everyPlaceIsRight(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var (rows, book) = (Rows(), PlaceBook(sort: [SortTerm("name")]))
        for _ in 0..<300 {
            let id = Int64(generator.number(0..<30))
            let new = key(id, generator.number(0..<20), generator.pick(["n", "N"]))
            switch generator.number(0..<3) {
            case 0: rows.keys[.integer(id)] = nil
            default: rows.keys[.integer(id)] = new
            }
            let (place, _) = find(PlaceSearch(new), &book) { _ in
                // Others write while the question is under way.
                let other = Int64(generator.number(0..<30))
                if generator.number(0..<2) == 0 {
                    rows.keys[.integer(other)] = key(other, generator.number(0..<20), "N")
                }
                return rows
            }
            // Only the place of what is gone may stay unknown.
            if place == nil { #expect(rows.keys[.integer(id)] != new) }
            #expect(place == book.place(of: new))
            #expect(isRight(book))
        }
        #expect(book.count > 100)
    }

    @Test("A key that sorts as an earlier one of its row goes next to that")
    func keyThatSortsAlike() throws {
        var (rows, book) = (Rows(), PlaceBook(sort: [SortTerm("name")]))
        for key in [key(1, 1), key(2, 2), key(3, 3)] {
            rows.keys[key.id] = key
            _ = find(PlaceSearch(key), &book) { _ in rows }
        }
        let new = key(2, 2, "N")
        rows.keys[new.id] = new
        let (place, questions) = find(PlaceSearch(new), &book) { _ in rows }
        #expect(place != nil && isRight(book) && book.count == 4)
        #expect(questions <= 5)
    }

    @Test("A row that has other keys meanwhile gets no wrong place", arguments: [true, false])
    func rowThatMovesMeanwhile(hasOthers: Bool) throws {
        let (old, new) = (key(1, 9), key(1, 3))
        // What the row has at each question: gone, elsewhere, where it was, and back again.
        let states: [Key?] = [nil, key(1, 5), old, new]
        for number in 0..<256 {
            var (rows, book) = (Rows(), PlaceBook(sort: [SortTerm("name")]))
            rows.keys[old.id] = old
            _ = find(PlaceSearch(old), &book) { _ in rows }
            var asked = 0
            let (place, _) = find(PlaceSearch(new), &book) { _ in
                rows.keys[old.id] = asked < 4 ? states[(number >> (2 * asked)) % 4] : new
                asked += 1
                return rows
            }
            #expect(place == book.place(of: new))
            if hasOthers {
                let other = key(2, 6)
                rows.keys[other.id] = other
                _ = find(PlaceSearch(other), &book) { _ in rows }
            }
            // It is away, has its key, and is away again, each time when it is asked for.
            let isOutOfStep = [1, 3].allSatisfy { [0, 2].contains((number >> (2 * $0)) % 4) }
            #expect(isRight(book) || isOutOfStep && (number >> 4) % 4 == 3, "states \(number)")
        }
    }

    @Test func formerPlacesAreNotNoted() {
        var (rows, book) = (Rows(), PlaceBook(sort: [SortTerm("name")]))
        for number in 0..<10 { rows.keys[.integer(Int64(number))] = key(Int64(number), number) }
        for key in rows.keys.values { _ = find(PlaceSearch(key), &book) { _ in rows } }
        let former = key(77, 35)
        let (place, _) = find(PlaceSearch(former, isFormer: true), &book) { _ in rows }
        #expect(book.count == 10 && book.place(of: former) == nil)
        // "53n" comes behind "4n" and in front of "5n".
        #expect(place.map { book.range(from: nil, to: $0).count } == 5)
    }

    @Test func thePlaceAmongManyTakesFewQuestions() throws {
        var (rows, book) = (Rows(), PlaceBook(sort: [SortTerm("name")]))
        let keys = (0..<10_000).map { key(Int64($0), $0) }.sorted(by: Rows.isInFront)
        for key in keys { rows.keys[key.id] = key }
        book.insert(keys, at: 0)
        // Both neighbours are known: one question.
        let new = key(77_777, 77_777)
        rows.keys[new.id] = new
        #expect(find(PlaceSearch(new), &book) { _ in rows }.questions == 1)
        // They are not: others are asked about until those are found.
        let near = keys.filter { rows.keys[$0.id] != nil }[4_000]
        for offset in 1...3 {
            let stranger = Key(values: near.values, id: .integer(1_000_000 + Int64(offset)))
            rows.keys[stranger.id] = stranger
        }
        let middle = Key(values: near.values, id: .integer(1_000_002))
        #expect(find(PlaceSearch(middle), &book) { _ in rows }.questions <= 5)
        #expect(isRight(book))
    }
}
