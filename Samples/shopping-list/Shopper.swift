import Foundation
import RemoteData
import RemoteDataBackends
import RemoteDataSQLite
import Synchronization

/// The lists of whoever uses a device, all of which is here, whether or not the server can be reached.
final class Shopper: Sendable {
    private struct State {
        var opened: String?
        var isFlying = false
        var observations: [ChangeObservation] = []
    }

    private let stores: UserStores
    private let tokens: Tokens
    private let state = Mutex(State())
    private let hasServer: Bool

    init(folder: String, server: String?) async throws(RemoteDataError) {
        let tokens = Tokens()
        (self.tokens, hasServer) = (tokens, server != nil)
        stores = try UserStores(in: folder, tables: Self.tables) { table, user in
            guard let server else { return nil }
            var configuration = RESTConfiguration()
            configuration.credentials = { _ in tokens[user] }
            // Whether the server is there, the outbox finds out by itself.
            configuration.attempts = 1
            guard let rest = try? RESTServer(server, configuration: configuration) else { return nil }
            return rest.table(table)
        }
        try await watch(try await stores.current())
    }

    /// How the tables are kept in step: columns that two people have changed apart from each other are put together, and what is
    /// on a list goes with it.
    private static var tables: [String: SyncOptions] {
        var lists = SyncOptions()
        lists.conflicts = .merge
        var items = lists
        items.parent = SyncOptions.Parent("list", in: "lists", cascade: .client)
        return ["lists": lists, "items": items]
    }

    // MARK: Who is there

    var user: String? { stores.user }

    /// Logs somebody in, who takes over what was written before by nobody.
    func logIn(_ user: String, token: String) async throws -> String {
        try requireServer(to: "log in to")
        tokens[user] = token
        let store = try await stores.attach(user: user)
        let moved = try await stores.move(from: nil, to: user)
        try await watch(store)
        return moved == 0 ? "hello, \(user)" : "hello, \(user); \(moved) rows that were here are yours now"
    }

    func logOut() async throws {
        let user = stores.user
        try await watch(try await stores.detach())
        if let user { tokens[user] = nil }
    }

    func close() async { await stores.close() }

    /// Says what comes from the server from now on.
    private func watch(_ store: UserStore) async throws(RemoteDataError) {
        store.outbox.networkIs(available: !state.withLock { $0.isFlying })
        let lists = try store.store.observe("lists") { changes in
            guard changes.origin.contains(.server) else { return }
            for (word, rows) in [
                ("came", changes.added), ("changed", changes.modified), ("went", changes.removed),
            ] {
                for case .text(let name) in rows.map({ $0["name"] }) { announce("\(name) \(word)") }
            }
        }
        state.withLock { state in
            state.opened = nil
            state.observations = [lists]
        }
    }

    // MARK: Lists

    private func table(_ name: String) async throws(RemoteDataError) -> SyncedTable {
        try await stores.current().table(name)
    }

    func lists() async throws -> [ShoppingList] {
        try await RemoteDataCollection<ShoppingList>(table: table("lists"), sort: "name").elements()
    }

    func items(of list: ShoppingList) async throws -> [Item] {
        let collection = try await RemoteDataCollection<Item>(
            table: table("items"),
            where: "list = '\(list.id)'",
            sort: "position"
        )
        return try await collection.elements()
    }

    /// The list that is open.
    func opened() async throws -> ShoppingList {
        let id = state.withLock { $0.opened }
        let lists = try await lists()
        guard let list = lists.first(where: { $0.id == id }) ?? (lists.count == 1 ? lists[0] : nil) else {
            throw Failure("No list is open: open NAME, or new NAME.")
        }
        return list
    }

    func open(_ name: String) async throws -> ShoppingList {
        let found = try await lists().first { $0.name.lowercased().hasPrefix(name.lowercased()) }
        guard let list = found else { throw Failure("There is no list \(name).") }
        state.withLock { $0.opened = list.id }
        return list
    }

    func makeList(_ name: String) async throws {
        let list = ShoppingList(
            id: UUID().uuidString,
            name: name,
            acl: try user.map { try ACL.private(to: $0) }
        )
        try await table("lists").add(list)
        state.withLock { $0.opened = list.id }
    }

    /// Removes a list, and what is on it.
    func removeList(_ name: String) async throws { try await table("lists").remove(try await open(name)) }

    /// Lets somebody else see and change a list and what is on it.
    func share(_ list: ShoppingList, with user: String) async throws {
        try requireServer(to: "share it through")
        guard let me = self.user else { throw Failure("Log in first: what has no owner cannot be shared.") }
        var acl = try list.acl ?? ACL.private(to: me)
        acl.allow(try .user(user), .all)
        var shared = list
        shared.acl = acl
        try await table("lists").update(shared, from: list)
        for item in try await items(of: list) {
            var changed = item
            changed.acl = acl
            try await table("items").update(changed, from: item)
        }
    }

