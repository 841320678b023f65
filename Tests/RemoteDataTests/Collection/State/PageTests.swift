import Testing

@testable import RemoteData

/// What becomes of pages that are older or newer than the changes applied.
@Suite struct PageTests {
    @Test func aPageThatWaitsStillTellsTheChangesAppliedOnItsWay() throws {
        var fixture = try StateFixture()
        let fetch = try fixture.ask(0)
        fixture.table.put(95)
        fixture.state.pending = fixture.table.events
        fixture.table.put(96)
        let page = fixture.table.page(fetch.request)
        guard case .waits(let told) = try fixture.state.receive(page, for: fetch) else {
            Issue.record("the page does not wait")
            return
        }
        #expect(told.map(\.ids) == [[95]])
    }
}
