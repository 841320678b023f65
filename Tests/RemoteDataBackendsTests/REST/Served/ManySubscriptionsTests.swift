import Foundation
import RemoteData
import RemoteDataBackends
import RemoteDataServer
import RemoteDataTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct ManySubscriptionsTests {
    @Test("As many subscriptions are live as there are, over as many connections as that takes")
    func moreThanAConnectionTakes() async throws {
        let store = MemoryTableStore()
        let rows = try #require(try await store.table("rows", creating: true))
        let drafts = try (0..<600).map { number in
            try Draft(Array("{\"objectId\":\"r\(number)\",\"n\":\(number)}".utf8)[...], idColumn: "objectId")
        }
        _ = try await rows.commit(.create(drafts))
        let server = TableServer(store: store)
        let table = try RESTServer(try await server.start()).table("rows")
        var readers: [FeedReader] = []
        for number in 0..<600 {
            let query = Query(try Where("n = \(number)"))
            readers.append(FeedReader(try await table.subscribe(to: query, since: nil)))
        }
        for reader in readers { #expect(await reader.live() != nil) }
        for number in [0, 255, 256, 511, 512, 599] {
            let patch = Array(#"{"text":"new"}"#.utf8)[...]
            let written = try await table.commit(.update(.text("r\(number)"), patch: patch))
            let changes = await readers[number].changes(upTo: written.revision)
            #expect(changes.map(\.id) == [.text("r\(number)")])
        }
        await server.stop()
    }
}
