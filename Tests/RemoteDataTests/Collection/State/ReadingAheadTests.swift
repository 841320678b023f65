import Testing

@testable import RemoteData

/// Which pages are asked for before an iteration comes to them, and where they go.
@Suite struct ReadingAheadTests {
    private func key(_ id: Int64) -> Key { Key(values: [], id: .integer(id)) }

    /// Takes steps of an iteration until it waits, and tells where the pages asked for by then start.
    private func stepUntilWaiting(_ id: Int, _ fixture: inout StateFixture, atMost pages: Int) -> [Fetch] {
        var asked: [Fetch] = []
        for _ in 0..<1_000 {
            let step = fixture.state.step(id)
            let ahead = fixture.state.readAhead(id, after: step, atMost: pages)
            if case .fetch(let fetch) = step { asked.append(fetch) }
            asked += ahead
            guard case .rows = step else { return asked }
        }
        return asked
    }

    private func receive(_ fetches: [Fetch], _ fixture: inout StateFixture) throws {
        for fetch in fetches { _ = try fixture.state.receive(fixture.table.page(fetch.request), for: fetch) }
    }

    @Test func asMoreIsWaitedForMoreIsAskedForAtATime() throws {
        var fixture = try StateFixture(rows: 60, pageSize: 2)
        let id = fixture.state.beginIteration()
        var counts: [Int] = []
        while fixture.state.loadedCount < 60 {
            let asked = stepUntilWaiting(id, &fixture, atMost: 8)
            counts.append(asked.count)
            try receive(asked, &fixture)
        }
        // The first page alone; then what it comes to, and one, four and eight at a time.
        #expect(counts.prefix(2) == [1, 1])
        #expect(counts.dropFirst(2).prefix(3).allSatisfy { (2...8).contains($0) })
        #expect(counts.max() == 8)
        #expect(fixture.ids == fixture.table.ids)
    }

    @Test(arguments: [true, false], [0, 8]) func pagesGrowAsTheyCome(isBeyond: Bool, pages: Int) throws {
        var fixture = try StateFixture(rows: 400, pageSize: 2, largestPage: 30)
        fixture.state.readsBeyond = isBeyond
        let id = fixture.state.beginIteration()
        var sizes: [Int] = []
        while fixture.state.loadedCount < 400 {
            let asked = stepUntilWaiting(id, &fixture, atMost: pages)
            sizes += asked.map(\.request.limit)
            try receive(asked, &fixture)
        }
        let ramp = sizes.prefix { $0 < 30 }
        #expect(ramp.first == 2)
        #expect(Array(ramp) == ramp.sorted())
        #expect(sizes.dropFirst(ramp.count).dropLast().allSatisfy { $0 == 30 })
        #expect(sizes.count < 40)
        #expect(fixture.ids == fixture.table.ids)
    }

    @Test func pagesShrinkAsTheyComeLateOrNotAtAll() throws {
        var fixture = try StateFixture(rows: 400, pageSize: 2, largestPage: 30)
        let next = { (fixture: inout StateFixture) throws -> Fetch in
            let gap = try #require(fixture.state.index.firstGap())
            guard
                case .fetch(let fetch) = fixture.state.need(
                    base: gap.lowerBound,
                    size: fixture.state.nextPage
                )
            else { throw StateFixture.NothingToFetch() }
            return fetch
        }
        for _ in 0..<4 { try receive([next(&fixture)], &fixture) }
        #expect(fixture.state.nextPage == 30)
        fixture.state.fail(try next(&fixture))
        #expect(fixture.state.nextPage == 15)
        let late = try next(&fixture)
        _ = try fixture.state.receive(
            Answer(fixture.table.page(late.request), to: late.request),
            for: late,
            cameSoon: false
        )
        #expect(fixture.state.nextPage == 7)
        for _ in 0..<4 { fixture.state.fail(try next(&fixture)) }
        #expect(fixture.state.nextPage == 2)
        try receive([next(&fixture)], &fixture)
        #expect(fixture.state.nextPage == 4)
    }

    @Test func aLargerPageEndsWhereAnotherBegins() throws {
        var fixture = try StateFixture(rows: 400, pageSize: 2, largestPage: 30)
        try fixture.load(0)
        let asked = fixture.state.readEverythingAhead()
        fixture.state.fail(asked[0])
        guard case .fetch(let again) = fixture.state.need(base: 2, size: 30) else {
            throw StateFixture.NothingToFetch()
        }
        #expect(again.expected == asked[0].expected)
    }

