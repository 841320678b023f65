import Synchronization

@testable import RemoteData

/// A list made only by applying what is told of another one, as a table on a screen is.
///
/// What a change does not say of a model is looked up when somebody asks.
final class ListMirror: Sendable {
    struct State {
        // Nil for one that came or changed, and as a whole after a reset.
        var rows: [Song?]? = []
        var fault: String?
    }

    private let state = Mutex(State())

    /// What could not be applied.
    var fault: String? { state.withLock { $0.fault } }

    /// Is the same as a list.
    func show(_ models: ModelList<Song>) {
        state.withLock { $0.rows = models.map { .some($0) } }
    }

    /// Applies what was told.
    func apply(_ change: ListChange) {
        state.withLock { state in
            switch change {
            case .reset: state.rows = nil
            case .changes(let steps):
                if steps.isEmpty { state.fault = "told of nothing" }
                for step in steps { state.apply(step) }
            }
        }
    }

    /// Compares itself with the list that it should be by now.
    func check(_ models: ModelList<Song>) -> String? {
        state.withLock { state in
            defer { state.rows = models.map { .some($0) } }
            if let fault = state.fault { return fault }
            guard let rows = state.rows else { return nil }
            let isSame = rows.count == models.count && zip(rows, models).allSatisfy { $0 == nil || $0 == $1 }
            return isSame ? nil : "mirror \(rows.map { $0?.id ?? "?" }), list \(models.map(\.id))"
        }
    }
}

extension ListMirror.State {
    mutating func apply(_ step: ListChange.Step) {
        guard let count = rows?.count else { return }
        switch step {
        case .update(let index) where index >= 0 && index < count: rows?[index] = nil
        case .delete(let index) where index >= 0 && index < count: rows?.remove(at: index)
        case .insert(let index) where index >= 0 && index <= count: rows?.insert(nil, at: index)
        default: fault = "no place for \(step) in \(count)"
        }
    }
}
