import Foundation
import RemoteData
import RemoteDataExecution
import RemoteDataTesting
import Synchronization
import Testing

@testable import RemoteDataSQLite

/// A folder of users' stores, and the server's tables of each.
struct UsersFixture {
    /// The server's tables by user and name.
    final class Server: Sendable {
        private let tables = Mutex<[String: FaultyTable]>([:])

        func table(_ name: String, of user: String) -> FaultyTable {
            tables.withLock { tables in
                let table = tables["\(user) \(name)"] ?? FaultyTable(MemoryTable(name))
                tables["\(user) \(name)"] = table
                return table
            }
        }
    }

    let folder: URL
    let server: Server
    let stores: UserStores

    init(
        folder: URL = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString),
        server: Server = Server(),
        clock: any Clock<Duration> = TimerClock(),
        rate: SyncRate = .off
    ) throws {
        (self.folder, self.server) = (folder, server)
        var items = SyncOptions()
        items.rate = rate
        let lists = items
        items.parent = SyncOptions.Parent("list", in: "lists")
        stores = UserStores(
            try UserFolder(folder.path, UserStores.Options()),
            ["lists": lists, "items": items],
            UserStores.Options(),
            Surroundings(executor: WorkerExecutor.background, deadlineClock: clock)
        ) { table, user in server.table(table, of: user) }
    }

    func names(of user: String?) async throws -> [String] {
        let store = if let user { try await stores.attach(user: user) } else { try await stores.detach() }
        return try await SyncFixture.lists(try store.table("lists")).map(\.name).sorted()
    }

    func end() async throws {
        await stores.close()
        try FileManager.default.removeItem(at: folder)
    }
}

