import RemoteDataTesting
import Testing

@testable import RemoteData
@testable import RemoteDataSQLite

/// Pages that were asked for at the same time are kept as one stretch.
@Suite(.timeLimit(.minutes(1))) struct PagesTogetherTests {
    private func starts(_ table: FaultyTable) -> [PageRequest.Start] {
        table.requests.compactMap { $0.page?.start }
    }

    private func beyonds(_ table: FaultyTable) -> Int {
        starts(table).count { if case .beyond = $0 { true } else { false } }
    }

    @Test(arguments: ["", "name, age desc"], [true, false])
    func nothingLiesBetweenThem(sort: String, isLive: Bool) async throws {
        let fixture = try await CacheTests.Fixture(1_000)
        let expected = try await fixture.expected(sort: sort)
        try await fixture.launch(isLive: isLive, sort: sort) { people, table, _ in
            table.hold(.page)
            let reading = Task { try await CacheTests.seen(people) }
            // As each is waited for, more and more are asked for ahead.
            while beyonds(table) <= 5 {
                await table.waitForHeld()
                table.letGo(0)
            }
            table.letAllGo()
            let seen = try await reading.value
            #expect(seen == expected)
        }
        // Nothing is asked for again, and everything is there without the server.
        try await fixture.launch(isLive: isLive, sort: sort) { people, table, _ in
            let seen = try await CacheTests.seen(people)
            #expect(seen == expected)
            #expect(starts(table).isEmpty)
        }
        try await fixture.launch(online: false, isLive: isLive, sort: sort) { people, _, _ in
            let seen = try await CacheTests.seen(people)
            #expect(seen == expected)
        }
    }

    @Test func rowsThatCameToLieBetweenThemAreKept() async throws {
        let fixture = try await CacheTests.Fixture(1_000)
        try await fixture.launch { people, table, _ in
            try await people.untilLive()
            table.hold(.page)
            let reading = Task { try await people.populate() }
            // The first page alone tells where the others are.
            await table.waitForHeld()
            table.letGo(0)
            await table.waitForHeld(4)
            // Behind the last row of each page that may be under way.
            for end in 1..<8 {
                let json = #"{"objectId":"p\#(1_000 + 50 * end - 1)a","name":"n","age":1}"#
                _ = try await fixture.base.commit(.create([draft(json)]))
            }
            try await fixture.put(1, from: 999, age: 5)
            await people.reach(try await fixture.base.count(nil).revision)
            table.letAllGo()
            try await reading.value
            try await people.untilLive()
        }
        let expected = try await fixture.expected()
        try await fixture.launch(online: false) { people, _, _ in
            let seen = try await CacheTests.seen(people)
            #expect(seen.count == 1_007)
            // A page of the server has no more.
            #expect(seen.prefix(1_000) == expected[...])
        }
    }

    /// The pages are answered in any order, and rows come and go meanwhile.
    @Test(arguments: 0..<UInt64(Campaign.size(quick: 40))) func whateverComesBetweenThemIsKept(seed: UInt64)
        async throws
    {
        var random = SeededGenerator(seed: seed)
        let sort = ["", "age desc", "name, age desc"][Int(seed % 3)]
        let fixture = try await CacheTests.Fixture(600)
        try await fixture.launch(sort: sort) { people, table, _ in
            try await people.untilLive()
            table.hold(.page)
            let reading = Task { try await people.populate() }
            let isDone = Watched(false)
            Task {
                _ = await reading.result
                isDone.change { $0 = true }
            }
            while !isDone.value {
                if table.heldCount == 0 {
                    await Task.yield()
                    continue
                }
                if random.chance(2) { try await write(fixture, &random) }
                table.letGo(random.number(0..<table.heldCount))
            }
            try await reading.value
            #expect(beyonds(table) > 0)
            let revision = try await fixture.base.count(nil).revision
            while people.coverage.revision.map({ $0 < revision ?? $0 }) ?? true {
                await people.reach(revision)
            }
            try await people.untilLive()
            let expected = try await fixture.expected(sort: sort)
            let seen = try await CacheTests.seen(people)
            #expect(seen == expected)
        }
        let expected = try await fixture.expected(sort: sort)
        try await fixture.launch(online: false, sort: sort) { people, _, _ in
            let seen = try await CacheTests.seen(people)
            #expect(seen == expected)
        }
    }

    /// Changes a row, often so that it comes to lie where a page ends, or deletes one.
    private func write(_ fixture: CacheTests.Fixture, _ random: inout SeededGenerator) async throws {
        let number = random.number(0..<600)
        let id = RowID.text("p\(1_000 + number)")
        if random.chance(3), try await fixture.base.row(id) != nil {
            _ = try await fixture.base.commit(.delete(id))
        } else {
            let end = 50 * random.number(1..<12) + random.number(-2..<3)
            try await fixture.put(1, from: number, age: random.chance(3) ? random.number(0..<600) : end)
        }
    }
}
