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

    @Test func whatLedBeyondTheEndIsForgottenAlsoWhileOthersWrite() throws {
        var fixture = try StateFixture(rows: 40)
        try fixture.load(0)
        fixture.state.offsetShift = 100
        for _ in 0..<2 {
            let fetch = try fixture.ask(30)
            let page = fixture.table.page(fetch.request)
            fixture.table.put(5)
            fixture.deliver()
            _ = try fixture.state.receive(page, for: fetch)
        }
        #expect(fixture.state.offsetShift == 0)
        #expect(fixture.ids.contains(300))
    }
}
