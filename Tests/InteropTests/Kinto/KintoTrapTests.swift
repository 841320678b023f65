import Foundation
import RemoteData
import RemoteDataBackends
import RemoteDataNetwork
import RemoteDataTesting
import Synchronization
import Testing

/// What Kinto does that a client does not expect.
@Suite(.enabled(if: Interop.directory != nil), .timeLimit(.minutes(2))) struct KintoTrapTests {
    private func draft(_ json: String) throws -> Draft { try Draft(Array(json.utf8)[...], idColumn: "id") }

    private func patch(_ json: String) -> ArraySlice<UInt8> { Array(json.utf8)[...] }

    private func ids(_ table: KintoTable, _ clause: String, sort: String = "") async throws -> [RowID] {
        let query = try Query(Where(clause), sort: SortTerm.parse(sort))
        return try await table.page(PageRequest(query, limit: 100)).rows.map(\.id)
    }

    /// Kinto reads values as JSON first, and takes lists apart at commas.
    @Test func textThatLooksLikeSomethingElseIsText() async throws {
        let kinto = try await Kinto()
        let table = try await kinto.table("t")
        let texts = [
            "30", "null", "true", "[1]", "{}", "", "a,b", "a", "b", "\"a\"", "*", "+1", "%41", "a&b=c",
            "\\u0041",
        ]
        for (number, text) in texts.enumerated() {
            let json = String(decoding: Value.text(text).json, as: UTF8.self)
            try await kinto.put("r\(number)", #"{"s":\#(json)}"#, in: "t")
        }
        try await kinto.put("n", #"{"s":30}"#, in: "t")
        for (number, text) in texts.enumerated() {
            let isText = Where.comparison(.column("s"), .equal, .literal(.text(text)))
            let found = try await table.page(PageRequest(Query(isText))).rows
            #expect(found.map(\.id) == [.text("r\(number)")], "\(text)")
            let isOne = Where.isIn(.column("s"), [.literal(.text(text)), .literal("not there")])
            #expect(try await table.count(isOne).value == 1, "\(text)")
        }
    }

    /// In memory, `LIKE` on a missing value ends with an error of the server.
    @Test func patternsAreNeverAskedFor() async throws {
        let kinto = try await Kinto()
        let table = try await kinto.table("t")
        for (id, json) in [
            ("a", #"{"s":"xyz"}"#), ("b", #"{"s":null}"#), ("c", "{}"), ("d", #"{"s":7}"#),
            ("e", #"{"s":"(["}"#),
        ] {
            try await kinto.put(id, json, in: "t")
        }
        #expect(try await ids(table, "s like 'x%'") == ["a"])
        #expect(try await ids(table, "s not like 'x%'") == ["d", "e"])
        #expect(try await ids(table, "s like '(%'") == ["e"])
    }

    /// Missing values are the greatest of all, so that a range without an end has them in it.
    @Test(arguments: Kinto.Place.all) func removalsByARangeSpareWhatHasNoValue(place: Kinto.Place)
        async throws
    {
        let kinto = try await Kinto(in: place)
        let table = try await kinto.table("t")
        let rows = [
            ("a", #"{"n":7}"#), ("b", "{}"), ("c", #"{"n":null}"#), ("d", #"{"n":"x"}"#),
            ("e", #"{"n":true}"#), ("f", #"{"n":[]}"#),
            ("g", #"{"n":3}"#),
        ]
        for (id, json) in rows { try await kinto.put(id, json, in: "t") }
        #expect(try await table.commit(.deleteAll(Where("n > 5"))).count == 1)
        #expect(try await table.commit(.deleteAll(Where("n <> 8 and n < 5"))).count == 1)
        #expect(try await table.commit(.deleteAll(Where("misspelt > 5"))).count == 0)
        #expect(try await table.commit(.deleteAll(Where("misspelt <> 5 and misspelt <> 6"))).count == 0)
        #expect(try await table.commit(.deleteAll(Where("n = null"))).count == 0)
        #expect(try await ids(table, "1 = 1") == ["b", "c", "d", "e", "f"])
    }

    @Test func removedRowsAreNotListed() async throws {
        let kinto = try await Kinto()
        let table = try await kinto.table("t")
        for id in ["a", "b", "c"] { try await kinto.put(id, "{}", in: "t") }
        _ = try await table.commit(.delete("b"))
        #expect(try await ids(table, "last_modified > 0", sort: "last_modified desc") == ["c", "a"])
        #expect(try await table.count(Where("last_modified > 0")).value == 2)
        let found = try await table.page(PageRequest(Query(try Where("last_modified > 0")), limit: 2))
        #expect(found.rows.map(\.id) == ["a", "c"])
    }

    /// A null removes a member, and objects take the place of others: Kinto has three kinds of patches, none of which does both.
    @Test(arguments: Kinto.Place.all) func patchesReplaceWholeMembers(place: Kinto.Place) async throws {
        let kinto = try await Kinto(in: place)
        let table = try await kinto.table("t")
        _ = try await table.commit(.create([draft(#"{"id":"a","s":"x","n":1,"o":{"p":1,"q":2},"l":[1]}"#)]))
        _ = try await table.commit(
            .update("a", patch: patch(#"{"n":null,"gone":null,"o":{"r":null,"t":{"u":1}},"a/b~c":[null]}"#))
        )
        let row = try #require(try await table.row("a"))
        #expect(row["o"] == .json(#"{"t":{"u":1}}"#))
        #expect(!row.text.contains("null,") && !row.text.contains("\"n\"") && !row.text.contains("gone"))
        _ = try await table.commit(.update("a", patch: patch(#"{"s":{"k":1},"last_modified":12}"#)))
        let next = try #require(try await table.row("a"))
        #expect(next["s"] == .json(#"{"k":1}"#))
        #expect(next[ColumnPath("a/b~c")] == .json("[null]"))
        #expect(next.revision.map { $0 > row.revision ?? .zero } == true)
    }

    /// Kinto believes whoever creates a row when it was last changed.
    @Test func theTimeOfAChangeIsNotMadeUp() async throws {
        let kinto = try await Kinto()
        let table = try await kinto.table("t")
        let before = try await table.count(nil).revision ?? .zero
        let outcome = try await table.commit(.create([draft(#"{"id":"a","last_modified":1000000000000}"#)]))
        #expect(outcome.revision.map { $0 > before } == true)
        #expect(try await table.row("a")?.revision == outcome.revision)
    }

    @Test func whatTheServerWouldNotStoreIsRefusedHere() async throws {
        let kinto = try await Kinto()
        let table = try await kinto.table("t")
        for json in [
            #"{"s":"a\u0000b"}"#, #"{"deleted":true}"#, #"{"__permissions__":{}}"#, #"{"id":"a b"}"#,
            #"{"id":7}"#,
        ] {
            do throws(RemoteDataError) {
                _ = try await table.commit(.create([try Draft(Array(json.utf8)[...], idColumn: "id")]))
                Issue.record("\(json) is taken")
            } catch { #expect(error.code == .invalidRow, "\(json)") }
        }
        #expect(try await table.count(nil).value == 0)
    }
}

// MARK: - Who the program is

extension KintoTrapTests {
    private func code<Value>(_ body: () async throws(RemoteDataError) -> Value) async -> RemoteDataError.Code?
    {
        do throws(RemoteDataError) {
            _ = try await body()
            return nil
        } catch { return error.code }
    }

    /// A wrong password makes a guest, who sees what everybody may see.
    @Test func aWrongPasswordSeesNothing() async throws {
        let kinto = try await Kinto()
        let table = try await kinto.table("t")
        try await kinto.put("private", "{}", in: "t")
        let path = "/buckets/\(Kinto.bucket)/collections/t/records/public"
        try await kinto.call("PUT", path, #"{"data":{},"permissions":{"read":["system.Everyone"]}}"#)
        let wrong = try Kinto.server(kinto.process, as: KintoAuthentication(Kinto.name, password: "wrong"))
            .table("t")
        #expect(
            await code { () throws(RemoteDataError) in try await wrong.page(PageRequest(Query())) }
                == .unauthorized
        )
        #expect(await code { () throws(RemoteDataError) in try await wrong.count(nil) } == .unauthorized)
        let feed = Heard(try await wrong.subscribe(to: Query(), since: nil))
        #expect(await feed.next(2) == ["interrupted unauthorized", "end"])
        // A guest who means to be one does see that.
        let guest = try Kinto.server(kinto.process, as: nil).table("t")
        #expect(try await guest.page(PageRequest(Query())).rows.map(\.id) == ["public"])
        #expect(try await table.count(nil).value == 2)
    }

    @Test func aPasswordThatIsChangedIsNoticedWithinAMinute() async throws {
        let kinto = try await Kinto()
        _ = try await kinto.table("t")
        let clock = ManualClock()
        var configuration = RESTConfiguration()
        configuration.clock = clock
        let account = KintoAuthentication("other", password: Kinto.password)
        try await Kinto.makeAccount("other", at: kinto.process)
        try await kinto.call(
            "PATCH",
            "/buckets/\(Kinto.bucket)",
            #"{"permissions":{"read":["account:other"]}}"#
        )
        let server = try Kinto.server(
            kinto.process,
            as: account,
            pollInterval: .seconds(60),
            configuration: configuration
        )
        let feed = Heard(try await server.table("t").subscribe(to: Query(), since: nil))
        #expect(await feed.next() == "live")
        try await Kinto.call(
            kinto.process,
            "PUT",
            "/accounts/other",
            #"{"data":{"password":"new"}}"#,
            as: "other"
        )
        try await kinto.put("a", "{}", in: "t")
        await clock.waitForSleepers()
        clock.advance(by: .seconds(60))
        #expect(await feed.next() == "interrupted unauthorized")
        let authorization = "Basic " + Data("other:new".utf8).base64EncodedString()
        let request = HTTPRequest(
            "PUT",
            kinto.process.url + "/v1/accounts/other",
            headers: ["Authorization": authorization, "Content-Type": "application/json"],
            body: Array(#"{"data":{"password":"\#(Kinto.password)"}}"#.utf8)
        )
        #expect(try await CurlTransport().send(request).isSuccess)
        await clock.waitForSleepers()
        clock.advance(by: .seconds(60))
        // It was a guest for a while, and nobody knows what it was not told.
        #expect(await feed.next(2) == ["reset", "live"])
    }
}

// MARK: - Servers that are not well

extension KintoTrapTests {
    @Test func aServerThatWantsToBeLeftAloneIs() async throws {
        let kinto = try await Kinto(["kinto.backoff = 10"])
        _ = try await kinto.table("t")
        let clock = ManualClock()
        var configuration = RESTConfiguration()
        configuration.clock = clock
        let table = try Kinto.server(kinto.process, configuration: configuration).table("t")
        async let count = table.count(nil)
        // The first answer tells who the program is, and asks for the pause.
        await clock.waitForSleepers()
        #expect(clock.sleepers == [.seconds(10)])
        clock.advance(by: .seconds(10))
        #expect(try await count.value == 0)
    }

    @Test func aServerThatIsClosedSaysWhy() async throws {
        let kinto = try await Kinto(
            ["kinto.eos = 2020-01-01", "kinto.eos_message = It is over."],
            populates: false
        )
        let table = try Kinto.server(kinto.process, as: nil).table("t")
        do throws(RemoteDataError) {
            _ = try await table.count(nil)
            Issue.record("It counts.")
        } catch {
            #expect(error.code == .rejected && error.status == 410)
            #expect(error.message.contains("It is over."), "\(error.message)")
        }
    }

    /// The reply to a creation is lost, and the row is made once.
    @Test func aLostReplyCreatesNothingTwice() async throws {
        let kinto = try await Kinto()
        _ = try await kinto.table("t")
        let transport = LosingTransport(["PUT"])
        let server = try KintoServer(
            kinto.process.url,
            bucket: Kinto.bucket,
            as: KintoAuthentication(Kinto.name, password: Kinto.password),
            storage: .memory,
            transport: transport
        )
        let table = server.table("t")
        let outcome = try await table.commit(.create([draft(#"{"n":1}"#)]))
        #expect(outcome.rows.first?["n"] == 1)
        #expect(try await table.count(nil).value == 1)
        #expect(transport.lostCount == 1)
    }
}

/// Loses the first reply to each of some methods.
private final class LosingTransport: HTTPTransport {
    private let transport = CurlTransport()
    private let methods: Mutex<[String]>
    private let count: Int

    init(_ methods: [String]) {
        self.methods = Mutex(methods)
        count = methods.count
    }

    var lostCount: Int { count - methods.withLock { $0.count } }

    func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
        let answer = try await transport.send(request)
        let isLost = methods.withLock { methods in
            guard let index = methods.firstIndex(of: request.method) else { return false }
            methods.remove(at: index)
            return true
        }
        if isLost { throw NetworkError(.closed, "The reply is lost.") }
        return answer
    }
}
