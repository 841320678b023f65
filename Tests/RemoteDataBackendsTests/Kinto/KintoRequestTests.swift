import RemoteData
import RemoteDataExecution
import RemoteDataNetwork
import RemoteDataTesting
import Synchronization
import Testing

@testable import RemoteDataBackends

/// What a table sends, and what it makes of the answers.
@Suite(.timeLimit(.minutes(1))) struct KintoRequestTests {
    private static let stored = #"{"data":{"id":"a","n":1,"last_modified":1010},"permissions":{}}"#
    private static let collision =
        #"{"code":409,"errno":122,"error":"Conflict","message":"Integrity constraint violated, please retry."}"#

    private func draft(_ json: String) throws -> Draft { try Draft(Array(json.utf8)[...], idColumn: "id") }

    private func patch(_ json: String) -> ArraySlice<UInt8> { Array(json.utf8)[...] }

    private func body(_ request: HTTPRequest?) -> String {
        String(decoding: request?.body ?? [], as: UTF8.self)
    }

    @Test(arguments: [
        "http://example.com", "http://example.com/", "http://example.com/v1", "http://example.com/v1/",
    ])
    func theVersionOfTheInterfaceIsAdded(url: String) throws {
        let server = try KintoServer(url, transport: StubTransport())
        #expect(server.url == "http://example.com/v1")
        #expect(server.bucket == "default")
    }

    // MARK: Reading

    @Test func aCountIsReadFromTheHead() async throws {
        let stub = StubTransport(.kinto("", ["Total-Objects": "7"]))
        let count = try await stub.kinto().table("t").count(Where("n > 5"))
        #expect(count == Count(7, revision: Revision(1_000)))
        #expect(stub.lines == ["HEAD …?gt_n=5&lt_n=false"])
        let vague = try await stub.kinto().table("t").count(Where("n > 5 and s like 'a%'"))
        #expect(!vague.isExact)
    }

    @Test func aRefusedCountSaysWhy() async throws {
        let stub = StubTransport { request in
            request.method == "HEAD"
                ? .kinto("", status: 400) : .kinto(#"{"errno":107,"message":"Not like this."}"#, status: 400)
        }
        let table = try stub.kinto().table("t")
        let error = await failure { () throws(RemoteDataError) in try await table.count(nil) }
        #expect(error?.message == "Kinto refuses a count of t (400): Not like this.")
    }

    @Test func aPageIsAskedForByOwnWordsAlone() async throws {
        let stub = StubTransport(
            .kinto(
                #"{"data":[{"id":"a","last_modified":1}]}"#,
                revision: 1_000,
                ["Next-Page": "http://evil.example/?_token=x"]
            ),
            .kinto(#"{"data":[{"id":"b","last_modified":2}]}"#, revision: 1_010)
        )
        let page = try await stub.kinto().table("t").page(PageRequest(Query(), limit: 9))
        #expect(page.rows.map(\.id) == ["a", "b"])
        #expect(page.rows.map(\.revision) == [Revision(1), Revision(2)])
        #expect(page.revision == Revision(1_000))
        #expect(stub.lines == ["GET …?_sort=id&_limit=9", "GET …?gt_id=%22a%22&_sort=id&_limit=8"])
    }

    @Test func whatCannotBeAnIDIsNotAskedFor() async throws {
        let stub = StubTransport(.kinto("{}", status: 404))
        let table = try stub.kinto().table("t")
        for id: RowID in [7, "a b", "", "../../x"] {
            #expect(try await table.row(id) == nil)
            let error = await failure { () throws(RemoteDataError) in try await table.commit(.delete(id)) }
            #expect(error?.code == .notFound)
        }
        #expect(stub.sent.isEmpty)
    }

    @Test func aMissingCollectionIsNoMissingRow() async throws {
        let stub = StubTransport(
            .kinto(#"{"errno":111,"details":{"id":"t","resource_name":"collection"}}"#, status: 404)
        )
        let table = try stub.kinto().table("t")
        let error = await failure { () throws(RemoteDataError) in try await table.row("a") }
        #expect(error?.code == .notFound)
    }

    @Test func changesAreListedWithoutAFilter() async throws {
        let list =
            #"{"data":[{"id":"a","last_modified":1010},{"id":"b","last_modified":1020,"deleted":true}]}"#
        let isFirst = Atomic(true)
        let stub = StubTransport { request in
            if let answer = HTTPResponse.kintoLook(request) { return answer }
            let isFirst = isFirst.exchange(false, ordering: .relaxed)
            return .kinto(list, revision: 1_030, isFirst ? ["Next-Page": "x"] : [:])
        }
        let table = try stub.kinto().table("t")
        let part = try await table.changes(since: Revision(1_000), limit: 2)
        #expect(part.changes.map(\.kind) == [.updated, .deleted])
        #expect(part.revision == Revision(1_020) && !part.isComplete)
        let rest = try await table.changes(since: Revision(1_000), limit: 2)
        #expect(rest.revision == Revision(1_030) && rest.isComplete)
        let lists = stub.lines.filter { $0.contains("?") }
        #expect(lists == Array(repeating: "GET …?_since=1000&_sort=last_modified&_limit=2", count: 2))
    }

    @Test func changesSinceBeforeTheCollectionWasMadeAreGone() async throws {
        let stub = StubTransport { HTTPResponse.kintoLook($0) ?? .kinto(#"{"data":[]}"#) }
        let table = try stub.kinto().table("t")
        let error = await failure { () throws(RemoteDataError) in
            try await table.changes(since: Revision(499), limit: 2)
        }
        #expect(error?.code == .gone)
        #expect(try await table.changes(since: .zero, limit: 2).isComplete)
    }

    @Test func aRevisionNotGivenYetIsGone() async throws {
        let table = try StubTransport { HTTPResponse.kintoLook($0) ?? .kinto(#"{"data":[]}"#) }.kinto().table(
            "t"
        )
        let early = await failure { () throws(RemoteDataError) in
            try await table.changes(since: Revision(1_001), limit: 2)
        }
        #expect(early?.code == .gone)
        // Kinto refuses times beyond tomorrow.
        let stub = StubTransport {
            HTTPResponse.kintoLook($0)
                ?? ($0.method == "HEAD"
                    ? .kinto("", ["Total-Objects": "0"]) : .kinto(#"{"errno":107}"#, status: 400))
        }
        let other = try stub.kinto().table("t")
        let later = await failure { () throws(RemoteDataError) in
            try await other.changes(since: Revision(.max), limit: 2)
        }
        #expect(later?.code == .gone)
    }

    @Test func aWeakTagIsARevisionToo() {
        #expect(HTTPResponse(status: 200, headers: ["ETag": "W/\"12\""]).kintoRevision == Revision(12))
    }

    // MARK: Writing

    @Test func aCreationIsSentAgainOnlyWithAnIDOfItsOwn() async throws {
        let stub = StubTransport(.kinto(Self.stored, status: 201))
        let table = try stub.kinto().table("t")
        _ = try await table.commit(.create([draft(#"{"n":1}"#)]), idempotencyKey: "k")
        _ = try await table.commit(.create([draft(#"{"id":"a","n":1}"#)]), idempotencyKey: "k")
        #expect(stub.sent.map(\.isRepeatable) == [true, false])
        #expect(stub.sent.allSatisfy { $0.method == "PUT" && $0.headers["If-None-Match"] == "*" })
        #expect(body(stub.sent.last) == #"{"data":{"id":"a","n":1}}"#)
    }

    @Test func aCreationWhoseReplyWasLostIsMadeOnce() async throws {
        let existing = #"{"errno":114,"details":{"existing":{"id":"a","n":1,"last_modified":1010}}}"#
        let stub = StubTransport { _ in .kinto(existing, status: 412) }
        let table = try stub.kinto().table("t")
        let outcome = try await table.commit(.create([draft(#"{"n":1}"#)]), idempotencyKey: "k")
        #expect(outcome.rows.first?["n"] == 1 && outcome.revision == Revision(1_010))
        let error = await failure { () throws(RemoteDataError) in
            let draft = try Draft(Array(#"{"id":"a"}"#.utf8)[...], idColumn: "id")
            return try await table.commit(.create([draft]), idempotencyKey: "k")
        }
        #expect(error?.code == .alreadyExists)
    }

    @Test func aRowIsReplacedWhole() async throws {
        let stub = StubTransport(.kinto(Self.stored))
        let outcome = try await stub.kinto().table("t").commit(
            .upsert([draft(#"{"id":"a","n":null,"last_modified":5}"#)])
        )
        #expect(stub.lines == ["PUT …/a"])
        #expect(stub.sent.first?.headers["If-None-Match"] == nil)
        #expect(body(stub.sent.first) == #"{"data":{"id":"a"}}"#)
        #expect(outcome.ids == ["a"] && outcome.revision == Revision(1_010))
    }

    @Test func aConditionIsSentWhereTheStorageKeepsIt() async throws {
        let stub = StubTransport(.kinto(Self.stored))
        _ = try await stub.kinto().table("t").commit(
            .update("a", patch: patch(#"{"n":1}"#), ifRevision: Revision(12))
        )
        #expect(stub.sent.first?.headers["If-Match"] == "\"12\"")
        let table = try stub.kinto(storage: .postgreSQL).table("t")
        for write in [
            Mutation.update("a", patch: patch("{}"), ifRevision: Revision(12)),
            .delete("a", ifRevision: Revision(12)),
        ] {
            let error = await failure { () throws(RemoteDataError) in try await table.commit(write) }
            #expect(error?.code == .invalidRequest)
        }
        #expect(stub.sent.count == 1)
        #expect(!table.capabilities.conditionalWrites)
    }

    @Test func removalsByClauseGoOnUntilNothingIsLeft() async throws {
        let stub = StubTransport(
            .kinto(
                #"{"data":[{"id":"a","last_modified":1010,"deleted":true}]}"#,
                revision: 1_010,
                ["Next-Page": "x"]
            ),
            .kinto(#"{"data":[{"id":"b","last_modified":1020,"deleted":true}]}"#, revision: 1_020)
        )
        let outcome = try await stub.kinto().table("t").commit(.deleteAll(Where("n > 5")))
        #expect(outcome.count == 2 && outcome.revision == Revision(1_020))
        #expect(stub.lines == Array(repeating: "DELETE …?gt_n=5&lt_n=false", count: 2))
    }

    /// What is left out of a filter would have more rows removed than match.
    @Test(arguments: ["n > 5 and s like 'a%'", "s is null", "n > 5 or s = 'x'", "\"two words\" = 1"])
    func removalsByWhatCannotBeSaidAreRefused(clause: String) async throws {
        let stub = StubTransport(.kinto(#"{"data":[]}"#))
        let table = try stub.kinto().table("t")
        let parsed = try Where(clause)
        let error = await failure { () throws(RemoteDataError) in try await table.commit(.deleteAll(parsed)) }
        #expect(error?.code == .invalidClause)
        #expect(stub.sent.isEmpty)
    }

    @Test func oneRowIsWrittenAtATime() async throws {
        let stub = StubTransport(.kinto(Self.stored))
        let table = try stub.kinto().table("t")
        let drafts = [try draft(#"{"n":1}"#), try draft(#"{"n":2}"#)]
        for write in [Mutation.create(drafts), .upsert(drafts)] {
            let error = await failure { () throws(RemoteDataError) in try await table.commit(write) }
            #expect(error?.code == .tooLarge)
        }
        #expect(try await table.commit(.create([])).count == 0)
        #expect(stub.sent.isEmpty)
    }
}

// MARK: - Collisions

extension KintoRequestTests {
    @Test func aWriteThatCollidesIsSentAgain() async throws {
        let clock = ManualClock()
        var configuration = RESTConfiguration()
        configuration.clock = clock
        let stub = StubTransport(
            .kinto(Self.collision, status: 409),
            .kinto(Self.collision, status: 409),
            .kinto(Self.stored)
        )
        let table = try stub.kinto(storage: .postgreSQL, configuration: configuration).table("t")
        async let outcome = table.commit(.update("a", patch: patch(#"{"n":1}"#)))
        for wait in [Duration.milliseconds(10), .milliseconds(20)] {
            await clock.waitForSleepers()
            #expect(clock.sleepers == [wait])
            clock.advance(by: wait)
        }
        #expect(try await outcome.ids == ["a"])
        #expect(stub.sent.count == 3)
    }

    @Test func aWriteThatAlwaysCollidesFails() async throws {
        let clock = ManualClock()
        var configuration = RESTConfiguration()
        configuration.clock = clock
        let stub = StubTransport(.kinto(Self.collision, status: 409))
        let table = try stub.kinto(storage: .postgreSQL, configuration: configuration).table("t")
        async let error = failure { () throws(RemoteDataError) in try await table.commit(.delete("a")) }
        for _ in 0..<7 {
            await clock.waitForSleepers()
            clock.advance(by: .seconds(1))
        }
        #expect(await error?.code == .unavailable)
        #expect(stub.sent.count == 8)
    }
}
