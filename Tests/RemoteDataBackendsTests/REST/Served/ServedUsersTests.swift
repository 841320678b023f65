import Foundation
import RemoteData
import RemoteDataBackends
import RemoteDataServer
import RemoteDataSQLite
import RemoteDataTesting
import Synchronization
import Testing

/// Tables of users of a server, over a real socket.
@Suite(.timeLimit(.minutes(5))) struct ServedUsersTests {
    private static func configuration() throws -> TableServer.Configuration {
        var configuration = TableServer.Configuration()
        configuration.users = try TableServer.Users(
            [.init(try AccessUser("ann"), token: "one"), .init(try AccessUser("bob"), token: "two")],
            guests: .none,
            newRows: .private
        )
        return configuration
    }

    private static func server(_ url: URL, _ token: String) throws -> RESTServer {
        var configuration = RESTConfiguration.lenient
        configuration.credentials = { _ in token }
        return try RESTServer(url, configuration: configuration)
    }

    // Columns are not checked for users.
    @Test(arguments: Set(TableSection.allCases).subtracting([.unknownColumns]))
    func aTableOfAUserKeepsTheContract(section: TableSection) async throws {
        let store = try await SQLiteTableStore(path: ":memory:", logCapacity: 300)
        try await withServer(store, try Self.configuration()) { url in
            let server = try Self.server(url, "one")
            let number = Atomic<Int>(0)
            await checkTable(logCapacity: 300, sections: [section]) {
                server.table("table \(number.wrappingAdd(1, ordering: .relaxed).newValue)")
            }
        }
        await store.close()
    }

    @Test func whatOneUserSharesTheOtherSees() async throws {
        try await withServer(MemoryTableStore(), try Self.configuration()) { url in
            let (ann, bob) = (try Self.server(url, "one").table("t"), try Self.server(url, "two").table("t"))
            let feed = try await bob.subscribe(to: Query(), since: nil)
            var events = feed.makeAsyncIterator()
            guard case .live? = await events.next() else {
                Issue.record("not live")
                return
            }
            let made = try await ann.commit(
                .create([Draft(Array(#"{"n":1}"#.utf8)[...], idColumn: "objectId")])
            )
            #expect(try await bob.count(nil).value == 0)
            let acl = ACL().allowing(try .user("ann"), .all).allowing(try .user("bob"), .read)
            let patch = Array(#"{"ACL":\#(String(decoding: acl.json, as: UTF8.self))}"#.utf8)[...]
            _ = try await ann.commit(.update(made.ids[0], patch: patch))
            while let event = await events.next() {
                guard case .change(let change) = event else { continue }
                #expect(change.kind == .created)
                #expect(change.row?.acl == acl)
                break
            }
            let page = try await bob.page(PageRequest(Query(try Where("n = 1"))))
            #expect(page.rows.map(\.id) == made.ids)
            do throws(RemoteDataError) {
                _ = try await bob.commit(.delete(made.ids[0]))
                Issue.record("deleted")
            } catch { #expect(error.code == .forbidden) }
        }
    }
}
