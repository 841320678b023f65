import Foundation
import RemoteData
import RemoteDataTesting
import Testing

@testable import RemoteDataServer

struct TableAPITests {
    private struct OneTable: TableStore {
        let table: any Table

        func table(_ name: String, creating: Bool) async throws(RemoteDataError) -> (any Table)? { table }
        func tableNames() async throws(RemoteDataError) -> [String] { [table.name] }
    }

    private let api: TableAPI

    init() { api = Self.api() }

    private static func api(
        fixedTables: Bool = false,
        store: any TableStore = MemoryTableStore(epoch: testEpoch)
    )
        -> TableAPI
    {
        var api = TableAPI(store: store, limits: TableServer.Limits(), fixedTables: fixedTables)
        api.now = { Date(timeIntervalSince1970: 1.5) }
        return api
    }

    private func ask(
        _ method: String,
        _ target: String,
        _ body: String = "",
        fields: [String: String] = [:],
        of api: TableAPI? = nil
    ) async -> HTTPAnswer {
        let fields = fields.map { HTTPField(name: $0.key, value: $0.value) }
        let head = HTTPRequestHead(method: method, target: target, fields: fields)
        return await (api ?? self.api).answer(HTTPRequest(head: head, body: Array(body.utf8)[...]))
    }

    private func text(_ answer: HTTPAnswer) -> String { String(decoding: answer.body, as: UTF8.self) }

    private func field(_ name: String, of answer: HTTPAnswer) -> String? {
        answer.fields.first { $0.name == name }?.value
    }

    private func code(_ answer: HTTPAnswer) -> Int? {
        let value = JSONValue(answer.body)["code"]
        if case .integer(let code)? = value { return Int(code) }
        return nil
    }

