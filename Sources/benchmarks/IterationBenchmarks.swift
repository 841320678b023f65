import Foundation
import RemoteData
import RemoteDataBackends
import RemoteDataSQLite
import Synchronization

/// Counts the requests a table makes.
final class RequestCounter: TrafficObserver {
    private let requests = Mutex(0)

    var count: Int { requests.withLock { $0 } }

    func observe(_ event: TrafficEvent) {
        if event.kind == .request { requests.withLock { $0 += 1 } }
    }
}

/// Iterating a table from a server, and again from memory.
struct IterationBenchmarks {
    let url: String
    let rows: Int
    let rounds: Int

    func run(_ report: inout Report) throws {
        report.add(
            "first full iteration, 1000 rows a page (target: 6x faster than URLSession, at most 7x the download)",
            try firstIteration(1_000)
        )
        report.add(
            "first full iteration, 100 rows a page (target: 15x faster than URLSession, at most 1.2x the download)",
            try firstIteration(100)
        )
        report.add(
            "the same of which only ids are looked at, or only the count (target: at most 1.6x the download)",
            try bareIteration(1_000)
        )
        try distantIteration(&report)
        try MemoryReadingBenchmarks(url: url, rows: rows, rounds: rounds).run(&report)
        report.add("first row of \(rows), collection opened and closed", try firstRow())
    }

    private func options(_ pageSize: Int?) -> CollectionOptions {
        var options = CollectionOptions()
        if let pageSize { options.pageSize = pageSize }
        options.isLive = false
        return options
    }

    private func table(_ observer: RequestCounter) throws -> RESTTable {
        var configuration = RESTConfiguration()
        configuration.observer = observer
        return try RESTTable("\(url)/people", configuration: configuration)
    }

    /// The URL of every page, each after the last row of the one before it.
    private func pages(_ size: Int) -> [String] {
        stride(from: 0, to: rows, by: size).map { start in
            let page = "\(url)/api/data/people?pageSize=\(size)"
            return start == 0 ? page : page + "&after=%5B%22\(Person(start - 1).objectId)%22%5D"
        }
    }

    private func firstIteration(_ pageSize: Int) throws -> [Measurement] {
        var contest = Contest()
        let pages = pages(pageSize)
        let expected = rows
        let session = URLSessionLoop()
        let curl = try CurlLoop()
        contest.add("RemoteDataCollection") {
            let counter = RequestCounter()
            try iterate(pageSize, counter)
            return "\(counter.count) requests"
        }
        contest.add("RemoteDataCollection, page size not set") {
            let counter = RequestCounter()
            try iterate(nil, counter)
            return "\(counter.count) requests"
        }
        contest.add("URLSession + JSONDecoder") {
            var count = 0
            for page in pages { for person in try session.page(page) where person.age >= 0 { count += 1 } }
            try check(count, expected)
            return "\(pages.count) requests"
        }
        contest.add("libcurl, download only") {
            let before = curl.received
            for page in pages { try curl.get(page) }
            return "\((curl.received - before) / 1_000) kB"
        }
        return try contest.run(rounds: rounds)
    }

    /// Without elements that have more than an id.
    private func bareIteration(_ pageSize: Int) throws -> [Measurement] {
        struct PersonID: Codable, Identifiable, Sendable {
            var objectId: String
            var id: String { objectId }
        }
        var contest = Contest()
        let (pages, expected, curl) = (pages(pageSize), rows, try CurlLoop())
        contest.add("RemoteDataCollection, ids") {
            let counter = RequestCounter()
            let people = try RemoteDataCollection<PersonID>(table: table(counter), options: options(pageSize))
            var count = 0
            for person in people where !person.objectId.isEmpty { count += 1 }
            try check(count, expected)
            return "\(counter.count) requests"
        }
        contest.add("RemoteDataCollection, all read, none decoded") {
            let counter = RequestCounter()
            let people = try RemoteDataCollection<Person>(table: table(counter), options: options(pageSize))
            try people.populate()
            try check(people.count, expected)
            return "\(counter.count) requests"
        }
        contest.add("libcurl, download only") {
            for page in pages { try curl.get(page) }
            return ""
        }
        return try contest.run(rounds: rounds)
    }

    /// With 20 ms added to each answer.
    private func distantIteration(_ report: inout Report) throws {
        let server = try LocalServer.pages(rows: rows, delay: 20)
        defer { server.stop() }
        let distant = IterationBenchmarks(url: server.url, rows: rows, rounds: rounds)
        let (pages, together) = (distant.pages(1_000), try CurlMultiLoop(8))
        let alone = try CurlLoop()
        var contest = Contest()
        contest.add("RemoteDataCollection") {
            let counter = RequestCounter()
            try distant.iterate(1_000, counter)
            return "\(counter.count) requests"
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: "benchmarks-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        contest.add("RemoteDataCollection with a cache that is empty") {
            let counter = RequestCounter()
            let path = folder.appending(path: "\(UUID().uuidString).db").path
            let store = try waitFor { try await LocalStore(path: path, cacheLimit: nil) }
            try distant.iterate(1_000, counter, cache: store)
            try waitFor { await store.close() }
            return "\(counter.count) requests"
        }
        contest.add("libcurl, one at a time, download only") {
            for page in pages { try alone.get(page) }
            return ""
        }
        contest.add("curl_multi, 8 at a time, download only") {
            try together.get(pages)
            return ""
        }
        report.add(
            "the same, 1000 rows a page, 20 ms added to each answer (target: 7x faster than one at a time, at most 1.05x 8)",
            try contest.run(rounds: max(3, rounds / 2))
        )
    }

    private func iterate(_ pageSize: Int?, _ counter: RequestCounter, cache: LocalStore? = nil) throws {
        let people = try RemoteDataCollection<Person>(
            table: table(counter),
            options: options(pageSize),
            cache: cache
        )
        var count = 0
        for person in people where person.age >= 0 { count += 1 }
        try check(count, rows)
    }

    private func firstRow() throws -> [Measurement] {
        var contest = Contest()
        let session = URLSessionLoop()
        let first = pages(100)[0]
        let table = try table(RequestCounter())
        contest.add("RemoteDataCollection") {
            let people = try RemoteDataCollection<Person>(table: table, options: options(100))
            for person in people {
                try check(person.age, Person(0).age)
                break
            }
            return "a count and a page"
        }
        contest.add("URLSession + JSONDecoder") {
            try check(session.page(first).first?.age ?? -1, Person(0).age)
            return "a page"
        }
        return try contest.run(rounds: rounds * 4 + 1)
    }

    private func check(_ value: Int, _ expected: Int) throws {
        guard value == expected else { throw UsageError(message: "\(value) where \(expected) was expected") }
    }
}
