import Foundation
import RemoteData
import RemoteDataBackends
import RemoteDataNetwork
import Testing

@Suite(.enabled(if: Interop.directory != nil), .timeLimit(.minutes(2))) struct BackendlessChangesTests {
    private func draft(_ id: String, _ number: Int = 0) throws -> Draft {
        try Draft(Array(#"{"objectId":"\#(id)","n":\#(number)}"#.utf8)[...], idColumn: "objectId")
    }

    private func patch(_ number: Int) -> ArraySlice<UInt8> { Array(#"{"n":\#(number)}"#.utf8)[...] }

    private func follow(_ table: any Table, _ clause: String = "") async throws -> FeedWords {
        FeedWords(try await table.subscribe(to: Query(try Where.parse(clause)), since: nil))
    }

    /// Asks the stand-in until something is so; each time it waits for the answer.
    private func wait(_ backendless: Backendless, until isSo: (Backendless.Report) -> Bool) async throws
        -> Backendless.Report
    {
        while true {
            let report = try await backendless.report()
            if isSo(report) { return report }
        }
    }

    // MARK: What is told

    @Test(arguments: [3, 4]) func everyEventIsTold(version: Int) async throws {
        let backendless = try await Backendless(version: version)
        let table = backendless.server.table("T")
        _ = try await table.commit(.create([draft("x1"), draft("x2")]))
        let all = try await follow(table)
        #expect(await all.said() == "live")
        _ = try await table.commit(.create([try Draft(Array(#"{"n":1}"#.utf8)[...], idColumn: "objectId")]))
        #expect(await all.said().hasPrefix("created "))
        _ = try await table.commit(.update("x1", patch: patch(2)))
        #expect(await all.said() == "updated x1")
        _ = try await table.commit(.upsert([draft("u1", 3)]))
        #expect(await all.said() == "updated u1")
        _ = try await table.commit(.delete("x2"))
        #expect(await all.said() == "deleted x2")
        _ = try await table.commit(.create([draft("b1", 20), draft("b2", 20)]))
        #expect(await all.said(2) == ["created b1", "created b2"])
        _ = try await table.commit(.upsert([draft("c1", 30), draft("c2", 30)]))
        #expect(await all.said(2) == ["updated c1", "updated c2"])
        let clause = try Where("n = 30 and s is null")
        _ = try await table.commit(.update("c1", patch: Array(#"{"s":null}"#.utf8)[...]))
        #expect(await all.said() == "updated c1")
        _ = try await table.commit(.deleteAll(clause))
        // What was told shortly before may be older or newer than that.
        #expect(await all.said() == "bulkDeleted n = 30 AND s IS NULL 2")
        #expect(await all.until("deleted c2").allSatisfy { !$0.hasPrefix("created") })
        _ = try await table.commit(.updateAll(try Where("n = 20"), patch: patch(21)))
        _ = await all.until("reset")
        #expect(await all.said() == "live")
        _ = try await table.commit(.deleteAll(nil))
        #expect(await all.until("bulkDeleted all 5").contains("reset") == false)
        let report = try await backendless.report()
        #expect(Set(report.subscriptions.map(\.options.event)).count == 8)
    }

    @Test(arguments: [3, 4]) func whatOthersDoIsTold(version: Int) async throws {
        let backendless = try await Backendless(version: version)
        let table = backendless.server.table("T")
        let all = try await follow(table)
        let large = try await follow(table, "n > 5")
        #expect(await all.said() == "live")
        #expect(await large.said() == "live")
        try await backendless.call("POST", "T", #"{"objectId":"a","n":9}"#)
        try await backendless.call("POST", "T", #"{"objectId":"b","n":1}"#)
        try await backendless.call("POST", "T", #"{"objectId":"c","n":9}"#)
        #expect(await all.said(3) == ["created a", "created b", "created c"])
        #expect(await large.said(2) == ["created a", "created c"])
        try await backendless.call("PUT", "T/a", #"{"n":2}"#)
        // Changed again so soon, it is read.
        #expect(await all.said() == "updated a")
        #expect(await large.said() == "deleted a left")
        try await backendless.call("DELETE", "T/c")
        #expect(await all.said() == "deleted c")
        #expect(await large.said() == "deleted c")
        try await backendless.call("POST", "bulk/T/delete", #"{"where":"n = 1"}"#)
        #expect(await all.said() == "bulkDeleted n = 1 1")
    }

    @Test func aRemovalByClauseTakesItsRowsFromACollection() async throws {
        struct Item: Codable, Identifiable, Sendable {
            var id: String?
            var n: Int

            private enum CodingKeys: String, CodingKey {
                case id = "objectId"
                case n
            }
        }
        let backendless = try await Backendless()
        let table = backendless.server.table("T")
        _ = try await table.commit(.create((0..<50).map { try draft("r\($0 + 100)", $0) }))
        let items = try await RemoteDataCollection<Item>(table: table, sort: "n")
        for await status in items.liveStatuses where status.isLive { break }
        try await items.populate()
        let changes = items.changes
        _ = try await table.commit(.deleteAll(try Where("n < 10 or n = 49")))
        for await change in changes where change.type == .bulkDeleted { break }
        let left = items.snapshot().loaded.map(\.n)
        #expect(left == Array(10..<49))
    }

    @Test func messagesThatCannotBeReadAreAGap() async throws {
        let backendless = try await Backendless()
        let all = try await follow(backendless.server.table("T"))
        #expect(await all.said() == "live")
        for data in ["7", "[]", #"{"no":"id"}"#, "null"] {
            try await backendless.control(
                #"{"tell":{"name":"SUB_RES","event":"updated","data":{"data":\#(data)}}}"#
            )
            #expect(await all.said(2) == ["reset", "live"])
        }
        try await backendless.control(#"{"tell":{"name":"SUB_RES","data":[1]}}"#)
        #expect(await all.said(2) == ["reset", "live"])
        try await backendless.control(#"{"tell":{"name":"OTHER","data":{"id":"x"}}}"#)
        try await backendless.call("POST", "T", #"{"objectId":"a"}"#)
        #expect(await all.said() == "created a")
    }

    // MARK: Connections

    @Test(arguments: [3, 4]) func aLostConnectionIsMadeAgainAndEverythingIsSubscribedWithTheSameIDs(
        version: Int
    ) async throws {
        let backendless = try await Backendless(version: version)
        let first = try await follow(backendless.server.table("A"))
        let second = try await follow(backendless.server.table("B"))
        #expect(await first.said() == "live")
        #expect(await second.said() == "live")
        let before = try await backendless.report()
        #expect((before.lookups, before.connections) == (1, 1))
        for number in 2...4 {
            try await backendless.control(#"{"drop_sockets":true}"#)
            #expect(await first.said(3) == ["interrupted unreachable", "reset", "live"])
            #expect(await second.said(3) == ["interrupted unreachable", "reset", "live"])
            let after = try await backendless.report()
            #expect((after.lookups, after.connections) == (number, number))
            #expect(Set(after.subscriptions.map(\.id)) == Set(before.subscriptions.map(\.id)))
            #expect(after.clients.map(\.clientId) == before.clients.map(\.clientId))
            #expect(after.subscriptions.count == 16)
        }
    }

    /// With the newer protocol the server asks whether somebody is there, with the older one the client does.
    @Test(arguments: [3, 4]) func aConnectionStaysWhileNothingIsTold(version: Int) async throws {
        let backendless = try await Backendless(version: version, options: "--ping-interval", "1")
        let all = try await follow(backendless.server.table("T"))
        #expect(await all.said() == "live")
        // Longer than either of them waits for the other one.
        try await backendless.control(#"{"take":4}"#)
        try await backendless.call("POST", "T", #"{"objectId":"a"}"#)
        #expect(await all.said() == "created a")
        #expect(try await backendless.report().connections == 1)
    }

    @Test func whoLeavesIsUnsubscribed() async throws {
        let backendless = try await Backendless()
        let first = try await follow(backendless.server.table("A"))
        let second = try await follow(backendless.server.table("B"))
        #expect(await first.said() == "live")
        #expect(await second.said() == "live")
        first.cancel()
        let report = try await wait(backendless) { $0.unsubscribed == 8 && $0.subscriptions.count == 8 }
        #expect(report.subscriptions.allSatisfy { $0.options.tableName == "B" })
        #expect(report.connections == 1)
    }

    @Test func theSocketClosesWhenNobodyListens() async throws {
        let backendless = try await Backendless()
        var configuration = RESTConfiguration()
        configuration.socketLinger = .milliseconds(100)
        let url = backendless.process.url + Backendless.path
        let table = try Backendless.server(url, .byBytes, configuration).table("T")
        let all = try await follow(table)
        #expect(await all.said() == "live")
        all.cancel()
        _ = try await wait(backendless) { $0.clients.isEmpty }
        let again = try await follow(table)
        #expect(await again.said() == "live")
        #expect(try await backendless.report().connections == 2)
    }

    @Test func olderServersAreAskedForTheirRealTimeHost() async throws {
        let backendless = try await Backendless(version: 3, options: "--old-lookup")
        let all = try await follow(backendless.server.table("T"))
        #expect(await all.said() == "live")
        #expect(try await backendless.report().requests["GET rt/lookup"] == 1)
    }

    @Test(arguments: [3, 4]) func aServerThatStartsAnewIsFollowedAgain(version: Int) async throws {
        let backendless = try await Backendless(version: version, hasAccount: true)
        let all = try await follow(backendless.server.table("T"))
        #expect(await all.said() == "live")
        try await backendless.restart()
        _ = await all.until("reset")
        #expect(await all.said() == "live")
        try await backendless.call("POST", "T", #"{"objectId":"a"}"#)
        #expect(await all.said() == "created a")
    }

    // MARK: Refusals

    @Test(arguments: [3, 4]) func aSubscriptionThatIsRefusedEndsItsFeeds(version: Int) async throws {
        let backendless = try await Backendless(version: version)
        let first = try await follow(backendless.server.table("A"))
        #expect(await first.said() == "live")
        try await backendless.control(#"{"refuse_subscriptions":{"code":4711,"message":"Not in this plan"}}"#)
        let feed = try await backendless.server.table("B").subscribe(to: Query(), since: nil)
        var words: [String] = []
        for await event in feed { if case .interrupted(let error) = event { words.append("\(error)") } }
        #expect(
            words == ["rejected: Backendless refuses to tell changes of B (code 4711): Not in this plan."]
        )
        // Others go on.
        try await backendless.call("POST", "A", #"{"objectId":"a"}"#)
        #expect(await first.said() == "created a")
    }

    @Test func aServerThatIsBusyIsAskedAgain() async throws {
        let backendless = try await Backendless()
        try await backendless.control(#"{"refuse_subscriptions":{"code":503,"message":"Busy"}}"#)
        let all = try await follow(backendless.server.table("T"))
        #expect(await all.said() == "interrupted unavailable")
        try await backendless.control(#"{"refuse_subscriptions":null}"#)
        #expect(await all.until("live") == [])
    }

    @Test(arguments: [3, 4]) func aTokenThatEndsIsReplacedOverTheSocket(version: Int) async throws {
        let backendless = try await Backendless(version: version, hasAccount: true)
        let first = try await follow(backendless.server.table("A"))
        #expect(await first.said() == "live")
        let before = try await backendless.report()
        #expect(before.clients.first?.userToken != nil)
        try await backendless.control(#"{"expire_tokens":true}"#)
        // The server has nothing against whoever has subscribed already.
        let second = try await follow(backendless.server.table("B"))
        #expect(await second.said(2) == ["interrupted unauthorized", "live"])
        let after = try await backendless.report()
        #expect((after.connections, after.tokens) == (1, 1))
        #expect(after.clients.first?.userToken != before.clients.first?.userToken)
        #expect(after.requests["POST users/login"] == 2)
        // A request that needs another one shows it to the socket as well.
        try await backendless.control(#"{"expire_tokens":true}"#)
        _ = try await backendless.server.table("A").count(Query())
        _ = try await wait(backendless) { $0.tokens == 2 }
    }

    @Test(arguments: [3, 4]) func aTokenThatEndedMeanwhileIsReplacedBeforeConnecting(version: Int)
        async throws
    {
        let backendless = try await Backendless(version: version, hasAccount: true)
        let all = try await follow(backendless.server.table("T"))
        #expect(await all.said() == "live")
        try await backendless.control(#"{"expire_tokens":true,"drop_sockets":true}"#)
        #expect(await all.said(3) == ["interrupted unreachable", "reset", "live"])
        #expect(try await backendless.report().requests["POST users/login"] == 2)
    }

    @Test func whoHasTheWrongKeyIsRefused() async throws {
        let backendless = try await Backendless()
        let table = try Backendless.server(backendless.process.url + "/APP-ID/WRONG").table("T")
        let feed = try await table.subscribe(to: Query(), since: nil)
        var words: [String] = []
        for await event in feed { if case .interrupted(let error) = event { words.append("\(error)") } }
        #expect(
            words == [
                "not found: Backendless refuses to tell where changes are told (status 404, code 404): There is no such application or API key."
            ]
        )
    }

    /// One version refuses in words, the other one in an object.
    @Test(arguments: [3, 4]) func whoIsNotLetIntoTheNamespaceIsToldWhy(version: Int) async throws {
        let backendless = try await Backendless(version: version)
        try await backendless.control(#"{"refuse_connections":"Not in this plan"}"#)
        let feed = try await backendless.server.table("T").subscribe(to: Query(), since: nil)
        var words: [String] = []
        for await event in feed { if case .interrupted(let error) = event { words.append(error.message) } }
        #expect(
            words == [
                "Backendless does not tell changes. The server refuses the namespace /APP-ID: Not in this plan"
            ]
        )
    }

    @Test func whoIsLockedOutIsTold() async throws {
        let backendless = try await Backendless(hasAccount: true)
        let url = backendless.process.url + Backendless.path
        let wrong = try BackendlessServer(url, as: .init(Backendless.login, password: "no")).table("T")
        let feed = try await wrong.subscribe(to: Query(), since: nil)
        #expect(await FeedWords(feed).said(2) == ["interrupted unauthorized", "end"])
        let guest = try BackendlessServer(url).table("T")
        #expect(
            await FeedWords(try await guest.subscribe(to: Query(), since: nil)).said(2) == [
                "interrupted unauthorized", "end",
            ]
        )
    }
}
