import RemoteData
import RemoteDataSQLite
import RemoteDataTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct LocalAccessTests {
    private static func row(_ id: String, _ acl: String, _ more: String = "") -> Row {
        Row(id: .text(id), json: Array(#"{"objectId":"\#(id)","ACL":\#(acl)\#(more)}"#.utf8)[...])
    }

    private static let anns = #"{"ann":{"read":true,"write":true}}"#
    private static let bobs = #"{"bob":{"read":true,"write":true}}"#
    private static let shown = #"{"*":{"read":true}}"#

    private func store(_ newRows: DefaultACL = .private) async throws -> LocalStore {
        try await LocalStore(
            path: ":memory:",
            relations: [.toOne("author", of: "notes", in: "people")],
            access: AccessControl(try AccessUser("ann"), newRows: newRows)
        )
    }

    private func ids(_ table: any Table) async throws -> [String] {
        try await table.page(PageRequest(Query())).rows.map { "\($0.id)" }
    }

    @Test func aStoreOfAUserShowsWhatTheyMayRead() async throws {
        let store = try await store()
        let all = store.ignoringACLs()
        let drafts = try [Self.row("a", Self.anns), Self.row("b", Self.bobs), Self.row("c", Self.shown)]
            .map { try Draft($0.json, idColumn: "objectId") }
        _ = try await all.table("notes").commit(.create(drafts))
        #expect(try await ids(store.table("notes")) == ["a", "c"])
        #expect(try await ids(all.table("notes")) == ["a", "b", "c"])
        #expect(try await ids(try #require(try await store.table("notes", creating: false))) == ["a", "c"])
        let made = try await store.table("notes").commit(
            .create([Draft(Array("{}".utf8)[...], idColumn: "objectId")])
        )
        #expect(made.rows.first?.acl == (try .private(to: "ann")))
    }

    @Test func onlyWhatMayBeReadIsPinned() async throws {
        let store = try await store()
        let all = store.ignoringACLs()
        try await all.pinAll([Self.row("b", Self.bobs, #","n":1"#)], in: "notes", label: "bob's")
        try await store.pinAll(
            [Self.row("a", Self.anns), Self.row("b", Self.shown, #","n":2"#), Self.row("x", Self.bobs)],
            in: "notes"
        )
        try await store.pinAll(["b", "later"], in: "notes")
        #expect(try await ids(all.table("notes", label: LocalStore.defaultLabel)) == ["a"])
        #expect(try await all.table("notes").row("b")?["n"] == 1)
        #expect(try await all.table("notes").row("x") == nil)
        try await all.pinAll([Self.row("later", Self.shown)], in: "notes", label: "other")
        #expect(try await ids(store.table("notes", label: LocalStore.defaultLabel)) == ["a", "later"])
    }

    @Test func whatMayNotBeWrittenIsNotChangedByPinningIt() async throws {
        let store = try await store()
        try await store.ignoringACLs().pinAll(
            [Self.row("c", Self.shown, #","n":1"#)],
            in: "notes",
            label: "one"
        )
        try await store.pinAll([Self.row("c", Self.anns, #","n":2"#)], in: "notes")
        #expect(try await store.table("notes").row("c")?["n"] == 1)
        #expect(try await ids(store.table("notes", label: LocalStore.defaultLabel)) == ["c"])
    }

    @Test func aLabelShowsWhatOfItMayBeRead() async throws {
        let store = try await store()
        try await store.pinAll([Self.row("a", Self.anns), Self.row("c", Self.anns)], in: "notes")
        let table = try store.table("notes", label: LocalStore.defaultLabel)
        let feed = try await table.subscribe(to: Query(), since: nil)
        var events = feed.makeAsyncIterator()
        _ = await events.next()
        let all = try store.ignoringACLs().table("notes")
        _ = try await all.commit(.update("a", patch: Array(#"{"ACL":\#(Self.bobs)}"#.utf8)[...]))
        guard case .change(let change)? = await events.next() else {
            Issue.record("no change")
            return
        }
        #expect(change.kind == .deleted)
        #expect(change.left == false)
        #expect(try await ids(table) == ["c"])
        #expect(try await table.count(nil).value == 1)
        await #expect(throws: RemoteDataError.self) { try await table.commit(.delete("a")) }
        #expect(try await table.commit(.deleteAll(nil)).count == 1)
        #expect(try await ids(all) == ["a"])
    }

    @Test func aLabelsRefusalsSayTheSameOfWhatIsHiddenAndWhatIsNotThere() async throws {
        let store = try await store()
        let all = store.ignoringACLs()
        try await all.pinAll([Self.row("b", Self.bobs)], in: "notes")
        let table = try store.table("notes", label: LocalStore.defaultLabel)
        for id in ["b", "x"] {
            do throws(RemoteDataError) {
                _ = try await table.commit(.delete(.text(id)))
                Issue.record("deleted \(id)")
            } catch { #expect(error.message == "There is no row with the id \(id).") }
        }
    }

    @Test func aStoreWithoutControlIsAsBefore() async throws {
        let store = try await LocalStore(path: ":memory:")
        #expect(store.ignoringACLs() === store)
        #expect((try store.table("notes") as? SubQueryTable)?.base is SQLiteTable)
        try await store.pinAll([Self.row("b", Self.bobs)], in: "notes")
        #expect(try await ids(store.table("notes", label: LocalStore.defaultLabel)) == ["b"])
    }
}
