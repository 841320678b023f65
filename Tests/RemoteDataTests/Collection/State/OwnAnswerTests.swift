import Testing

@testable import RemoteData

/// Answers to own writes that come before, behind or without their events.
@Suite struct OwnAnswerTests {
    private func creation(_ id: Int64) -> Change {
        let row = Row(id: .integer(id), json: Array(#"{"objectId":\#(id),"v":1}"#.utf8)[...])
        return Change(revision: nil, kind: .created, id: row.id, row: row)
    }

    @Test func noRowOfAnAnswerFromBeforeAReadingAnewIsTaken() {
        var state = CollectionState(query: Query(), pageSize: 3, count: Count(0), follows: true)
        state.pending = [.live(nil)]
        _ = state.applyPending()
        let (write, reading) = (state.beginWatch(), state.beginWatch())
        state.reset(to: Count(0), since: reading)
        guard case .applied(let told) = state.wrote([creation(1), creation(2)], by: "mine", since: write)
        else {
            Issue.record("it waits for events")
            return
        }
        #expect(told.isEmpty)
        #expect(state.count == 0)
        #expect(state.needsResync)
    }

    /// The event of an own write that its answer has applied says no more where the row was: the answer did.
    @Test func aFarPageFromBeforeAnAnsweredWriteComesToItsPosition() throws {
        var fixture = try StateFixture(rows: 40, sort: "v")
        fixture.table.tellsPreviousKey = false
        try fixture.load(0)
        let fetch = try fixture.ask(30)
        let page = fixture.table.page(fetch.request)
        let watch = fixture.state.beginWatch()
        let written = fixture.table.put(10, value: 1_000)
        let change = try #require(written)
        fixture.state.own.expect([Revision(fixture.table.revision)])
        _ = fixture.state.wrote([change], since: watch, now: true)
        fixture.state.endWatch(watch)
        fixture.deliver()
        _ = try fixture.state.receive(page, for: fetch)
        let first = try #require(page.rows.first?.id)
        #expect(fixture.state.position(of: first) == fixture.table.ids.firstIndex { .integer($0) == first })
        #expect(fixture.state.count == 40)
    }

    @Test func anyRevisionMayBeTheLastThatIsKnown() throws {
        let count = Count(2, revision: Revision(.max))
        let state = CollectionState(query: Query(), pageSize: 2, count: count, follows: true)
        let clause = try Where.parse("v > 3")
        let removal = Change(revision: Revision(5), kind: .bulkDeleted, predicate: clause, count: 1)
        #expect(state.unsureRows(of: removal) == nil)
    }
}
