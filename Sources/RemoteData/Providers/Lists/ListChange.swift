/// What has become of a list, to be applied to what it was.
public enum ListChange: Sendable, Equatable {
    /// It is another list: there is nothing better to say.
    case reset
    /// What to do one after another: first to the last places, so that each counts in the list as it is by then; what was inserted last.
    case changes([Step])

    /// Something done to one place.
    public enum Step: Sendable, Equatable {
        /// The model at an index is another.
        case update(Int)
        /// The model at an index is gone, and those behind it move up.
        case delete(Int)
        /// There is a model in front of what was at an index.
        case insert(Int)
    }

    /// How many models came; nil where that is not known.
    public var insertedCount: Int? { steps.map { $0.count { if case .insert = $0 { true } else { false } } } }

    /// How many models went; nil where that is not known.
    public var deletedCount: Int? { steps.map { $0.count { if case .delete = $0 { true } else { false } } } }

    /// How many models there are more than before; nil where that is not known.
    public var countChange: Int? { insertedCount.flatMap { inserted in deletedCount.map { inserted - $0 } } }

    /// How many steps are kept for whoever is not told: above that, another list is less to do.
    static var stepLimit: Int { 10_000 }

    /// This, and then another change.
    func followed(by other: ListChange) -> ListChange {
        guard case .changes(let steps) = self, case .changes(let others) = other else { return .reset }
        if steps.isEmpty { return other }
        return steps.count + others.count > Self.stepLimit ? .reset : .changes(steps + others)
    }

    private var steps: [Step]? {
        switch self {
        case .reset: nil
        case .changes(let steps): steps
        }
    }
}

extension ListChange: CustomStringConvertible {
    /// What is to be done, in words: `delete 2, update 0`.
    public var description: String { steps.map { $0.map(\.description).joined(separator: ", ") } ?? "reset" }
}

extension ListChange.Step: CustomStringConvertible {
    /// What is to be done, and where.
    public var description: String {
        switch self {
        case .update(let index): "update \(index)"
        case .delete(let index): "delete \(index)"
        case .insert(let index): "insert \(index)"
        }
    }
}
