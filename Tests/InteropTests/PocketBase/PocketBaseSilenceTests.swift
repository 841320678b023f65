import Foundation
import RemoteData
import RemoteDataBackends
import RemoteDataNetwork
import Testing

/// What PocketBase does to rows without reporting a change.
@Suite(.enabled(if: Interop.directory != nil), .timeLimit(.minutes(2))) struct PocketBaseSilenceTests {
    private struct Item: Codable, Identifiable, Sendable {
        var id: String?
        var title: String
    }

    private static let records = "/api/collections/items/records"

    /// Five items, visible to all unless their title is `hidden`, and a table of them.
    private func items(as account: PocketBaseAuthentication? = nil) async throws -> (
        PocketBase, PocketBaseTable
    ) {
        let pocketBase = try await PocketBase()
        let rules = #""listRule":"title != 'hidden'","viewRule":"title != 'hidden'""#
        let fields = #"{"name":"title","type":"text"},{"name":"n","type":"number"}"#
        try await make(pocketBase, "items", #""type":"base",\#(rules),"fields":[\#(fields)]"#)
        for number in 0..<5 { try await put(pocketBase, number, "t\(number)") }
        return (pocketBase, try server(pocketBase, as: account).table("items"))
    }

    private func server(_ pocketBase: PocketBase, as account: PocketBaseAuthentication? = nil) throws
        -> PocketBaseServer
    {
        var configuration = RESTConfiguration()
        configuration.auditInterval = .milliseconds(200)
        return try PocketBaseServer(pocketBase.process.url, as: account, configuration: configuration)
    }

    private func make(_ pocketBase: PocketBase, _ name: String, _ members: String) async throws {
        try await pocketBase.call("POST", "/api/collections", #"{"name":"\#(name)",\#(members)}"#)
    }

    private func id(_ number: Int) -> String { "item0000000000\(number)" }

    private func put(_ pocketBase: PocketBase, _ number: Int, _ title: String) async throws {
        let body = #"{"id":"\#(id(number))","title":"\#(title)","n":\#(number)}"#
        try await pocketBase.call("POST", Self.records, body)
    }

    private func rename(_ pocketBase: PocketBase, _ number: Int, to title: String) async throws {
        try await pocketBase.call("PATCH", "\(Self.records)/\(id(number))", #"{"title":"\#(title)"}"#)
    }

    /// Waits until a collection has these titles.
    private func ends(_ items: RemoteDataCollection<Item>, with titles: [String]) async throws {
        var changes = items.changes.makeAsyncIterator()
        while true {
            try await items.populate()
            guard items.snapshot().map({ $0?.title }) != titles, await changes.next() != nil else { break }
        }
        #expect(items.snapshot().map { $0?.title } == titles)
        #expect(items.count == titles.count)
    }

    // MARK: Rules

    @Test("A row that a rule withdraws leaves a collection") func aWithdrawnRowLeaves() async throws {
        let (pocketBase, table) = try await items()
        let items = try await RemoteDataCollection<Item>(table: table, sort: "title")
        try await pocketBase.becomesLive(items)
        try await items.populate()
        try await rename(pocketBase, 2, to: "hidden")
        try await ends(items, with: ["t0", "t1", "t3", "t4"])
    }

    @Test("A row that is withdrawn as another is given is found") func aSwapIsFound() async throws {
        let (pocketBase, table) = try await items()
        try await put(pocketBase, 7, "hidden")
        let feed = Heard(try await table.subscribe(to: Query(), since: nil))
        #expect(await feed.next() == "live")
        try await rename(pocketBase, 7, to: "shown")
        #expect(await feed.next() == "updated \(id(7)) late")
        try await rename(pocketBase, 1, to: "hidden")
        #expect(await feed.next(2) == ["reset", "live"])
    }

    @Test("A rule that changes is found", arguments: ["title != 't1'", "n < 2"])
    func aRuleThatChangesIsFound(rule: String) async throws {
        let (pocketBase, table) = try await items()
        let feed = Heard(try await table.subscribe(to: Query(), since: nil))
        #expect(await feed.next() == "live")
        try await pocketBase.call("PATCH", "/api/collections/items", #"{"listRule":"\#(rule)"}"#)
        #expect(await feed.next(2) == ["reset", "live"])
        // And once.
        try await put(pocketBase, 8, "last")
        if rule == "n < 2" { try await rename(pocketBase, 0, to: "zero") }
        let next = rule == "n < 2" ? "updated \(id(0)) late" : "created \(id(8)) late"
        #expect(await feed.next() == next)
    }

    @Test("A rule that forbids reading interrupts a feed") func aRuleThatForbidsReading() async throws {
        let (pocketBase, table) = try await items()
        let feed = Heard(try await table.subscribe(to: Query(), since: nil))
        #expect(await feed.next() == "live")
        try await pocketBase.call("PATCH", "/api/collections/items", #"{"listRule":null,"viewRule":null}"#)
        #expect(await feed.next() == "interrupted forbidden")
        try await pocketBase.call("PATCH", "/api/collections/items", #"{"listRule":""}"#)
        #expect(await feed.next(2) == ["reset", "live"])
    }

    // MARK: Collections

    @Test("A renamed collection interrupts a feed until it is back")
    func aRenamedCollectionIsGone() async throws {
        let (pocketBase, table) = try await items()
        let feed = Heard(try await table.subscribe(to: Query(), since: nil))
        #expect(await feed.next() == "live")
        try await pocketBase.call("PATCH", "/api/collections/items", #"{"name":"things"}"#)
        #expect(await feed.next() == "interrupted not found")
        try await pocketBase.call("PATCH", "/api/collections/things", #"{"name":"items"}"#)
        #expect(await feed.next(2) == ["reset", "live"])
        try await put(pocketBase, 9, "new")
        #expect(await feed.next() == "created \(id(9)) late")
    }

    @Test("A collection made anew resets a feed") func aCollectionMadeAnewIsNoticed() async throws {
        let (pocketBase, table) = try await items()
        let feed = Heard(try await table.subscribe(to: Query(), since: nil))
        #expect(await feed.next() == "live")
        try await pocketBase.call("DELETE", "/api/collections/items")
        let fields = #"{"name":"title","type":"text"},{"name":"n","type":"number"}"#
        try await make(pocketBase, "items", #""type":"base","listRule":"","fields":[\#(fields)]"#)
        #expect(await feed.waits(for: "reset"))
        #expect(await feed.next() == "live")
    }

    @Test("A missing collection interrupts a feed") func aMissingCollectionInterrupts() async throws {
        let pocketBase = try await PocketBase()
        defer { withExtendedLifetime(pocketBase) {} }
        let feed = Heard(try await server(pocketBase).table("missing").subscribe(to: Query(), since: nil))
        #expect(await feed.waits(for: "interrupted not found"))
    }

    @Test("A removed column interrupts the feeds that name it") func aColumnThatIsGone() async throws {
        let (pocketBase, table) = try await items()
        let few = Heard(try await table.subscribe(to: Query(try Where("n > 1")), since: nil))
        let sorted = Heard(try await table.subscribe(to: Query(sort: [SortTerm("n")]), since: nil))
        let all = Heard(try await table.subscribe(to: Query(), since: nil))
        for feed in [few, sorted, all] { #expect(await feed.next() == "live") }
        let fields = #"{"name":"title","type":"text"}"#
        try await pocketBase.call("PATCH", "/api/collections/items", #"{"fields":[\#(fields)]}"#)
        for feed in [few, sorted] { #expect(await feed.next() == "interrupted unknown column") }
        try await pocketBase.call("POST", Self.records, #"{"id":"\#(id(9))","title":"x"}"#)
        #expect(await all.next() == "created \(id(9)) late")
    }

    @Test("A view declares no live changes") func aViewDeclaresNoLiveChanges() async throws {
        let (pocketBase, _) = try await items()
        defer { withExtendedLifetime(pocketBase) {} }
        let text = #""type":"view","listRule":"","viewRule":"","viewQuery":"select id, title from items""#
        try await make(pocketBase, "titles", text)
        let table = try server(pocketBase).table("titles")
        let titles = try await RemoteDataCollection<Item>(table: table)
        #expect(titles.count == 5)
        guard case .off = titles.liveStatus else { return #expect(Bool(false), "\(titles.liveStatus)") }
        #expect(titles.guarantees.convergence.strength == .doesNotHold)
        let other = try server(pocketBase).table("titles")
        do throws(RemoteDataError) {
            _ = try await other.subscribe(to: Query(), since: nil)
            Issue.record("It is followed.")
        } catch {
            #expect(error.code == .invalidRequest)
            #expect(error.message.contains("view"))
        }
        #expect(!other.capabilities.liveChanges)
        #expect(try await other.page(PageRequest(Query())).rows.count == 5)
    }

    // MARK: Accounts

    @Test("A token revoked in mid-stream loses no change")
    func aWithdrawnTokenMissesNone() async throws {
        let account = PocketBaseAuthentication.superuser(PocketBase.email, password: PocketBase.password)
        let (pocketBase, table) = try await items(as: account)
        try await pocketBase.call("PATCH", "/api/collections/items", #"{"listRule":null,"viewRule":null}"#)
        let items = try await RemoteDataCollection<Item>(table: table, sort: "title")
        try await pocketBase.becomesLive(items)
        try await items.populate()
        // A new password revokes every token; the streams stay open.
        try await pocketBase.withdrawTokens()
        try await rename(pocketBase, 0, to: "u0")
        try await ends(items, with: ["t1", "t2", "t3", "t4", "u0"])
    }
}
