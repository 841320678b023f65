import RemoteDataExecution
import Synchronization
import Observation

/// The rows of a table that match a clause, as a Swift collection: lazy, cached, and live.
///
/// ```swift
/// let people = try RemoteDataCollection<Person>(table: table, where: "age > 20", sort: "name")
/// for person in people { print(person.name) }
/// ```
///
/// Rows arrive a page at a time, when somebody reads them, and stay. Changes that anybody makes to the table change the
/// collection and are told to its handlers. Every member says whether it blocks and what it asks of the table. In
/// asynchronous code the `async` twin is chosen where there is one; iterate over ``rows-swift.property`` and read with
/// ``row(at:)`` there, since `for`-`in`, `map` and the subscript block.
///
/// The collection is safe to use from any thread. An index is a position that a change may move: index-based code
/// belongs on the delivery queue (see ``CollectionOptions/delivery``) or on a ``snapshot()``. Iterations are not disturbed:
/// each row that matches throughout is seen exactly once.
public final class RemoteDataCollection<Element: Codable & Identifiable & Sendable>: Sendable {
    struct State: Sendable {
        var core: CollectionState {
            // Not called where a mutation throws: those that do, do so before they move anything.
            didSet { if layout != nil, layout != core.layout { dropPositions() } }
        }
        /// Where decoded rows lie; of this layout of the rows, nil where none is known.
        let positions: DecodedPositions<Element>
        var layout: CollectionState.Layout?
        /// How many rows have been searched for since.
        var searches = 0
        var handlers = CollectionHandlers()
        var notices: ArraySlice<CollectionNotice> = []
        /// Whether a change is being delivered, which has been taken out of ``notices``.
        var isTellingChange = false
        var isDeliveryScheduled = false
        /// Those who hold the same rows or models of them.
        var share: TableShare<Element>?
        /// What goes to the cache; nil without one.
        var link: CacheLink?
        /// What others in the space say, and has not been applied yet.
        var hints: ArraySlice<WaitingHint> = []
        /// Whether the table has said anything of changes: what is kept is all there is until then.
        var hasHeard = false
        /// How many events the table has told.
        var receivedCount = 0
        /// What others said while pages were under way, and which.
        var saidMeanwhile: [(said: SaidModels, fetches: Set<Int>)] = []
        /// When the newest page was asked for, in the order of the space.
        var pageAskedAt: UInt64 = 0
        /// Which rows are made of what; nil until somebody asks.
        var parts: PartIndex?
        /// What moves rows and waits for its turn, and whom to tell that it is done.
        var steps: [Step] = []
        var readySteps: [OneShot<Void>] = []
        /// How many blocking calls hold up the delivery queue.
        var parkedCalls = 0
        var isResyncing = false
        /// Whether more changes came than may wait for the handlers.
        var overrun = Overrun.none
        /// Who waits for that comparison, and who for what it found to be applied.
        var repairWaiters: [OneShot<Void>] = []
        var drainWaiters: [OneShot<Void>] = []
        /// The iterations that wait for changes, and their waiters.
        var changeWaiters: [(iteration: Int, waiter: OneShot<Void>)] = []
        var wasLoaded = false
        /// Whether there is something else to be read than when those who look at it were told last.
        var isSeenOtherwise = false
        var isRecounting = false
        /// Whether, and since when, the table is asked how recent the rows here are.
        var proofs = ProofRequests()
        /// The fetches under way, and until when.
        var fetchTasks: [Int: (task: Task<Void, Never>, deadline: Deadline)] = [:]
        var isWatchingFetches = false
        var fetchWaiters: [Int: [OneShot<Void>]] = [:]
        /// How far each page has brought those who load everything, as far as they have not told yet.
        var loadSteps: [Int: [LoadProgress]] = [:]
        var revisionWaiters: [(revision: Revision, waiter: OneShot<Void>)] = []
        var listeners: [Int: ChangeBuffer<CollectionChange<Element>>] = [:]
        var statusListeners: [Int: ChangeBuffer<LiveStatus>] = [:]
        /// The connection that changes come over.
        var connection: Connection
        /// The status that listeners know; nil where it has to be delivered again.
        var deliveredStatus: LiveStatus?
        /// Listeners to be woken once the lock has been released.
        var statusWaiters: [OneShot<Void>] = []
        /// Rows that do not decode and have been told of, by a hash of their JSON; a chunk may be decoded more than once.
        var undecodable: [RowID: Int] = [:]
        /// Whether a row that is left out has been named on standard error, or to the error handler.
        var hasLoggedOmission = false
        var iterationError: RemoteDataError?
        var lastListener = 0
    }

