import RemoteDataExecution
import CCurl
import Foundation
import Synchronization

/// The thread that runs a transport's requests, and the way to it from other threads.
///
/// SAFETY: `multi` is used by the loop's thread alone but for `curl_multi_wakeup`, which libcurl documents
/// as callable from any thread. The thread holds the loop, so the handle is freed only after it has ended.
final class CurlLoop: @unchecked Sendable {
    private struct State {
        var submitted: [CurlTransfer] = []
        var cancelled: [CurlTransfer] = []
        var resumed: [CurlTransfer] = []
        var isStarted = false
        var isStopping = false
    }

    private let state = Mutex(State())
    private let multi: UnsafeMutableRawPointer
    private let options: CurlTransport.Options

    init?(_ options: CurlTransport.Options) {
        guard CurlLibrary.isReady, let multi = curl_multi_init() else { return nil }
        self.multi = multi
        self.options = options
        _ = ccurl_multi_setopt_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
        _ = ccurl_multi_setopt_long(multi, CURLMOPT_MAXCONNECTS, max(16, options.requestsPerServer * 2))
    }

    deinit { curl_multi_cleanup(multi) }

    /// Begins a transfer soon, without blocking.
    func submit(_ transfer: CurlTransfer) {
        let (refused, starts, wakes) = state.withLock { state -> (Bool, Bool, Bool) in
            guard !state.isStopping else { return (true, false, false) }
            let wakes = state.submitted.isEmpty && state.cancelled.isEmpty
            state.submitted.append(transfer)
            defer { state.isStarted = true }
            return (false, !state.isStarted, wakes)
        }
        if refused { transfer.handoff.finish(.failure(.stopped)) }
        if starts {
            start()
        } else if wakes {
            curl_multi_wakeup(multi)
        }
    }

    /// Lets go of a transfer whose caller has gone, without blocking.
    func cancel(_ transfer: CurlTransfer) {
        state.withLock { $0.cancelled.append(transfer) }
        curl_multi_wakeup(multi)
    }

    /// Goes on reading the body of an answer, without blocking.
    func resume(_ transfer: CurlTransfer) {
        state.withLock { $0.resumed.append(transfer) }
        curl_multi_wakeup(multi)
    }

    /// Ends the thread soon, and every transfer with `closed`, without blocking.
    func stop() {
        state.withLock { $0.isStopping = true }
        curl_multi_wakeup(multi)
    }

    private func start() {
        let thread = Thread { [self] in run() }
        thread.name = "RemoteData.curl"
        thread.start()
    }

    private func run() {
        blockBrokenPipeSignal()
        let engine = CurlEngine(multi, options)
        while true {
            let work = state.withLock { state in
                defer {
                    state.submitted.removeAll(keepingCapacity: true)
                    state.cancelled.removeAll(keepingCapacity: true)
                    state.resumed.removeAll(keepingCapacity: true)
                }
                return state
            }
            engine.add(work.submitted)
            engine.drop(work.cancelled)
            engine.resume(work.resumed)
            if work.isStopping { return engine.stop() }
            engine.turn()
        }
    }
}

extension NetworkError {
    /// What becomes of requests whose transport is released.
    static let stopped = NetworkError(.closed, "The connection was shut down by this program.")
}
