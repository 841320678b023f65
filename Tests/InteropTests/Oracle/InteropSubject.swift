import Foundation
import RemoteData
import RemoteDataTesting
import Synchronization

/// A collection that is compared with a server.
final class InteropSubject: Sendable {
    /// What came of its calls in a batch.
    struct Results: Sendable {
        var passes: [Pass] = []
        /// The rows whose creation, change or removal was acknowledged.
        var added: [Item] = []
        var updated: [Item] = []
        var removed: [Item] = []
        var errors: [Failure] = []
    }

    private struct State {
        var running = 0
        var results = Results()
    }

    /// An error that a call threw.
    struct Failure: Sendable {
        let call: String
        /// Nil for an error of another type.
        let error: RemoteDataError?
        let time = ContinuousClock.now
    }

    /// An iteration.
    struct Pass: Sendable {
        var taken: [Item] = []
        var isComplete = false
    }

    let number = Int.random(in: 100..<1_000)
    /// Its clause, order and options in words.
    let name: String
    private let trail: TrafficTrail
    private let collection: RemoteDataCollection<Item>
    private let state = Mutex(State())

    init(
        _ table: any Table,
        _ trail: TrafficTrail,
        where clause: String,
        sort: String,
        _ options: CollectionOptions
    ) async throws {
        self.trail = trail
        collection = try await RemoteDataCollection(table: table, where: clause, sort: sort, options: options)
        let cache = options.cacheLimit.map { ", cache limit \($0)" } ?? ""
        name =
            "\(number), where \"\(clause)\" sort \"\(sort)\", pages of \(options.pageSize) + \(options.readAhead)\(cache)"
    }

    private func start(
        _ call: String,
        _ body: @escaping @Sendable () async throws(RemoteDataError) -> Void
    ) {
        state.withLock { $0.running += 1 }
        Task {
            do throws(RemoteDataError) { try await body() } catch { note(error, of: call) }
            state.withLock { $0.running -= 1 }
        }
    }

    private func note(_ error: RemoteDataError?, of call: String) {
        state.withLock { $0.results.errors.append(Failure(call: call, error: error)) }
    }

    private var isIdle: Bool { state.withLock { $0.running == 0 } }

    /// What came of the batch, which is then forgotten.
    func takeResults() -> Results {
        state.withLock { state in
            defer { state.results = Results() }
            return state.results
        }
    }
}

// MARK: - What is done with it

extension InteropSubject {
    func add(_ item: Item) {
        start("add") { [self] () async throws(RemoteDataError) in
            guard let stored = try await collection.add(item) else { return }
            state.withLock { $0.results.added.append(stored) }
        }
    }

    private func loaded(_ place: Int) -> Item? {
        let rows = collection.snapshot().loaded
        return rows.isEmpty ? nil : rows[place % rows.count]
    }

    /// - Returns: The row as it is to be.
    func update(_ place: Int, _ text: String, _ number: Int) -> Item? {
        guard var row = loaded(place) else { return nil }
        (row.s, row.n) = (text, number)
        start("update") { [self, row] () async throws(RemoteDataError) in
            try await collection.update(row)
            state.withLock { $0.results.updated.append(row) }
        }
        return row
    }

    /// - Returns: The row it is about.
    func remove(_ place: Int) -> Item? {
        guard let row = loaded(place) else { return nil }
        start("remove") { [self] () async throws(RemoteDataError) in
            _ = try await collection.remove(row)
            state.withLock { $0.results.removed.append(row) }
        }
        return row
    }

    func iterate() {
        start("iterate") { [self] () async throws(RemoteDataError) in
            var pass = Pass()
            defer { state.withLock { [pass] in $0.results.passes.append(pass) } }
            do {
                for try await row in collection.rows { pass.taken.append(row) }
                pass.isComplete = true
            } catch { note(error as? RemoteDataError, of: "iterate") }
        }
    }

    func read(_ place: Int) {
        start("read") { [collection] () async throws(RemoteDataError) in
            _ = try await collection.row(at: place % max(1, collection.count))
        }
    }

    func refresh() {
        start("refresh") { [collection] () async throws(RemoteDataError) in try await collection.refresh() }
    }

    /// Waits until it has come to rest and what is here is right, without reading anything.
    ///
    /// - Returns: What is wrong in the end.
    func converge(to backend: some ForeignBackend, until deadline: ContinuousClock.Instant) async throws
        -> [String]
    {
        var difference: String?
        repeat {
            difference = try await self.difference(from: backend)
            if difference == nil { return [] }
        } while ContinuousClock.now < deadline
        return [difference].compactMap(\.self) + trail.text
    }

    private func difference(from backend: some ForeignBackend) async throws -> String? {
        // Whoever looks again waits for the server's answer.
        let right = try await backend.rows(in: collection.query)
        guard isIdle else { return "Calls do not end." }
        guard collection.liveStatus.isLive else { return "It is not live: \(collection.liveStatus)." }
        guard collection.isAtRest else { return "It does not come to rest: \(collection.inspect().buffers)." }
        if hasRightCount, collection.count != right.count {
            return "It counts \(collection.count) of \(right.count) rows."
        }
        return Self.difference(collection.inspect().rows, right)
    }