    /// The table the rows are in.
    public let table: any Table
    /// Which rows, in which order.
    public let query: Query
    /// How the collection behaves.
    public let options: CollectionOptions

    /// The table, with the places of rows; nil where its order can be reproduced.
    let placing: PlacingTable?
    /// What goes to the cache; nil without one.
    let link: CacheLink?
    /// Those who hold the same rows or models of them; nil without a space.
    let share: TableShare<Element>?
    /// Those whose elements this collection can update.
    let family: CollectionFamily<Element>
    let codec: ElementCodec<Element>
    let state: Mutex<State>
    @usableFromInline let positions = DecodedPositions<Element>()
    private let follower = Mutex<Task<Void, Never>?>(nil)
    let registrar = ObservationRegistrar()
    /// What is said to be read: made once, as making it takes longer than reading.
    let observed: any KeyPath<RemoteDataCollection, Int> & Sendable = \.count

    /// - Parameters:
    ///   - opening: How many rows there are, and where that is known from.
    ///   - rows: The rows, where they are all known at the revision of the count.
    ///   - table: The table.
    ///   - query: Which rows, in which order.
    ///   - options: How the collection behaves, fitted to the table.
    ///   - family: Those whose elements it can update; nil for none yet.
    init(
        _ opening: Opening,
        rows: [Row]? = nil,
        table: any Table,
        query: Query,
        options: CollectionOptions,
        family: CollectionFamily<Element>? = nil
    ) {
        (self.table, self.query, self.options) = (table, query, options)
        self.family = family ?? CollectionFamily()
        let can = table.capabilities
        placing =
            can.binaryOrder || !can.keysetPages
            ? nil : PlacingTable(table, query: query, options: options)
        link = opening.link
        let codec = ElementCodec<Element>(idColumn: table.idColumn, dates: table.dates)
        self.codec = codec
        share = options.space.map {
            TableShare(
                $0,
                table,
                isWhole: query.filter == nil,
                codec: codec,
                deadline: options.deadline,
                surroundings: options.surroundings
            )
        }
        let follows = options.isLive && can.liveChanges
        var core = CollectionState(
            query: query,
            pageSize: options.pageSize,
            largestPage: options.largestPageSize,
            pageLimit: can.maximumPageSize,
            count: opening.count,
            follows: follows,
            cache: options.cache,
            ordersByPlace: placing != nil,
            capabilities: can
        )
        if let link { core.keep(stretches: link.keepsStretches) }
        if let rows { core.begin(with: rows) }
        if !opening.isOfOneMoment { core.noteDoubt() }
        if opening.isRestored { core.noteRestored() }
        state = Mutex(State(core: core, positions: positions, follows: follows))
        keepPlaces(opening.placedKeys)
        attachLink()
        joinSpace()
        self.family.join(self)
        if follows { follow(isRestored: opening.isRestored) }
    }

    /// What pages and changes come from.
    var source: any Table { placing ?? table }

    deinit {
        follower.withLock { $0 }?.cancel()
        detachLink()
        share?.leave()
        let (listeners, statusListeners) = state.withLock { ($0.listeners, $0.statusListeners) }
        for listener in listeners.inOrder { listener.finish() }
        for listener in statusListeners.inOrder { listener.finish() }
        family.leave(ObjectIdentifier(self), options.surroundings) { state.withLock { $0.core.given } }
        if let rows = state.withLock({ $0.core.takeIndex() }) { Leftovers.shared.add(rows) }
    }

