import Dispatch
import Synchronization

/// What nobody wants any more, and is brought to its end elsewhere: whoever lets it go may hold a lock, which code that then runs may
/// want, or has better things to do than to free memory.
///
/// All of it by one job at a time, as a job for each would take longer than what it does.
package final class Leftovers: Sendable {
    package static let shared = Leftovers()

    private struct State {
        var items: [any AnyObject & Sendable] = []
        var isScheduled = false
    }

    private let state = Mutex(State())

    private init() {}

    /// Never blocks.
    package func add(_ item: any AnyObject & Sendable) {
        let isFirst = state.withLock { state in
            state.items.append(item)
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if isFirst { DispatchQueue.global().async { self.letGo() } }
    }

    private func letGo() {
        while true {
            let items = state.withLock { state in
                defer { state.items = [] }
                state.isScheduled = !state.items.isEmpty
                return state.items
            }
            guard !items.isEmpty else { return }
            withExtendedLifetime(items) {}
        }
    }
}
