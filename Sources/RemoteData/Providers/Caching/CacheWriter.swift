import Synchronization
import RemoteDataExecution

/// Does with a cache what is asked for, one thing after another.
final class CacheWriter: Sendable {
    private enum Job {
        /// Makes what is to be written when its turn comes.
        case write(@Sendable () throws -> [ModelCacheChange])
        case read(@Sendable (any ModelCache) async -> Void)
    }

    private struct State {
        var jobs: [Job] = []
        /// The lists that are to be written as they are when the turn of the first job comes that asked for it.
        var lists: Set<String> = []
        var isRunning = false
        var onError: (@Sendable (RemoteDataError) -> Void)?
    }

    private let cache: any ModelCache
    private let state = Mutex(State())

    init(_ cache: any ModelCache) { self.cache = cache }

    func onError(_ handler: (@Sendable (RemoteDataError) -> Void)?) {
        state.withLock { $0.onError = handler }
    }

    /// Writes something later; takes no time of the caller's.
    func write(_ changes: @escaping @Sendable () throws -> [ModelCacheChange]) { enqueue(.write(changes)) }

    /// Writes a list later, as it is by then: once, however often it is asked for meanwhile.
    func writeList(_ key: String, _ elements: @escaping @Sendable () throws -> [CachedElement]?) {
        guard state.withLock({ $0.lists.insert(key).inserted }) else { return }
        write {
            _ = self.state.withLock { $0.lists.remove(key) }
            return try elements().map { [.list(key, $0)] } ?? []
        }
    }

    /// Reads something after all that was to be written before.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any ModelCache) async throws -> Value
    ) async throws(RemoteDataError) -> Value {
        let result: Result<Value, RemoteDataError> = await withCheckedContinuation { continuation in
            enqueue(
                .read { cache in
                    do { continuation.resume(returning: .success(try await body(cache))) } catch {
                        continuation.resume(returning: .failure(Self.error(error)))
                    }
                }
            )
        }
        return try result.get()
    }

    /// Waits until all that was to be written before has been, or has failed.
    func written() async { _ = try? await read { _ in } }

    private func enqueue(_ job: Job) {
        let starts = state.withLock { state in
            state.jobs.append(job)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard starts else { return }
        Task(executorPreference: WorkerExecutor.shared) { await self.run() }
    }

    private func run() async {
        while true {
            let jobs = state.withLock { state in
                defer { state.jobs = [] }
                state.isRunning = !state.jobs.isEmpty
                return state.jobs
            }
            if jobs.isEmpty { return }
            var changes: [ModelCacheChange] = []
            for job in jobs {
                switch job {
                case .write(let made):
                    do { changes += try made() } catch { report(error) }
                case .read(let body):
                    await flush(&changes)
                    await body(cache)
                }
            }
            await flush(&changes)
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