    private func follow(isRestored: Bool) {
        let follower = ChangeFollower(
            table: source,
            query: query,
            clock: options.clock,
            surroundings: options.surroundings
        )
        // What others run the delivery with may call anybody.
        var takeAtOnce: ChangeFeed.Taker?
        if options.delivery.isDispatchQueue {
            takeAtOnce = { [weak self] events in self?.receiveAtOnce(events) ?? false }
        }
        let task = Task(executorPreference: options.surroundings.executor) { [weak self, takeAtOnce] in
            await follower.run(
                isRestored: isRestored,
                since: { self?.state.withLock { $0.core.applied } },
                takeAtOnce: takeAtOnce,
                deliver: { events in
                    guard let self else { return false }
                    self.receive(events)
                    return true
                }
            )
        }
        self.follower.withLock { $0 = task }
    }
}

// MARK: - Creating

extension RemoteDataCollection {
    /// Opens a collection and asks the table how many rows there are.
    ///
    /// Blocks until the answer is there: one request.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - clause: Which rows, such as `age > 20 and name like 'A%'`; empty for all. `id` is the table's id
    ///     column, unless elements code another column so.
    ///   - sort: In which order, such as `name, age desc nulls first`; empty for the order of the ids.
    ///   - options: How the collection behaves.
    ///   - cache: Where what is read is kept, so that it is here at once the next time: a `LocalStore`.
    /// - Throws: ``RemoteDataError`` when the clause or sort cannot be read (with the position), names an unknown
    ///   column, or the table cannot be reached within the deadline.
    public convenience init(
        table: any Table,
        where clause: String = "",
        sort: String = "",
        options: CollectionOptions = CollectionOptions(),
        cache: (any CollectionCache)? = nil
    ) throws(RemoteDataError) {
        let query = try Query(clause, sort: sort, for: Element.self, in: table)
        try self.init(table: table, query: query, options: options, cache: cache)
    }

    /// Opens a collection and asks the table how many rows there are: one request, without blocking.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - clause: Which rows, such as `age > 20 and name like 'A%'`; empty for all. `id` is the table's id
    ///     column, unless elements code another column so.
    ///   - sort: In which order, such as `name, age desc nulls first`; empty for the order of the ids.
    ///   - options: How the collection behaves.
    ///   - cache: Where what is read is kept, so that it is here at once the next time: a `LocalStore`.
    /// - Throws: ``RemoteDataError`` when the clause or sort cannot be read (with the position), names an unknown
    ///   column, or the table cannot be reached.
    public convenience init(
        table: any Table,
        where clause: String = "",
        sort: String = "",
        options: CollectionOptions = CollectionOptions(),
        cache: (any CollectionCache)? = nil
    ) async throws(RemoteDataError) {
        let query = try Query(clause, sort: sort, for: Element.self, in: table)
        try await self.init(table: table, query: query, options: options, cache: cache)
    }

    /// Opens a collection of a query; blocks for one request.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - query: Which rows, in which order.
    ///   - options: How the collection behaves.
    ///   - cache: Where what is read is kept, so that it is here at once the next time: a `LocalStore`.
    /// - Throws: ``RemoteDataError`` like the initializer with text.
    public convenience init(
        table: any Table,
        query: Query,
        options: CollectionOptions = CollectionOptions(),
        cache: (any CollectionCache)? = nil
    ) throws(RemoteDataError) {
        try self.init(table: table, query: query, options: options, cache: cache, family: nil)
    }

