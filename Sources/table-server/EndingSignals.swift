import Foundation
import Signals
import Synchronization

/// SIGTERM and SIGINT, from when this is made.
final class EndingSignals: Sendable {
    private struct State {
        var hasCome = false
        var actions: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    init() { Signals.observe([SIGTERM, SIGINT]) { [weak self] _ in self?.came() } }

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