    @Test func whoBeginsAfterPagesHaveGrownGetsOneAhead() throws {
        var fixture = try StateFixture(rows: 400, pageSize: 2, largestPage: 30)
        while fixture.state.loadedCount < 400 { try receive(fixture.state.readEverythingAhead(), &fixture) }
        #expect(fixture.state.nextPage == 30)
        fixture.state.index.forget(0..<fixture.state.index.count)
        let id = fixture.state.beginIteration()
        let first = stepUntilWaiting(id, &fixture, atMost: 8)
        #expect(first.map(\.request.limit) == [2])
        try receive(first, &fixture)
        _ = fixture.state.readAhead(id, after: fixture.state.step(id), atMost: 8)
        let ahead = fixture.state.readAhead(id, after: .rows(ChunkPart(rows: [])), atMost: 8)
        #expect(ahead.map(\.expected) == [2..<32])
    }

    @Test func whatIsReadByPositionComesInPagesAsTheyWereAskedFor() throws {
        var fixture = try StateFixture(rows: 100, pageSize: 2, largestPage: 30)
        for _ in 0..<4 { fixture.state.notePage(of: 30, cameSoon: true) }
        #expect(try fixture.ask(50).expected == 50..<52)
    }

    @Test(arguments: [1, 3]) func noMoreIsAskedForThanIsAllowed(pages: Int) throws {
        var fixture = try StateFixture(rows: 60, pageSize: 2)
        let id = fixture.state.beginIteration()
        while fixture.state.loadedCount < 60 {
            let asked = stepUntilWaiting(id, &fixture, atMost: pages)
            #expect((1...pages).contains(asked.count))
            try receive(asked, &fixture)
        }
        #expect(fixture.ids == fixture.table.ids)
    }

    @Test func fewerAreAskedForWhereTheyComeBeforeTheyAreWanted() throws {
        var fixture = try StateFixture(rows: 1_000, pageSize: 2)
        let id = fixture.state.beginIteration()
        while fixture.state.cursors[id]?.pagesAhead != 8 {
            try receive(stepUntilWaiting(id, &fixture, atMost: 8), &fixture)
        }
        var most = 8
        for _ in 0..<20 {
            let step = fixture.state.step(id)
            try receive(fixture.state.readAhead(id, after: step, atMost: 8), &fixture)
            most = try #require(fixture.state.cursors[id]?.pagesAhead)
        }
        #expect(most == 1)
    }

    @Test func aTableThatHasNoPagesBeyondKeysIsAskedForOneAfterAnother() throws {
        var fixture = try StateFixture(rows: 20, pageSize: 2)
        fixture.state.readsBeyond = false
        let id = fixture.state.beginIteration()
        while fixture.state.loadedCount < 20 {
            let asked = stepUntilWaiting(id, &fixture, atMost: 8)
            #expect(asked.count == 1)
            try receive(asked, &fixture)
        }
        #expect(fixture.ids == fixture.table.ids)
    }

    @Test func pagesThatOvertakeEachOtherComeToLieWhereTheyBelong() throws {
        var fixture = try StateFixture(rows: 12, pageSize: 2)
        try fixture.load(0)
        let asked = fixture.state.readEverythingAhead()
        #expect(asked.map(\.request.start).prefix(2) == [.after(key(10)), .beyond(key(10), offset: 2)])
        try receive(asked.reversed(), &fixture)
        #expect(fixture.ids == fixture.table.ids)
    }

    @Test func noMoreThanEightAreUnderWay() throws {
        var fixture = try StateFixture(rows: 100, pageSize: 2)
        try fixture.load(0)
        #expect(fixture.state.readEverythingAhead().count == 8)
        #expect(fixture.state.readEverythingAhead().isEmpty)
    }

    /// Rows come and go in front of the key, at it, and between it and the page, before the page is read and after that.
    @Test(arguments: [true, false]) func writesMeanwhileMoveThePage(isReadBefore: Bool) throws {
        for write in 0..<7 {
            var fixture = try StateFixture(rows: 12, pageSize: 2)
            try fixture.load(0)
            let asked = fixture.state.readEverythingAhead()
            let last = try #require(asked.last)
            var page = fixture.table.page(last.request)
            switch write {
            case 0: fixture.table.put(5)
            case 1: fixture.table.put(25)
            case 2: fixture.table.put(0, nil)
            case 3: fixture.table.put(10, nil)
            case 4: fixture.table.put(30, nil)
            case 5: fixture.table.put(95)
            default: fixture.table.put(200)
            }
            if !isReadBefore { page = fixture.table.page(last.request) }
            fixture.deliver()
            _ = try fixture.state.receive(page, for: last)
            let expected = fixture.table.ids
            #expect(fixture.state.count == expected.count, "write \(write)")
            for (position, id) in fixture.ids.enumerated() where id != nil {
                #expect(id == expected[position], "write \(write), position \(position)")
            }
            // Where the key's row has gone nobody knows how far the page is from there: it is read again.
            #expect(fixture.ids.count { $0 != nil } >= (write == 3 ? 1 : 3), "write \(write)")
            try receive(asked.dropLast(), &fixture)
            while let gap = fixture.state.index.firstGap() { try fixture.load(gap.lowerBound) }
            #expect(fixture.ids == expected, "write \(write)")
        }
    }
}
