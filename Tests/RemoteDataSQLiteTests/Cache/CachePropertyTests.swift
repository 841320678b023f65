import Foundation
import RemoteDataTesting
import Synchronization
import Testing

@testable import RemoteData
@testable import RemoteDataSQLite

/// A program that is launched again and again while others write: what it shows is what the server has, and what it showed last
/// when it is launched without the server.
@Suite(.timeLimit(.minutes(5))) struct CachePropertyTests {
    typealias Person = CacheTests.Person

    private static let queries = [
        ("", ""), ("age < 60", ""), ("", "age desc"), ("name <> 'n2'", "name, age desc"),
        ("age between 10 and 50 or name = 'n1'", "name desc nulls first"),
    ]

    @Test(arguments: 0..<UInt64(Campaign.size(quick: 40)), [false, true])
    func launchesShowWhatTheServerHas(seed: UInt64, isCollated: Bool) async throws {
        var random = SeededGenerator(seed: seed)
        let logCapacity = [3, 30, 100_000].randomElement(using: &random) ?? 3
        let fixture = try await CacheTests.Fixture(60, logCapacity: logCapacity, isCollated: isCollated)
        let (clause, sort) = Self.queries[Int(seed) % Self.queries.count]
        var last: [String]?
        for round in 0..<8 {
            try await write(fixture, Int.random(in: 0..<12, using: &random), &random)
            let isOnline = round == 0 || Int.random(in: 0..<4, using: &random) > 0
            let readsAll = Bool.random(using: &random)
            let count = Int.random(in: 0..<40, using: &random)
            let writesMeanwhile = Int.random(in: 0..<6, using: &random)
            let known = last
            var generator = random
            last = try await fixture.launch(online: isOnline, clause, sort: sort) { people, table, _ in
                guard isOnline else {
                    if let known {
                        let seen = try await CacheTests.seen(people)
                        #expect(seen == known, "\(seed) \(round)")
                        #expect(people.count == known.count)
                    }
                    return known
                }
                try await people.prefetch(0..<count)
                try await write(fixture, writesMeanwhile, &generator)
                if readsAll { try await people.populate() }
                try await write(fixture, writesMeanwhile, &generator)
                try await people.untilLive()
                let revision = try await fixture.base.count(nil).revision
                while people.state.withLock({ $0.core.applied.map { $0 < revision ?? $0 } ?? true }) {
                    await people.reach(revision)
                }
                try await people.untilLive()
                guard readsAll else { return nil }
                let (seen, expected) = (
                    try await CacheTests.seen(people), try await fixture.expected(clause, sort: sort)
                )
                #expect(seen == expected, "\(seed) \(round)")
                return seen
            }
            random = generator
        }
    }

    private func write(
        _ fixture: CacheTests.Fixture,
        _ count: Int,
        _ random: inout SeededGenerator
    ) async throws {
        for _ in 0..<count {
            let number = Int.random(in: 0..<90, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<6: try await fixture.put(1, from: number, age: Int.random(in: 0..<90, using: &random))
            case 6..<9:
                let id = RowID.text("p\(1_000 + number)")
                if try await fixture.base.row(id) != nil { _ = try await fixture.base.commit(.delete(id)) }
            default:
                let clause = try Where.parse("age between \(number) and \(number + 4)")
                _ = try await fixture.base.commit(.deleteAll(clause))
            }
        }
    }
}
