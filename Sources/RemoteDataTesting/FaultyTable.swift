public import RemoteData
import Synchronization

/// A table over another one that misbehaves as a test says.
///
/// It fails, answers late or in another order, alters pages, and holds back, breaks or invents events. It remembers every
/// call. Until told otherwise it passes everything on.
public final class FaultyTable: WrappingTable {
    /// A kind of call.
    public enum Call: Hashable, Sendable, CaseIterable {
        /// Counting.
        case count
        /// Reading a page.
        case page
        /// Reading one row.
        case row
        /// Writing.
        case commit
        /// Reading the change log.
        case changes
        /// Subscribing.
        case subscribe
    }

    /// A call that was made.
    public struct Request: Sendable {
        /// Its kind.
        public let call: Call
        /// What a page was asked for.
        public let page: PageRequest?
        /// What was to be written.
        public let mutation: Mutation?
        /// The revision behind which changes were asked for.
        public let since: Revision?

        init(_ call: Call, page: PageRequest? = nil, mutation: Mutation? = nil, since: Revision? = nil) {
            self.call = call
            self.page = page
            self.mutation = mutation
            self.since = since
        }
    }

    /// When a held call stands still.
    public enum Moment: Sendable {
        /// Before the table beneath is asked.
        case beforeAsking
        /// With the answer of the table beneath, which grows old.
        case beforeAnswering
    }

    private struct Failure {
        let error: RemoteDataError
        var remaining: Int
    }

    private struct State {
        var requests: [Request] = []
        var failures: [Call: Failure] = [:]
        var losses: [Call: Failure] = [:]
        var holding: [Call: (moment: Moment, times: Int)] = [:]
        var held: [(call: Call, gate: Gate)] = []
        var watchers: [(count: Int, gate: Gate)] = []
        var alter: (@Sendable (Page, PageRequest) -> Page)?
    }

    /// The table beneath.
    public let base: any Table
    /// The table beneath.
    public var wrapped: any Table { base }
    /// What the table says it can do.
    public let capabilities: Capabilities
    let events = EventRelay()
    private let state = Mutex(State())

    /// The name of the table beneath.
    public var name: String { base.name }
    /// The id column of the table beneath.
    public var idColumn: String { base.idColumn }
    /// The convention of the table beneath.
    public var dates: DateConvention { base.dates }

    /// Wraps a table.
    ///
    /// - Parameters:
    ///   - base: The table beneath.
    ///   - capabilities: What to declare; nil for what the table beneath declares. Where revisions are not declared,
    ///     none are told.
    public init(_ base: any Table, capabilities: Capabilities? = nil) {
        self.base = base
        self.capabilities = capabilities ?? base.capabilities
    }
}

// MARK: - Misbehaving

extension FaultyTable {
    /// Every call made so far, in order.
    public var requests: [Request] { state.withLock { $0.requests } }

    /// How many calls of a kind were made.
    public func count(of call: Call) -> Int { requests.count { $0.call == call } }

    /// Lets calls of a kind fail before they reach the table beneath.
    ///
    /// - Parameters:
    ///   - call: The kind.
    ///   - error: What they throw.
    ///   - times: How many of them; all until ``heal()`` unless said otherwise.
    public func fail(_ call: Call, with error: RemoteDataError = .lost, times: Int = .max) {
        state.withLock { $0.failures[call] = Failure(error: error, remaining: times) }
    }

    /// Lets calls of a kind fail after the table beneath has done what they ask for: the answer is lost.
    ///
    /// - Parameters:
    ///   - call: The kind.
    ///   - error: What they throw.
    ///   - times: How many of them; all until ``heal()`` unless said otherwise.
    public func loseAnswers(to call: Call, with error: RemoteDataError = .lost, times: Int = .max) {
        state.withLock { $0.losses[call] = Failure(error: error, remaining: times) }
    }

    /// Ends all failures and losses.
    public func heal() {
        state.withLock { state in
            state.failures = [:]
            state.losses = [:]
        }
    }

    /// Lets calls of a kind stand still until they are let go.
    ///
    /// - Parameters:
    ///   - call: The kind of call.
    ///   - moment: When they stand still.
    ///   - times: How many of them do; those that follow pass.
    public func hold(_ call: Call, _ moment: Moment = .beforeAnswering, times: Int = .max) {
        state.withLock { $0.holding[call] = (moment, times) }
    }

    /// How many calls stand still.
    public var heldCount: Int { state.withLock { $0.held.count } }

    /// Lets one of the calls that stand still go on: the `index`th that came.
    public func letGo(_ index: Int) {
        let gate = state.withLock { $0.held.remove(at: index).gate }
        gate.open()
    }

    /// Lets every call go on, and holds no more.
    public func letAllGo() {
        let gates = state.withLock { state in
            state.holding = [:]
            defer { state.held = [] }
            return state.held.map(\.gate)
        }
        for gate in gates { gate.open() }
    }

    /// Waits until at least `count` calls stand still.
    ///
    /// It has no deadline of its own: use it under a test's time limit.
    public func waitForHeld(_ count: Int = 1) async {
        let gate = Gate()
        let isReady = state.withLock { state in
            if state.held.count >= count { return true }
            state.watchers.append((count, gate))
            return false
        }
        if !isReady { await gate.pass() }
    }

