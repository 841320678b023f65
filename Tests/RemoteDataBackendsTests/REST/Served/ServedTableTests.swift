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

    @Test func aMissingTableIsAnErrorThatNamesIt() async throws {
        try await withServer { url in
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
            expected.maximumPageSize = 20
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
