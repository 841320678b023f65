import Synchronization
import RemoteDataExecution

/// Does with a cache what is asked for, one thing after another.
final class CacheWriter: Sendable {
    private enum Job {
        case write(Write)
        /// Some that waited for long, put together.
        case folded(FoldedChanges)
        case read(Read)
    }

    /// Something to be read, as long as somebody waits for it.
    private struct Read {
        let isWanted: @Sendable () -> Bool
        let body: @Sendable (any ModelCache) async -> Void
    }

    /// Something to be written, made when its turn comes.
    private struct Write {
        /// When it was initiated, in the manager's order.
        let time: UInt64
        let make: @Sendable (_ report: (any Error) -> Void) -> [ModelCacheChange]
    }

    private struct State {
        var jobs: [Job] = []
        /// The lists that are to be written as they are when the turn of the first job comes that asked for it.
        var lists: Set<ObjectIdentifier> = []
        var isRunning = false
        /// Whether they are being put together, and come back then.
        var isFolding = false
        /// How many of them are put together.
        var nextFold = CacheWriter.limit
        var onError: (@Sendable (RemoteDataError) -> Void)?

        /// - Returns: Whether somebody has to begin to do them.
        mutating func starts() -> Bool {
            guard !isRunning, !isFolding, !jobs.isEmpty else { return false }
            isRunning = true
            return true
        }
    }

    /// How many jobs may wait.
    private static var limit: Int { 4_096 }

    private let cache: any ModelCache
    private let surroundings: Surroundings
    /// How long the cache is waited for.
    private let deadline: Duration
    private let state = Mutex(State())

    /// Up to when everything has been told that was initiated.
    private let toldUntil: @Sendable () -> UInt64
    /// When the models were initiated that were written last, as long as older ones may come.
    private let newest = Mutex<[ModelID: UInt64]>([:])

    init(
        _ cache: any ModelCache,
        deadline: Duration,
        _ surroundings: Surroundings,
        toldUntil: @escaping @Sendable () -> UInt64
    ) {
        (self.cache, self.deadline, self.surroundings) = (cache, deadline, surroundings)
        self.toldUntil = toldUntil
    }

    func onError(_ handler: (@Sendable (RemoteDataError) -> Void)?) {
        // The one before is let go of when the lock is open: it may hold others.
        _ = state.withLock { state in
            defer { state.onError = handler }
            return state.onError
        }
    }

    /// Writes models later, unless newer ones have been written by then; takes no time of the caller's.
    ///
    /// - Parameters:
    ///   - time: When they were initiated.
    ///   - make: Makes what is to be written, and says what cannot be.
    func write(
        at time: UInt64,
        _ make: @escaping @Sendable (_ report: (any Error) -> Void) -> [ModelCacheChange]
    ) {
        enqueue(.write(Write(time: time, make: make)))
    }

    /// Writes models later.
    func write<Model: ConsistentModel & Encodable>(_ models: [Model], at time: UInt64) {
        guard !models.isEmpty else { return }
        write(at: time) { report in
            models.compactMap { model in
                guard let id = model.modelID else { return nil }
                do throws(RemoteDataError) { return .model(id, try CacheCoding.encoded(model)) } catch {
                    report(error)
                    return nil
                }
            }
        }
    }

    /// Deletes models later, unless newer ones have been written by then.
    func delete(_ ids: [ModelID], at time: UInt64) {
        guard !ids.isEmpty else { return }
        // A list that is asked to be written later may have them again, so it is to be written again.
        state.withLock { $0.lists = [] }
        write(at: time) { _ in ids.map { .deleteModel($0) } }
    }

    /// Writes a list later, as it is by then: once, however often it is asked for meanwhile.
    func writeList<Model>(_ list: SharedList<Model>, _ key: String) {
        guard state.withLock({ $0.lists.insert(ObjectIdentifier(list)).inserted }) else { return }
        write(at: 0) { report in
            _ = self.state.withLock { $0.lists.remove(ObjectIdentifier(list)) }
            do throws(RemoteDataError) { return [.list(key, try CacheCoding.elements(list.models))] } catch {
                report(error)
                return []
            }
        }
    }

