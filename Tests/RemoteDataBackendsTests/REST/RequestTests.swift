import Foundation
import RemoteData
import RemoteDataBackends
import RemoteDataNetwork
import Testing

/// What is sent for each call.
struct RequestTests {
    private let people = "http://example.com/api/data/people"

    private func sent(
        _ answer: HTTPResponse,
        _ call: (RESTTable) async throws -> Void
    ) async throws -> HTTPRequest {
        let transport = StubTransport(answer)
        try await call(try transport.table())
        return try #require(transport.sent.first)
    }

    private func text(_ body: [UInt8]?) -> String? { body.map { String(decoding: $0, as: UTF8.self) } }

    @Test func countingAllNamesNoClause() async throws {
        let request = try await sent(.json("3")) { _ = try await $0.count(nil) }
        #expect(request.method == "GET")
        #expect(request.url == people + "/count")
    }

    @Test func aClauseIsPercentEncodedWhole() async throws {
        let clause = try Where("name = 'A&B+C' and city like 'Zü%'")
        let request = try await sent(.json("3")) { _ = try await $0.count(clause) }
        let encoded = "name%20%3D%20%27A%26B%2BC%27%20AND%20city%20LIKE%20%27Z%C3%BC%25%27"
        #expect(request.url == people + "/count?where=" + encoded)
    }

    @Test func aCountNamesTheOrderForItsColumnsToBeChecked() async throws {
        let query = Query(try Where("age > 3"), sort: [SortTerm("name"), SortTerm("age", ascending: false)])
        let request = try await sent(.json("3")) { _ = try await $0.count(query) }
        #expect(request.url == people + "/count?where=age%20%3E%203&sortBy=name%2C%20age%20DESC")
    }

    @Test func aLongClauseTravelsInABodyAndMayBeRepeated() async throws {
        let clause = Where.isIn(.column("name"), (0..<200).map { .literal(.text("name \($0)")) })
        let count = try await sent(.json("3")) { _ = try await $0.count(clause) }
        #expect(count.method == "POST" && count.url == people + "/count" && count.isRead)
        #expect(text(count.body) == #"{"where":"\#(clause.description)"}"#)
        let page = try await sent(.json("[]")) { _ = try await $0.page(PageRequest(Query(clause))) }
        #expect(page.method == "POST" && page.url == people + "/find" && page.isRead)
        #expect(text(page.body) == #"{"where":"\#(clause.description)","pageSize":100}"#)
    }

    @Test func aPageSaysItsPlaceAndOrder() async throws {
        let query = Query(sort: [SortTerm("name", ascending: false, nullsFirst: true), SortTerm("age")])
        let key = Key(values: ["Ann", .null], id: "A1")
        let start = try await sent(.json("[]")) { _ = try await $0.page(PageRequest(query)) }
        #expect(start.url == people + "?sortBy=name%20DESC%20NULLS%20FIRST%2C%20age&pageSize=100")
        let offset = try await sent(.json("[]")) { table in
            _ = try await table.page(PageRequest(Query(), start: .offset(40), limit: 20))
        }
        #expect(offset.url == people + "?pageSize=20&offset=40")
        let after = try await sent(.json("[]")) {
            _ = try await $0.page(PageRequest(query, start: .after(key)))
        }
        #expect(after.url.hasSuffix("&pageSize=100&after=%5B%22Ann%22%2Cnull%2C%22A1%22%5D"))
        let before = try await sent(.json("[]")) {
            _ = try await $0.page(PageRequest(query, start: .before(key)))
        }
        #expect(before.url.hasSuffix("&pageSize=100&before=%5B%22Ann%22%2Cnull%2C%22A1%22%5D"))
    }

    @Test func aPageIsNeverLargerThanTheServerAllows() async throws {
        let request = try await sent(.json("[]")) {
            _ = try await $0.page(PageRequest(Query(), limit: 5_000))
        }
        #expect(request.url == people + "?pageSize=1000")
    }

