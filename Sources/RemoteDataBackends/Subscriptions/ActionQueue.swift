import Synchronization

/// Runs a state machine that nobody waits for: events may come from everywhere at once, and what the machine says is to be done
/// is done in its order, one thing after another, by whoever comes first, under no lock.
final class ActionQueue<Machine: Sendable, Action: Sendable>: Sendable {
    private struct State {
        var machine: Machine
        var actions: [Action] = []
        var isActing = false
    }

    private let state: Mutex<State>

    init(_ machine: Machine) { state = Mutex(State(machine: machine)) }

    /// Lets something happen, and does what follows, unless somebody is at it.
    ///
    /// - Parameters:
    ///   - event: What happens; returns what is to be done.
    ///   - perform: Does it, without waiting for anything.
    func act(_ event: (inout Machine) -> [Action], perform: (Action) -> Void) {
        let isNeeded = state.withLock { state in
            state.actions += event(&state.machine)
            guard !state.isActing, !state.actions.isEmpty else { return false }
            state.isActing = true
            return true
        }
        guard isNeeded else { return }
        while let actions = next() { for action in actions { perform(action) } }
    }

    private func next() -> [Action]? {
        state.withLock { state in
            guard !state.actions.isEmpty else {
                state.isActing = false
                return nil
            }
            defer { state.actions = [] }
            return state.actions
        }
    }
}
