public import Foundation
public import RemoteData
import RemoteDataExecution
import Synchronization

/// Serves the tables of a store over HTTP and WebSocket, as the native protocol has it.
///
/// ```swift
/// let server = TableServer(store: MemoryTableStore())
/// let base = try await server.start()   // http://127.0.0.1:<port>
/// …
/// await server.stop()
/// ```
///
/// Each server has a thread of its own for its connections and a few queues for the work, and shares nothing
/// with others in the process. Nothing waits on Swift's cooperative pool.
public final class TableServer: Sendable {
    private enum State {
        case new
        case running(ServerLoop)
        case ended(ServerLoop?)
    }

    private let plan: LoopPlan
    private let state = Mutex(State.new)

    /// Creates a server that does not listen yet.
    ///
    /// - Parameters:
    ///   - store: The tables to serve.
    ///   - configuration: How the server is reached and what it allows.
    public init(store: any TableStore, configuration: Configuration = Configuration()) {
        var api = TableAPI(store: store, limits: configuration.limits, fixedTables: configuration.fixedTables)
        api.room = AnswerRoom(2 * configuration.limits.unreadBytes)
        api.authorization = configuration.authorization
        // At least four, since storage may block.
        let width = min(max(4, ProcessInfo.processInfo.activeProcessorCount), 16)
        plan = LoopPlan(api: api, configuration: configuration, executor: WorkerExecutor(width: width))
    }

    /// Begins to listen; can be called once.
    ///
    /// - Returns: The base URL, such as `http://127.0.0.1:8080`.
    /// - Throws: ``TableServerError``: the address cannot be listened on, a token is missing, or it was
    ///   started before.
    public func start() async throws(TableServerError) -> URL {
        let configuration = plan.configuration
        try configuration.check()
        let loop = ServerLoop(plan)
        let isFirst = state.withLock { state in
            guard case .new = state else { return false }
            state = .running(loop)
            return true
        }
        guard isFirst else { throw TableServerError(.started, "A server is started once; make another one.") }
        do throws(TableServerError) {
            let port = try await loop.start()
            guard let url = URL(string: "http://\(ListenAddress.inURL(configuration.host)):\(port)") else {
                throw TableServerError(.address, "\(configuration.host) makes no URL.")
            }
            return url
        } catch {
            state.withLock { $0 = .ended(loop) }
            loop.requestStop()
            throw error
        }
    }

    /// Ends the server: no new connections, what is under way is finished, WebSockets are closed with 1001.
    ///
    /// Returns when all is closed and the thread has ended, at the latest after ``Deadlines/stop``. Does
    /// nothing for a server that was not started or has been stopped.
    public func stop() async {
        let loop = state.withLock { state -> ServerLoop? in
            switch state {
            case .new:
                state = .ended(nil)
                return nil
            case .running(let loop):
                state = .ended(loop)
                return loop
            case .ended(let loop): return loop
            }
        }
        await loop?.stop()
    }

    deinit {
        if case .running(let loop) = state.withLock({ $0 }) { loop.requestStop() }
    }
}