    @Test func everyWriteAnswersAsTheProtocolSays() async {
        let created = await ask("POST", "/api/data/t", #"{"objectId":1,"a":1}"#)
        #expect(text(created) == #"{"objectId":1,"a":1}"#)
        #expect(field("ETag", of: created) == "\"1-0a1b2c3d\"")
        #expect(field("Table-Revision", of: created) == "1")
        let bulk = await ask("POST", "/api/data/bulk/t", #"[{"objectId":2,"a":2},{"objectId":"x","a":3}]"#)
        #expect(text(bulk) == #"[2,"x"]"#)
        #expect(field("Table-Revision", of: bulk) == "3")
        let upserted = await ask("PUT", "/api/data/t/upsert", #"{"objectId":1,"a":5}"#)
        #expect(text(upserted) == #"{"objectId":1,"a":5}"#)
        #expect(field("ETag", of: upserted) == "\"4-0a1b2c3d\"")
        let bulkUpserted = await ask(
            "PUT",
            "/api/data/bulkupsert/t",
            #"[{"objectId":3,"a":9},{"objectId":1,"a":6}]"#
        )
        #expect(text(bulkUpserted) == "[3,1]")
        let updated = await ask("PUT", "/api/data/t/1", #"{"b":null}"#)
        #expect(text(updated) == #"{"objectId":1,"a":6,"b":null}"#)
        let changed = await ask("PUT", "/api/data/bulk/t?where=a%20%3C%206", #"{"a":0}"#)
        #expect(text(changed) == "2")
        let deleted = await ask("DELETE", "/api/data/t/2")
        #expect(text(deleted) == #"{"deletionTime":1500}"#)
        let removed = await ask("POST", "/api/data/bulk/t/delete", #"{"where":"a >= 6"}"#)
        #expect(text(removed) == "2")
        #expect(text(await ask("GET", "/api/data/t")) == #"[{"objectId":"x","a":0}]"#)
    }

    @Test func bothFormsOfAReadAnswerTheSame() async {
        _ = await ask(
            "POST",
            "/api/data/bulk/t",
            #"[{"objectId":1,"n":"b"},{"objectId":2,"n":"a"},{"objectId":3,"n":null}]"#
        )
        for (method, target, body) in [
            ("GET", "/api/data/t?sortBy=n&pageSize=2", ""),
            ("POST", "/api/data/t/find", #"{"sortBy":"n","pageSize":2}"#),
        ] {
            let answer = await ask(method, target, body)
            #expect(text(answer) == #"[{"objectId":2,"n":"a"},{"objectId":1,"n":"b"}]"#)
            #expect(field("Table-Revision", of: answer) == "3")
        }
        for (method, target, body) in [
            ("GET", "/api/data/t/count?where=n%20is%20null", ""),
            ("POST", "/api/data/t/count", #"{"where":"n is null"}"#),
            ("GET", "/api/data/t/count?where=n%20is%20null&sortBy=n%20desc", ""),
        ] {
            #expect(text(await ask(method, target, body)) == "1")
        }
        let after = await ask("POST", "/api/data/t/find", #"{"sortBy":"n","after":["a",2]}"#)
        #expect(text(after) == #"[{"objectId":1,"n":"b"},{"objectId":3,"n":null}]"#)
        let before = await ask("GET", "/api/data/t?sortBy=n&pageSize=1&before=%5Bnull,3%5D")
        #expect(text(before) == #"[{"objectId":1,"n":"b"}]"#)
        #expect(text(await ask("GET", "/api/data/t?offset=9")) == "[]")
    }

    @Test func aCountInAnUnknownOrderIsRefused() async {
        #expect(text(await ask("GET", "/api/data/t/count?sortBy=nmae")) == "0")
        _ = await ask("POST", "/api/data/t", #"{"objectId":1,"name":"b"}"#)
        for answer in [
            await ask("GET", "/api/data/t/count?sortBy=nmae"),
            await ask("POST", "/api/data/t/count", #"{"sortBy":"nmae desc"}"#),
        ] {
            #expect(answer.status == 400 && code(answer) == 1017)
            #expect(text(answer).contains("did you mean name?"))
        }
        #expect(await ask("GET", "/api/data/t/count?sortBy=name%20up").status == 400)
        _ = await ask("DELETE", "/api/data/t/1")
        #expect(text(await ask("GET", "/api/data/t/count?sortBy=nmae")) == "0")
    }

    @Test func aRowTheTableCouldNotReadKeepsItsPlace() async throws {
        let store = MemoryTableStore()
        let table = FaultyTable(try #require(try await store.table("t", creating: true)))
        let failures = [0, 2].map { position in
            RowFailure(position: position, error: RemoteDataError(.invalidRow, "the id is missing"))
        }
        table.alterPages { page, _ in Page(rows: page.rows, revision: page.revision, failures: failures) }
        let drafts = try [#"{"objectId":1}"#, #"{"objectId":2}"#].map { json in
            try Draft(Array(json.utf8)[...], idColumn: "objectId")
        }
        _ = try await table.commit(.create(drafts))
        let api = Self.api(store: OneTable(table: table))
        let answer = await ask("GET", "/api/data/t", of: api)
        #expect(text(answer) == #"[null,{"objectId":1},null,{"objectId":2}]"#)
    }

    @Test func aRowIsReadByItsID() async {
        _ = await ask(
            "POST",
            "/api/data/bulk/t",
            #"[{"objectId":7},{"objectId":"7"},{"objectId":"8"},{"objectId":"a/b"}]"#
        )
        #expect(text(await ask("GET", "/api/data/t/7")) == #"{"objectId":7}"#)
        #expect(text(await ask("GET", "/api/data/t/7?idType=text")) == #"{"objectId":"7"}"#)
        #expect(text(await ask("GET", "/api/data/t/8")) == #"{"objectId":"8"}"#)
        #expect(await ask("GET", "/api/data/t/8?idType=integer").status == 404)
        #expect(field("ETag", of: await ask("GET", "/api/data/t/a%2Fb")) == "\"4-0a1b2c3d\"")
    }

    @Test func digitsInAWriteMeanTheRowThatIsThere() async {
        _ = await ask("POST", "/api/data/bulk/t", #"[{"objectId":"8"},{"objectId":9},{"objectId":"9"}]"#)
        #expect(text(await ask("PUT", "/api/data/t/8", #"{"a":1}"#)) == #"{"objectId":"8","a":1}"#)
        #expect(await ask("DELETE", "/api/data/t/9").status == 200)
        #expect(text(await ask("GET", "/api/data/t")) == #"[{"objectId":"8","a":1},{"objectId":"9"}]"#)
    }

    @Test func changesAreListed() async {
        _ = await ask("POST", "/api/data/t", #"{"objectId":1,"a":1}"#)
        _ = await ask("PUT", "/api/data/t/1", #"{"a":2}"#)
        _ = await ask("POST", "/api/data/bulk/t/delete", #"{"where":"a = 2"}"#)
        let first = await ask("GET", "/api/data/t/changes?since=0&limit=1")
        #expect(
            text(first)
                == #"{"changes":[{"type":"change","revision":1,"kind":"created","#
                + #""row":{"objectId":1,"a":1}}],"#
                + #""revision":1,"epoch":"0a1b2c3d","complete":false}"#
        )
        let rest = await ask("GET", "/api/data/t/changes?since=2&epoch=0a1b2c3d")
        #expect(
            text(rest)
                == #"{"changes":[{"type":"change","revision":3,"kind":"bulkDeleted","#
                + #""where":"a = 2","count":1}],"#
                + #""revision":3,"epoch":"0a1b2c3d","complete":true}"#
        )
        #expect(code(await ask("GET", "/api/data/t/changes?since=9&epoch=0a1b2c3d")) == 1410)
        #expect(code(await ask("GET", "/api/data/t/changes")) == 1000)
        #expect(code(await ask("GET", "/api/data/t/changes?since=0&limit=1001")) == 1000)
    }

    @Test func aRepeatedWriteIsNotAppliedAgain() async {
        let key = ["idempotency-key": "k"]
        let first = await ask("POST", "/api/data/t", #"{"a":1}"#, fields: key)
        let second = await ask("POST", "/api/data/t", #"{"a":1}"#, fields: key)
        #expect(first == second)
        #expect(text(await ask("GET", "/api/data/t/count")) == "1")
    }

    @Test("An idempotency key that another write had is refused, and nothing is written")
    func keyOfAnotherWrite() async {
        let key = ["idempotency-key": "k"]
        _ = await ask("POST", "/api/data/t", #"{"objectId":1,"a":1}"#, fields: key)
        let others = [
            ("POST", "/api/data/t", #"{"objectId":2,"a":1}"#), ("PUT", "/api/data/t/1", #"{"a":2}"#),
            ("PUT", "/api/data/t/upsert", #"{"objectId":1,"a":1}"#), ("DELETE", "/api/data/t/1", ""),
            ("POST", "/api/data/bulk/t/delete", "{}"), ("PUT", "/api/data/bulk/t", #"{"a":2}"#),
            ("POST", "/api/data/bulk/t", #"[{"objectId":2}]"#),
        ]
        for (method, target, body) in others {
            let answer = await ask(method, target, body, fields: key)
            #expect(answer.status == 422)
            #expect(code(answer) == 1422)
        }
        #expect(text(await ask("GET", "/api/data/t")) == #"[{"objectId":1,"a":1}]"#)
    }

    @Test(
        "A row that is known is not sent again",
        arguments: [
            ("\"1-0a1b2c3d\"", true), ("W/\"1-0a1b2c3d\"", true), ("\"5-0a1b2c3d\", \"1-0a1b2c3d\"", true),
            ("*", true), ("\"2-0a1b2c3d\"", false), ("\"1-0a1b2c3e\"", false), ("1-0a1b2c3d", false),
        ]
    )
    func knownRow(tags: String, isKnown: Bool) async {
        _ = await ask("POST", "/api/data/t", #"{"objectId":1}"#)
        let answer = await ask("GET", "/api/data/t/1", fields: ["if-none-match": tags])
        #expect(answer.status == (isKnown ? 304 : 200))
        #expect(text(answer) == (isKnown ? "" : #"{"objectId":1}"#))
        #expect(field("ETag", of: answer) == "\"1-0a1b2c3d\"")
        let bytes = answer.serialized(withoutBody: false, closing: false, date: "")
        #expect(String(decoding: bytes, as: UTF8.self).contains("Content-Length") == !isKnown)
    }

    @Test("A row is made only where there is none, when that is asked for", arguments: ["", "/upsert"])
    func rowThatIsNotThereYet(word: String) async {
        let (method, fields) = (word.isEmpty ? "POST" : "PUT", ["if-none-match": "*"])
        let first = await ask(method, "/api/data/t\(word)", #"{"objectId":1,"a":1}"#, fields: fields)
        #expect(first.status == 200)
        let second = await ask(method, "/api/data/t\(word)", #"{"objectId":1,"a":2}"#, fields: fields)
        #expect(second.status == 412)
        #expect(code(second) == 1412)
        #expect(text(second).hasSuffix(#","row":{"objectId":1,"a":1}}"#))
        for (method, target) in [("PUT", "1"), ("DELETE", "1")] {
            let answer = await ask(method, "/api/data/t/\(target)", "{}", fields: fields)
            #expect(code(answer) == 1000)
        }
        let tag = ["if-none-match": "\"1-0a1b2c3d\""]
        #expect(code(await ask(method, "/api/data/t\(word)", "{}", fields: tag)) == 1000)
    }

    @Test func aWriteToAChangedRowIsRefusedWithTheRow() async {
        _ = await ask("POST", "/api/data/t", #"{"objectId":1,"a":1}"#)
        _ = await ask("PUT", "/api/data/t/1", #"{"a":2}"#, fields: ["if-match": "\"1-0a1b2c3d\""])
        for (method, body) in [("PUT", #"{"a":3}"#), ("DELETE", "")] {
            let answer = await ask(method, "/api/data/t/1", body, fields: ["if-match": "\"1-0a1b2c3d\""])
            #expect(answer.status == 412)
            #expect(code(answer) == 1412)
            #expect(text(answer).hasSuffix(#","row":{"objectId":1,"a":2}}"#))
            #expect(field("ETag", of: answer) == "\"2-0a1b2c3d\"")
        }
        #expect(code(await ask("POST", "/api/data/t", "{}", fields: ["if-match": "\"1-0a1b2c3d\""])) == 1000)
    }

    @Test(arguments: [
        ("GET", "/api/data/none/1", "", 404, 1001), ("PUT", "/api/data/none/1", "{}", 404, 1001),
        ("DELETE", "/api/data/none/1", "", 404, 1001),
        ("GET", "/api/data/t/changes?since=1&epoch=1", "", 400, 1000),
        ("GET", "/api/data/t/changes?since=1&epoch=00000000", "", 400, 1000),
        ("GET", "/api/data/t/2", "", 404, 1001), ("PUT", "/api/data/t/2", "{}", 404, 1001),
        ("DELETE", "/api/data/t/2", "", 404, 1001), ("POST", "/api/data/t", #"{"objectId":1}"#, 409, 1155),
        ("POST", "/api/data/t", "[]", 400, 1018), ("POST", "/api/data/t", "", 400, 1018),
        ("POST", "/api/data/t", #"{"a":}"#, 400, 1018), ("POST", "/api/data/t", "<html></html>", 400, 1018),
        ("POST", "/api/data/t", #"{"objectId":1.5}"#, 400, 1018),
        ("POST", "/api/data/t", #"{"objectId":{}}"#, 400, 1018),
        ("POST", "/api/data/bulk/t", "{}", 400, 1018), ("POST", "/api/data/bulk/t", "[1]", 400, 1018),
        ("PUT", "/api/data/t/1", "[]", 400, 1018), ("PUT", "/api/data/t/1", #"{"objectId":2}"#, 400, 1018),
        ("GET", "/api/data/t?where=b%20%3D%201", "", 400, 1017),
        ("GET", "/api/data/t?sortBy=b", "", 400, 1017),
        ("GET", "/api/data/t?where=a%20%3D", "", 400, 1017),
        ("POST", "/api/data/bulk/t/delete", #"{"where":""}"#, 400, 1017),
        ("POST", "/api/data/bulk/t/delete", #"{"where":" \t"}"#, 400, 1017),
        ("POST", "/api/data/bulk/t/delete", #"{"where":null}"#, 400, 1000),
        ("POST", "/api/data/bulk/t/delete", "", 400, 1000),
        ("PUT", "/api/data/bulk/t?where=", "{}", 400, 1017),
        ("PUT", "/api/data/bulk/t?wher=a", "{}", 400, 1000),
        ("POST", "/api/data/bulk/t/delete", #"{"wher":"a"}"#, 400, 1000),
        ("POST", "/api/data/t?x=1", "{}", 400, 1000),
        ("POST", "/api/data/t/find?where=a", "{}", 400, 1000),
        ("GET", "/api/data/t?pageSize=1001", "", 400, 1000),
        ("GET", "/nowhere", "", 404, 1404), ("PATCH", "/api/data/t", "", 405, 1405),
        ("GET", "/api/changes", "", 426, 1426),
    ])
    func everyErrorHasItsStatusAndCode(
        method: String,
        target: String,
        body: String,
        status: Int,
        expected: Int
    ) async {
        _ = await ask("POST", "/api/data/t", #"{"objectId":1,"a":1}"#)
        let answer = await ask(method, target, body)
        #expect(answer.status == status)
        #expect(code(answer) == expected)
        #expect(text(await ask("GET", "/api/data/t")) == #"[{"objectId":1,"a":1}]"#)
    }

    @Test func aBulkOfRowsIsWrittenWholeOrNotAtAll() async {
        _ = await ask("POST", "/api/data/t", #"{"objectId":1}"#)
        #expect(await ask("POST", "/api/data/bulk/t", #"[{"objectId":2},{"objectId":1}]"#).status == 409)
        let answer = await ask("POST", "/api/data/bulk/t", #"[{"objectId":2},{"objectId":true}]"#)
        #expect(text(answer).contains("Row 1,"))
        #expect(text(await ask("GET", "/api/data/t/count")) == "1")
    }

    @Test func aBadWriteMakesNoTable() async throws {
        _ = await ask("POST", "/api/data/t", "nonsense")
        _ = await ask("POST", "/api/data/bulk/t", "nonsense")
        #expect(try await api.store.tableNames() == [])
    }

    @Test func fixedTablesAreNotMade() async throws {
        let store = MemoryTableStore()
        let api = Self.api(fixedTables: true, store: store)
        #expect(code(await ask("POST", "/api/data/t", "{}", of: api)) == 1009)
        for target in ["t", "t/count", "t/1", "t/changes?since=0"] {
            #expect(code(await ask("GET", "/api/data/\(target)", of: api)) == 1009)
        }
        let table = try await store.table("t", creating: true)
        _ = try await table?.commit(.create([try Draft(Array("{}".utf8)[...], idColumn: "objectId")]))
        #expect(await ask("POST", "/api/data/t", "{}", of: api).status == 200)
    }

    @Test func theNearestColumnsAreNamed() async {
        _ = await ask("POST", "/api/data/t", #"{"name":"a"}"#)
        #expect(text(await ask("GET", "/api/data/t?where=nam%20%3D%20'a'")).contains("name"))
    }

    @Test func aStorageThatFailsIsToldOf() async {
        let api = Self.api(store: FailingStore(error: RemoteDataError(.storage, "The disk is full.")))
        let answer = await ask("GET", "/api/data/t", of: api)
        #expect(answer.status == 500)
        // What it says may name files.
        #expect(text(answer) == #"{"code":1500,"message":"The storage failed; the server's log says more."}"#)
        #expect(answer.problem == "storage: The disk is full.")
        let busy = Self.api(
            store: FailingStore(error: RemoteDataError(.unavailable, "Busy.", retryAfter: .seconds(7)))
        )
        #expect(field("Retry-After", of: await ask("GET", "/api/data/t", of: busy)) == "7")
    }

    @Test func infoTellsWhatTheServerCanDo() async {
        let answer = text(await ask("GET", "/api/info"))
        #expect(answer.hasPrefix(#"{"protocol":"table-changes.v1","capabilities":["keysetPages","#))
        #expect(answer.hasSuffix(#","maximumPageSize":1000,"maximumBulkSize":10000}"#))
    }

    @Test("A bulk write has a limit of rows", arguments: [("POST", "bulk"), ("PUT", "bulkupsert")])
    func bulkWritesHaveALimit(method: String, name: String) async {
        var limits = TableServer.Limits()
        limits.bulkRows = 3
        let api = TableAPI(store: MemoryTableStore(), limits: limits, fixedTables: false)
        #expect(await ask(method, "/api/data/\(name)/t", "[{},{},{}]", of: api).status == 200)
        let answer = await ask(method, "/api/data/\(name)/t", "[{},{},{},{}]", of: api)
        #expect(answer.status == 413)
        #expect(text(answer) == #"{"code":1413,"message":"The array has 4 elements; at most 3 are taken."}"#)
        #expect(text(await ask("GET", "/api/data/t/count", of: api)) == "3")
    }

    @Test func capabilitiesAreReadBackByTheirNames() {
        #expect(Capabilities(names: Capabilities.full.names + ["other"], maximumPageSize: 1_000) == .full)
        #expect(Capabilities(names: [String](), maximumPageSize: 100, maximumBulkSize: 1) == Capabilities())
    }
}

/// A store that answers nothing but an error.
private struct FailingStore: TableStore {
    let error: RemoteDataError
    func table(_ name: String, creating: Bool) async throws(RemoteDataError) -> (any Table)? { throw error }
    func tableNames() async throws(RemoteDataError) -> [String] { throw error }
}

/// The members of a JSON object.
private struct JSONValue {
    private let members: [JSONObject.Member]
    init(_ bytes: [UInt8]) { members = (try? JSONObject.members(of: bytes[...])) ?? [] }
    subscript(name: String) -> Value? { members.first { $0.name == name }.flatMap { Value(json: $0.json) } }
}
