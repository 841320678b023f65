public import RemoteData
import Synchronization

/// A table that is here whole and on a server: reads are answered here at once, writes are durable here at once and travel when
/// they can, and what others write comes by events, or by polling where the server has none.
///
/// ```swift
/// let store = try await LocalStore(path: "lists.db")
/// let lists = try await SyncedTable("lists", in: store, remote: server.table("lists"))
/// let write = try await lists.add(groceries)   // durable here
/// try await write.acknowledged                 // on the server
/// ```
///
/// It works by itself without a server, and goes on with one that is given later. Nothing it does waits for the network unless that
/// is asked for. Thread-safe.
public final class SyncedTable: IdentifiedTable {
    /// The table's name.
    public let name: String
    /// The store the rows are in.
    public let store: LocalStore
    /// The server's table; nil for none.
    public let remote: (any Table)?
    /// How the two are kept in step.
    public let options: SyncOptions

    /// The column that holds a row's id.
    public var idColumn: String { store.idColumn }
    /// How dates are written in rows.
    public var dates: DateConvention { store.dates }
    /// What the table here can do.
    public var capabilities: Capabilities { local.capabilities }

    let puller: Puller?
    private let local: any Table
    package var identity: ObjectIdentifier {
        (local as? any IdentifiedTable)?.identity ?? ObjectIdentifier(self)
    }

    /// Puts a table here and one of a server together; asks the server nothing before it returns.
    ///
    /// - Parameters:
    ///   - name: The table's name.
    ///   - store: Where the rows are kept, of the user whose rows the server sends.
    ///   - remote: The server's table, with the same id column and date convention; nil for none.
    ///   - options: How they are kept in step.
    /// - Throws: `RemoteDataError`: `storage`; `invalidRequest` when the server's table is of another kind.
    public init(
        _ name: String,
        in store: LocalStore,
        remote: (any Table)? = nil,
        options: SyncOptions = SyncOptions()
    ) async throws(RemoteDataError) {
        if let remote, remote.idColumn != store.idColumn || remote.dates != store.dates {
            throw RemoteDataError(
                .invalidRequest,
                """
                The table \(name) of the server holds ids in \(remote.idColumn) and the store in \(store.idColumn), or they \
                write dates differently; open the store with the server's idColumn and dates.
                """
            )
        }
        (self.name, self.store, self.remote, self.options) = (name, store, remote, options)
        local = try store.table(name)
        store.core.writer.rules.withLock { $0[name] = SyncRules.Rule(options) }
        puller = remote.map { Puller($0, into: store, name: name, rate: options.rate) }
        if let remote { store.outboxCore.send(name, to: remote) }
        puller?.start()
    }

    deinit { puller?.stop() }
}

// MARK: - Reading

extension SyncedTable {
    /// Whether counts are exact for a clause, as those of the table here are.
    public func canFilterList(_ clause: Where) -> Bool { local.canFilterList(clause) }

    /// Whether a subscription with a clause gets what concerns it alone.
    public func canFilterLive(_ clause: Where) -> Bool { local.canFilterLive(clause) }

    /// How many rows the query has here; asks no server.
    public func count(_ query: Query) async throws(RemoteDataError) -> Count { try await local.count(query) }

    /// A page of a query as it is here; asks no server.
    public func page(_ request: PageRequest) async throws(RemoteDataError) -> Page {
        try await local.page(request)
    }

    /// The row with an id, also one that it had before the server gave it another; nil when there is none here.
    ///
    /// Asks no server.
    public func row(_ id: RowID) async throws(RemoteDataError) -> Row? {
        if let row = try await local.row(id) { return row }
        let current = try await currentID(of: id)
        return current == id ? nil : try await local.row(current)
    }

    /// The id that a row has now: another one than before when the server gave it one.
    ///
    /// - Throws: `RemoteDataError` with code `storage`.
    public func currentID(of id: RowID) async throws(RemoteDataError) -> RowID {
        guard let number = store.core.tables[name]?.info?.number else { return id }
        return try await store.core.read { (connection) throws(RemoteDataError) in
            try connection.first(
                "SELECT now FROM aliases WHERE tableNumber = ? AND id = ?",
                [.integer(number), Binding(id)]
            ) { $0.id(0) } ?? id
        }
    }

    /// Makes an id as the server's table takes them; nil where any text will do.
    public func makeRowID() -> RowID? { remote?.makeRowID() }

    /// Not offered: throws `gone`, as what is here keeps no log.
    public func changes(since revision: Revision, limit: Int) async throws(RemoteDataError) -> ChangeBatch {
        try await local.changes(since: revision, limit: limit)
    }

    /// Starts delivering changes of a query: what is written here, at once, and what comes from the server.
    public func subscribe(
        to query: Query,
        since revision: Revision?
    ) async throws(RemoteDataError) -> ChangeFeed {
        let feed = try await local.subscribe(to: query, since: revision)
        puller?.wake()
        return feed
    }
}

extension SyncedTable {
    /// Ends the waits between attempts: the server is read from and followed at once, and the writes of the
    /// store are sent.
    ///
    /// Never blocks. A wait that the server has asked for (`Retry-After`) is kept. Sends nothing while there
    /// is known to be no network (``Outbox/networkIs(available:)``).
    public func reconnect() {
        puller?.reconnect()
        store.outboxCore.reconnect()
    }
}