    /// Reads something after all that was to be written before.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any ModelCache) async throws -> Value
    ) async throws(RemoteDataError) -> Value {
        let answer = OneShot<Value>()
        let read = Read(isWanted: { !answer.isFinished }) { cache in
            do { answer.resume(.success(try await body(cache))) } catch {
                answer.resume(.failure(Self.error(error)))
            }
        }
        enqueue(.read(read))
        return try await within(deadline, surroundings) { () async throws(RemoteDataError) in
            try await answer.awaited()
        }
    }

    /// Waits until all that was to be written before has been, or has failed.
    ///
    /// - Returns: Whether it has; false at the deadline.
    @discardableResult func written() async -> Bool { (try? await read { _ in true }) ?? false }

    private func enqueue(_ job: Job) {
        let (starts, folds) = state.withLock { state in
            state.jobs.append(job)
            let folds = state.jobs.count >= state.nextFold && !state.isFolding
            state.isFolding = state.isFolding || folds
            return (state.starts(), folds)
        }
        if starts { surroundings.start { await self.run() } }
        if folds { surroundings.start { self.fold() } }
    }

    /// Puts together what waits, as it has become much; reads stay between what was to be written before and after them.
    private func fold() {
        let jobs = state.withLock { state in
            defer { state.jobs = [] }
            return state.jobs
        }
        var folded: [Job] = []
        var changes = FoldedChanges()
        for job in jobs {
            switch job {
            case .write(let write):
                for change in write.make(report) {
                    changes.add(FoldedChanges.Timed(time: write.time, change: change))
                }
            case .folded(let others): for timed in others.all { changes.add(timed) }
            case .read(let read):
                guard read.isWanted() else { continue }
                if !changes.isEmpty { folded.append(.folded(changes)) }
                changes = FoldedChanges()
                folded.append(job)
            }
        }
        if !changes.isEmpty { folded.append(.folded(changes)) }
        let (starts, goesOn) = state.withLock { state in
            state.nextFold = max(Self.limit, folded.count * 2)
            state.jobs = folded + state.jobs
            state.isFolding = false
            // Whoever writes has a turn before what has come meanwhile is put together.
            let starts = state.starts()
            state.isFolding = !starts && state.jobs.count >= state.nextFold
            return (starts, state.isFolding)
        }
        if starts { surroundings.start { await self.run() } }
        if goesOn { surroundings.start { self.fold() } }
    }

    /// How many jobs wait, for tests.
    var waitingCount: Int { state.withLock { $0.jobs.count } }

    private func run() async {
        while true {
            let jobs = state.withLock { state -> [Job] in
                state.isRunning = !state.jobs.isEmpty && !state.isFolding
                guard state.isRunning else { return [] }
                defer { state.jobs = [] }
                return state.jobs
            }
            if jobs.isEmpty { return }
            var changes: [ModelCacheChange] = []
            for job in jobs {
                switch job {
                case .write(let write): changes += write.make(report).filter { isNewest($0, write.time) }
                case .folded(let others):
                    changes += others.all.filter { isNewest($0.change, $0.time) }.map(\.change)
                case .read(let read):
                    await flush(&changes)
                    if read.isWanted() { await read.body(cache) }
                }
            }
            await flush(&changes)
        }
    }

    /// Whether nothing newer has been written in its place, and from now on this is the newest.
    private func isNewest(_ change: ModelCacheChange, _ time: UInt64) -> Bool {
        let id: ModelID
        switch change {
        case .model(let model, _): id = model
        case .deleteModel(let model): id = model
        case .list: return true
        }
        return newest.withLock { newest in
            if let known = newest[id], known > time { return false }
            if newest.count >= 4_096 {
                // What is told already is not written again.
                let toldUntil = toldUntil()
                newest = newest.filter { $0.value > toldUntil }
            }
            newest[id] = time
            return true
        }
    }

    private func flush(_ changes: inout [ModelCacheChange]) async {
        guard !changes.isEmpty else { return }
        defer { changes = [] }
        do { try await cache.write(changes) } catch {
            // One that cannot be written is not to keep the others out.
            guard changes.count > 1 else { return report(error) }
            for change in changes {
                do { try await cache.write([change]) } catch { report(error) }
            }
        }
    }

    private func report(_ error: any Error) { state.withLock { $0.onError }?(Self.error(error)) }

    private static func error(_ error: any Error) -> RemoteDataError {
        error as? RemoteDataError ?? RemoteDataError(.storage, "The cache failed.", cause: error)
    }
}
