import Testing

@testable import RemoteData

/// Rows of changes that came with others, which are not to stay in memory as long as those.
@Suite struct KeptRowTests {
    /// A row in the middle of something long.
    private func shared(_ row: Row) -> Row {
        let (lead, json) = ([UInt8](repeating: 0x20, count: 1_000), Array(row.json))
        let range = lead.count..<(lead.count + json.count)
        return Row(id: row.id, revision: row.revision, in: lead + json + lead, range)
    }

    private func shared(_ events: [ChangeEvent]) -> [ChangeEvent] {
        events.map { event in
            guard case .change(let change) = event, let row = change.row else { return event }
            let (revision, key) = (change.revision, change.previousKey)
            return .change(
                Change(revision: revision, kind: change.kind, row: shared(row), previousKey: key)
            )
        }
    }

    private func expectNothingElseIsKept(_ fixture: StateFixture) {
        for position in 0..<fixture.state.count {
            #expect(fixture.state.row(at: position)?.json.startIndex == 0, "position \(position)")
        }
    }

    @Test(arguments: ["", "v"]) func aRowThatIsCreatedOrChangesKeepsNothingElse(sort: String) throws {
        var fixture = try StateFixture(rows: 6, sort: sort)
        try fixture.load(0)
        try fixture.load(3)
        fixture.table.put(20, value: 21)
        fixture.table.put(30, value: 300)
        fixture.table.put(35, value: 35)
        fixture.table.put(1_000, value: 1_000)
        fixture.table.events = shared(fixture.table.events)
        fixture.deliver()
        #expect(fixture.state.count == 8)
        expectNothingElseIsKept(fixture)
    }

    @Test func aRowThatChangedWhileItsPageWasUnderWayKeepsNothingElse() throws {
        var fixture = try StateFixture(rows: 20, pageSize: 20)
        let fetch = try fixture.ask(0)
        let page = fixture.table.page(fetch.request)
        fixture.table.put(50, value: 51)
        fixture.table.put(55, value: 55)
        fixture.table.events = shared(fixture.table.events)
        fixture.deliver()
        _ = try fixture.state.receive(page, for: fetch)
        #expect(fixture.state.count == 21)
        #expect(fixture.ids.prefix(7) == [0, 10, 20, 30, 40, 50, 55])
        expectNothingElseIsKept(fixture)
    }
}
