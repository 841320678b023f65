import Foundation
import RemoteData
import RemoteDataExecution
import RemoteDataTesting
import Synchronization

@testable import RemoteDataSQLite

/// A list of things, and what is on it.
struct List: Codable, Identifiable, Sendable, Equatable {
    var id: String
    var name: String
    var note: String?
}

struct Item: Codable, Identifiable, Sendable, Equatable {
    var id: String
    var list: String
    var name: String
    var isTicked = false
}

/// What the user may set to another time.
final class WallClock: Sendable {
    private let state = Mutex(0.0)

    /// How many seconds it is ahead.
    var shift: Double {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

/// A store with two tables that are kept in step with a server's, which fail as a test says.
///
/// Retries come at once, and what comes later is up to ``clock``.
struct SyncFixture {
    let clock = ManualClock()
    let wallClock = WallClock()
    let store: LocalStore
    /// The server's tables, behind what goes wrong.
    let remoteLists: FaultyTable
    let remoteItems: FaultyTable
    let lists: SyncedTable
    let items: SyncedTable

    /// - Parameters:
    ///   - path: The file.
    ///   - remote: The server's table of the lists.
    ///   - rows: What the server has of the lists.
    ///   - rate: How often the server is asked; not at all, so that only what is asked for happens.
    ///   - capabilities: What the server's tables can do; nil for everything.
    ///   - isConnected: Whether there is a server at all.
    ///   - server: The server's tables, when they are those of another fixture.
    ///   - cascade: Who removes the items of a list on the server.
    ///   - chance: Which part of the longest delay a retry waits for.
    ///   - options: What else is to be said of the tables.
    /// - Throws: What opening the store throws.
    init(
        path: String = ":memory:",
        remote: any Table = MemoryTable("lists"),
        rows: [List] = [],
        rate: SyncRate = .off,
        capabilities: Capabilities? = nil,
        isConnected: Bool = true,
        server: SyncFixture? = nil,
        cascade: SyncOptions.Cascade = .server,
        chance: Double = 0,
        _ options: (inout SyncOptions) -> Void = { _ in }
    ) async throws {
        let lists = server?.remoteLists.base ?? remote
        if !rows.isEmpty { _ = try await lists.commit(.create(rows.map { try Self.draft($0) })) }
        remoteLists = FaultyTable(lists, capabilities: capabilities)
        remoteItems = FaultyTable(
            server?.remoteItems.base ?? MemoryTable("items"),
            capabilities: capabilities
        )
        store = try await Self.open(path, clock, wallClock, chance)
        var listOptions = SyncOptions()
        listOptions.rate = rate
        options(&listOptions)
        var itemOptions = listOptions
        itemOptions.parent = SyncOptions.Parent("list", in: "lists", cascade: cascade)
        self.lists = try await SyncedTable(
            "lists",
            in: store,
            remote: isConnected ? remoteLists : nil,
            options: listOptions
        )
        self.items = try await SyncedTable(
            "items",
            in: store,
            remote: isConnected ? remoteItems : nil,
            options: itemOptions
        )
    }

    private static func open(
        _ path: String,
        _ clock: ManualClock,
        _ wallClock: WallClock,
        _ chance: Double
    ) async throws(RemoteDataError) -> LocalStore {
        let plan = StorePlan(
            path: path,
            idColumn: "objectId",
            logCapacity: (0, 0),
            patience: .seconds(5),
            now: { Date(timeIntervalSince1970: 1_000_000 + clock.now.offset / .seconds(1) + wallClock.shift) }
        )
        return try await LocalStore(
            plan,
            surroundings: Surroundings(
                executor: WorkerExecutor.background,
                deadlineClock: clock,
                chance: { chance }
            )
        )
    }

    static func draft(_ list: List) throws(RemoteDataError) -> Draft {
        try ElementCodec<List>(idColumn: "objectId", dates: .epochMilliseconds).encode(list)
    }

    /// The lists of a table, by their ids.
    static func lists(_ table: some Table) async throws -> [List] { try await rows(table) }

    static func rows<Element: Codable & Identifiable & Sendable>(_ table: some Table) async throws
        -> [Element]
    {
        let codec = ElementCodec<Element>(idColumn: "objectId", dates: .epochMilliseconds)
        let page = try await table.page(PageRequest(Query(), limit: 1_000))
        return try page.rows.map { try codec.decode($0) }
    }

    var outbox: Outbox { store.outbox }

    /// Waits until every request has failed and the outbox waits for a time, as the two tables do.
    ///
    /// A request whose failure is noted after the clock was moved would wait from then on.
    func untilItWaits() async {
        await clock.waitForSleepers(3)
        while store.outboxCore.state.withLock({ !$0.deliveries.isEmpty || $0.isTaking }) {
            await Task.yield()
        }
    }

    /// Waits until nothing is left to be sent.
    func drained() async throws {
        for item in try await outbox.pending() {
            _ = try await store.outboxCore.end(of: item.id, within: nil)
        }
    }
}

/// What ends the waits after failures.
enum WayBack: CaseIterable {
    case network, user

    func take(_ fixture: SyncFixture, _ table: SyncedTable) {
        switch self {
        case .network:
            fixture.outbox.networkIs(available: false)
            fixture.outbox.networkIs(available: true)
        case .user: table.reconnect()
        }
    }
}

extension SyncedTable {
    /// An update by a caller who has read the row at this moment.
    @discardableResult
    func update<Element: Codable & Identifiable & Sendable>(
        _ element: Element
    ) async throws(RemoteDataError) -> SyncedWrite {
        let codec = ElementCodec<Element>(idColumn: idColumn, dates: dates)
        guard let row = try await row(codec.id(of: element)) else {
            throw RemoteDataError(.notFound, "There is no such row.")
        }
        return try await update(element, from: codec.decode(row))
    }
}
