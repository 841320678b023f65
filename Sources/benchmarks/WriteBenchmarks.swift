import Foundation
import RemoteData
import RemoteDataBackends
import RemoteDataSQLite
import Synchronization

/// Writes that are durable here and travel later, beside the same rows written and sent by hand.
struct WriteBenchmarks {
    let rows: Int
    let rounds: Int
    private let folder: String

    init(rows: Int, rounds: Int) throws {
        (self.rows, self.rounds) = (rows, rounds)
        let url = FileManager.default.temporaryDirectory.appending(path: "benchmarks-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        folder = url.path()
    }

    /// What queued writes take of memory, in words.
    func memory() throws -> String {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let before = Resident.bytes
        let store = try queue(rows)
        let bytes = try Resident.growth(from: before)
        try waitFor { await store.close() }
        return "resident memory, \(rows) queued writes: \(bytes / 1_000_000) MB"
    }

    func run(_ report: inout Report) throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let queued = try queue(rows)
        let count = min(rows, 2_000)
        report.add("\(count) durable writes", try writing(count))
        report.add("200 durable writes in a new file", try beginning(200))
        let server = try LocalServer(rows: 1)
        defer { server.stop() }
        let sent = min(rows, 10_000)
        report.add("\(sent) queued writes sent to a table-server on loopback", try draining(sent, to: server))
        report.add("a page of 100 rows read beside \(rows) queued writes", try reading(queued))
        try waitFor { await queued.close() }
    }

    private func newFile() -> String { folder + UUID().uuidString + ".db" }

    // MARK: Here

    /// One after another, and by 64 tasks at once, which share transactions.
    private func writing(_ count: Int) throws -> [Measurement] {
        let raw = try RawSQLite(path: newFile())
        let store = try waitFor { try await LocalStore(path: self.newFile()) }
        let table = try waitFor { try await SyncedTable("people", in: store) }
        var contest = Contest()
        addRaw(raw, count, to: &contest)
        var next = 0
        contest.add("SyncedTable, one after another") {
            let first = next
            next += count
            try waitFor {
                for number in first..<(first + count) { try await table.add(Person(number)) }
            }
            return ""
        }
        contest.add("SyncedTable, 64 at once") {
            let first = next
            next += count
            try waitFor {
                try await Self.inParallel(64) { task in
                    for number in stride(from: first + task, to: first + count, by: 64) {
                        try await table.add(Person(number))
                    }
                }
            }
            return ""
        }
        let results = try contest.run(rounds: rounds)
        try waitFor { await store.close() }
        return results
    }

    /// The first writes of a file, whose log grows with each of them.
    private func beginning(_ count: Int) throws -> [Measurement] {
        var contest = Contest()
        contest.add("sqlite3, by hand, a transaction each") {
            let raw = try RawSQLite(path: newFile())
            for number in 0..<count { try raw.insert([Person(number)][...]) }
            return ""
        }
        contest.add("SyncedTable, one after another") {
            try waitFor {
                let store = try await LocalStore(path: self.newFile())
                let table = try await SyncedTable("people", in: store)
                for number in 0..<count { try await table.add(Person(number)) }
                await store.close()
            }
            return ""
        }
        return try contest.run(rounds: rounds)
    }

    private static func inParallel(_ tasks: Int, _ body: @escaping @Sendable (Int) async throws -> Void)
        async throws
    {
        try await withThrowingTaskGroup { group in
            for task in 0..<tasks { group.addTask { try await body(task) } }
            try await group.waitForAll()
        }
    }

    private func addRaw(_ raw: RawSQLite, _ count: Int, to contest: inout Contest) {
        let next = Mutex(0)
        let box = UncheckedBox(value: raw)
        let take = { @Sendable in
            next.withLock { next in
                next += 1
                return Person(next)
            }
        }
        contest.add("sqlite3, by hand, a transaction each") {
            for _ in 0..<count { try box.value.insert([take()][...]) }
            return ""
        }
        contest.add("sqlite3, by hand, and queued in a table of its own") {
            for _ in 0..<count { try box.value.insertQueued(take()) }
            return ""
        }
        // What it takes to hand work to a thread that may wait for the disk, and to come back.
        let queue = DispatchQueue(label: "by hand")
        contest.add("sqlite3, by hand, awaited on a queue") {
            try waitFor {
                for _ in 0..<count {
                    let person = take()
                    let result = await withCheckedContinuation { continuation in
                        queue.async {
                            continuation.resume(returning: Result { try box.value.insert([person][...]) })
                        }
                    }
                    try result.get()
                }
            }
            return ""
        }
    }

