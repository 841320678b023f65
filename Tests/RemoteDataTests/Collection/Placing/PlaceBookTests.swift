import RemoteDataTesting
import Testing

@testable import RemoteData

struct PlaceBookTests {
    private let name = [SortTerm("name")]

    private func book(_ names: [String]) -> PlaceBook {
        var book = PlaceBook(sort: name)
        for text in names {
            book.note(key(text), at: book.newPlace(at: book.count), Revision(5))
        }
        return book
    }

    private func key(_ text: String, id: RowID? = nil) -> Key {
        Key(values: [.text(text)], id: id ?? .text("id of \(text)"))
    }

    private func names(_ book: PlaceBook) -> [Value] { (0..<book.count).map { book[$0].key.values[0] } }

    @Test func rowsStayInTheOrderTheyWereNotedIn() {
        var book = book(["c", "a", "b"])
        book.note(key("d"), at: book.newPlace(at: 1), nil)
        #expect(names(book) == ["c", "d", "a", "b"])
        #expect(book.place(of: key("a")) == book[2].place)
        #expect(book.place(of: key("a", id: "other")) == nil)
    }

    @Test func aRowHasTheLastPlaceNotedUnlessThatIsOlder() {
        var book = book(["a", "b", "c"])
        let (end, id) = (book.newPlace(at: 3), RowID.text("id of a"))
        book.note(key("older", id: id), at: end, Revision(4))
        #expect(names(book) == ["a", "b", "c"])
        book.note(key("newer", id: id), at: end, Revision(6))
        #expect(names(book) == ["b", "c", "newer"])
        book.remove(id)
        #expect(names(book) == ["b", "c"] && book.entry(id) == nil)
    }

    @Test func rangesLieStrictlyBetweenPlaces() {
        let book = book(["a", "b", "c", "d"])
        #expect(book.range(from: nil, to: nil) == 0..<4)
        #expect(book.range(from: book[0].place, to: book[3].place) == 1..<3)
        #expect(book.range(from: book[1].place, to: book[2].place) == 2..<2)
    }

    @Test func numbersAreNarrowedDownWithoutAsking() {
        var book = PlaceBook(sort: [SortTerm("age", ascending: false), SortTerm("name")])
        for age in [9, 7, 5, 5, 3] as [Int64] {
            let position = book.count
            let key = Key(values: [.integer(age), .text("n\(position)")], id: .integer(Int64(position)))
            book.note(key, at: book.newPlace(at: position), nil)
        }
        func narrowed(_ age: Value) -> Range<Int> {
            book.narrowed(0..<5, to: Key(values: [age, "m"], id: 77))
        }
        #expect(narrowed(.integer(6)) == 2..<2)
        #expect(narrowed(.integer(10)) == 0..<0)
        #expect(narrowed(.null) == 5..<5)
        // Only among those of the same age nothing but the table can tell.
        #expect(narrowed(.integer(5)) == 2..<4)
    }

    @Test func onlyTextIsOfAnUnknownOrder() {
        func order(_ left: Value, _ right: Value) -> Order? {
            Key.knownOrder(Key(values: [left], id: 1), Key(values: [right], id: 2), sort: name)
        }
        #expect(order(1, 2) == .ascending && order(2.5, 2) == .descending && order(true, 1) == .ascending)
        #expect(order(.null, "a") == .descending && order("a", .null) == .ascending)
        #expect(order("a", "a") == .ascending)
        #expect(order("a", "b") == nil && order("a", 1) == nil && order(1, "a") == nil)
        #expect(Key.knownOrder(Key(values: [1], id: "x"), Key(values: [1], id: "y"), sort: name) == nil)
    }

    @Test func theLatestAreKeptWhateverElseIsForgotten() {
        var book = PlaceBook(sort: [])
        for number in 0..<(PlaceBook.recentCount + 100) {
            book.note(Key(values: [], id: .integer(Int64(number))), at: book.newPlace(at: number), nil)
        }
        book.removeAll { $0 == 7 }
        #expect(book.count == PlaceBook.recentCount + 1)
        #expect(book.entry(7) != nil && book.entry(8) == nil)
        #expect(book.entry(99) == nil && book.entry(100) != nil)
    }
}