    /// Opens a collection of a query: one request, without blocking.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - query: Which rows, in which order.
    ///   - options: How the collection behaves.
    ///   - cache: Where what is read is kept, so that it is here at once the next time: a `LocalStore`.
    /// - Throws: ``RemoteDataError`` like the initializer with text.
    public convenience init(
        table: any Table,
        query: Query,
        options: CollectionOptions = CollectionOptions(),
        cache: (any CollectionCache)? = nil
    ) async throws(RemoteDataError) {
        try await self.init(table: table, query: query, options: options, cache: cache, family: nil)
    }

    convenience init(
        table: any Table,
        query: Query,
        options: CollectionOptions,
        cache: (any CollectionCache)? = nil,
        family: CollectionFamily<Element>?
    ) throws(RemoteDataError) {
        let options = options.fitted(to: table)
        let opening = try Blocking.wait(atMost: options.deadline) { () async throws(RemoteDataError) in
            try await Opening(table, query, options, cache)
        }
        self.init(opening, table: table, query: query, options: options, family: family)
    }

    convenience init(
        table: any Table,
        query: Query,
        options: CollectionOptions,
        cache: (any CollectionCache)? = nil,
        family: CollectionFamily<Element>?
    ) async throws(RemoteDataError) {
        let options = options.fitted(to: table)
        let opening = try await within(options.deadline, options.surroundings) {
            () async throws(RemoteDataError) in
            try await Opening(table, query, options, cache)
        }
        self.init(opening, table: table, query: query, options: options, family: family)
    }
}

extension CollectionOptions {
    func fitted(to table: any Table) -> CollectionOptions {
        var fitted = self
        let most = min(max(1, table.capabilities.maximumPageSize), 1 << 32)
        fitted.pageSize = min(max(1, pageSize), most)
        if cacheLimit == nil { fitted.largestPageSize = min(max(fitted.pageSize, largestPageSize), most) }
        fitted.readAhead = max(0, readAhead)
        fitted.surroundings.retrySignal = table.makeRetrySignal(clock: clock)
        if let cacheLimit {
            // What is asked for ahead stays among what an iteration stands at.
            fitted.readAhead = min(fitted.readAhead, max(1, cacheLimit / fitted.pageSize - 4))
        }
        return fitted
    }

    /// How many rows are kept by a collection with these options, which fit its table.
    var cache: CacheLimit? {
        cacheLimit.map { limit in
            // No iteration asks for more pages ahead than a cache of any use holds.
            let ahead = pageSize * (min(readAhead, 1_000) + 1)
            return CacheLimit(rows: max(limit, ahead + 3 * pageSize), ahead: ahead)
        }
    }
}

// MARK: - What is known

extension RemoteDataCollection {
    /// How many rows match: counted when the collection was opened, and kept right by every change and page since.
    ///
    /// Never blocks, never asks the table. O(1).
    public var count: Int {
        noteReading()
        return state.withLock { $0.core.count }
    }

    /// Whether no row matches.
    ///
    /// Never blocks, never asks the table. O(1).
    public var isEmpty: Bool { count == 0 }

    /// Whether every row is here, so that reading asks nothing of the table any more; never so for long with more rows than
    /// ``CollectionOptions/cacheLimit``.
    public var isLoaded: Bool {
        noteReading()
        return state.withLock { $0.core.isLoaded }
    }

    /// How many rows are here; see ``CollectionOptions/cacheLimit``.
    public var loadedCount: Int {
        noteReading()
        return state.withLock { $0.core.loadedCount }
    }

    /// The clause as text; empty for all rows.
    public var whereClause: String { query.filter?.description ?? "" }

    /// How it is with the delivery of changes; see also ``liveStatuses``.
    public var liveStatus: LiveStatus { state.withLock { $0.status } }

    /// Why the last `for`-`in` or other non-throwing read ended early or left rows out; nil when it did not.
    ///
    /// Set when such a read ends, and cleared when the next one begins. With the code `invalidRow` it has all
    /// rows but those that do not decode: it says how many these are, and names the first.
    public var iterationError: RemoteDataError? { state.withLock { $0.iterationError } }
}