    // MARK: On the way

    private func draining(_ count: Int, to server: LocalServer) throws -> [Measurement] {
        var contest = Contest()
        contest.add("by hand, 8 requests of a row at once") {
            let table = try RESTTable("\(server.url)/t\(Self.name())")
            try waitFor {
                try await Self.inParallel(8) { task in
                    for number in stride(from: task, to: count, by: 8) {
                        let json = try JSONEncoder().encode(Person(number))
                        let draft = try Draft(ArraySlice(json), idColumn: "objectId")
                        _ = try await table.commit(.create([draft]), idempotencyKey: UUID().uuidString)
                    }
                }
            }
            return ""
        }
        for (name, bulkSize) in [("outbox, a row each", 1), ("outbox, in bulk", 500)] {
            // Queued before the round is timed.
            var prepared = try (0...rounds).map { _ in try queue(count) }
            contest.add(name) {
                guard let store = prepared.popLast() else { throw UsageError(message: "no store is left") }
                let table = try RESTTable("\(server.url)/t\(Self.name())")
                try waitFor {
                    var options = OutboxOptions()
                    options.bulkSize = bulkSize
                    store.outbox.connect(options) { _ in table }
                    for write in try await store.outbox.pending(limit: count) {
                        try await store.outbox.write(write.id).acknowledged
                    }
                    guard try await table.count(nil).value == count else {
                        throw UsageError(message: "not every write has come")
                    }
                    await store.close()
                }
                return ""
            }
        }
        let results = try contest.run(rounds: rounds)
        return results.map { result in
            var result = result
            result.note = "\(Int(Double(count) / result.median)) a second"
            return result
        }
    }

    private static func name() -> String { UUID().uuidString.filter { $0 != "-" } }

    // MARK: Waiting

    private func queue(_ count: Int) throws -> LocalStore {
        try waitFor {
            let store = try await LocalStore(path: self.newFile())
            let table = try await SyncedTable("people", in: store)
            for start in stride(from: 0, to: count, by: 1_000) {
                try await table.add(contentsOf: (start..<min(start + 1_000, count)).map { Person($0) })
            }
            return store
        }
    }

    private func reading(_ queued: LocalStore) throws -> [Measurement] {
        let (path, count) = (newFile(), rows)
        // The same rows, none of which waits.
        let empty = try waitFor {
            let store = try await LocalStore(path: path)
            let table = try store.table("people")
            for start in stride(from: 0, to: count, by: 1_000) {
                var drafts: [Draft] = []
                for number in start..<min(start + 1_000, count) {
                    let json = try JSONEncoder().encode(Person(number))
                    drafts.append(try Draft(ArraySlice(json), idColumn: "objectId"))
                }
                _ = try await table.commit(.create(drafts), idempotencyKey: nil)
            }
            return store
        }
        var contest = Contest()
        for (name, store) in [("nothing queued", empty), ("all queued", queued)] {
            let table = try store.table("people")
            var start = 0
            contest.add(name) {
                for _ in 0..<20 {
                    start = (start + 7_919) % max(1, rows - 100)
                    let request = PageRequest(Query(), start: .offset(start), limit: 100)
                    let page = try waitFor { try await table.page(request) }
                    guard page.rows.count == min(100, rows) else { throw UsageError(message: "a short page") }
                }
                return ""
            }
        }
        let results = try contest.run(rounds: rounds * 4 + 1)
        try waitFor { await empty.close() }
        return results
    }
}

/// Something used by one thread at a time.
// SAFETY: each contestant has ended before the next one begins, and each uses one thread.
private struct UncheckedBox<Value>: @unchecked Sendable {
    let value: Value
}
