import Foundation
import RemoteData
import Synchronization

/// A cache in memory that can be held up, and can fail; it notes what it is asked for.
final class GatedCache: ModelCache {
    struct Failure: Error {}

    private struct State {
        var isHeld = false
        var held: [CheckedContinuation<Void, Never>] = []
        var watchers: [CheckedContinuation<Void, Never>] = []
        var reads = 0
        var failsReads = false
        var refuses: @Sendable (ModelCacheChange) -> Bool = { _ in false }
        var inside = 0
        var overlaps = 0
    }

    private let state = Mutex(State())
    private let memory = MemoryModelCache()
    /// What was written, as text, one thing after another.
    let written = Heard<String>()

    /// How often something was read.
    var reads: Int { state.withLock { $0.reads } }
    /// How often it was asked for something while it did something else.
    var overlaps: Int { state.withLock { $0.overlaps } }

    // MARK: Holding it up

    /// Does nothing until it is let go on.
    func hold() { state.withLock { $0.isHeld = true } }

    /// Goes on.
    func letGo() {
        let held = state.withLock { state in
            defer { (state.isHeld, state.held) = (false, []) }
            return state.held
        }
        for waiting in held { waiting.resume() }
    }

    /// Waits until something is asked for that is held up.
    func isWaiting() async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.held.isEmpty { state.watchers.append(continuation) }
                return !state.held.isEmpty
            }
            if isThere { continuation.resume() }
        }
    }

    private func pass() async {
        await withCheckedContinuation { continuation in
            let (isHeld, watchers) = state.withLock { state in
                guard state.isHeld else { return (false, [CheckedContinuation<Void, Never>]()) }
                state.held.append(continuation)
                defer { state.watchers = [] }
                return (true, state.watchers)
            }
            for watcher in watchers { watcher.resume() }
            if !isHeld { continuation.resume() }
        }
    }

    // MARK: Failing

    func failReads(_ fails: Bool = true) { state.withLock { $0.failsReads = fails } }

    /// Fails at all writes that have something of this kind.
    func refuse(_ refuses: @escaping @Sendable (ModelCacheChange) -> Bool) {
        state.withLock { $0.refuses = refuses }
    }

    // MARK: The cache

    func model(_ id: ModelID) async throws -> Data? {
        try await reading { try await self.memory.model(id) }
    }

    func list(_ key: String) async throws -> [Data]? {
        try await reading { try await self.memory.list(key) }
    }

    func write(_ changes: [ModelCacheChange]) async throws {
        enter()
        defer { leave() }
        await pass()
        let refuses = state.withLock { $0.refuses }
        if changes.contains(where: refuses) { throw Failure() }
        try await memory.write(changes)
        for change in changes { written.note(Self.text(change)) }
    }

    private func reading<Value>(_ body: () async throws -> Value) async throws -> Value {
        enter()
        defer { leave() }
        state.withLock { $0.reads += 1 }
        await pass()
        if state.withLock({ $0.failsReads }) { throw Failure() }
        return try await body()
    }

    private func enter() {
        state.withLock { state in
            state.inside += 1
            if state.inside > 1 { state.overlaps += 1 }
        }
    }

    private func leave() { state.withLock { $0.inside -= 1 } }

    private static func text(_ change: ModelCacheChange) -> String {
        switch change {
        case .model(let id, _): return "model \(id)"
        case .deleteModel(let id): return "delete \(id)"
        case .list(let key, let elements):
            let texts = elements.map { element in
                if case .model(let id) = element { id.description } else { "-" }
            }
            return "list \(key): \(texts.joined(separator: " "))"
        }
    }
}