    /// Whether the count is right although nothing is read.
    ///
    /// It may be off until everything is loaded over a table without revisions, and for a clause that the table
    /// cannot count by.
    private var hasRightCount: Bool {
        let counts = collection.query.filter.map { collection.table.canFilterList($0) } ?? true
        return collection.isLoaded || (counts && collection.table.capabilities.revisions)
    }

    /// Reads every row, once.
    ///
    /// - Returns: What is wrong then; empty when nothing is.
    func readingProblems(against backend: some ForeignBackend) async throws -> [String] {
        var taken: [String] = []
        do { for try await row in collection.rows { taken.append(row.id ?? "") } } catch {
            return ["Reading every row ends with \(error)."] + trail.text
        }
        let right = try await backend.rows(in: collection.query)
        let ids = right.map(\.id.description)
        guard taken == ids else {
            return [
                "It has \(Self.list(taken, besides: ids)) too many, and \(Self.list(ids, besides: taken)) missing"
                    + " of \(ids.count)\(Set(ids) == Set(taken) ? ", or in another order" : "")."
            ]
        }
        if collection.count != ids.count { return ["It counts \(collection.count) of \(ids.count) rows."] }
        return [Self.difference(collection.inspect().rows, right)].compactMap(\.self)
    }
}

extension ForeignBackend {
    /// The rows of a query in the server's order.
    fileprivate func rows(in query: Query) async throws -> [Row] {
        try await rows(in: query.sort).filter { query.filter?.matches($0) ?? true }
    }
}

// MARK: - What has to be so

extension InteropSubject {
    /// What is wrong with what came of its calls, by what the README promises of them.
    ///
    /// - Parameters:
    ///   - results: What came of them.
    ///   - possible: What the rows may have held.
    ///   - isExplained: Whether a fault of the batch explains an error.
    /// - Returns: What is wrong, in words.
    func problems(
        of results: Results,
        _ possible: PossibleRows,
        isExplained: (Failure) -> Bool
    ) -> [String] {
        // Others may have removed or changed what a call was about.
        let usual: [String: Set<RemoteDataError.Code>] = [
            "update": [.notFound, .conflict], "remove": [], "read": [.outOfRange], "add": [],
        ]
        var problems: [String] = []
        for failure in results.errors where !isExplained(failure) {
            if let code = failure.error?.code, usual[failure.call]?.contains(code) ?? false { continue }
            let reason = failure.error.map(\.description) ?? "no error of a table"
            problems.append("A call, \(failure.call), ended with \(reason), and no fault explains it.")
        }
        return problems + results.passes.flatMap { self.problems(of: $0, possible) }
    }

    private func problems(of pass: Pass, _ possible: PossibleRows) -> [String] {
        let query = collection.query
        let twice = Dictionary(grouping: pass.taken, by: \.id).filter { $0.value.count > 1 }.keys
        var problems = twice.isEmpty ? [] : ["An iteration took \(twice.compactMap(\.self).sorted()) twice."]
        let ghosts = pass.taken.filter { !possible.mayHave($0, query) }
        if !ghosts.isEmpty { problems.append("An iteration took \(ghosts), which matched at no time.") }
        guard pass.isComplete else { return problems }
        // Where pages and changes have no revisions, rows that are moved meanwhile may be left out.
        let matching = possible.matching(query, withoutMoved: !collection.table.capabilities.revisions)
        let missing = matching.subtracting(pass.taken.compactMap(\.id)).sorted()
        if !missing.isEmpty {
            problems.append("An iteration left out \(missing), which matched throughout.")
        }
        return problems
    }

    /// What is here is what the server has, in its order, and nothing is missing in between.
    private static func difference(_ rows: [Row?], _ right: [Row]) -> String? {
        let places = Dictionary(right.enumerated().map { ($1.id, $0) }) { first, _ in first }
        var last: (position: Int, place: Int)?
        for (position, row) in rows.enumerated() {
            guard let row else { continue }
            guard let place = places[row.id] else { return "The row \(row.id) is here, and not there." }
            if !isSame(row, right[place]) {
                return "The row \(row.id) is \(row.text), and \(right[place].text) there."
            }
            if let last, place <= last.place || (position == last.position + 1 && place != last.place + 1) {
                return "The row \(row.id) is behind row \(right[last.place].id), where it does not belong."
            }
            last = (position, place)
        }
        return nil
    }

    private static func isSame(_ left: Row, _ right: Row) -> Bool {
        ["s", "n", "tag"].allSatisfy { left[ColumnPath($0)] == right[ColumnPath($0)] }
    }

    private static func list(_ ids: [String], besides others: [String]) -> String {
        let ids = Set(ids).subtracting(others).sorted()
        return ids.isEmpty ? "none" : ids.prefix(5).joined(separator: ", ")
    }
}
