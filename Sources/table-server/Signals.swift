import Dispatch
import Foundation
import Synchronization

/// SIGTERM and SIGINT, from when this is made.
final class Signals: Sendable {
    private struct State {
        var hasCome = false
        var actions: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())
    // SAFETY: only kept alive, never used after `init`.
    private nonisolated(unsafe) let sources: [any DispatchSourceSignal]

    init() {
        let queue = DispatchQueue(label: "table-server.signals")
        sources = [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            return DispatchSource.makeSignalSource(signal: number, queue: queue)
        }
        for source in sources {
            source.setEventHandler { [weak self] in self?.came() }
            source.resume()
        }
    }

    /// Does something at the first signal, at once when it has come already.
    func onSignal(_ action: @escaping @Sendable () -> Void) {
        let hasCome = state.withLock { state in
            if !state.hasCome { state.actions.append(action) }
            return state.hasCome
        }
        if hasCome { action() }
    }

    /// Waits for the first signal.
    func wait() async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            onSignal { continuation.resume() }
        }
    }

    private func came() {
        let actions = state.withLock { state in
            state.hasCome = true
            defer { state.actions = [] }
            return state.actions
        }
        for action in actions { action() }
    }
}