    // MARK: Items

    func add(_ names: [String], to list: ShoppingList) async throws {
        let last = try await items(of: list).last?.position
        let keys = PositionKey.between(last, nil, count: names.count)
        let items = zip(names, keys)
            .map { name, position in
                Item(
                    id: UUID().uuidString,
                    list: list.id,
                    name: name,
                    count: 1,
                    isTicked: false,
                    position: position,
                    acl: list.acl
                )
            }
        try await table("items").add(contentsOf: items)
    }

    /// Changes a thing on the list that is open, by its name or its number.
    func change(_ word: String, _ body: (inout Item) -> Void) async throws {
        let item = try await item(word)
        var changed = item
        body(&changed)
        try await table("items").update(changed, from: item)
    }

    /// Puts a thing in front of another one; no other one is written for that.
    func move(_ word: String, before other: String) async throws {
        let items = try await items(of: try await opened())
        let (item, target) = (try await item(word), try await item(other))
        let rest = items.filter { $0.id != item.id }
        let index = rest.firstIndex { $0.id == target.id } ?? 0
        let key = PositionKey.between(index == 0 ? nil : rest[index - 1].position, target.position)
        try await change(word) { $0.position = key }
    }

    func remove(_ word: String) async throws { try await table("items").remove(try await item(word)) }

    private func item(_ word: String) async throws -> Item {
        let items = try await items(of: try await opened())
        if let number = Int(word), items.indices.contains(number - 1) { return items[number - 1] }
        guard let item = items.first(where: { $0.name.lowercased().hasPrefix(word.lowercased()) }) else {
            throw Failure("There is no \(word) on the list.")
        }
        return item
    }

    // MARK: The network

    func fly(_ isFlying: Bool) async throws {
        state.withLock { $0.isFlying = isFlying }
        try await stores.current().outbox.networkIs(available: !isFlying)
    }

    /// Waits until the server has everything from here, and everything of the server is here.
    func sync() async throws {
        try requireServer(to: "sync with")
        guard user != nil else { throw Failure("Log in first: writes are sent as those of a user.") }
        guard !state.withLock({ $0.isFlying }) else { throw Failure("Flight mode is on.") }
        let store = try await stores.current()
        for write in try await store.outbox.pending() {
            try await store.outbox.write(write.id).acknowledged(within: .seconds(30))
        }
        for name in ["lists", "items"] { try await store.table(name).pull() }
        // What the answers led to, such as the removal of what was on a list.
        for write in try await store.outbox.pending() {
            try await store.outbox.write(write.id).acknowledged(within: .seconds(30))
        }
    }

    /// What is on the device, and what is yet to be sent and why it is not; asks the server nothing.
    func status() async throws -> String {
        let lists = try await lists()
        var things = 0
        for list in lists { things += try await items(of: list).count }
        let kept = [
            "\(lists.count) \(lists.count == 1 ? "list" : "lists")",
            "\(things) \(things == 1 ? "thing" : "things")",
        ]
        return "On this device: \(kept.joined(separator: " with ")).\n\(try await writesThatWait())"
    }

    private func writesThatWait() async throws -> String {
        let outbox = try await stores.current().outbox
        // Without a user there is no server that the outbox knows of.
        guard user == nil else { return try await outbox.explain() }
        let count = try await outbox.pendingCount
        guard count > 0 else { return "Nothing waits to be sent." }
        let writes = "\(count) \(count == 1 ? "write waits" : "writes wait") on this device"
        return hasServer
            ? "\(writes) for a user: login USER TOKEN sends \(count == 1 ? "it" : "them")."
            : "\(writes); to send \(count == 1 ? "it" : "them"), start with the URL of a server and log in."
    }

    /// Refuses what makes no sense without a server.
    private func requireServer(to purpose: String) throws {
        guard hasServer else { throw Failure("There is no server to \(purpose): start with its URL.") }
    }
}

/// The tokens by which the server knows its users.
final class Tokens: Sendable {
    private let tokens = Mutex<[String: String]>([:])

    subscript(user: String) -> String? {
        get { tokens.withLock { $0[user] } }
        set { tokens.withLock { $0[user] = newValue } }
    }
}

/// What went wrong, in words for whoever typed something.
struct Failure: Error {
    let message: String

    init(_ message: String) { self.message = message }
}

extension RemoteDataCollection {
    /// All of them.
    fileprivate func elements() async throws -> [Element] {
        var elements: [Element] = []
        for try await element in rows { elements.append(element) }
        return elements
    }
}