    /// Changes every page on its way; nil for no longer.
    public func alterPages(_ alter: (@Sendable (Page, PageRequest) -> Page)?) {
        state.withLock { $0.alter = alter }
    }

    private func enter(_ request: Request) throws(RemoteDataError) {
        let error = state.withLock { state -> RemoteDataError? in
            state.requests.append(request)
            guard let failure = state.failures[request.call], failure.remaining > 0 else { return nil }
            state.failures[request.call]?.remaining -= 1
            return failure.error
        }
        if let error { throw error }
    }

    private func leave(_ call: Call) throws(RemoteDataError) {
        let error = state.withLock { state -> RemoteDataError? in
            guard let loss = state.losses[call], loss.remaining > 0 else { return nil }
            state.losses[call]?.remaining -= 1
            return loss.error
        }
        if let error { throw error }
    }

    private func stand(_ call: Call, _ moment: Moment) async throws(RemoteDataError) {
        let (gate, watchers) = state.withLock { state -> (Gate?, [Gate]) in
            guard let holding = state.holding[call], holding.moment == moment, holding.times > 0 else {
                return (nil, [])
            }
            state.holding[call]?.times -= 1
            let gate = Gate()
            state.held.append((call, gate))
            let ready = state.watchers.filter { $0.count <= state.held.count }.map(\.gate)
            state.watchers.removeAll { $0.count <= state.held.count }
            return (gate, ready)
        }
        for watcher in watchers { watcher.open() }
        guard let gate, await !gate.pass() else { return }
        state.withLock { $0.held.removeAll { $0.gate === gate } }
        throw RemoteDataError(.cancelled, "The call was cancelled while it was held.")
    }

    private func run<Value>(
        _ request: Request,
        _ body: () async throws(RemoteDataError) -> Value
    ) async throws(RemoteDataError) -> Value {
        try enter(request)
        try await stand(request.call, .beforeAsking)
        let value = try await body()
        try await stand(request.call, .beforeAnswering)
        try leave(request.call)
        return value
    }
}

// MARK: - Being a table

extension FaultyTable {
    /// Counts.
    public func count(_ query: Query) async throws(RemoteDataError) -> Count {
        let count = try await run(Request(.count)) { () async throws(RemoteDataError) in
            try await base.count(query)
        }
        return capabilities.revisions ? count : Count(count.value)
    }

    /// Reads a page.
    public func page(_ request: PageRequest) async throws(RemoteDataError) -> Page {
        let page = try await run(Request(.page, page: request)) { () async throws(RemoteDataError) in
            try await base.page(request)
        }
        let altered = state.withLock { $0.alter }.map { $0(page, request) } ?? page
        guard !capabilities.revisions else { return altered }
        return Page(
            rows: altered.rows.map { $0.at(nil) },
            failures: altered.failures,
            endsEarly: altered.endsEarly
        )
    }

    /// Reads a row.
    public func row(_ id: RowID) async throws(RemoteDataError) -> Row? {
        let row = try await run(Request(.row)) { () async throws(RemoteDataError) in try await base.row(id) }
        return capabilities.revisions ? row : row?.at(nil)
    }

    /// Writes.
    public func commit(
        _ mutation: Mutation,
        idempotencyKey: String?
    ) async throws(RemoteDataError) -> Outcome {
        let outcome = try await run(Request(.commit, mutation: mutation)) {
            () async throws(RemoteDataError) in
            try await base.commit(mutation, idempotencyKey: idempotencyKey)
        }
        guard !capabilities.revisions else { return outcome }
        return Outcome(rows: outcome.rows.map { $0.at(nil) }, ids: outcome.ids, count: outcome.count)
    }

    /// Reads the change log.
    public func changes(since revision: Revision, limit: Int) async throws(RemoteDataError) -> ChangeBatch {
        try await run(Request(.changes)) { () async throws(RemoteDataError) in
            try await base.changes(since: revision, limit: limit)
        }
    }

    /// Subscribes; the events go through the test's hands.
    public func subscribe(
        to query: Query,
        since revision: Revision?
    ) async throws(RemoteDataError) -> ChangeFeed {
        let feed = try await run(Request(.subscribe, since: revision)) { () async throws(RemoteDataError) in
            try await base.subscribe(to: query, since: revision)
        }
        return events.relay(feed, tellsRevisions: capabilities.revisions)
    }
}

extension RemoteDataError {
    /// A failure that may pass, for tests.
    public static let lost = RemoteDataError(.unreachable, "The test has cut the line.")
}

/// Something to wait at until it is opened.
final class Gate: Sendable {
    private struct State {
        var isOpen: Bool?
        var waiter: CheckedContinuation<Bool, Never>?
    }

    private let state = Mutex(State())

    func open() { settle(true) }

    private func settle(_ isOpen: Bool) {
        let waiter = state.withLock { state in
            if state.isOpen == nil { state.isOpen = isOpen }
            return state.waiter.take()
        }
        waiter?.resume(returning: isOpen)
    }

    /// Waits; false when the task is cancelled.
    @discardableResult
    func pass() async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOpen = state.withLock { state in
                    if state.isOpen == nil { state.waiter = continuation }
                    return state.isOpen
                }
                if let isOpen { continuation.resume(returning: isOpen) }
            }
        } onCancel: {
            settle(false)
        }
    }
}
