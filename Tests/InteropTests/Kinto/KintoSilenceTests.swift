import Foundation
import RemoteData
import RemoteDataBackends
import Testing

/// Records written with a `last_modified` of the past, which no list of changes contains.
@Suite(.enabled(if: Interop.directory != nil), .timeLimit(.minutes(2))) struct KintoSilenceTests {
    private struct Item: Codable, Identifiable, Sendable {
        var id: String?
        var n: Int
    }

    private static let path = "/buckets/\(Kinto.bucket)/collections/t/records"

    /// Three records, one of them imported, and a table of them that is looked at often.
    private func table(_ place: Kinto.Place, count: Int = 3) async throws -> (Kinto, KintoTable) {
        let kinto = try await Kinto(in: place)
        _ = try await kinto.table("t")
        try await kinto.put("old", #"{"n":0,"last_modified":1000}"#, in: "t")
        for number in 1..<count { try await kinto.put("r\(number)", #"{"n":\#(number)}"#, in: "t") }
        var configuration = RESTConfiguration()
        configuration.auditInterval = .milliseconds(300)
        let server = try Kinto.server(
            kinto.process,
            storage: place.storage,
            pollInterval: .milliseconds(100),
            configuration: configuration
        )
        return (kinto, server.table("t"))
    }

    /// Waits until a collection has these numbers.
    private func ends(_ items: RemoteDataCollection<Item>, with numbers: [Int]) async throws {
        var changes = items.changes.makeAsyncIterator()
        while items.snapshot().map({ $0?.n }) != numbers, await changes.next() != nil {}
        #expect(items.snapshot().map { $0?.n } == numbers)
        #expect(items.count == numbers.count)
    }

    private func live(_ table: KintoTable) async throws -> RemoteDataCollection<Item> {
        let items = try await RemoteDataCollection<Item>(table: table, sort: "n")
        try await items.populate()
        for await status in items.liveStatuses where status.isLive { break }
        return items
    }

    @Test("A record that is imported is found", arguments: Kinto.Place.all)
    func anImportedRecordIsFound(place: Kinto.Place) async throws {
        let (kinto, table) = try await table(place)
        let items = try await live(table)
        try await kinto.put("imported", #"{"n":9,"last_modified":2000}"#, in: "t")
        try await ends(items, with: [0, 1, 2, 9])
    }

    @Test("Records that are imported among others' changes are found", arguments: Kinto.Place.all)
    func importedRecordsAreFoundAmongChanges(place: Kinto.Place) async throws {
        let (kinto, table) = try await table(place, count: 6)
        let items = try await live(table)
        for number in 1...3 {
            try await kinto.put("r\(number)", #"{"n":\#(number * 10)}"#, in: "t")
            try await kinto.put("i\(number)", #"{"n":\#(number + 6),"last_modified":\#(number)}"#, in: "t")
        }
        try await kinto.call("DELETE", "\(Self.path)/r4")
        try await ends(items, with: [0, 5, 7, 8, 9, 10, 20, 30])
    }

    @Test("A record removed with a time of the past is found", arguments: Kinto.Place.all)
    func aRemovalLongPastIsFound(place: Kinto.Place) async throws {
        let (kinto, table) = try await table(place)
        let items = try await live(table)
        try await kinto.call("DELETE", "\(Self.path)/old?last_modified=3000")
        try await ends(items, with: [1, 2])
    }

    @Test("A record changed with a time of the past is found", arguments: Kinto.Place.all)
    func aChangeLongPastIsFound(place: Kinto.Place) async throws {
        let (kinto, table) = try await table(place)
        let items = try await live(table)
        try await kinto.put("old", #"{"n":7,"last_modified":4000}"#, in: "t")
        try await ends(items, with: [1, 2, 7])
    }

    @Test("Changes that are reported cause no reset") func whereNothingIsMissedNothingIsCompared()
        async throws
    {
        let (kinto, table) = try await table(.memory)
        let feed = Heard(try await table.subscribe(to: Query(), since: nil))
        #expect(await feed.next() == "live")
        for number in 0..<40 {
            let id = "r\(number % 7)"
            if number % 3 == 0 {
                _ = try? await kinto.call("DELETE", "\(Self.path)/\(id)")
            } else {
                try await kinto.put(id, #"{"n":\#(number)}"#, in: "t")
            }
        }
        try await kinto.put("last", "{}", in: "t")
        while case let word = await feed.next(), word != "updated last" { #expect(word != "reset") }
    }
}
