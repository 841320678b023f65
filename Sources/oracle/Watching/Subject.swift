import Dispatch
import Foundation
import RemoteData
import RemoteDataTesting
import Synchronization

/// A collection that is compared with the server, and what is done with it in a batch.
final class Subject: Sendable {
    /// What came of a batch.
    struct Results: Sendable {
        var passes: [Pass] = []
        /// Rows that it was told to have added, and to have removed.
        var added: Set<RowID> = []
        var removed: Set<RowID> = []
        /// Its writes as they went to the server.
        var writes: [SentWrite] = []
        /// What its calls failed with, and when.
        var errors: [Failure] = []
        /// What its error handler was called with.
        var reports: [Failure] = []
    }

    /// An error and when it came.
    struct Failure: Sendable {
        let error: RemoteDataError
        let time = ContinuousClock.now
    }

    private struct State {
        var running = 0
        var isIteratingBlocking = false
        var results = Results()
    }

    let collection: RemoteDataCollection<ScenarioRow>
    /// Its clause, order and options in words.
    let name: String
    private let table: RecordingTable
    private let queue: DispatchQueue
    private let told = Mutex<Told?>(nil)
    private let state = Mutex(State())

    /// Opens a collection.
    init(_ table: any Table, _ query: (clause: String, sort: String), _ options: CollectionOptions)
        async throws
    {
        let queue = DispatchQueue(label: "oracle.delivery")
        var options = options
        options.delivery = .queue(queue)
        self.queue = queue
        self.table = RecordingTable(table)
        collection = try await RemoteDataCollection(
            table: self.table,
            where: query.clause,
            sort: query.sort,
            options: options
        )
        let cache = options.cacheLimit.map { ", cache limit \($0)" } ?? ""
        name =
            "where \"\(query.clause)\" sort \"\(query.sort)\", pages of \(options.pageSize)"
            + " + \(options.readAhead)\(cache), backlog \(options.surroundings.backlogLimit)"
            + ", deadline \(options.deadline)"
        collection.errorHandler = { [weak self] error in
            self?.state.withLock { $0.results.reports.append(Failure(error: error)) }
        }
    }

    /// Runs something on the collection's delivery queue, where nothing moves.
    func onQueue<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in queue.async { continuation.resume(returning: body()) }
        }
    }

    /// Begins to listen, if the collection is at rest.
    func listen() async -> Bool {
        await onQueue { [self] in
            let told = Told(collection)
            self.told.withLock { $0 = told }
            return told != nil
        }
    }

    /// Has the handler of its changes take some milliseconds for each.
    func slowDown(milliseconds: Int) { told.withLock { $0 }?.slowDown(milliseconds: milliseconds) }

    /// Whether nothing is under way that the batch began.
    var isIdle: Bool { state.withLock { $0.running == 0 } }

    /// What the batch did, which is then forgotten.
    func takeResults() -> Results {
        state.withLock { state in
            defer { state.results = Results() }
            state.results.writes = table.takeWrites()
            return state.results
        }
    }

    /// Whether the collection is at rest at a revision of the server, and everything it told has been heard.
    func isSettled(at revision: Revision?) async -> Bool {
        guard isIdle, collection.liveStatus.isLive, collection.appliedRevision == revision else {
            return false
        }
        return await onQueue { [self] in
            collection.isAtRest && collection.appliedRevision == revision
                && told.withLock { $0?.isUpToDate ?? true }
        }
    }

    /// What was reported of each row since the last comparison, in words.
    func tellings() async -> [RowID: [String]] {
        await onQueue { [self] in told.withLock { $0 }?.tellings ?? [:] }
    }

    /// How what was told differs from the collection; nil when it does not.
    func differenceFromTold() async -> String? {
        await onQueue { [self] in
            let told = told.withLock { $0 }
            return told?.difference(from: collection)
        }
    }
}

// MARK: - What is done with it

extension Subject {
    private func start(_ body: @escaping @Sendable () async throws(RemoteDataError) -> Void) {
        state.withLock { $0.running += 1 }
        Task {
            do throws(RemoteDataError) { try await body() } catch {
                state.withLock { $0.results.errors.append(Failure(error: error)) }
            }
            state.withLock { $0.running -= 1 }
        }
    }

