import Foundation
import RemoteData
import RemoteDataBackends
import RemoteDataServer
import RemoteDataTesting
import Synchronization
import Testing

/// Subscriptions to a real server.
@Suite(.timeLimit(.minutes(2))) struct ServedChangesTests {
    private func draft(_ id: String) throws -> Draft {
        try Draft(Array("{\"objectId\":\"\(id)\"}".utf8)[...], idColumn: "objectId")
    }

    /// A configuration for a server on the port of another one.
    private func on(_ url: URL) throws -> TableServer.Configuration {
        var configuration = TableServer.Configuration()
        configuration.port = try #require(url.port)
        return configuration
    }

    @Test func manySubscriptionsShareOneSocket() async throws {
        try await withServer { url in
            let recorder = TrafficRecorder()
            var configuration = RESTConfiguration.lenient
            configuration.observer = recorder
            let server = try RESTServer(url, configuration: configuration)
            var readers: [FeedReader] = []
            for number in 0..<100 {
                let table = server.table("t\(number % 10)")
                readers.append(FeedReader(try await table.subscribe(to: Query(), since: nil)))
            }
            for reader in readers { #expect(await reader.live() != nil) }
            for number in 0..<10 {
                _ = try await server.table("t\(number)").commit(.create([draft("a"), draft("b")]))
            }
            for reader in readers {
                #expect(await reader.said(2) == ["created a", "created b"])
            }
            #expect(recorder.events.count { $0.kind == .connected } == 1)
        }
    }

    @Test func aServerThatIsBackGoesOnWhereItStopped() async throws {
        let store = MemoryTableStore()
        let first = TableServer(store: store)
        let url = try await first.start()
        let table = try RESTServer(url, configuration: .lenient).table("people")
        let reader = FeedReader(try await table.subscribe(to: Query(), since: nil))
        #expect(await reader.live()?.rawValue == 0)
        _ = try await table.commit(.create([draft("a")]))
        #expect(await reader.said() == "created a")
        await first.stop()
        #expect(await reader.said().hasPrefix("interrupted"))

        // Written while nobody was connected.
        let stored = try #require(try await store.table("people", creating: false))
        _ = try await stored.commit(.create([draft("b"), draft("c")]))
        let second = TableServer(store: store, configuration: try on(url))
        _ = try await second.start()
        _ = try await table.commit(.create([draft("d")]))
        let revision = try await table.count(nil).revision
        var (words, isLive) = ([String](), false)
        while words.last != "created d" {
            let said = await reader.said()
            #expect(said != "reset" && said != "end")
            if said.hasPrefix("live") { isLive = true }
            if said.hasPrefix("created") { words.append(said) }
            if said == "end" { break }
        }
        #expect(isLive)
        #expect(words == ["created b", "created c", "created d"])
        #expect(revision?.rawValue == 4)
        await second.stop()
    }

    @Test func aServerThatLostItsLogIsAGap() async throws {
        let first = TableServer(store: MemoryTableStore())
        let url = try await first.start()
        let table = try RESTServer(url, configuration: .lenient).table("people")
        let reader = FeedReader(try await table.subscribe(to: Query(), since: nil))
        _ = await reader.live()
        let written = try await table.commit(.create([draft("a"), draft("b")]))
        #expect(await reader.changes(upTo: written.revision).count == 2)
        await first.stop()
        let second = TableServer(store: MemoryTableStore(), configuration: try on(url))
        _ = try await second.start()
        var said = ""
        while said != "reset", said != "end" { said = await reader.said() }
        #expect(said == "reset")
        #expect(await reader.live()?.rawValue == 0)
        _ = try await table.commit(.create([draft("c")]))
        #expect(await reader.said() == "created c")
        await second.stop()
    }

    @Test func anUnknownColumnRefusesTheSubscriptionAlone() async throws {
        try await withServer { url in
            let table = try RESTServer(url, configuration: .lenient).table("people")
            _ = try await table.commit(.create([draft("a")]))
            let good = FeedReader(try await table.subscribe(to: Query(), since: nil))
            #expect(await good.live() != nil)
            let bad = FeedReader(try await table.subscribe(to: Query(try Where("nme = 'x'")), since: nil))
            #expect(await bad.said(2) == ["interrupted unknown column", "end"])
            _ = try await table.commit(.create([draft("b")]))
            #expect(await good.said() == "created b")
        }
    }

    @Test func aCancelledFeedFreesItsPlaceOnTheServer() async throws {
        var configuration = TableServer.Configuration()
        configuration.limits.subscriptionsPerConnection = 2
        try await withServer(MemoryTableStore(), configuration) { url in
            let table = try RESTServer(url, configuration: .lenient).table("people")
            let kept = FeedReader(try await table.subscribe(to: Query(), since: nil))
            #expect(await kept.live() != nil)
            for _ in 0..<20 {
                let feed = try await table.subscribe(to: Query(), since: nil)
                let reader = FeedReader(feed)
                #expect(await reader.live() != nil)
                feed.cancel()
            }
            let second = FeedReader(try await table.subscribe(to: Query(), since: nil))
            #expect(await second.live() != nil)
            let third = FeedReader(try await table.subscribe(to: Query(), since: nil))
            #expect(await third.said(2) == ["interrupted rate limited", "end"])
        }
    }
}
