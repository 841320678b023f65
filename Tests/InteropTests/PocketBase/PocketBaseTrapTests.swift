import FaultyNetwork
import Foundation
import RemoteData
import RemoteDataBackends
import RemoteDataExecution
import RemoteDataNetwork
import RemoteDataTesting
import Testing

/// What PocketBase does that nobody would expect.
@Suite(.enabled(if: Interop.directory != nil), .timeLimit(.minutes(2))) struct PocketBaseTrapTests {
    private struct Person: Codable, Identifiable, Equatable {
        var id: String?
        var s: String
        var n: Double = 0
    }

    private func failure<Value>(_ body: () async throws(RemoteDataError) -> Value) async -> RemoteDataError? {
        do throws(RemoteDataError) {
            _ = try await body()
            return nil
        } catch { return error }
    }

    private func draft(_ json: String) throws(RemoteDataError) -> Draft {
        try Draft(Array(json.utf8)[...], idColumn: "id")
    }

    // MARK: Who one is

    @Test func aTokenThatIsWithdrawnWhilePagingIsReplaced() async throws {
        let pocketBase = try await PocketBase()
        let clock = Moment()
        let server = try PocketBaseServer(
            pocketBase.process.url,
            as: .superuser(PocketBase.email, password: PocketBase.password),
            configuration: RESTConfiguration(),
            transport: CurlTransport(),
            now: { clock.date }
        )
        _ = try await pocketBase.table("people")
        let table = server.table("people")
        // Only superusers may list it: whoever is taken for a guest gets nothing.
        try await pocketBase.call("PATCH", "/api/collections/people", #"{"listRule":null}"#)
        for number in 0..<30 { _ = try await table.commit(.create([draft(#"{"s":"\#(number)"}"#)])) }
        var options = CollectionOptions()
        (options.pageSize, options.readAhead, options.isLive) = (5, 0, false)
        let people = try await RemoteDataCollection<Person>(table: table, options: options)
        var taken: [Person] = []
        for try await person in people.rows {
            taken.append(person)
            guard taken.count == 7 else { continue }
            // A new password ends every token.
            try await pocketBase.withdrawTokens()
            clock.pass(30)
        }
        #expect(taken.count == 30)
    }

    @Test func aTokenThatEndsIsReplacedBeforeItDoes() async throws {
        let pocketBase = try await PocketBase()
        let clock = Moment()
        let server = try PocketBaseServer(
            pocketBase.process.url,
            as: .superuser(PocketBase.email, password: PocketBase.password),
            configuration: RESTConfiguration(),
            transport: CurlTransport(),
            now: { clock.date }
        )
        _ = try await pocketBase.table("people")
        #expect(try await server.table("people").count(nil).value == 0)
        clock.pass(30 * 86_400)
        #expect(try await server.table("people").count(nil).value == 0)
    }

    @Test func guestsAreToldWhatTheyMayNotDo() async throws {
        let pocketBase = try await PocketBase()
        _ = try await pocketBase.table("people")
        try await pocketBase.call("PATCH", "/api/collections/people", #"{"listRule":null,"createRule":null}"#)
        let table = try PocketBaseServer(pocketBase.process.url).table("people")
        let reading = await failure { () async throws(RemoteDataError) in try await table.count(nil) }
        #expect(reading?.code == .forbidden)
        #expect(
            reading?.message
                == "PocketBase refuses a count of people (403): Only superusers can perform this action."
        )
        let writing = await failure { () async throws(RemoteDataError) in
            try await table.commit(.create([try draft(#"{"s":"x"}"#)]))
        }
        #expect(writing?.code == .forbidden)
    }

    /// It answers 429, without a word about when to come again; superusers may ask as often as they like.
    @Test func whoAsksTooOftenWaits() async throws {
        let pocketBase = try await PocketBase()
        let table = try await pocketBase.table("people")
        for number in 0..<12 { _ = try await table.commit(.create([try draft(#"{"n":\#(number)}"#)])) }
        let rules =
            #"{"rateLimits":{"enabled":true,"rules":[{"label":"/api/","duration":1,"maxRequests":3}]}}"#
        try await pocketBase.call("PATCH", "/api/settings", rules)
        let traffic = TrafficTrail()
        var configuration = RESTConfiguration()
        configuration.observer = traffic
        let guests = try PocketBaseServer(pocketBase.process.url, configuration: configuration).table(
            "people"
        )
        var numbers: [Value] = []
        for start in 0..<12 {
            let request = PageRequest(Query(sort: [SortTerm("n")]), start: .offset(start), limit: 1)
            numbers += try await guests.page(request).rows.map { $0["n"] }
        }
        #expect(numbers == (0..<12).map { .integer(Int64($0)) })
        #expect(traffic.text.contains { $0.contains("429") })
    }

    @Test func aWrongPasswordIsUnauthorized() async throws {
        let pocketBase = try await PocketBase()
        let server = try PocketBaseServer(
            pocketBase.process.url,
            as: .superuser(PocketBase.email, password: "no")
        )
        let error = await failure { () async throws(RemoteDataError) in
            try await server.table("people").count(nil)
        }
        #expect(error?.code == .unauthorized)
        #expect("\(error.map { "\($0)" } ?? "")".contains("Failed to authenticate."))
    }

    // MARK: What is not there

    @Test func aCollectionThatIsNotThereIsNamed() async throws {
        let pocketBase = try await PocketBase()
        let table = pocketBase.server.table("nobody")
        let count = await failure { () async throws(RemoteDataError) in try await table.count(nil) }
        #expect(count?.code == .notFound)
        #expect(count?.message == "PocketBase refuses a count of nobody (404): Missing collection context.")
        let row = await failure { () async throws(RemoteDataError) in try await table.row("abcdefghijklmno") }
        #expect(row?.code == .notFound)
    }

    @Test func aServerThatIsNoPocketBaseIsAnError() async throws {
        let pocketBase = try await PocketBase()
        let server = try PocketBaseServer(pocketBase.process.url + "/elsewhere")
        let error = await failure { () async throws(RemoteDataError) in
            try await server.table("people").count(nil)
        }
        #expect(error?.code == .notFound)
    }

    @Test func batchesThatAreOffAreRefusedInWords() async throws {
        let pocketBase = try await PocketBase(batchSize: 10)
        let table = try await pocketBase.table("people")
        let error = await failure { () async throws(RemoteDataError) in
            try await table.commit(.create([try draft("{}"), try draft("{}")]))
        }
        #expect(error?.code == .forbidden)
        #expect(error?.message.contains("Batch requests are not allowed.") == true)
    }

    // MARK: What changes meanwhile

    @Test func aColumnMayComeAndGoWhileItIsFollowed() async throws {
        let pocketBase = try await PocketBase()
        let table = try await pocketBase.table("people")
        var options = CollectionOptions()
        options.pageSize = 2
        for number in 0..<6 { _ = try await table.commit(.create([draft(#"{"s":"\#(number)"}"#)])) }
        let people = try await RemoteDataCollection<Person>(table: table, sort: "s", options: options)
        try await people.prefetch(0..<2)
        let changes = people.changes
        try await pocketBase.becomesLive(people)
        let fields =
            #"{"name":"s","type":"text"},{"name":"n","type":"number"},{"name":"extra","type":"text"}"#
        try await pocketBase.call("PATCH", "/api/collections/people", #"{"fields":[\#(fields)]}"#)
        try await pocketBase.call("POST", "/api/collections/people/records", #"{"s":"00","extra":"new"}"#)
        for await change in changes where change.type == .created {
            #expect(change.rows.map(\.s) == ["00"])
            break
        }
        // The column of the order goes: whoever pages by it is told so.
        try await pocketBase.call(
            "PATCH",
            "/api/collections/people",
            #"{"fields":[{"name":"extra","type":"text"}]}"#
        )
        let error = await failure { () async throws(RemoteDataError) in try await people.row(at: 5) }
        #expect(error?.code == .unknownColumn)
        #expect(error?.message.contains("\"s\"") == true)
    }

    @Test func aStreamIsReplacedBeforeTheServerEndsItAndNothingIsMissed() async throws {
        let pocketBase = try await PocketBase()
        let clock = ManualClock()
        var configuration = RESTConfiguration()
        configuration.clock = clock
        let trail = TrafficTrail()
        configuration.observer = trail
        let account = PocketBaseAuthentication.superuser(PocketBase.email, password: PocketBase.password)
        let server = try PocketBaseServer(pocketBase.process.url, as: account, configuration: configuration)
        _ = try await pocketBase.table("people")
        let feed = try await server.table("people").subscribe(to: Query(), since: nil)
        var events: [ChangeEvent] = []
        func next() async -> ChangeEvent? {
            if events.isEmpty { events = await feed.nextBatch() }
            return events.isEmpty ? nil : events.removeFirst()
        }
        guard case .live? = await next() else { return #expect(Bool(false), "the feed begins with live") }
        for round in 1...3 {
            // Who waits for an answer sleeps as well, and less long.
            while !clock.sleepers.contains(where: { $0 > .seconds(200) }) { await Task.yield() }
            clock.advance(by: .seconds(241))
            while trail.text.count(where: { $0.hasPrefix("reply POST api/realtime 204") }) <= round {
                await Task.yield()
            }
            try await pocketBase.call("POST", "/api/collections/people/records", #"{"s":"\#(round)"}"#)
            guard case .change(let change)? = await next() else {
                return #expect(Bool(false), "a change, and no gap, follows")
            }
            #expect(change.row?["s"] == .text("\(round)"))
        }
    }

    // MARK: What is lost

    @Test func aCreationWhoseAnswerIsLostIsMadeOnce() async throws {
        let pocketBase = try await PocketBase()
        _ = try await pocketBase.table("people")
        let proxy = try Proxy()
        defer { proxy.close() }
        proxy.forward(to: UInt16(pocketBase.process.port))
        let account = PocketBaseAuthentication.superuser(PocketBase.email, password: PocketBase.password)
        let table = try PocketBaseServer("http://127.0.0.1:\(proxy.port)", as: account).table("people")
        _ = try await table.count(nil)
        for number in 0..<20 {
            proxy.gate.cutNext(.down, after: number * 13)
            _ = try await table.commit(.create([draft(#"{"s":"\#(number)"}"#)]))
        }
        #expect(proxy.cuts >= 10)
        #expect(try await table.count(nil).value == 20)
    }

    // MARK: What values mean

    @Test func numbersAndTextAreNeverNull() async throws {
        let pocketBase = try await PocketBase()
        let table = try await pocketBase.table("people")
        _ = try await table.commit(.create([draft(#"{"s":null,"n":null,"b":null}"#)]))
        let row = try #require(try await table.page(PageRequest(Query())).rows.first)
        #expect((row["s"], row["n"], row["b"]) == ("", 0, false))
        #expect(try await table.count(try Where.parse("s is null or n is null or b is null")).value == 0)
        #expect(try await table.count(try Where.parse("s = '' and n = 0 and b = false")).value == 1)
    }

    @Test func textInAClauseIsOnlyText() async throws {
        let pocketBase = try await PocketBase()
        let table = try await pocketBase.table("people")
        for text in ["x", "\" || id != \"", "' || 1=1 // ", "a // b", "a\\", "@now", "%", "_", "a\nb"] {
            let json = String(decoding: Value.text(text).json, as: UTF8.self)
            _ = try await table.commit(.create([draft(#"{"s":\#(json)}"#)]))
            let clause = Where.comparison(.column("s"), .equal, .literal(.text(text)))
            #expect(try await table.count(clause).value == 1, "\(text)")
        }
    }

    @Test func capitalLettersAreToldApartHere() async throws {
        let pocketBase = try await PocketBase()
        let table = try await pocketBase.table("people")
        for text in ["xa", "XA", "xb", "y"] {
            _ = try await table.commit(.create([draft(#"{"s":"\#(text)"}"#)]))
        }
        let clause = try Where.parse("s like 'x%'")
        let count = try await table.count(clause)
        #expect(count.value == 3)
        #expect(!count.isExact)
        let people = try await RemoteDataCollection<Person>(table: table, where: "s like 'x%'", sort: "s")
        var taken: [String] = []
        for try await person in people.rows { taken.append(person.s) }
        #expect(taken == ["xa", "xb"])
        #expect(people.count == 2)
    }
}
