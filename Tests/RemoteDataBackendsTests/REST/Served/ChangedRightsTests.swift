import Foundation
import RemoteData
import RemoteDataBackends
import RemoteDataServer
import RemoteDataTesting
import Testing

/// Rows that were read with other rights belong to another history: nothing is resumed over them.
@Suite(.timeLimit(.minutes(2))) struct ChangedRightsTests {
    private let store = MemoryTableStore()

    private func start(_ user: AccessUser, at url: URL? = nil) async throws -> (TableServer, URL) {
        var configuration = TableServer.Configuration()
        if let port = url?.port { configuration.port = port }
        configuration.users = try TableServer.Users([.init(user, token: "one")], guests: .none)
        let server = TableServer(store: store, configuration: configuration)
        return (server, try await server.start())
    }

    private func table(_ url: URL) throws -> RESTTable {
        var configuration = RESTConfiguration()
        configuration.credentials = { _ in "one" }
        return try RESTServer(url, configuration: configuration).table("rows")
    }

    /// Makes a row that editors may read and write.
    private func fill() async throws {
        let rows = try #require(try await store.table("rows", creating: true))
        let acl = String(decoding: ACL().allowing(try .role("editors"), .all).json, as: UTF8.self)
        let json = Array("{\"objectId\":\"a\",\"n\":1,\"ACL\":\(acl)}".utf8)[...]
        _ = try await rows.commit(.create([Draft(json, idColumn: "objectId")]))
    }

    /// Reads up to the `live` that follows an interruption.
    private func liveAgain(_ reader: FeedReader) async -> (revision: Revision?, isReset: Bool) {
        var (isInterrupted, isReset) = (false, false)
        while let event = await reader.next() {
            switch event {
            case .interrupted: isInterrupted = true
            case .reset: isReset = true
            case .live(let revision): if isInterrupted || isReset { return (revision, isReset) }
            case .change, .progress: break
            }
        }
        return (nil, isReset)
    }

    @Test("A user who lost a role while away begins anew, and one with the same rights goes on")
    func lostRole() async throws {
        try await fill()
        let editor = try AccessUser("ann", roles: ["editors", "staff"])
        let (first, url) = try await start(editor)
        let table = try table(url)
        let page = try await table.page(PageRequest(Query()))
        let revision = try #require(page.revision)
        let row = try #require(try await table.row("a"))
        #expect(row.revision?.isOfSameHistory(as: revision) == true)
        let reader = FeedReader(try await table.subscribe(to: Query(), since: revision))
        #expect(await reader.live() == revision)
        // A condition of the same rights holds.
        let patch = Array(#"{"n":2}"#.utf8)[...]
        let written = try await table.commit(.update("a", patch: patch, ifRevision: row.revision))
        #expect(try await table.changes(since: revision, limit: 10).changes.count == 1)
        #expect(await reader.changes(upTo: written.revision).count == 1)
        await first.stop()

        let (second, _) = try await start(try AccessUser("ann", roles: ["staff", "editors"]), at: url)
        let resumed = await liveAgain(reader)
        #expect(resumed.revision == written.revision && !resumed.isReset)
        await second.stop()

        let (third, _) = try await start(try AccessUser("ann", roles: ["staff"]), at: url)
        let begun = await liveAgain(reader)
        #expect(begun.isReset)
        #expect(begun.revision?.isOfSameHistory(as: revision) == false)
        #expect(try await table.count(nil).value == 0)
        let gone = await #expect(throws: RemoteDataError.self) {
            try await table.changes(since: revision, limit: 10)
        }
        #expect(gone?.code == .gone)
        await third.stop()
    }
}
