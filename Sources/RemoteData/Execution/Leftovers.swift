import Dispatch
import Synchronization

/// What can be brought to its end by somebody else than who lets it go.
package protocol Leftover: AnyObject, Sendable {
    /// Brings what it holds to its end, on this thread. What is left of it may be let go of anywhere: whoever handed it over may hold it
    /// for longer than this takes.
    func letGo()
}

/// What nobody wants any more, and is brought to its end elsewhere: whoever lets it go may hold a lock, which code that then runs may
/// want, or has better things to do than to free memory.
///
/// By few jobs, as one for each would take longer than what it does; by more where what ends takes its time, or waits for
/// something.
package final class Leftovers: Sendable {
    package static let shared = Leftovers()

    private struct State {
        var items: [any Leftover] = []
        var jobs = 0
    }

    private let state = Mutex(State())

    /// How many items there are for each job before there is another one, and how many jobs there are at most.
    private static let (itemsOfAJob, jobLimit) = (1_000, 16)

    package init() {}

    /// Never blocks.
    package func add(_ item: any Leftover) {
        let isForAnother = state.withLock { state in
            state.items.append(item)
            guard state.jobs < Self.jobLimit, state.items.count > state.jobs * Self.itemsOfAJob else {
                return false
            }
            state.jobs += 1
            return true
        }
        if isForAnother { DispatchQueue.global().async { self.letGo() } }
    }

    private func letGo() {
        // One at a time, so that none waits behind one that waits.
        while let item = next() { item.letGo() }
    }

    private func next() -> (any Leftover)? {
        state.withLock { state in
            if state.items.isEmpty { state.jobs -= 1 }
            return state.items.popLast()
        }
    }
}
