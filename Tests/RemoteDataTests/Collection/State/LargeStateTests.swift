import Testing

@testable import RemoteData

/// What must cost no more for being large.
@Suite struct LargeStateTests {
    private func state(_ count: Int, pageSize: Int = 10, follows: Bool = false) -> CollectionState {
        CollectionState(query: Query(nil), pageSize: pageSize, count: Count(count), follows: follows)
    }

    @Test(arguments: [1_000_000_000, 1 << 60, .max - 1, .max, .min, -1])
    func anAbsurdCountEndsWithTheFirstEmptyPage(count: Int) throws {
        var state = state(count)
        #expect(state.count >= 0)
        guard case .fetch(let fetch) = state.need(base: 0) else {
            #expect(count < 0)
            return
        }
        _ = try state.receive(Page(rows: []), for: fetch)
        #expect(state.count == 0)
        #expect(state.isLoaded)
    }

    @Test(arguments: [1_000_000_000, .max])
    func anAbsurdCountTakesRowsJumpsAndChanges(count: Int) throws {
        var state = state(count, pageSize: .max)
        guard case .fetch(let fetch) = state.need(base: state.index.count - 1) else {
            Issue.record("nothing is fetched")
            return
        }
        _ = try state.receive(Page(rows: [RowIndexModel.row(5)]), for: fetch)
        let change = Change(revision: nil, kind: .created, row: RowIndexModel.row(1))
        _ = state.wrote([change], since: state.beginWatch())
        _ = state.wrote([change], heldAt: state.count, since: state.beginWatch())
        #expect(state.position(of: .integer(5)) != nil)
        let deletion = Change(
            revision: nil,
            kind: .bulkDeleted,
            predicate: try Where.parse("v = 1"),
            count: .min
        )
        _ = state.wrote([deletion], since: state.beginWatch())
        let iteration = state.beginIteration()
        _ = state.step(iteration)
        _ = state.readAhead(iteration, pages: .max)
        _ = state.settle(Count(.max))
        _ = state.settle(Count(.min))
    }

    @Test func aMillionRowsThatAreNotHereGoAsOneRange() {
        var state = state(1_000_000)
        guard
            case .applied(let told) = state.wrote(
                [Change(revision: nil, kind: .bulkDeleted, count: 1_000_000)],
                since: state.beginWatch()
            )
        else {
            Issue.record("it waits")
            return
        }
        #expect(told.map(\.removedRanges) == [[0..<1_000_000]])
        #expect(state.count == 0)
    }

    @Test func aPageThatReplacesABillionUnloadedRowsLooksAtTheLoadedOnly() throws {
        var state = state(1_000_000_000)
        for position in [0, 500_000_000] {
            guard case .fetch(let fetch) = state.need(base: position) else { continue }
            let first = Int64(position)
            _ = try state.receive(
                Page(rows: (first..<(first + 10)).map { RowIndexModel.row($0) }),
                for: fetch
            )
        }
        guard case .fetch(let fetch) = state.need(base: 10) else {
            Issue.record("nothing is fetched")
            return
        }
        _ = try state.receive(Page(rows: [RowIndexModel.row(20)]), for: fetch)
        #expect(state.count == 11)
    }

    @Test func theLastGapIsFoundWithoutWalkingToIt() {
        var index = RowIndex()
        let ids = 0..<4_000 as Range<Int64>
        for id in ids { index.insert((0..<16).map { RowIndexModel.row(id * 16 + $0) }, at: index.count) }
        index.insertGap(1, at: index.count)
        #expect(ids.allSatisfy { index.firstGap(from: Int($0)) == 64_000..<64_001 })
    }

    @Test func chunksThatHaveBecomeSmallAreJoined() {
        var index = RowIndex()
        index.insert((0..<25_600).map { RowIndexModel.row($0) }, at: 0)
        index.removeLoaded { !$0.number.isMultiple(of: 100) }
        #expect(chunks(index) < 10)
        for id in 0..<256 as Range<Int64> where !id.isMultiple(of: 8) {
            index.position(of: .integer(id * 100)).map { _ = index.remove(at: $0) }
        }
        #expect(chunks(index) == 1)
        #expect(index.fault == nil)
        // Between two full chunks, too.
        index = RowIndex()
        index.insert((0..<512).map { RowIndexModel.row($0 * 1_000) }, at: 0)
        for id in 0..<500 as Range<Int64> {
            index.insert([RowIndexModel.row(255_001 + id)], at: 256 + Int(id))
        }
        #expect(chunks(index) < 1_012 / RowIndex.largestChunk + 4)
    }

    @Test func aMillionRowsTakeRoomForThoseThatAreHereOnly() {
        var index = RowIndex(count: 1_000_000)
        for number in 0..<100 as Range<Int64> {
            let start = Int(number) * 10_000 + 17
            index.remove(start..<(start + 10))
            index.insert((0..<10).map { RowIndexModel.row(Int64(start) + $0) }, at: start)
        }
        #expect(index.count == 1_000_000)
        #expect(index.loadedCount == 1_000)
        #expect(chunks(index) == 201)
        #expect(index.nodes.count < 210)
        #expect(index.fault == nil)
        #expect(index.place(of: Key(values: [], id: 500_020)) == .at(500_020))
        #expect(index.position(of: 990_026) == 990_026)
    }

    @Test func whatIsForgottenLeavesRoomForOthers() {
        var index = RowIndex(count: 1_000_000)
        var nodes = 0
        for number in 0..<2_000 {
            let start = number * 7_919 % 999_000
            index.remove(start..<(start + 10))
            index.insert((0..<10).map { RowIndexModel.row(Int64(start + $0)) }, at: start)
            index.evict(to: 200, keeping: [start..<(start + 10)])
            if number == 100 { nodes = index.nodes.count }
        }
        #expect(index.loadedCount <= 200)
        #expect(index.nodes.count <= nodes + 4)
        #expect(index.count == 1_000_000)
        #expect(index.fault == nil)
    }

    @Test func changesThatComeWithoutEndDuringARequestAreNotKeptForIt() throws {
        var fixture = try StateFixture(rows: 6)
        try fixture.load(0)
        let fetch = try fixture.ask(3)
        let page = fixture.table.page(fetch.request)
        let last = fixture.table.revision
        var most = 0
        for number in 1...CollectionState.logLimit + 10 {
            let row = RowIndexModel.row(0).at(Revision(last + Int64(number)))
            let key = Key(values: [], id: 0)
            fixture.state.pending.append(
                .change(Change(revision: row.revision, kind: .updated, row: row, previousKey: key))
            )
            _ = fixture.state.applyPending()
            most = max(most, fixture.state.log.count)
        }
        #expect(most <= CollectionState.logLimit)
        _ = try fixture.state.receive(page, for: fetch)
        #expect(fixture.state.row(at: 3) == nil)
        #expect(fixture.state.count == 6)
        #expect(try fixture.ask(3).request == fetch.request)
    }

    @Test func aCountThatTooManyChangesFollowedIsMadeAgain() throws {
        var fixture = try StateFixture(rows: 6)
        let watch = fixture.state.beginWatch()
        let count = fixture.table.count
        fixture.table.put(7)
        fixture.deliver()
        fixture.state.loseLog()
        let isNew = fixture.state.reset(to: count, since: watch)
        #expect(!isNew)
        #expect(fixture.state.count == 7)
    }

    private func chunks(_ index: RowIndex) -> Int {
        sequence(first: index.first) { index.successor(of: $0) }.prefix { $0 >= 0 }.count
    }
}