// MARK: - Writing

extension SyncedTable {
    /// Makes a change here; durable when this returns, and on its way to the server.
    ///
    /// A change by clause is one of each row that matches here.
    public func commit(
        _ mutation: Mutation,
        idempotencyKey: String?
    ) async throws(RemoteDataError) -> Outcome {
        try await write(mutation, idempotencyKey: idempotencyKey).outcome
    }

    /// Makes a change here; durable when this returns, and on its way to the server.
    ///
    /// - Parameters:
    ///   - mutation: The change; one by clause is one of each row that matches here.
    ///   - idempotencyKey: A key by which a repeated call is made once.
    /// - Returns: What to ask how far it has come.
    /// - Throws: `RemoteDataError` when it was refused here, and then nothing was done.
    /// - Complexity: One transaction of the store, shared with others that come at the same time.
    @discardableResult
    public func write(
        _ mutation: Mutation,
        idempotencyKey: String? = nil
    ) async throws(RemoteDataError) -> SyncedWrite {
        try await store.writeEventually(mutation, in: name, idempotencyKey: idempotencyKey)
    }

    /// Adds a row; see ``write(_:idempotencyKey:)``.
    @discardableResult
    public func add<Element: Codable & Identifiable & Sendable>(
        _ element: Element
    ) async throws(RemoteDataError) -> SyncedWrite {
        try await add(contentsOf: [element])
    }

    /// Adds rows, all of them or none; see ``write(_:idempotencyKey:)``.
    @discardableResult
    public func add<Element: Codable & Identifiable & Sendable>(
        contentsOf elements: some Collection<Element>
    ) async throws(RemoteDataError) -> SyncedWrite {
        let codec = ElementCodec<Element>(idColumn: idColumn, dates: dates)
        var drafts: [Draft] = []
        for element in elements { drafts.append(try codec.encode(element)) }
        return try await write(.create(drafts))
    }

    /// Writes the columns of a row in which an element differs from the one that it was made from; see
    /// ``write(_:idempotencyKey:)``.
    ///
    /// No other column is sent, whatever others have written to the row since.
    ///
    /// - Parameters:
    ///   - element: The row with its id.
    ///   - original: The row as it was read.
    /// - Returns: What to ask how far it has come.
    /// - Throws: `RemoteDataError`: `notFound` when the row is not here, `invalidRow`, `storage`.
    @discardableResult
    public func update<Element: Codable & Identifiable & Sendable>(
        _ element: Element,
        from original: Element
    ) async throws(RemoteDataError) -> SyncedWrite {
        let codec = ElementCodec<Element>(idColumn: idColumn, dates: dates)
        let id = try codec.id(of: element)
        guard let row = try await row(id) else {
            throw RemoteDataError(.notFound, "There is no row \(id) in \(name) to update.")
        }
        let patch = try codec.patch(of: row, from: original, to: element)
        return try await write(.update(id, patch: patch.json))
    }

    /// Removes a row, and what belongs to it; see ``write(_:idempotencyKey:)``.
    ///
    /// - Throws: `RemoteDataError`: `notFound` when the row is not here, `invalidRow`, `storage`.
    @discardableResult
    public func remove<Element: Codable & Identifiable & Sendable>(
        _ element: Element
    ) async throws(RemoteDataError) -> SyncedWrite {
        let codec = ElementCodec<Element>(idColumn: idColumn, dates: dates)
        return try await write(.delete(codec.id(of: element)))
    }
}

// MARK: - In step

extension SyncedTable {
    /// Whether everything of the server was here once, since this was made; a table that the server does not
    /// have yet is empty.
    public var hasSynced: Bool { puller?.hasSynced ?? false }

    /// Why the server can not be read from at the moment; nil as long as it can, and before it was tried.
    ///
    /// It is tried again by itself, also what is refused: at most as seldom as the table is polled.
    /// `notFound` as long as the server has no such table, which is then looked for at ``syncRate`` and after
    /// each own write to it. Why it cannot be written to, the outbox says: ``Outbox/explain(limit:)``.
    public var pullError: RemoteDataError? { puller?.error }

    /// Asks the server for everything that has changed, and waits until it is here.
    ///
    /// Reads every row where neither a change log, a column of modification times nor events tell what has
    /// changed. A table that the server does not have yet is empty; one that is no longer there keeps its
    /// rows here.
    ///
    /// - Throws: `RemoteDataError`: why the server could not be asked; `notFound` for a table that is no
    ///   longer there;
    ///   `invalidRequest` when there is no server.
    public func pull() async throws(RemoteDataError) {
        guard let puller else {
            throw RemoteDataError(.invalidRequest, "The table \(name) has no server to be asked.")
        }
        try await puller.pullNow()
    }

    /// How often the server is asked, where it does not say by itself what has changed, and as long as it
    /// cannot.
    public var syncRate: SyncRate {
        get { puller?.rate ?? .off }
        set { puller?.setRate(newValue) }
    }
}

extension SyncRules.Rule {
    fileprivate init(_ options: SyncOptions) {
        self.init(
            isHeldWhole: true,
            parent: options.parent,
            references: options.references,
            showsRefused: options.showsRefused,
            sendsIDs: options.sendsIDs,
            conflicts: options.conflicts
        )
    }
}