    /// Writes, without waiting for the end.
    func write(_ write: OwnWrite) {
        start { [self] () async throws(RemoteDataError) in
            let rows = collection.snapshot().loaded
            switch write {
            case .add(let row):
                guard let row = Self.row(row), let stored = try await collection.add(row) else { return }
                state.withLock { _ = $0.results.added.insert(stored.id.rawValue) }
            case .update(let place, let patch):
                guard !rows.isEmpty, case .object(let members) = patch else { return }
                let original = rows[place % rows.count]
                var row = original
                row.columns.merge(members) { $1 }
                if place.isMultiple(of: 2) {
                    try await collection.update(row)
                } else {
                    try await collection.update(row, from: original)
                }
            case .remove(let place):
                guard !rows.isEmpty else { return }
                let row = rows[place % rows.count]
                guard try await collection.remove(row) else { return }
                state.withLock { _ = $0.results.removed.insert(row.id.rawValue) }
            case .removeAll(let clause): _ = try await collection.removeAll(where: clause)
            }
        }
    }

    private static func row(_ value: ScenarioValue) -> ScenarioRow? {
        try? JSONDecoder().decode(ScenarioRow.self, from: Data(value.json))
    }

    /// Reads, without waiting for the end.
    ///
    /// - Parameters:
    ///   - reading: What to read.
    ///   - begin: The server's revision where no changes come, which is when an iteration begins; otherwise
    ///     nil.
    ///   - revision: Asks the server for its revision.
    func read(
        _ reading: Reading,
        from begin: Revision?,
        revision: @escaping @Sendable () async -> Revision?
    ) {
        switch reading {
        case .iterate(let isBlocking, let pace, let limit):
            // A blocking iteration leaves its error in the collection, where there is room for one.
            let isBlocking =
                isBlocking
                && state.withLock { state in
                    defer { state.isIteratingBlocking = true }
                    return !state.isIteratingBlocking
                }
            start { [self] () async throws(RemoteDataError) in
                var pass =
                    if isBlocking {
                        await iterateBlocking(pace, limit, from: begin)
                    } else {
                        await iterate(pace, limit, from: begin)
                    }
                pass.endTime = .now
                pass.endRevision = await revision()
                state.withLock { state in
                    state.results.passes.append(pass)
                    if isBlocking { state.isIteratingBlocking = false }
                }
            }
        case .row(let place):
            start { [collection] () async throws(RemoteDataError) in
                _ = try await collection.row(at: place % max(1, collection.count))
            }
        case .prefetch(let place, let count):
            start { [collection] () async throws(RemoteDataError) in
                let all = collection.count
                let start = place % max(1, all)
                try await collection.prefetch(start..<min(all, start + count))
            }
        case .populate:
            start { [collection] () async throws(RemoteDataError) in try await collection.populate() }
        case .refresh:
            start { [collection] () async throws(RemoteDataError) in try await collection.refresh() }
        }
    }

    /// Begins an iteration.
    ///
    /// - Parameters:
    ///   - isBlocking: Whether it blocks.
    ///   - begin: The server's revision while no changes came; ignored if they come again by now.
    ///   - make: Makes the iterator.
    /// - Returns: What is noted of it, and the iterator.
    private func begin<Rows>(
        isBlocking: Bool,
        from begin: Revision?,
        _ make: () -> Rows
    ) -> (pass: Pass, rows: Rows) {
        let known = collection.rightRevision ?? .zero
        let rows = make()
        let isAway = begin != nil && !collection.liveStatus.isLive
        return (Pass(isBlocking: isBlocking, known: known, begin: isAway ? begin ?? known : known), rows)
    }

    private func iterate(_ pace: Int, _ limit: Int?, from begin: Revision?) async -> Pass {
        var (pass, rows) = self.begin(isBlocking: false, from: begin) { collection.rows.makeAsyncIterator() }
        do {
            while let row = try await rows.next() {
                guard pass.take(row.id.rawValue, limit: limit) else { return pass }
                if pace > 0 { try await Task.sleep(for: .microseconds(pace)) }
            }
            pass.end = .complete
        } catch { pass.end = .failed(error as? RemoteDataError) }
        return pass
    }

    private func iterateBlocking(_ pace: Int, _ limit: Int?, from begin: Revision?) async -> Pass {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [self] in
                var (pass, rows) = self.begin(isBlocking: true, from: begin) { collection.makeIterator() }
                pass.end = .complete
                while let row = rows.next() {
                    guard pass.take(row.id.rawValue, limit: limit) else {
                        pass.end = .abandoned
                        break
                    }
                    if pace > 0 { Thread.sleep(forTimeInterval: Double(pace) / 1e6) }
                }
                if case .complete = pass.end, let error = collection.iterationError {
                    pass.end = .failed(error)
                }
                continuation.resume(returning: pass)
            }
        }
    }
}
