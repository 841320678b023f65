import Testing

@testable import RemoteData

/// Pages whose rows are not in the order asked for are refused: what they show could not be put in place.
@Suite struct PageOrderTests {
    private func rows(_ texts: [String]) throws -> [Row] {
        try texts.map { try Row.parse(Array($0.utf8)[...], idColumn: "id") }
    }

    private func fetch(_ position: Int, _ state: inout CollectionState) -> Fetch? {
        if case .fetch(let fetch) = state.need(base: position) { fetch } else { nil }
    }

    /// Whether the rows are taken as the answer to the first page, or to the one behind the first of them.
    private func isTaken(_ texts: [String], sort: String, behindFirst: Bool) throws -> Bool {
        var rows = try rows(texts)
        let query = Query(nil, sort: try SortTerm.parse(sort))
        var state = CollectionState(
            query: query,
            pageSize: behindFirst ? 1 : 10,
            count: Count(rows.count, revision: Revision(1)),
            follows: false
        )
        var fetch = try #require(self.fetch(0, &state))
        if behindFirst {
            _ = try state.receive(Page(rows: [rows.removeFirst()], revision: Revision(1)), for: fetch)
            fetch = try #require(self.fetch(1, &state))
        }
        do throws(RemoteDataError) {
            _ = try state.receive(Page(rows: rows, revision: Revision(1)), for: fetch)
            return true
        } catch {
            #expect(error.code == .invalidAnswer)
            #expect(state.fetches.isEmpty)
            return false
        }
    }

    @Test(arguments: [
        // By id, by a number, by text that begins alike, by the id where the rest is the same, the other way round.
        ("", #"{"id": 1}"#, #"{"id": 2}"#),
        ("a", #"{"id": 2, "a": 1}"#, #"{"id": 1, "a": 2}"#),
        ("a", #"{"id": 2, "a": "of one beginning, a"}"#, #"{"id": 1, "a": "of one beginning, b"}"#),
        ("a", #"{"id": 1, "a": "x"}"#, #"{"id": 2, "a": "x"}"#),
        ("a desc", #"{"id": 1, "a": "y"}"#, #"{"id": 2, "a": "x"}"#),
        ("a, b", #"{"id": 2, "a": 1, "b": 1}"#, #"{"id": 1, "a": 1, "b": 2}"#),
    ]) func onlyOneOrderIsTaken(sort: String, first: String, second: String) throws {
        for behindFirst in [false, true] {
            #expect(try isTaken([first, second], sort: sort, behindFirst: behindFirst))
            #expect(try !isTaken([second, first], sort: sort, behindFirst: behindFirst))
        }
    }
}
