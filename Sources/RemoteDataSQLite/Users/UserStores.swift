import Foundation
public import RemoteData
import RemoteDataExecution
import Synchronization

/// Tables kept in step for one user at a time: each user has a file of their own, and so has nobody, for what is written before
/// anybody has logged in.
///
/// What a user has written and the server has not agreed to waits in that user's file, and is sent when they are attached again,
/// by the tables that were made for them and so with their credentials alone.
///
/// ```swift
/// let stores = try UserStores(in: folder, tables: ["lists": SyncOptions()]) { table, user in
///     try? RESTServer("https://example.org", configuration: configuration(of: user)).table(table)
/// }
/// let store = try await stores.attach(user: "ada")
/// let lists = try store.table("lists")
/// ```
///
/// Thread-safe. Never blocks; what is asked for at the same time is done one after another.
public final class UserStores: Sendable {
    /// How the files are opened.
    public struct Options: Sendable {
        /// What the file of a user, or of nobody, is encrypted with.
        public var key: @Sendable (String?) -> EncryptionKey? = { _ in nil }
        /// The column that holds a row's id, in every table.
        public var idColumn = "objectId"
        /// How dates are written in rows.
        public var dates = DateConvention.epochMilliseconds
        /// What rows lead to others, which are pinned with them.
        public var relations: [Relation] = []
        /// How writes travel.
        public var outbox = OutboxOptions()
        /// Makes the ids of rows that come without one, and of those that are moved and have to get another.
        public var makeID: @Sendable () -> RowID = { RowID.random() }

        /// The defaults.
        public init() {}
    }

    let files: any UserFiles
    let tables: [String: SyncOptions]
    let options: Options
    let remote: @Sendable (_ table: String, _ user: String) -> (any Table)?
    private let surroundings: Surroundings
    private let turns = Turns()
    private let attached = Mutex<UserStore?>(nil)

    /// Makes the folder if it is not there; opens no file.
    ///
    /// - Parameters:
    ///   - directory: The folder of the files, for this alone.
    ///   - tables: The tables by name, and how they are kept in step.
    ///   - options: How the files are opened.
    ///   - remote: The server's table of a name, as a user sees it; nil for one that is only here.
    /// - Throws: `RemoteDataError` with code `storage` when the folder cannot be made.
    public convenience init(
        in directory: String,
        tables: [String: SyncOptions],
        options: Options = Options(),
        remote: @escaping @Sendable (_ table: String, _ user: String) -> (any Table)?
    ) throws(RemoteDataError) {
        self.init(
            try UserFolder(directory, options),
            tables,
            options,
            Surroundings(executor: WorkerExecutor.background),
            remote
        )
    }

    init(
        _ files: any UserFiles,
        _ tables: [String: SyncOptions],
        _ options: Options,
        _ surroundings: Surroundings,
        _ remote: @escaping @Sendable (_ table: String, _ user: String) -> (any Table)?
    ) {
        (self.files, self.tables, self.options) = (files, tables, options)
        (self.remote, self.surroundings) = (remote, surroundings)
    }

    // MARK: Who is there

    /// Who is attached; nil for nobody, and before anybody was asked for.
    public var user: String? { attached.withLock { $0?.user } }

    /// The store of who is attached, or of nobody.
    ///
    /// - Throws: `RemoteDataError` with code `storage` when the file cannot be opened.
    public func current() async throws(RemoteDataError) -> UserStore {
        try await turns.take { () async throws(RemoteDataError) in
            if let known = attached.withLock({ $0 }) { return known }
            return try await self.open(nil)
        }
    }

    /// Has a user be there from now on.
    ///
    /// The store of the user before is closed: what they have not sent waits for them, and what still holds
    /// their tables gets errors with code `storage`. No request of theirs is made after this returns: reads
    /// under way are cancelled, and writes get two seconds to end before they are, and then again to do so. A
    /// server may carry out what it has received by then, as the user's who sent it; that is found out when
    /// they are attached again.
    ///
    /// - Parameter user: The user's name, by which the file is found again.
    /// - Returns: The user's store; the same as before for who is there already.
    /// - Throws: `RemoteDataError`: `storage` when the file cannot be opened, and then who was there still is; `invalidRequest` for
    ///   an empty name.
    @discardableResult
    public func attach(user: String) async throws(RemoteDataError) -> UserStore {
        guard !user.isEmpty else { throw RemoteDataError(.invalidRequest, "A user's name cannot be empty.") }
        return try await change(to: user)
    }

    /// Has nobody be there from now on; see ``attach(user:)``.
    ///
    /// - Returns: The store of nobody, which is sent nowhere.
    /// - Throws: `RemoteDataError` with code `storage`.
    @discardableResult
    public func detach() async throws(RemoteDataError) -> UserStore { try await change(to: nil) }

    private func change(to user: String?) async throws(RemoteDataError) -> UserStore {
        try await turns.take { () async throws(RemoteDataError) in
            let known = attached.withLock { $0 }
            if let known, known.user == user { return known }
            let opened = try await self.open(user)
            await known?.store.close()
            return opened
        }
    }

    /// Closes what is open.
    public func close() async {
        turns.end(RemoteDataError(.storage, "The stores have been closed."))
        let known = attached.withLock { $0.take() }
        await known?.store.close()
    }

    // MARK: Data of users

    /// How many writes of a user, or of nobody, the server has not agreed to, those not counted that it has refused.
    ///
    /// - Throws: `RemoteDataError` with code `storage`.
    public func pendingCount(of user: String?) async throws(RemoteDataError) -> Int {
        try await turns.take { () async throws(RemoteDataError) in
            guard files.hasStore(of: user) else { return 0 }
            return try await self.with(user) { (opened) async throws(RemoteDataError) in
                try await opened.store.outbox.pendingCount
            }
        }
    }

