import Dispatch
import Foundation
import RemoteData
import RemoteDataServer
import Testing

/// Runs a server for as long as a body takes, and stops it.
func withServer<Result: Sendable>(
    _ store: any TableStore = MemoryTableStore(epoch: testEpoch),
    configure: (inout TableServer.Configuration) -> Void = { _ in },
    _ body: @escaping @Sendable (Int) throws -> Result
) async throws -> Result {
    var configuration = TableServer.Configuration()
    configure(&configuration)
    let server = TableServer(store: store, configuration: configuration)
    let base = try await server.start()
    let port = try #require(base.port)
    do {
        let result = try await onThread { try body(port) }
        await server.stop()
        return result
    } catch {
        await server.stop()
        throw error
    }
}

/// Runs what blocks away from Swift's shared threads, still as part of the test.
func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withTaskExecutorPreference(ThreadExecutor.shared) { try body() }
}

/// Runs each job on a thread of its own.
private final class ThreadExecutor: TaskExecutor {
    static let shared = ThreadExecutor()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// The epoch of the stores of tests that look at answers as text.
let testEpoch = Epoch(rawValue: 0x0A1B_2C3D) ?? .random()
