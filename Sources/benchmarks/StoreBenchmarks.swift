import Foundation
import RemoteData
import RemoteDataSQLite

/// A local store beside the same work done by hand on SQLite's C interface, with the same settings.
struct StoreBenchmarks {
    let rows: Int
    let rounds: Int
    private let folder: String

    init(rows: Int, rounds: Int) throws {
        (self.rows, self.rounds) = (rows, rounds)
        let url = FileManager.default.temporaryDirectory.appending(path: "benchmarks-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        folder = url.path()
    }

    func run(_ report: inout Report) throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        report.add("\(rows) fetched rows stored, 1000 rows a page", try storing())
        report.add("a cold cache of \(rows) rows opened and iterated", try iterating())
        report.add("the first 100 of them and the count, store opened", try first(opened: true))
        report.add("the first 100 of them and the count, file opened", try first(opened: false))
        report.add("rows by a clause on an indexed column", try querying())
        for pinned in [0, 1_000, 100_000] where pinned <= rows {
            report.add("10 rows pinned beside \(pinned) that are", try pinning(beside: pinned))
        }
    }

    private func file(_ name: String) -> String { folder + name }

    private func remove(_ path: String) {
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }

    private func options(_ pageSize: Int = 1_000) -> CollectionOptions {
        var options = CollectionOptions()
        options.pageSize = pageSize
        return options
    }

    // MARK: Storing and iterating

    private func storing() throws -> [Measurement] {
        let (path, rawPath) = (file("cache.db"), file("raw.db"))
        let people = (0..<rows).map { Person($0) }
        let table = GeneratedTable(rows: rows, isLive: true, areMade: true)
        var contest = Contest()
        contest.add("sqlite3, by hand") {
            remove(rawPath)
            let raw = try RawSQLite(path: rawPath)
            for start in stride(from: 0, to: rows, by: 1_000) {
                try raw.insert(people[start..<min(start + 1_000, rows)])
            }
            return ""
        }
        contest.add("RemoteDataCollection(cache:), read and stored") {
            remove(path)
            try waitFor {
                let store = try await LocalStore(path: path, cacheLimit: nil)
                let people = try await RemoteDataCollection<Person>(
                    table: table,
                    options: options(),
                    cache: store
                )
                try await people.populate()
                await store.close()
            }
            return ""
        }
        contest.add("RemoteDataCollection, read alone") {
            try waitFor {
                let people = try await RemoteDataCollection<Person>(table: table, options: options())
                try await people.populate()
            }
            return ""
        }
        return try contest.run(rounds: rounds)
    }

    private func iterating() throws -> [Measurement] {
        let (path, rawPath) = (file("cache.db"), file("raw.db"))
        let table = GeneratedTable(rows: rows, isLive: true)
        var contest = Contest()
        contest.add("sqlite3, by hand") {
            let raw = try RawSQLite(path: rawPath)
            var count = 0
            for person in try raw.people("SELECT * FROM people ORDER BY objectId") where person.age >= 0 {
                count += 1
            }
            try check(count)
            return ""
        }
        for pageSize in [100, 1_000] {
            contest.add("RemoteDataCollection(cache:), \(pageSize) rows a page") {
                let store = try waitFor { try await LocalStore(path: path, cacheLimit: nil) }
                let people = try RemoteDataCollection<Person>(
                    table: table,
                    options: options(pageSize),
                    cache: store
                )
                var count = 0
                for person in people where person.age >= 0 { count += 1 }
                try check(count)
                try waitFor { await store.close() }
                return "\(table.pageCount) pages asked of the table"
            }
        }
        return try contest.run(rounds: rounds)
    }

    private func first(opened: Bool) throws -> [Measurement] {
        let (path, rawPath) = (file("cache.db"), file("raw.db"))
        let table = GeneratedTable(rows: rows, isLive: true)
        let store = opened ? try waitFor { try await LocalStore(path: path, cacheLimit: nil) } : nil
        let raw = opened ? try RawSQLite(path: rawPath) : nil
        var contest = Contest()
        contest.add("sqlite3, by hand") {
            let raw = try raw ?? RawSQLite(path: rawPath)
            let count = try raw.count("SELECT count(*) FROM people")
            let people = try raw.people("SELECT * FROM people ORDER BY objectId LIMIT 100")
            guard count == rows, people.count == min(100, rows) else {
                throw UsageError(message: "\(people.count) of \(count) rows by hand")
            }
            return ""
        }
        contest.add("RemoteDataCollection(cache:)") {
            let store = try store ?? waitFor { try await LocalStore(path: path, cacheLimit: nil) }
            let people = try RemoteDataCollection<Person>(table: table, options: options(100), cache: store)
            var count = 0
            for _ in people {
                count += 1
                if count == 100 { break }
            }
            guard people.count == rows, count == min(100, rows) else {
                throw UsageError(message: "\(count) of \(people.count) rows")
            }
            return ""
        }
        let results = try contest.run(rounds: rounds * 4 + 1)
        if let store { try waitFor { await store.close() } }
        return results
    }

    // MARK: Asking and pinning

    private func querying() throws -> [Measurement] {
        let (path, rawPath) = (file("cache.db"), file("raw.db"))
        let store = try waitFor { try await LocalStore(path: path, cacheLimit: nil) }
        let table = try store.table("people")
        let raw = try RawSQLite(path: rawPath)
        try raw.run("CREATE INDEX IF NOT EXISTS age ON people (age)")
        let query = Query(try Where.parse("age = 30"))
        // The index comes with repeated use.
        for _ in 0..<20 { try waitFor { _ = try await table.page(PageRequest(query, limit: 1_000)) } }
        var contest = Contest()
        contest.add("sqlite3, by hand") {
            let people = try raw.people(
                "SELECT * FROM people WHERE age = ? ORDER BY objectId LIMIT 1000",
                30
            )
            return "\(people.count) rows"
        }
        contest.add("LocalStore") {
            let page = try waitFor { try await table.page(PageRequest(query, limit: 1_000)) }
            return "\(page.rows.count) rows"
        }
        let results = try contest.run(rounds: rounds * 4 + 1)
        try waitFor { await store.close() }
        return results
    }

    private func pinning(beside pinned: Int) throws -> [Measurement] {
        let path = file("pins.db")
        remove(path)
        let store = try waitFor { try await LocalStore(path: path) }
        for start in stride(from: 0, to: pinned, by: 10_000) {
            let people = (start..<min(start + 10_000, pinned)).map { Person($0) }
            try waitFor { try await store.pinAll(people, in: "people", label: "label") }
        }
        var next = 100_000_000
        var contest = Contest()
        contest.add("LocalStore") {
            let people = (next..<(next + 10)).map { Person($0) }
            next += 10
            try waitFor { try await store.pinAll(people, in: "people", label: "label") }
            return ""
        }
        let results = try contest.run(rounds: rounds * 10 + 1)
        try waitFor { await store.close() }
        return results
    }

    private func check(_ count: Int) throws {
        guard count == rows else { throw UsageError(message: "\(count) rows where \(rows) were expected") }
    }
}
