import Foundation
import RemoteData
import RemoteDataSQLite
import Testing

@testable import RemoteDataServer

/// What goes with the revisions of a server, and what a table is before its first row.
@Suite struct EpochAPITests {
    private let api = TableAPI(
        store: MemoryTableStore(epoch: testEpoch),
        limits: TableServer.Limits(),
        fixedTables: false
    )

    private func ask(
        _ method: String,
        _ target: String,
        _ body: String = "",
        fields: [String: String] = [:],
        of other: TableAPI? = nil
    ) async -> (status: Int, text: String, fields: [String: String]) {
        let head = HTTPRequestHead(
            method: method,
            target: "/api/data/" + target,
            fields: fields.map { HTTPField(name: $0.key, value: $0.value) }
        )
        let answer = await (other ?? api).answer(HTTPRequest(head: head, body: Array(body.utf8)[...]))
        let names = Dictionary(answer.fields.map { ($0.name, $0.value) }) { first, _ in first }
        return (answer.status, String(decoding: answer.body, as: UTF8.self), names)
    }

    @Test("Every answer with a revision has its epoch")
    func everyRevisionHasItsEpoch() async {
        for (method, target, body) in [
            ("POST", "t", #"{"objectId":1,"a":1}"#), ("PUT", "t/1", #"{"a":2}"#), ("GET", "t/1", ""),
            ("PUT", "t/upsert", #"{"objectId":2}"#), ("POST", "bulk/t", #"[{"objectId":3}]"#),
            ("PUT", "bulkupsert/t", #"[{"objectId":3}]"#), ("PUT", "bulk/t", #"{"a":3}"#), ("GET", "t", ""),
            ("GET", "t/count", ""), ("GET", "t/changes?since=0", ""), ("DELETE", "t/3", ""),
            ("POST", "bulk/t/delete", #"{"where":"a > 1000"}"#), ("POST", "t/find", "{}"),
            ("GET", "none", ""),
            ("GET", "none/count", ""), ("GET", "none/changes?since=0", ""),
        ] {
            let answer = await ask(method, target, body)
            #expect(answer.status == 200, "\(method) \(target): \(answer.text)")
            #expect(answer.fields["Table-Revision"] != nil, "\(method) \(target)")
            #expect(answer.fields["Table-Epoch"] == "0a1b2c3d", "\(method) \(target)")
            if let tag = answer.fields["ETag"] { #expect(tag.hasSuffix("-0a1b2c3d\"")) }
        }
    }

    @Test("A table without an epoch names none")
    func aTableWithoutAnEpochNamesNone() async {
        let plain = TableAPI(store: PlainStore(), limits: TableServer.Limits(), fixedTables: false)
        let created = await ask("POST", "t", #"{"objectId":1}"#, of: plain)
        #expect(created.fields["ETag"] == "\"1\"" && created.fields["Table-Epoch"] == nil)
        let batch = await ask("GET", "t/changes?since=1", of: plain)
        #expect(batch.text == #"{"changes":[],"revision":1,"complete":true}"#)
        #expect(await ask("PUT", "t/1", "{}", fields: ["if-match": "\"1\""], of: plain).status == 200)
    }

    @Test("If-Match has to be the entity tag as it came")
    func aConditionIsTheWholeTag() async {
        _ = await ask("POST", "t", #"{"objectId":1,"a":1}"#)
        for tag in ["\"1\"", "\"1-0a1b2c3e\"", "\"2-0a1b2c3d\""] {
            for method in ["PUT", "DELETE"] {
                let body = method == "PUT" ? #"{"a":2}"# : ""
                let answer = await ask(method, "t/1", body, fields: ["if-match": tag])
                #expect(answer.status == 412, "\(method) \(tag)")
                #expect(answer.fields["ETag"] == "\"1-0a1b2c3d\"")
            }
        }
        for tag in ["1-0a1b2c3d", "\"\"", "\"x\"", "\"1-\"", "\"1-0a1b2c3\"", "\"-0a1b2c3d\""] {
            #expect(await ask("PUT", "t/1", "{}", fields: ["if-match": tag]).status == 400, "\(tag)")
        }
        #expect(await ask("PUT", "t/1", "{}", fields: ["if-match": "\"1-0A1B2C3D\""]).status == 200)
    }

    @Test("Changes since a revision of another epoch are gone")
    func changesOfAnotherEpochAreGone() async {
        _ = await ask("POST", "bulk/t", #"[{"objectId":1},{"objectId":2}]"#)
        for query in [
            "since=1&epoch=0a1b2c3e", "since=1", "since=0&epoch=0a1b2c3e", "since=3&epoch=0a1b2c3d",
        ] {
            #expect(await ask("GET", "t/changes?\(query)").status == 410, "\(query)")
        }
        for query in ["since=1&epoch=0a1b2c3d", "since=0", "since=0&epoch=0a1b2c3d", "since=0&epoch="] {
            #expect(await ask("GET", "t/changes?\(query)").status == 200, "\(query)")
        }
    }

    private static func stores() async throws -> [any TableStore] {
        [
            MemoryTableStore(), try await SQLiteTableStore(path: ":memory:"),
            try await LocalStore(path: ":memory:"),
        ]
    }

    @Test("A table is empty until its first row")
    func aTableIsEmptyUntilItsFirstRow() async throws {
        for store in try await Self.stores() {
            let api = TableAPI(store: store, limits: TableServer.Limits(), fixedTables: false)
            #expect(await ask("GET", "t?where=a%20%3E%201&sortBy=b", of: api).text == "[]")
            #expect(await ask("POST", "t/find", #"{"pageSize":5,"sortBy":"b"}"#, of: api).text == "[]")
            #expect(await ask("GET", "t/count?where=a%20%3E%201", of: api).text == "0")
            let batch = await ask("GET", "t/changes?since=0", of: api)
            #expect(batch.text.hasPrefix(#"{"changes":[],"revision":0,"#), "\(batch.text)")
            for (method, target, body) in [
                ("GET", "t/1", ""), ("PUT", "t/1", "{}"), ("DELETE", "t/1", ""),
            ] {
                let answer = await ask(method, target, body, of: api)
                #expect(answer.status == 404 && answer.text.contains("1001"), "\(method) \(answer.text)")
            }
            #expect(await ask("PUT", "bulk/t", "{}", of: api).text == "0")
            #expect(await ask("POST", "bulk/t/delete", "{}", of: api).text == "0")
            #expect(try await store.tableNames() == [])
            #expect(await ask("POST", "t", #"{"objectId":1}"#, of: api).status == 200)
            #expect(await ask("GET", "t/count", of: api).text == "1")
        }
    }

    @Test("Names that are asked for take nothing, however many they are")
    func namesTakeNothing() async throws {
        for store in try await Self.stores() {
            let api = TableAPI(store: store, limits: TableServer.Limits(), fixedTables: false)
            _ = await ask("POST", "real", #"{"objectId":1}"#, of: api)
            let held = try #require(try await store.table("held", creating: true))
            let feed = try await #require(try await store.table("followed", creating: true))
                .subscribe(to: Query(), since: nil)
            // More than a store can have.
            for number in 0..<11_000 {
                let table = try await store.table("none\(number)", creating: true)
                if number.isMultiple(of: 1_000) { #expect(try await table?.count(nil).value == 0) }
            }
            #expect(await ask("POST", "new", #"{"objectId":1}"#, of: api).status == 200)
            #expect(try await store.tableNames() == ["new", "real"])
            // What is in use is the same table as ever.
            #expect(await ask("POST", "held", #"{"objectId":1}"#, of: api).status == 200)
            #expect(try await held.count(nil).value == 1)
            #expect(await ask("POST", "followed", #"{"objectId":7}"#, of: api).status == 200)
            var events = feed.makeAsyncIterator()
            guard case .live = await events.next(), case .change(let change) = await events.next() else {
                Issue.record("The change of the table that is followed is missing.")
                continue
            }
            #expect(change.id == 7)
        }
    }
}

/// Tables whose revisions have no epoch.
private struct PlainStore: TableStore {
    let only = MemoryTable("t")

    func table(_ name: String, creating: Bool) async throws(RemoteDataError) -> (any Table)? { only }
    func tableNames() async throws(RemoteDataError) -> [String] { ["t"] }
}