@Suite(.timeLimit(.minutes(1))) struct UserStoresTests {
    private let milk = List(id: "a", name: "milk")
    private let bread = List(id: "b", name: "bread")

    @Test func eachUserSeesTheirOwnRowsAndNobodyTheirs() async throws {
        let fixture = try UsersFixture()
        try await fixture.stores.current().table("lists").add(milk)
        try await fixture.stores.attach(user: "Ada").table("lists").add(bread).acknowledged
        #expect(try await fixture.names(of: "Ada") == ["bread"])
        #expect(try await fixture.names(of: "ada") == [])
        #expect(try await fixture.names(of: nil) == ["milk"])
        #expect(fixture.stores.user == nil)
        try await fixture.end()
    }

    /// Writes of one user were sent with the credentials of the next one, or thrown away.
    @Test func whatAUserHasNotSentWaitsForThemAndIsSentAsTheirs() async throws {
        let fixture = try UsersFixture()
        fixture.server.table("lists", of: "ada").fail(.commit)
        let ada = try await fixture.stores.attach(user: "ada")
        let write = try await ada.table("lists").add(milk)
        try await fixture.stores.attach(user: "bob").table("lists").add(bread).acknowledged
        #expect(try await fixture.stores.pendingCount(of: "ada") == 1)
        #expect(try await SyncFixture.lists(fixture.server.table("lists", of: "bob").base) == [bread])
        fixture.server.table("lists", of: "ada").heal()
        let again = try await fixture.stores.attach(user: "ada")
        try await again.outbox.write(write.numbers[0]).acknowledged
        #expect(try await SyncFixture.lists(fixture.server.table("lists", of: "ada").base) == [milk])
        #expect(try await SyncFixture.lists(fixture.server.table("lists", of: "bob").base) == [bread])
        try await fixture.end()
    }

    @Test func theTablesOfAUserWhoIsGoneSayThatTheyAreClosed() async throws {
        let fixture = try UsersFixture()
        let lists = try await fixture.stores.attach(user: "ada").table("lists")
        try await fixture.stores.detach()
        await #expect(throws: RemoteDataError.self) { try await lists.add(milk) }
        await #expect(throws: RemoteDataError.self) { try await lists.count(nil) }
        await #expect(throws: RemoteDataError.self) { try await lists.pull() }
        #expect(fixture.server.table("lists", of: "ada").requests.isEmpty)
        try await fixture.end()
    }

    @Test func attachingWhoIsThereChangesNothing() async throws {
        let fixture = try UsersFixture()
        let lists = try await fixture.stores.attach(user: "ada").table("lists")
        try await fixture.stores.attach(user: "ada")
        try await lists.add(milk)
        await #expect(throws: RemoteDataError.self) { try await fixture.stores.attach(user: "") }
        #expect(throws: RemoteDataError.self) {
            try UserStore(user: nil, store: lists.store, tables: [:]).table("lists")
        }
        try await fixture.end()
    }

    /// It was true after a first pull that had failed.
    @Test func aStoreHasSyncedOnceEveryTableWasPulled() async throws {
        let fixture = try UsersFixture()
        fixture.server.table("items", of: "ada").fail(.page, times: 1)
        let store = try await fixture.stores.attach(user: "ada")
        #expect(!store.hasSynced)
        try await store.table("lists").pull()
        await #expect(throws: RemoteDataError.self) { try await store.table("items").pull() }
        #expect(!store.hasSynced)
        try await store.table("items").pull()
        #expect(store.hasSynced)
        #expect(try await !fixture.stores.detach().hasSynced)
        try await fixture.end()
    }

    // MARK: Moving

    @Test func whatNobodyWroteIsMovedToAUserAndSent() async throws {
        let fixture = try UsersFixture()
        let nobody = try await fixture.stores.current()
        try await nobody.table("lists").add(milk)
        try await nobody.table("items").add(Item(id: "1", list: "a", name: "whole"))
        let ada = try await fixture.stores.attach(user: "ada")
        #expect(try await fixture.stores.move(from: nil, to: "ada") == 2)
        #expect(try await SyncFixture.lists(try ada.table("lists")) == [milk])
        for item in try await ada.outbox.pending() { try await ada.outbox.write(item.id).acknowledged }
        let items: [Item] = try await SyncFixture.rows(fixture.server.table("items", of: "ada").base)
        #expect(items == [Item(id: "1", list: "a", name: "whole")])
        #expect(try await fixture.names(of: nil) == [])
        #expect(try await fixture.stores.pendingCount(of: nil) == 0)
        try await fixture.end()
    }

    /// The original copied, and gave every row a new id.
    @Test func onlyIDsThatCollideAreReplacedAndWhatNamesThemFollows() async throws {
        let fixture = try UsersFixture()
        let nobody = try await fixture.stores.current()
        try await nobody.table("lists").add(contentsOf: [milk, bread])
        try await nobody.table("items").add(Item(id: "1", list: "a", name: "whole"))
        let ada = try await fixture.stores.attach(user: "ada")
        try await ada.table("lists").add(List(id: "a", name: "mine"))
        try await fixture.stores.move(from: nil, to: "ada")
        let lists = try await SyncFixture.lists(try ada.table("lists"))
        #expect(lists.map(\.name).sorted() == ["bread", "milk", "mine"])
        #expect(lists.contains(bread) && lists.contains(List(id: "a", name: "mine")))
        let items: [Item] = try await SyncFixture.rows(try ada.table("items"))
        #expect(items.map(\.id) == ["1"])
        #expect(items.first?.list == lists.first { $0.name == "milk" }?.id)
        try await fixture.end()
    }

    @Test func whatTheServerHasOfAUserIsRemovedThereAndAddedForTheOther() async throws {
        let fixture = try UsersFixture()
        try await fixture.stores.attach(user: "ada").table("lists").add(milk).acknowledged
        let bob = try await fixture.stores.attach(user: "bob")
        #expect(try await fixture.stores.move(from: "ada", to: "bob") == 1)
        for item in try await bob.outbox.pending() { try await bob.outbox.write(item.id).acknowledged }
        let there = try await SyncFixture.lists(fixture.server.table("lists", of: "bob").base)
        #expect(there.map(\.name) == ["milk"])
        // The server may hold the rows of both in one table, so that the id is taken until ada's is gone.
        #expect(there.first?.id != "a")
        #expect(try await fixture.stores.pendingCount(of: "ada") == 1)
        let ada = try await fixture.stores.attach(user: "ada")
        for item in try await ada.outbox.pending() { try await ada.outbox.write(item.id).acknowledged }
        #expect(try await fixture.server.table("lists", of: "ada").base.count(nil).value == 0)
        try await fixture.end()
    }

    @Test(arguments: ["before", "between"])
    func aMoveThatWasInterruptedIsFinishedOrHasNotHappened(place: String) async throws {
        let fixture = try UsersFixture()
        try await fixture.stores.current().table("lists").add(milk)
        try await fixture.stores.attach(user: "ada")
        // The target is read-only before it takes the rows, or the source before it lets them go.
        let isBetween = place == "between"
        let file = try fixture.stores.files.plan(of: isBetween ? nil : "ada").path
        let broken =
            isBetween
            ? "CREATE TRIGGER stop BEFORE DELETE ON outbox BEGIN SELECT raise(FAIL, 'full'); END"
            : "CREATE TRIGGER stop BEFORE INSERT ON outbox BEGIN SELECT raise(FAIL, 'full'); END"
        try await Self.execute(broken, in: file)
        await #expect(throws: RemoteDataError.self) { try await fixture.stores.move(from: nil, to: "ada") }
        try await Self.execute("DROP TRIGGER stop", in: file)
        #expect(try await fixture.names(of: "ada") == (isBetween ? ["milk"] : []))
        #expect(try await fixture.names(of: nil) == (isBetween ? [] : ["milk"]))
        try await fixture.stores.attach(user: "ada")
        try await fixture.stores.move(from: nil, to: "ada")
        #expect(try await fixture.names(of: "ada") == ["milk"])
        try await fixture.end()
    }

    private static func execute(_ sql: String, in file: String) async throws {
        let store = try await LocalStore(path: file)
        try await store.execute(sql)
        await store.close()
    }

    @Test func rowsOfWhoIsAttachedAreNotMoved() async throws {
        let fixture = try UsersFixture()
        try await fixture.stores.attach(user: "ada")
        await #expect(throws: RemoteDataError.self) { try await fixture.stores.move(from: "ada", to: "bob") }
        await #expect(throws: RemoteDataError.self) { try await fixture.stores.move(from: "bob", to: "bob") }
        #expect(try await fixture.stores.move(from: "nobody knows", to: "bob") == 0)
        try await fixture.end()
    }

    // MARK: Files

    @Test func dataOfAUserAreDroppedWithWhatWasNotSent() async throws {
        let fixture = try UsersFixture()
        fixture.server.table("lists", of: "ada").fail(.commit)
        let lists = try await fixture.stores.attach(user: "ada").table("lists")
        try await lists.add(milk)
        try await fixture.stores.dropAllData(for: "ada")
        #expect(fixture.stores.user == "ada")
        #expect(try await fixture.names(of: "ada") == [])
        #expect(try await fixture.stores.pendingCount(of: "ada") == 0)
        await #expect(throws: RemoteDataError.self) { try await lists.count(nil) }
        try await fixture.stores.detach().table("lists").add(bread)
        try await fixture.stores.dropAllData(for: "ada")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path).count {
                $0.hasSuffix(".sqlite")
            } == 1
        )
        #expect(try await fixture.names(of: nil) == ["bread"])
        try await fixture.end()
    }

    /// A log without its database is not taken for one of the next.
    @Test func aDropThatWasInterruptedIsFinished() async throws {
        let fixture = try UsersFixture()
        try await fixture.stores.attach(user: "ada").table("lists").add(milk)
        let file = try fixture.stores.files.plan(of: "ada").path
        // As kill -9 leaves it: the log holds everything.
        let copy = try fixture.stores.files.plan(of: "bob").path
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: file + suffix, toPath: copy + suffix)
        }
        try FileManager.default.moveItem(atPath: copy, toPath: copy + ".dropped")
        #expect(try await fixture.names(of: "bob") == [])
        #expect(!FileManager.default.fileExists(atPath: copy + ".dropped"))
        try await fixture.end()
    }

    @Test func aFileOfAnotherUserIsNotOpened() async throws {
        let fixture = try UsersFixture()
        try await fixture.stores.attach(user: "ada").table("lists").add(milk)
        try await fixture.stores.detach()
        let plans = (try fixture.stores.files.plan(of: "ada"), try fixture.stores.files.plan(of: "bob"))
        let files = (plans.0.path, plans.1.path)
        try FileManager.default.moveItem(atPath: files.0, toPath: files.1)
        let error = await #expect(throws: RemoteDataError.self) {
            try await fixture.stores.attach(user: "bob")
        }
        #expect(error?.message.contains("belongs to user ada, and not to user bob") ?? false)
        #expect(fixture.stores.user == nil)
        try await fixture.end()
    }

    @Test func anyNameHasAFileOfItsOwn() throws {
        let fixture = try UsersFixture()
        let names = [
            "ada", "Ada", "a/da", "../ada", "a_da", "ádа", "", String(repeating: "a", count: 300),
            String(repeating: "a", count: 301), String(repeating: "é", count: 300),
        ]
        let files = try names.map { try fixture.stores.files.plan(of: $0).path }
        #expect(Set(files.map { $0.lowercased() }).count == names.count)
        for file in files {
            let name = file.dropFirst(fixture.folder.path.count + 1)
            #expect(!name.contains("/") && name.utf8.count < 240)
        }
    }

    @Test func stateThatCannotBeOpenedLeavesWhoWasThere() async throws {
        let fixture = try UsersFixture()
        try await fixture.stores.attach(user: "ada").table("lists").add(milk)
        try Data("no database at all, but long enough to be looked at".utf8)
            .write(to: URL(filePath: try fixture.stores.files.plan(of: "bob").path))
        await #expect(throws: RemoteDataError.self) { try await fixture.stores.attach(user: "bob") }
        #expect(fixture.stores.user == "ada")
        #expect(try await fixture.names(of: "ada") == ["milk"])
        try await fixture.end()
    }
}