    /// Forgets everything of a user, or of nobody, also what was not sent; the server keeps what it has.
    ///
    /// Who is attached stays so, with an empty store: what holds the tables of the old one gets errors.
    ///
    /// - Throws: `RemoteDataError` with code `storage` when a file cannot be removed.
    public func dropAllData(for user: String?) async throws(RemoteDataError) {
        try await turns.take { () async throws(RemoteDataError) in
            let known = attached.withLock { $0?.user == user ? $0.take() : nil }
            await known?.store.close()
            try await files.drop(user)
            if known != nil { _ = try await self.open(user) }
        }
    }

    /// Moves every row of a user, or of nobody, to another one: each is there then and no longer here, whatever happens in between.
    ///
    /// Rows keep their ids, but for those that the other user has a row with, and those that the server has, or may have, of the
    /// user they come from: these get new ones, and so do columns that are declared to name them. To the server, they are removed
    /// from the one and added for the other user, when each is attached. Labels stay where they are.
    ///
    /// - Parameters:
    ///   - source: Whose rows; nil for nobody's. Not who is attached.
    ///   - target: Whose they become; nil for nobody's.
    /// - Returns: How many rows were moved.
    /// - Throws: `RemoteDataError`: `storage`, and then all are still where they were, or all moved; `invalidRequest` when the two
    ///   are the same, or the first one is attached.
    /// - Complexity: O(n log n) for n rows, which are in memory at once.
    @discardableResult
    public func move(from source: String?, to target: String?) async throws(RemoteDataError) -> Int {
        guard source != target else {
            throw RemoteDataError(.invalidRequest, "Rows cannot be moved from a user to the same one.")
        }
        return try await turns.take { () async throws(RemoteDataError) in
            if let known = attached.withLock({ $0 }), known.user == source {
                throw RemoteDataError(
                    .invalidRequest,
                    "Rows of who is attached cannot be moved: attach somebody else, or detach, first."
                )
            }
            guard files.hasStore(of: source) else { return 0 }
            return try await self.with(source) { (opened) async throws(RemoteDataError) in
                try await self.with(target) { (other) async throws(RemoteDataError) in
                    try await self.move(opened, to: other)
                }
            }
        }
    }

    // MARK: Files

    /// Opens the store of a user to be attached.
    private func open(_ user: String?) async throws(RemoteDataError) -> UserStore {
        let opened = try await makeStore(user, isConnected: true)
        do throws(RemoteDataError) { try await finishMove(from: opened) } catch {
            await opened.store.close()
            throw error
        }
        attached.withLock { $0 = opened }
        return opened
    }

    /// Does something with the store of a user, which is opened for that when it is not.
    private func with<Result: Sendable>(
        _ user: String?,
        _ body: (UserStore) async throws(RemoteDataError) -> Result
    ) async throws(RemoteDataError) -> Result {
        if let known = attached.withLock({ $0 }), known.user == user { return try await body(known) }
        let opened = try await makeStore(user, isConnected: false)
        do throws(RemoteDataError) {
            try await finishMove(from: opened)
            let result = try await body(opened)
            await opened.store.close()
            return result
        } catch {
            await opened.store.close()
            throw error
        }
    }

    func makeStore(_ user: String?, isConnected: Bool) async throws(RemoteDataError) -> UserStore {
        try await files.finishDropping(user)
        let store = try await LocalStore(
            try files.plan(of: user),
            dates: options.dates,
            makeID: options.makeID,
            surroundings: surroundings
        )
        do throws(RemoteDataError) {
            try await check(store, user)
            let options = options.outbox
            if isConnected, user != nil { store.outbox.connect(options) { _ in nil } }
            var synced: [String: SyncedTable] = [:]
            for (name, options) in tables.sorted(by: { $0.key < $1.key }) {
                var table: (any Table)?
                if isConnected, let user { table = remote(name, user) }
                synced[name] = try await SyncedTable(name, in: store, remote: table, options: options)
            }
            return UserStore(user: user, store: store, tables: synced)
        } catch {
            await store.close()
            throw error
        }
    }

    /// Sees that a file is a user's own, and notes whose it is when it is new.
    private func check(_ store: LocalStore, _ user: String?) async throws(RemoteDataError) {
        let name = user.map { "user \($0)" } ?? "nobody"
        let known = try await store.core.writer.change { (transaction) throws(RemoteDataError) in
            if let known = try transaction.connection.setting("user") { return known }
            try transaction.connection.set("user", name)
            return name
        }
        guard known == name else {
            throw RemoteDataError(.storage, "The file \(store.path) belongs to \(known), and not to \(name).")
        }
    }
}

/// The tables of one user, or of nobody.
public struct UserStore: Sendable {
    /// Who; nil for nobody.
    public let user: String?
    /// Where the rows are.
    public let store: LocalStore
    /// The tables by name.
    public let tables: [String: SyncedTable]

    /// What was written and the server has not agreed to.
    public var outbox: Outbox { store.outbox }

    /// The table of a name.
    ///
    /// - Throws: `RemoteDataError` with code `notFound` for one that was not declared.
    public func table(_ name: String) throws(RemoteDataError) -> SyncedTable {
        guard let table = tables[name] else {
            throw RemoteDataError(
                .notFound,
                "There is no table \(name): it has to be among those that the stores were made with."
            )
        }
        return table
    }

    /// Whether everything of the server was here once, since the store was opened: of every table that the server has.
    public var hasSynced: Bool {
        let synced = tables.values.filter { $0.remote != nil }
        return !synced.isEmpty && synced.allSatisfy { $0.hasSynced }
    }
}
