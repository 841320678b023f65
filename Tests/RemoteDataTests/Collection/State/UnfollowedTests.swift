import Testing

@testable import RemoteData

/// Collections that follow no changes.
@Suite struct UnfollowedTests {
    @Test func aFarRowIsAtItsPositionAfterAWriteByOthers() throws {
        var fixture = try StateFixture(rows: 1_000, pageSize: 100, isLive: false)
        fixture.table.put(0, value: 5)
        for position in [500, 200, 800] {
            try fixture.load(position)
            #expect(fixture.state.row(at: position)?.number == Int64(position * 10))
            #expect(fixture.state.count == 1_000)
        }
    }

    @Test func theCountStaysWhenAGapBetweenLoadedRowsIsFilled() throws {
        var fixture = try StateFixture(rows: 40, pageSize: 10, isLive: false)
        fixture.table.put(0, value: 5)
        for position in [0, 20, 10, 19] {
            try fixture.load(position)
            #expect(fixture.state.count == 40)
        }
        #expect((0..<30).allSatisfy { fixture.state.row(at: $0)?.number == Int64($0 * 10) })
    }

    @Test func rowsBetweenLoadedOnesThatNobodyToldOfAreFound() throws {
        var fixture = try StateFixture(rows: 40, pageSize: 10, isLive: false)
        try fixture.load(0)
        try fixture.load(20)
        for id in 191..<195 as Range<Int64> { fixture.table.put(id) }
        while let gap = fixture.state.index.firstGap() { try fixture.load(gap.lowerBound) }
        #expect(fixture.ids == fixture.table.ids)
    }

    @Test func ownWritesLeaveTheCountExact() throws {
        var fixture = try StateFixture(rows: 40, pageSize: 10, isLive: false)
        let changes = [fixture.table.put(395), fixture.table.put(390, nil)].compactMap(\.self)
        _ = fixture.state.wrote(changes, since: fixture.state.beginWatch())
        try fixture.load(0)
        #expect(fixture.state.isExact)
        #expect(fixture.state.count == 40)
    }

    @Test func whatABulkDeletionOfItsOwnTookIsTakenFromTheCount() throws {
        var fixture = try StateFixture(rows: 40, pageSize: 10, isLive: false)
        fixture.table.put(0, value: 5)
        try fixture.load(0)
        let removal = fixture.table.removeAll(from: 200)
        let change = try #require(removal)
        _ = fixture.state.wrote([change], since: fixture.state.beginWatch())
        #expect(fixture.state.count == 20)
    }

    @Test func theEndIsFoundBehindRowsThatAreHeld() throws {
        var fixture = try StateFixture(rows: 2, pageSize: 1, isLive: false)
        let creation = fixture.table.put(30)
        let change = try #require(creation)
        _ = fixture.state.wrote([change], heldAt: 0, since: fixture.state.beginWatch())
        fixture.table.put(0, value: 5)
        try fixture.load(0)
        try fixture.load(1)
        var requests = 0
        while requests < 10, case .fetch(let fetch) = fixture.needAtEnd() {
            _ = try fixture.state.receive(fixture.table.page(fetch.request), for: fetch)
            requests += 1
        }
        #expect(fixture.state.isLoaded)
        #expect(requests == 2)
    }
}

extension StateFixture {
    /// What is to be read at the end: what is not here, or whether there is more.
    fileprivate mutating func needAtEnd() -> CollectionState.Need {
        if let gap = state.index.firstGap() { return state.need(base: gap.lowerBound) }
        return state.tailNeed()
    }
}
