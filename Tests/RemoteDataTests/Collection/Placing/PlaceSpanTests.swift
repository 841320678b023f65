import Testing

@testable import RemoteData

struct PlaceSpanTests {
    private func key(_ text: String) -> Key { Key(values: [.text(text)], id: .text("id of \(text)")) }

    private func book(_ names: String) -> PlaceBook {
        var book = PlaceBook(sort: [SortTerm("name")])
        book.insert(names.map { key(String($0)) }, at: 0)
        return book
    }

    private func names(_ book: PlaceBook) -> String {
        (0..<book.count).compactMap { if case .text(let text) = book[$0].values[0] { text } else { nil } }
            .joined()
    }

    private func span(_ names: String, _ start: PageRequest.Start = .offset(0), isLast: Bool = false)
        -> PlaceSpan
    {
        PlaceSpan(names.map { key(String($0)) }, start: start, isLast: isLast)
    }

    /// How many places it has; nil when it asks.
    private func count(_ span: PlaceSpan, _ book: inout PlaceBook) -> Int? {
        if case .places(let places) = span.step(&book) { places.count } else { nil }
    }

    @Test func pagesOneBehindTheOtherNeedNoQuestion() {
        var book = book("")
        #expect(count(span("zya"), &book) == 3)
        #expect(count(span("cb", .after(key("a"))), &book) == 2)
        #expect(names(book) == "zyacb")
    }

    @Test func rowsBetweenKnownNeighboursNeedNone() {
        var book = book("zyacb")
        #expect(count(span("zqya"), &book) == 4)
        #expect(names(book) == "zqyacb")
    }

    @Test func rowsWhereOthersAreKnownAreAskedFor() {
        var book = book("zyacb")
        // Is q in front of y or behind it, and b behind the last?
        #expect(count(span("zqa"), &book) == nil)
        #expect(count(span("zyq"), &book) == nil)
        #expect(count(span("zyacbq", isLast: true), &book) == 6)
    }

    @Test func aPageFarAwayIsAskedForUnlessNothingElseIsKnown() {
        var (known, empty) = (book("zyacb"), book(""))
        #expect(count(span("qp", .offset(7)), &known) == nil)
        #expect(count(span("ap", .offset(7), isLast: true), &known) == nil)
        #expect(count(span("qp", .offset(7)), &empty) == 2)
        #expect(count(span("xw", .after(key("?"))), &known) == nil)
    }

    @Test func anotherOrderThanBeforeIsRefused() {
        var book = book("zyacb")
        guard case .contradiction = span("yz").step(&book) else {
            Issue.record("It takes the rows in another order.")
            return
        }
    }
}
