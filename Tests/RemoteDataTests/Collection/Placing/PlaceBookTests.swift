import RemoteDataTesting
import Testing

@testable import RemoteData

struct PlaceBookTests {
    private let name = [SortTerm("name")]

    private func book(_ names: [String]) -> PlaceBook {
        var book = PlaceBook(sort: name)
        book.insert(names.map { key($0) }, at: 0)
        return book
    }

    private func key(_ text: String, id: RowID? = nil) -> Key {
        Key(values: [.text(text)], id: id ?? .text("id of \(text)"))
    }

    private func names(_ book: PlaceBook) -> [Value] { (0..<book.count).map { book[$0].values[0] } }

    @Test func keysStayInTheOrderTheyWereNotedIn() throws {
        var book = book(["c", "a", "b"])
        book.insert([key("d"), key("e")], at: 1)
        #expect(names(book) == ["c", "d", "e", "a", "b"])
        let places = try (0..<5).map { try #require(book.place(of: book[$0])) }
        #expect(zip(places, places.dropFirst()).allSatisfy { $0 < $1 })
        #expect(book.place(of: key("a", id: "other")) == nil)
    }

    @Test func rangesLieStrictlyBetweenPlaces() {
        let book = book(["a", "b", "c", "d"])
        func place(_ text: String) -> SortPlace? { book.place(of: key(text)) }
        #expect(book.range(from: nil, to: nil) == 0..<4)
        #expect(book.range(from: place("a"), to: place("d")) == 1..<3)
        #expect(book.range(from: place("b"), to: place("c")) == 2..<2)
    }

    @Test func numbersAreNarrowedDownWithoutAsking() {
        var book = PlaceBook(sort: [SortTerm("age", ascending: false), SortTerm("name")])
        let ages: [Int64] = [9, 7, 5, 5, 3]
        book.insert(
            ages.enumerated().map { position, age in
                Key(values: [.integer(age), .text("n\(position)")], id: .integer(Int64(position)))
            },
            at: 0
        )
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

    @Test func keysThatCameSinceTheLastTimeAreKept() {
        var book = book(["a", "b", "c"])
        book.forget { _ in false }
        #expect(names(book) == ["a", "b", "c"])
        book.insert([key("d")], at: 3)
        book.forget { $0 == key("b") }
        #expect(names(book) == ["b", "d"])
        #expect(book.place(of: key("a")) == nil && book.place(of: key("b")) != nil)
    }
}
