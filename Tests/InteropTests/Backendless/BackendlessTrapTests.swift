import Foundation
import RemoteData
import RemoteDataBackends
import RemoteDataNetwork
import Testing

/// What may go wrong with requests.
@Suite(.enabled(if: Interop.directory != nil), .timeLimit(.minutes(2))) struct BackendlessTrapTests {
    private struct Item: Codable, Identifiable, Sendable {
        var id: String?
        var n: Int

        private enum CodingKeys: String, CodingKey {
            case id = "objectId"
            case n
        }
    }

    private func failure<Value>(_ body: () async throws(RemoteDataError) -> Value) async -> RemoteDataError? {
        do throws(RemoteDataError) {
            _ = try await body()
            return nil
        } catch { return error }
    }

    private func draft(_ json: String) throws(RemoteDataError) -> Draft {
        try Draft(Array(json.utf8)[...], idColumn: "objectId")
    }

    @Test func aTokenThatEndsWhilePagingIsReplaced() async throws {
        let backendless = try await Backendless(hasAccount: true)
        let table = backendless.server.table("T")
        _ = try await table.commit(.create((0..<30).map { try draft(#"{"n":\#($0)}"#) }))
        var options = CollectionOptions()
        (options.pageSize, options.readAhead, options.isLive) = (5, 0, false)
        let items = try await RemoteDataCollection<Item>(table: table, sort: "n", options: options)
        var taken: [Int] = []
        for try await item in items.rows {
            taken.append(item.n)
            if taken.count == 7 || taken.count == 20 {
                try await backendless.control(#"{"expire_tokens":true}"#)
            }
        }
        #expect(taken == Array(0..<30))
        #expect(try await backendless.report().requests["POST users/login"] == 3)
    }

    @Test(arguments: [false, true]) func refusalsAreToldWhateverTheirStatus(comeAsSuccess: Bool) async throws
    {
        let backendless = try await Backendless(hasAccount: true)
        try await backendless.control(#"{"faults_in_200":\#(comeAsSuccess)}"#)
        let url = backendless.process.url + Backendless.path
        let account = BackendlessAuthentication(Backendless.login, password: Backendless.password)
        let table = try BackendlessServer(url, as: account, comparesText: .byBytes).table("T")
        let missing = await failure { () async throws(RemoteDataError) in try await table.count(Query()) }
        #expect(missing?.code == .notFound)
        #expect(missing?.message.contains("Table not found by name \"T\"") == true)
        _ = try await table.commit(.create([draft(#"{"objectId":"a","n":1}"#)]))
        #expect(try await table.row("b") == nil)
        let taken = await failure { () async throws(RemoteDataError) in
            try await table.commit(.create([try draft(#"{"objectId":"a","n":2}"#)]))
        }
        #expect(taken?.code == .alreadyExists)
        let column = await failure { () async throws(RemoteDataError) in
            try await table.count(Query(.isNull(.column("m"))))
        }
        #expect(column?.code == .unknownColumn)
        #expect(column?.message.contains("Column 'm' does not exist in table 'T'") == true)
        let gone = await failure { () async throws(RemoteDataError) in try await table.commit(.delete("b")) }
        #expect(gone?.code == .notFound)
        try await backendless.control(#"{"expire_tokens":true}"#)
        _ = try await table.commit(.update("a", patch: Array(#"{"n":3}"#.utf8)[...]))
        #expect(try await table.row("a")?["n"] == 3)
        let guest = try BackendlessServer(url).table("T")
        let stranger = await failure { () async throws(RemoteDataError) in try await guest.count(Query()) }
        #expect(stranger?.code == .unauthorized)
        #expect(stranger?.message.contains("Invalid or expired user token") == true)
    }

    @Test(arguments: [
        (403, 4003, "User has no permission to read", RemoteDataError.Code.forbidden),
        (400, 1017, "Invalid where clause", .invalidClause), (418, 9_999, "Nobody knows this one", .rejected),
    ])
    func whatTheServerSaysIsInTheError(status: Int, number: Int, words: String, code: RemoteDataError.Code)
        async throws
    {
        let backendless = try await Backendless()
        let body = #"{"code":\#(number),"message":"\#(words)"}"#
        try await backendless.control(#"{"fail":{"status":\#(status),"body":\#(body)}}"#)
        let error = await failure { () async throws(RemoteDataError) in
            try await backendless.server.table("T").count(try Where.parse("n = 1"))
        }
        #expect(error?.code == code)
        #expect(
            error?.message == "Backendless refuses a count of T (status \(status), code \(number)): \(words)."
        )
    }

    @Test func aColumnMayComeAndGoWhileItIsFollowed() async throws {
        let backendless = try await Backendless()
        let table = backendless.server.table("T")
        _ = try await table.commit(.create((1...6).map { try draft(#"{"n":\#($0)}"#) }))
        var options = CollectionOptions()
        options.pageSize = 2
        let items = try await RemoteDataCollection<Item>(table: table, sort: "n", options: options)
        try await items.prefetch(0..<2)
        let changes = items.changes
        for await status in items.liveStatuses where status.isLive { break }
        try await backendless.call("POST", "T", #"{"objectId":"a","n":0,"extra":"new"}"#)
        for await change in changes where change.type == .created {
            #expect(change.rows.map(\.n) == [0])
            break
        }
        // The column of the order goes: whoever pages by it is told so.
        try await backendless.control(#"{"drop_columns":["n"]}"#)
        let error = await failure { () async throws(RemoteDataError) in try await items.row(at: 5) }
        #expect(error?.code == .unknownColumn)
        #expect(error?.message.contains("Column 'n' does not exist in table 'T'") == true)
    }

    @Test func aWriteWhoseAnswerIsLostIsNotMadeTwice() async throws {
        let backendless = try await Backendless()
        let table = backendless.server.table("T")
        _ = try await table.commit(.create([draft(#"{"objectId":"a","n":1}"#)]))
        let writes: [Mutation] = [
            .create([try draft(#"{"n":2}"#)]), .create([try draft(#"{"objectId":"b","n":3}"#)]),
            .create([try draft(#"{"n":4}"#), try draft(#"{"n":5}"#)]),
            .update("a", patch: Array(#"{"n":9}"#.utf8)[...]), .delete("a"), .deleteAll(try Where("n = 5")),
        ]
        for write in writes {
            try await backendless.control(#"{"lose_reply":1}"#)
            let error = await failure { () async throws(RemoteDataError) in try await table.commit(write) }
            #expect(error?.isTransient == true)
        }
        let numbers = try await table.page(PageRequest(Query(sort: [SortTerm("n")]))).rows.map { $0["n"] }
        #expect(numbers == [2, 3, 4])
        let requests = try await backendless.report().requests
        #expect((requests["POST data/T"], requests["POST data/bulk/T"]) == (1, 3))
        #expect((requests["PUT data/T/ID"], requests["DELETE data/T/ID"]) == (1, 1))
    }

    @Test func aReadWhoseAnswerIsLostIsMadeAgain() async throws {
        let backendless = try await Backendless()
        let table = backendless.server.table("T")
        try await backendless.control(#"{"lose_reply":2}"#)
        #expect(try await table.count(Query()).value == 0)
        #expect(try await backendless.report().requests["GET data/T/count"] == 3)
    }

    @Test(arguments: [429, 503]) func aServerThatAsksForTimeGetsIt(status: Int) async throws {
        let backendless = try await Backendless()
        let table = backendless.server.table("T")
        try await backendless.control(#"{"fail":{"status":\#(status),"headers":{"Retry-After":"1"}}}"#)
        let start = ContinuousClock.now
        #expect(try await table.count(Query()).value == 0)
        #expect(ContinuousClock.now - start >= .seconds(1))
        // A write is not made again by itself, and says when to.
        try await backendless.control(#"{"fail":{"status":\#(status),"headers":{"Retry-After":"7"}}}"#)
        let error = await failure { () async throws(RemoteDataError) in
            try await table.commit(.create([try draft("{}")]))
        }
        #expect(error?.isTransient == true)
        #expect(error?.retryAfter == .seconds(7))
        #expect(try await backendless.report().requests["POST data/T"] == 1)
    }

    @Test func datesAreMilliseconds() async throws {
        struct Stamped: Codable, Identifiable, Sendable {
            var objectId: String?
            var created: Date

            var id: String? { objectId }
        }
        let backendless = try await Backendless()
        let table = backendless.server.table("T")
        let start = Date()
        for _ in 0..<3 { _ = try await table.commit(.create([draft("{}")])) }
        let rows = try await RemoteDataCollection<Stamped>(table: table, sort: "created")
        try await rows.populate()
        let dates = rows.snapshot().loaded.map(\.created)
        #expect(dates.count == 3)
        #expect(dates.allSatisfy { abs($0.timeIntervalSince(start)) < 60 })
        let last = try #require(dates.last)
        let older = try await RemoteDataCollection<Stamped>(
            table: table,
            where: #Predicate { $0.created < last }
        )
        #expect(older.count == 2)
    }

    @Test func aServerThatIsNoBackendlessIsAnError() async throws {
        let backendless = try await Backendless()
        for path in ["", "/elsewhere", "/__control/x"] {
            let table = try BackendlessServer(backendless.storage.url + path).table("T")
            let error = await failure { () async throws(RemoteDataError) in try await table.count(Query()) }
            #expect(error != nil && error?.isTransient == false, "\(path)")
        }
    }
}
