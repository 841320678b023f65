import Dispatch
import Foundation
import RemoteData
import RemoteDataBackends
import RemoteDataServer
import RemoteDataTesting
import Synchronization
import Testing

private struct Person: Codable, Identifiable, Sendable, Hashable {
    var objectId: String?
    var name: String
    var age: Int
    var id: String? { objectId }
}

/// A collection over a table of a real server.
@Suite(.timeLimit(.minutes(2))) struct ServedCollectionTests {
    private func fill(_ table: RESTTable, _ count: Int) async throws {
        let drafts = try (0..<count).map { number in
            let id = String(format: "p%05d", number)
            let json = "{\"objectId\":\"\(id)\",\"name\":\"n\(number % 7)\",\"age\":\(number)}"
            return try Draft(Array(json.utf8)[...], idColumn: "objectId")
        }
        _ = try await table.commit(.create(drafts))
    }

    /// Runs blocking work on a thread of its own.
    private func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws
        -> Value
    {
        try await withCheckedThrowingContinuation { continuation in
            Thread { continuation.resume(with: Result { try body() }) }.start()
        }
    }

    @Test func iterationFetchesEachRowOnceAPageAtATime() async throws {
        try await withServer { url in
            let recorder = TrafficRecorder()
            var configuration = RESTConfiguration()
            configuration.observer = recorder
            let table = try RESTServer(url, configuration: configuration).table("people")
            try await fill(table, 1_050)
            let before = recorder.events.count { $0.kind == .request }
            let ids = try await onThread {
                let people = try RemoteDataCollection<Person>(
                    table: table,
                    where: "age >= 0",
                    sort: "name desc"
                )
                return people.compactMap(\.id)
            }
            #expect(ids.count == 1_050 && Set(ids).count == 1_050)
            #expect(ids.prefix(2) == ["p00006", "p00013"])
            let requests = recorder.events.count { $0.kind == .request } - before
            #expect(requests <= 1 + 11)
        }
    }

    @Test(arguments: [false, true]) func smallerPagesOfTheServerLoseNoRow(isRefreshed: Bool) async throws {
        var configuration = TableServer.Configuration()
        configuration.limits.pageSize = 7
        try await withServer(MemoryTableStore(), configuration) { url in
            let server = try RESTServer(url)
            let table = server.table("people")
            try await fill(table, 250)
            let ids = try await onThread {
                try RemoteDataCollection<Person>(table: table, where: "age < 240").compactMap(\.id)
            }
            #expect(ids == (0..<240).map { String(format: "p%05d", $0) })
            // Opened with pages of 100, which turn out too large afterwards.
            let other = try RESTServer(url)
            let people = try await RemoteDataCollection<Person>(table: other.table("people"))
            if isRefreshed { try await other.refreshCapabilities() }
            var count = 0
            for try await _ in people.rows { count += 1 }
            #expect(count == 250)
        }
    }

    @Test func whatOneClientWritesTheOtherSeesOnceAndItselfOnce() async throws {
        try await withServer { url in
            let writer = try RESTServer(url, configuration: .lenient).table("people")
            let reader = try RESTServer(url, configuration: .lenient).table("people")
            try await fill(writer, 20)
            let mine = try await RemoteDataCollection<Person>(table: writer, where: "age < 1000")
            let theirs = try await RemoteDataCollection<Person>(table: reader, where: "age < 1000")
            try await mine.populate()
            try await theirs.populate()
            var own = mine.changes.makeAsyncIterator()
            var seen = theirs.changes.makeAsyncIterator()

            var changed = try #require(try await mine.add(Person(name: "Zoe", age: 500)))
            changed.age = 600
            _ = try await mine.update(changed)
            _ = try await mine.remove(changed)
            _ = try await writer.commit(.deleteAll(try Where("age < 10")))
            let expected = ["created", "updated", "deleted", "bulkDeleted"]
            var (ours, others): ([String], [String]) = ([], [])
            while ours.count < 4, let change = await own.next() {
                if change.type != .dataLoaded { ours.append("\(change.type)") }
            }
            while others.count < 4, let change = await seen.next() {
                if change.type != .dataLoaded { others.append("\(change.type)") }
            }
            #expect(ours == expected)
            #expect(others == expected)
            #expect(mine.count == 10 && theirs.count == 10)
            #expect(theirs.snapshot().compactMap { $0?.age } == Array(10..<20))
        }
    }

    @Test func blockingFacesOnManyThreadsAtOnceAllFinish() async throws {
        try await withServer { url in
            let table = try RESTServer(url, configuration: .lenient).table("people")
            try await fill(table, 300)
            let total = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<64 {
                    // On Swift's shared pool, every thread of which is then blocked.
                    group.addTask {
                        let people = try blockingCollection(table, "age < \(number * 4)")
                        return people.reduce(0) { sum, _ in sum + 1 }
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(total == (0..<64).reduce(0) { $0 + $1 * 4 })
        }
    }
}

/// Calls the blocking initializer, which asynchronous code does not choose by itself.
private func blockingCollection(
    _ table: RESTTable,
    _ clause: String
) throws(RemoteDataError) -> RemoteDataCollection<Person> {
    try RemoteDataCollection<Person>(table: table, where: clause)
}