    @Test(arguments: [
        ("A1", "A1"), ("a b/c?d=e%&+#", "a%20b%2Fc%3Fd%3De%25%26%2B%23"), ("日", "%E6%97%A5"),
        ("count", "%63%6F%75%6E%74"), ("find", "%66%69%6E%64"), ("upsert", "%75%70%73%65%72%74"),
        ("bulk", "%62%75%6C%6B"), ("changes", "%63%68%61%6E%67%65%73"), (".", "%2E"), ("..", "%2E%2E"),
        ("Count", "Count"), ("7", "7?idType=text"), ("-7", "-7?idType=text"),
    ])
    func anIdIsOneSegmentOfThePath(id: String, segment: String) async throws {
        let request = try await sent(.json(#"{"objectId":"x"}"#)) { _ = try await $0.row(.text(id)) }
        #expect(request.url == people + "/" + segment)
    }

    @Test func anIntegerIdIsNotTakenForText() async throws {
        let request = try await sent(.json(#"{"objectId":7}"#)) { _ = try await $0.row(7) }
        #expect(request.url == people + "/7?idType=integer")
    }

    @Test func aTableNamedLikeAPartOfThePathIsEncodedInFull() async throws {
        let transport = StubTransport(.json("0"))
        _ = try await transport.server().table("bulk").count(nil)
        #expect(transport.sent.first?.url == "http://example.com/api/data/%62%75%6C%6B/count")
    }

    @Test func changesAreAskedForAfterARevision() async throws {
        let answer = HTTPResponse.json(#"{"changes":[],"revision":9,"complete":true}"#)
        let request = try await sent(answer) { _ = try await $0.changes(since: Revision(7), limit: 50) }
        #expect(request.url == people + "/changes?since=7&limit=50")
        let known = Revision(7, epoch: Epoch(rawValue: 0x0A1B_2C3D))
        let next = try await sent(answer) { _ = try await $0.changes(since: known, limit: 50) }
        #expect(next.url == people + "/changes?since=7&epoch=0a1b2c3d&limit=50")
    }
}

/// What is sent for each mutation.
struct WriteRequestTests {
    private let data = "http://example.com/api/data/"

    private func draft(_ json: String) throws -> Draft {
        try Draft(Array(json.utf8)[...], idColumn: "objectId")
    }

    private func sent(_ answer: HTTPResponse, _ mutation: Mutation, key: String? = nil) async throws
        -> HTTPRequest
    {
        let transport = StubTransport(answer)
        _ = try await transport.table().commit(mutation, idempotencyKey: key)
        return try #require(transport.sent.first)
    }

    private func line(_ request: HTTPRequest) -> String {
        "\(request.method) \(request.url.dropFirst(data.count)) \(String(decoding: request.body ?? [], as: UTF8.self))"
    }

    @Test func oneRowIsPostedAndSeveralTravelAsOneBulk() async throws {
        let row = try draft(#"{"objectId":"a","n":1}"#)
        let other = try draft(#"{"n":2}"#)
        let one = try await sent(.json(#"{"objectId":"a","n":1}"#), .create([row]))
        #expect(line(one) == #"POST people {"objectId":"a","n":1}"#)
        let two = try await sent(.json(#"["a","b"]"#), .create([row, other]))
        #expect(line(two) == #"POST bulk/people [{"objectId":"a","n":1},{"n":2}]"#)
        let upsert = try await sent(.json(#"{"objectId":"a","n":1}"#), .upsert([row]))
        #expect(line(upsert) == #"PUT people/upsert {"objectId":"a","n":1}"#)
        let upserts = try await sent(.json(#"["a","b"]"#), .upsert([row, other]))
        #expect(line(upserts) == #"PUT bulkupsert/people [{"objectId":"a","n":1},{"n":2}]"#)
    }

    @Test func noRowsAreNoRequest() async throws {
        let transport = StubTransport(.json("[]"))
        #expect(try await transport.table().commit(.create([])).count == 0)
        #expect(try await transport.table().commit(.upsert([])).count == 0)
        #expect(transport.sent.isEmpty)
    }

    @Test func aPatchAndADeletionNameTheirRow() async throws {
        let patch = Array(#"{"n":2}"#.utf8)[...]
        let update = try await sent(.json(#"{"objectId":"a","n":2}"#), .update("a", patch: patch))
        #expect(line(update) == #"PUT people/a {"n":2}"#)
        #expect(update.headers["If-Match"] == nil)
        let delete = try await sent(.json(#"{"deletionTime":1}"#), .delete("a"))
        #expect(line(delete) == "DELETE people/a ")
    }

    @Test func aConditionalWriteSaysWhichRevision() async throws {
        let patch = Array(#"{"n":2}"#.utf8)[...]
        let answer = HTTPResponse.json(#"{"objectId":"a","n":2}"#)
        let update = try await sent(answer, .update("a", patch: patch, ifRevision: Revision(12)))
        #expect(update.headers["If-Match"] == #""12""#)
        let delete = try await sent(.json(#"{"deletionTime":1}"#), .delete("a", ifRevision: Revision(12)))
        #expect(delete.headers["If-Match"] == #""12""#)
        let known = Revision(12, epoch: Epoch(rawValue: 0x0A1B_2C3D))
        let other = try await sent(.json(#"{"deletionTime":1}"#), .delete("a", ifRevision: known))
        #expect(other.headers["If-Match"] == #""12-0a1b2c3d""#)
    }

    @Test func writesByClauseNameIt() async throws {
        let clause = try Where("age > 90")
        let patch = Array(#"{"old":true}"#.utf8)[...]
        #expect(
            line(try await sent(.json("2"), .updateAll(clause, patch: patch)))
                == #"PUT bulk/people?where=age%20%3E%2090 {"old":true}"#
        )
        #expect(
            line(try await sent(.json("2"), .updateAll(nil, patch: patch)))
                == #"PUT bulk/people {"old":true}"#
        )
        #expect(
            line(try await sent(.json("2"), .deleteAll(clause)))
                == #"POST bulk/people/delete {"where":"age > 90"}"#
        )
        #expect(line(try await sent(.json("2"), .deleteAll(nil))) == "POST bulk/people/delete {}")
    }

    @Test func everyWriteCarriesAKeyOfItsOwnUnlessItIsGivenOne() async throws {
        let mutations: [Mutation] = [
            .create([try draft("{}")]), .create([try draft("{}"), try draft("{}")]),
            .upsert([try draft("{}")]),
            .update("x", patch: Array("{}".utf8)[...]), .updateAll(nil, patch: Array("{}".utf8)[...]),
            .delete("x"),
            .deleteAll(nil),
        ]
        var keys: Set<String> = []
        for mutation in mutations {
            let transport = StubTransport(.json(#"{"objectId":"x"}"#))
            _ = await failure { () throws(RemoteDataError) in
                try await self.table(transport).commit(mutation, idempotencyKey: nil)
            }
            let request = try #require(transport.sent.first)
            #expect(request.isRepeatable)
            keys.insert(try #require(request.headers["Idempotency-Key"]))
        }
        #expect(keys.count == mutations.count)
        let given = try await sent(.json("0"), .deleteAll(nil), key: "mine")
        #expect(given.headers["Idempotency-Key"] == "mine")
    }

    @Test func aKeyTooLongIsRefusedBeforeAnythingIsSent() async throws {
        let transport = StubTransport(.json("0"))
        let key = String(repeating: "k", count: 201)
        let error = await failure { () throws(RemoteDataError) in
            try await self.table(transport).commit(.deleteAll(nil), idempotencyKey: key)
        }
        #expect(error?.code == .invalidRequest)
        #expect(transport.sent.isEmpty)
    }

    @Test func aServerThatKnowsNoKeysGetsNone() async throws {
        let info = #"{"protocol":"x","capabilities":["keysetPages"],"maximumPageSize":50}"#
        let transport = StubTransport(.json(info), .json("0"))
        let server = try transport.server()
        #expect(server.capabilities.names == Capabilities.full.names)
        try await server.refreshCapabilities()
        #expect(server.table("people").capabilities.maximumPageSize == 50)
        #expect(!server.capabilities.idempotency && server.capabilities.keysetPages)
        for key in [nil, "mine"] as [String?] {
            _ = try await server.table("people").commit(.deleteAll(nil), idempotencyKey: key)
            let write = try #require(transport.sent.last)
            #expect(write.headers["Idempotency-Key"] == nil)
            #expect(!write.isRepeatable)
        }
    }

    private func table(_ transport: StubTransport) throws(RemoteDataError) -> RESTTable {
        do { return try transport.table() } catch { throw RemoteDataError(.cancelled, "\(error)") }
    }
}
