import Foundation
import RemoteData
import RemoteDataBackends
import RemoteDataNetwork
import RemoteDataSQLite
import RemoteDataServer
import RemoteDataTesting
import Synchronization
import Testing

/// The whole contract of a table, over a real socket.
@Suite(.timeLimit(.minutes(5))) struct ServedTableTests {
    @Test(arguments: TableSection.allCases)
    func aTableServedFromMemoryKeepsTheContract(section: TableSection) async throws {
        try await withServer(MemoryTableStore(logCapacity: 300)) { url in
            let server = try RESTServer(url, configuration: .lenient)
            await check(server, section)
        }
    }

    @Test(arguments: TableSection.allCases)
    func aTableServedFromSQLiteKeepsTheContract(section: TableSection) async throws {
        let store = try await SQLiteTableStore(path: ":memory:", logCapacity: 300)
        try await withServer(store) { url in
            let server = try RESTServer(url, configuration: .lenient)
            await check(server, section)
        }
        await store.close()
    }

    private func check(_ server: RESTServer, _ section: TableSection) async {
        let number = Atomic<Int>(0)
        await checkTable(logCapacity: 300, sections: [section]) {
            server.table("table \(number.wrappingAdd(1, ordering: .relaxed).newValue)/é")
        }
    }

    @Test func doesWhatItDeclares() async throws {
        let store = try await SQLiteTableStore(path: ":memory:")
        try await withServer(store) { url in
            let server = try RESTServer(url, configuration: .lenient)
            let number = Atomic<Int>(0)
            let probe = CapabilityProbe {
                server.table("table \(number.wrappingAdd(1, ordering: .relaxed).newValue)")
            }
            for finding in try await probe.run() {
                #expect(finding.found == finding.declared, "\(finding.name)")
            }
        }
        await store.close()
    }

    /// A clause travels as text, and means the same there.
    @Test(arguments: [
        ("tags contains 'a'", ["1", "3"]), ("tags not contains any ('a', 'z')", ["2"]),
        ("tags contains all ('b''s', 'a')", ["3"]),
        ("name matches '^[A-Z]\\w+''s'", ["1"]), ("name not matches '(?i)PARIS|''S'", ["3"]),
        ("distance(lat, lon, 48.8566, 2.3522) < 350000", ["1", "2"]),
        ("distance(lat, lon, 0, 0) > 6000000", ["3"]),
        ("not distance(lat, lon, 48.8566, 2.3522) <= 1000 and tags contains 'a'", ["1", "3"]),
    ])
    func elementsExpressionsAndPlacesAreFoundOnTheServer(clause: String, ids: [String]) async throws {
        let stores: [any TableStore] = [MemoryTableStore(), try await SQLiteTableStore(path: ":memory:")]
        let rows = [
            #"{"objectId":"1","tags":["a"],"name":"London's","lat":51.5,"lon":-0.12}"#,
            #"{"objectId":"2","tags":["b's",1],"name":"Paris","lat":48.8566,"lon":2.3522}"#,
            #"{"objectId":"3","tags":["b's",null,"a"],"name":"Tokyo","lat":35.6762,"lon":139.6503}"#,
            #"{"objectId":"4","name":null,"lat":null,"lon":1}"#,
        ]
        for store in stores {
            try await withServer(store) { url in
                let table = try RESTServer(url, configuration: .lenient).table("places")
                let drafts = try rows.map { try Draft(ArraySlice($0.utf8), idColumn: "objectId") }
                _ = try await table.commit(.create(drafts))
                let clause = try Where(clause)
                #expect(table.canFilterList(clause))
                #expect(try await table.page(PageRequest(Query(clause))).rows.map { "\($0.id)" } == ids)
                #expect(try await table.count(clause).value == ids.count)
            }
        }
    }

    /// A sub-query is answered by the server's other tables, as whoever asks may see them, and followed.
    @Test func subQueriesAreAnsweredAndFollowedByTheServer() async throws {
        let stores: [any TableStore] = [MemoryTableStore(), try await SQLiteTableStore(path: ":memory:")]
        for store in stores {
            var configuration = TableServer.Configuration()
            configuration.users = try TableServer.Users([.init(try AccessUser("ann"), token: "some")])
            configuration.token = "all"
            try await withServer(store, configuration) { url in
                var all = RESTConfiguration.lenient
                all.credentials = { _ in "all" }
                var some = RESTConfiguration.lenient
                some.credentials = { _ in "some" }
                let (server, ann) = (
                    try RESTServer(url, configuration: all), try RESTServer(url, configuration: some)
                )
                for (table, rows) in [
                    ("people", [#"{"objectId":"x","age":5}"#, #"{"objectId":"y","age":9,"ACL":{}}"#]),
                    ("my posts", [#"{"objectId":"1","by":"x"}"#, #"{"objectId":"2","by":"y"}"#]),
                ] {
                    let drafts = try rows.map { try Draft(ArraySlice($0.utf8), idColumn: "objectId") }
                    _ = try await server.table(table).commit(.create(drafts))
                }
                let clause = try Where("by in (select objectId from people where age > 4)")
                for (server, ids) in [(server, ["1", "2"]), (ann, ["1"])] {
                    let posts = server.table("my posts")
                    #expect(try await posts.page(PageRequest(Query(clause))).rows.map { "\($0.id)" } == ids)
                    #expect(try await posts.count(clause).value == ids.count)
                }
                let nested = try Where(
                    #"objectId in (select age from people where objectId in (select by from "my posts"))"#
                )
                #expect(try await server.table("people").count(nested).value == 0)
                var feed = try await ann.table("my posts").subscribe(to: Query(clause), since: nil)
                    .makeAsyncIterator()
                _ = await feed.next()
                let patch = ArraySlice(#"{"age":1}"#.utf8)
                _ = try await server.table("people").commit(.update("x", patch: patch))
                while let event = await feed.next() { if case .reset = event { break } }
                #expect(try await ann.table("my posts").count(clause).value == 0)
                #expect(try await server.table("my posts").commit(.deleteAll(clause)).count == 1)
            }
        }
    }

    @Test func aMissingTableIsAnErrorThatNamesIt() async throws {
        var configuration = TableServer.Configuration()
        configuration.fixedTables = true
        try await withServer(MemoryTableStore(), configuration) { url in
            let table = try RESTServer(url).table("peeple")
            for error in [
                await failure { () throws(RemoteDataError) in try await table.count(nil) },
                await failure { () throws(RemoteDataError) in try await table.page(PageRequest(Query())) },
                await failure { () throws(RemoteDataError) in try await table.row("a") },
            ] {
                #expect(error?.code == .notFound && error?.message.contains("peeple") == true)
            }
        }
    }

    @Test func aServerSaysWhatItCanDo() async throws {
        var configuration = TableServer.Configuration()
        configuration.limits.pageSize = 20
        try await withServer(MemoryTableStore(), configuration) { url in
            let server = try RESTServer(url)
            var expected = Capabilities.full
            (expected.maximumPageSize, expected.maximumBulkSize) = (20, 10_000)
            #expect(try await server.refreshCapabilities() == expected)
            #expect(server.table("people").capabilities == expected)
        }
    }

    @Test func credentialsAreRefreshedOnceForRequestsAndSocket() async throws {
        var configuration = TableServer.Configuration()
        configuration.token = "right"
        try await withServer(MemoryTableStore(), configuration) { url in
            for header in [CredentialsHeader.bearer, .userToken] {
                let asked = Mutex<[Bool]>([])
                var client = RESTConfiguration.lenient
                client.credentialsHeader = header
                client.credentials = { reason in
                    asked.withLock { $0.append(reason == .rejected) }
                    return reason == .rejected ? "right" : "wrong"
                }
                let table = try RESTServer(url, configuration: client).table("people")
                let reader = FeedReader(try await table.subscribe(to: Query(), since: nil))
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<10 { group.addTask { _ = try await table.count(nil) } }
                    try await group.waitForAll()
                }
                #expect(await reader.live() != nil)
                #expect(asked.withLock { $0 } == [false, true])
            }
            var refused = RESTConfiguration.lenient
            refused.credentials = { _ in "wrong" }
            let table = try RESTServer(url, configuration: refused).table("people")
            let error = await failure { () throws(RemoteDataError) in try await table.count(nil) }
            #expect(error?.code == .unauthorized && error?.message.contains("wrong") == false)
            let reader = FeedReader(try await table.subscribe(to: Query(), since: nil))
            #expect(await reader.said(2) == ["interrupted unauthorized", "end"])
        }
    }
}
