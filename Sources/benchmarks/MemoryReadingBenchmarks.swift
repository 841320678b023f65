import Foundation
import RemoteData
import RemoteDataBackends
import Synchronization

/// Reading rows that are all here.
struct MemoryReadingBenchmarks {
    let url: String
    let rows: Int
    let rounds: Int

    func run(_ report: inout Report) throws {
        var options = CollectionOptions()
        options.pageSize = 1_000
        options.isLive = false
        let people = try RemoteDataCollection<Person>(table: RESTTable("\(url)/people"), options: options)
        let array = Array(people)
        report.add(
            "\(rows) rows from memory (target: at most 2.5x [Person], for await under 40 ns each)",
            try iterating(people, array)
        )
        report.add(
            "\(rows) rows from memory at random positions (target: under 50 ns each)",
            try atRandom(people, array)
        )
    }

    private func iterating(_ people: RemoteDataCollection<Person>, _ array: [Person]) throws -> [Measurement]
    {
        var contest = Contest()
        let expected = rows
        contest.add("RemoteDataCollection") {
            var count = 0
            for person in people where take(person) { count += 1 }
            try check(count, expected)
            return ""
        }
        contest.add("RemoteDataCollection, for await") {
            let count = try waitFor {
                var count = 0
                for try await person in people.rows where take(person) { count += 1 }
                return count
            }
            try check(count, expected)
            return ""
        }
        contest.add("AsyncSequence over [Person], for await") {
            let count = try waitFor {
                var count = 0
                for await person in PersonSequence(people: array) where take(person) { count += 1 }
                return count
            }
            try check(count, expected)
            return ""
        }
        contest.add("[Person]") {
            var count = 0
            for person in array where take(person) { count += 1 }
            try check(count, expected)
            return ""
        }
        return try noted(contest.run(rounds: rounds * 4 + 1))
    }

    private func atRandom(_ people: RemoteDataCollection<Person>, _ array: [Person]) throws -> [Measurement] {
        var contest = Contest()
        var random = SplitMix(state: 1)
        let positions = (0..<rows).map { _ in Int.random(in: 0..<rows, using: &random) }
        contest.add("RemoteDataCollection") {
            var count = 0
            for position in positions where take(people[position]) { count += 1 }
            try check(count, positions.count)
            return ""
        }
        contest.add("RemoteDataCollection, one position after another") {
            var count = 0
            for position in people.indices where take(people[position]) { count += 1 }
            try check(count, positions.count)
            return ""
        }
        let shared = Mutex(array)
        contest.add("Mutex<[Person]>, as threads would share it") {
            var count = 0
            for position in positions where take(shared.withLock { $0[position] }) { count += 1 }
            try check(count, positions.count)
            return ""
        }
        contest.add("[Person]") {
            var count = 0
            for position in positions where take(array[position]) { count += 1 }
            try check(count, positions.count)
            return ""
        }
        return try noted(contest.run(rounds: rounds * 4 + 1))
    }

    private func noted(_ results: [Measurement]) -> [Measurement] {
        results.map { result in
            var result = result
            result.note = String(format: "%.1f ns each", result.median * 1_000_000_000 / Double(rows))
            return result
        }
    }

    private func check(_ value: Int, _ expected: Int) throws {
        guard value == expected else { throw UsageError(message: "\(value) where \(expected) was expected") }
    }
}

/// Something done with a row that the optimizer cannot leave out.
@inline(never)
private func take(_ person: Person) -> Bool { person.age >= 0 }

/// The elements of an array, as what an `await` for each of them takes.
private struct PersonSequence: AsyncSequence, Sendable {
    let people: [Person]

    func makeAsyncIterator() -> Iterator { Iterator(people: people) }

    struct Iterator: AsyncIteratorProtocol {
        let people: [Person]
        var position = 0

        mutating func next() async -> Person? {
            guard position < people.count else { return nil }
            defer { position += 1 }
            return people[position]
        }
    }
}
