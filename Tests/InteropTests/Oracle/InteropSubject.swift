import Foundation
import RemoteData
import RemoteDataTesting
import Synchronization

/// A collection that is compared with a server.
final class InteropSubject: Sendable {
    private struct State {
        var running = 0
        var passes: [Pass] = []
        var added: [String] = []
        var errors: [RemoteDataError] = []
    }

    /// An iteration.
    private struct Pass: Sendable {
        var taken: [String] = []
        var isComplete = false
        var error: RemoteDataError?
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

    private func start(_ body: @escaping @Sendable () async throws(RemoteDataError) -> Void) {
        state.withLock { $0.running += 1 }
        Task {
            do throws(RemoteDataError) { try await body() } catch {
                state.withLock { $0.errors.append(error) }
            }
            state.withLock { $0.running -= 1 }
        }
    }

    private var isIdle: Bool { state.withLock { $0.running == 0 } }

    func beginBatch() { state.withLock { ($0.passes, $0.errors) = ([], []) } }

    /// The tags of the rows it was told to have added, which are then forgotten.
    func takeAdded() -> [String] {
        state.withLock { state in
            defer { state.added = [] }
            return state.added
        }
    }
}

// MARK: - What is done with it

extension InteropSubject {
    func add(_ item: Item) {
        start { [self] () async throws(RemoteDataError) in
            guard let stored = try await collection.add(item) else { return }
            state.withLock { $0.added.append(stored.tag) }
        }
    }

    private func loaded(_ place: Int) -> Item? {
        let rows = collection.snapshot().loaded
        return rows.isEmpty ? nil : rows[place % rows.count]
    }

    /// - Returns: The row it is about.
    func update(_ place: Int, _ text: String, _ number: Int) -> String? {
        guard var row = loaded(place) else { return nil }
        (row.s, row.n) = (text, number)
        start { [row] () async throws(RemoteDataError) in _ = try await self.collection.update(row) }
        return row.id
    }

    /// - Returns: The row it is about.
    func remove(_ place: Int) -> String? {
        guard let row = loaded(place) else { return nil }
        start { () async throws(RemoteDataError) in
            _ = try await self.collection.remove(row)
        }
        // One that it has added itself need not be there in the end.
        state.withLock { $0.added.removeAll { $0 == row.tag } }
        return row.id
    }

    func iterate() {
        start { [self] () async throws(RemoteDataError) in
            var pass = Pass()
            defer { state.withLock { [pass] in $0.passes.append(pass) } }
            do {
                for try await row in collection.rows {
                    pass.taken.append(row.id ?? "")
                }
                pass.isComplete = true
            } catch { pass.error = error as? RemoteDataError }
        }
    }

    func read(_ place: Int) {
        start { [collection] () async throws(RemoteDataError) in
            _ = try await collection.row(at: place % max(1, collection.count))
        }
    }

    func refresh() {
        start { [collection] () async throws(RemoteDataError) in try await collection.refresh() }
    }
}

// MARK: - What has to be so

extension InteropSubject {
    /// Waits until it has come to rest and is right, for two minutes at most: refused credentials are tried
    /// again after up to a minute.
    ///
    /// - Returns: What is wrong.
    func problems(
        against backend: some ForeignBackend,
        possible: PossibleRows,
        readsAll: Bool
    ) async throws -> [String] {
        let deadline = ContinuousClock.now + .seconds(120)
        var difference: String?
        repeat {
            difference = try await self.difference(from: backend, readsAll: readsAll)
            if difference == nil { break }
        } while ContinuousClock.now < deadline
        if let difference { return [difference] + trail.text }
        // Where pages and changes have no revisions, rows that are moved meanwhile may be left out.
        let query = collection.query
        let matching = possible.matching(query, withoutMoved: !collection.table.capabilities.revisions)
        return state.withLock { $0.passes }.flatMap { problems(of: $0, matching: matching) }
    }

    /// What is wrong with an iteration, by what the README promises of it.
    private func problems(of pass: Pass, matching: Set<String>) -> [String] {
        let twice = Dictionary(grouping: pass.taken) { $0 }.filter { $0.value.count > 1 }.keys.sorted()
        var problems = twice.isEmpty ? [] : ["An iteration took \(twice) twice."]
        let missing = matching.subtracting(pass.taken).sorted()
        if pass.isComplete, !missing.isEmpty {
            problems.append("An iteration left out \(missing), which matched throughout.")
        }
        let mayBeLost = collection.options.cacheLimit != nil
        if !pass.isComplete,
            !(pass.error.map { $0.isTransient || $0.code == .unauthorized || ($0.code == .gone && mayBeLost) }
                ?? false)
        {
            let reason = pass.error.map(\.description) ?? "no error of a table"
            problems.append("An iteration ended with \(reason).")
        }
        return problems
    }

    private func difference(from backend: some ForeignBackend, readsAll: Bool) async throws -> String? {
        // Whoever looks again waits for the server's answer.
        let rows = try await backend.rows()
        guard isIdle else { return "Calls do not end." }
        guard collection.liveStatus.isLive else { return "It is not live: \(collection.liveStatus)." }
        guard collection.isAtRest else { return "It does not come to rest: \(collection.inspect().buffers)." }
        let (clause, sort) = (collection.query.filter, collection.query.sort)
        let right = rows.filter { clause?.matches($0) ?? true }
            .sorted { Key.order(Key($0, sort: sort), Key($1, sort: sort), sort: sort) == .ascending }
        if readsAll {
            var taken: [String] = []
            do { for try await row in collection.rows { taken.append(row.id ?? "") } } catch {
                return "Reading every row ends with \(error)."
            }
            let ids = right.map { $0.id.description }
            guard taken == ids else {
                return
                    "It has \(Self.list(taken, besides: ids)) too many, and \(Self.list(ids, besides: taken)) missing"
                    + " of \(ids.count)\(Set(ids) == Set(taken) ? ", or in another order" : "")."
            }
            if collection.count != ids.count { return "It counts \(collection.count) of \(ids.count) rows." }
        }
        return Self.difference(collection.inspect().rows, right)
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
