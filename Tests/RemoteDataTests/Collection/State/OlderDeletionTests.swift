import Testing

@testable import RemoteData

/// Deletions by clause without a revision, which may be older than the page that showed a row.
@Suite struct OlderDeletionTests {
    private func state(_ count: Int) -> CollectionState {
        var state = CollectionState(
            query: Query(sort: [SortTerm("v")]),
            pageSize: count,
            count: Count(count),
            follows: true,
            ordersByPlace: true
        )
        state.pending = [.live(nil)]
        _ = state.applyPending()
        return state
    }

    private func row(_ id: Int64) -> Row {
        Row(id: .integer(id), json: Array(#"{"objectId":\#(id),"v":1}"#.utf8)[...])
    }

    private func load(_ ids: Range<Int64>, into state: inout CollectionState) throws {
        guard case .fetch(let fetch) = state.need(base: 0) else {
            Issue.record("no page is asked for")
            return
        }
        let places = SortPlace.places(ids.count, between: nil, and: nil)
        let rows = zip(ids, places).map { row($0).at($1) }
        state.merge(Page(rows: rows), fetch)
    }

    private let deletion = Change(revision: nil, kind: .bulkDeleted, predicate: nil)

    private func update(_ id: Int64) -> Change {
        let key = Key(row(id), sort: [SortTerm("v")])
        return Change(revision: nil, kind: .updated, row: row(id), previousKey: key)
    }

    @Test func aRowThatAnOlderDeletionTookHasEverythingComparedWhenItChanges() throws {
        var state = state(3)
        try load(0..<3, into: &state)
        try #require(state.row(.integer(1)) != nil)
        state.pending = [.change(deletion)]
        _ = state.applyPending()
        #expect(state.count == 0)
        #expect(!state.needsResync)
        // One that nobody saw here may be in a gap.
        state.pending = [.change(update(7))]
        _ = state.applyPending()
        #expect(!state.needsResync)
        state.pending = [.change(update(1))]
        _ = state.applyPending()
        #expect(state.needsResync)
    }
}
