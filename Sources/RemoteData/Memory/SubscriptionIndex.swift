/// The subscriptions of a lane, found by the value that their clauses ask a column for.
struct SubscriptionIndex {
    /// What values that compare as the same have in common.
    private enum Mark: Hashable {
        case number(Double)
        case text(String)

        /// Nil for what no value is the same as.
        init?(_ value: Value) {
            switch value {
            case .null: return nil
            case .bool(let value): self = .number(value ? 1 : 0)
            case .integer(let value): self = .number(Double(value))
            case .double(let value): self = .number(value)
            case .text(let text), .json(let text): self = .text(text)
            }
        }
    }

    private var subscriptions: [Int: Subscription] = [:]
    private var columns: [ColumnPath: [Mark: Set<Int>]] = [:]
    /// Those that are looked at for each change.
    private var others: Set<Int> = []

    /// All of them, in the order in which they came.
    var all: [Subscription] { subscriptions.inOrder }

    mutating func add(_ subscription: Subscription, _ id: Int) {
        subscriptions[id] = subscription
        if let (column, mark) = place(of: subscription) {
            columns[column, default: [:]][mark, default: []].insert(id)
        } else {
            others.insert(id)
        }
    }

    mutating func remove(_ id: Int) {
        guard let subscription = subscriptions.removeValue(forKey: id) else { return }
        others.remove(id)
        guard let (column, mark) = place(of: subscription) else { return }
        columns[column]?[mark]?.remove(id)
        if columns[column]?[mark]?.isEmpty ?? false { columns[column]?[mark] = nil }
        if columns[column]?.isEmpty ?? false { columns[column] = nil }
    }

    /// Sends each what of a batch concerns it.
    ///
    /// - Complexity: O(columns asked for × bytes of the rows + subscriptions), and what evaluating the
    ///   clauses takes that may be true.
    func deliver(_ batch: [RowChange]) {
        guard let last = batch.last else { return }
        let concerned = concerned(by: batch)
        for (id, subscription) in subscriptions.sorted(by: { $0.key < $1.key }) {
            if concerned?.contains(id) ?? true {
                subscription.deliver(batch[...], upTo: last.revision)
            } else {
                subscription.pass(upTo: last.revision)
            }
        }
    }

    /// The subscriptions whose clauses may be true for a row of a batch; nil for all.
    private func concerned(by batch: [RowChange]) -> Set<Int>? {
        guard !columns.isEmpty else { return nil }
        var ids = others
        for change in batch {
            let rows: [Row]
            switch change.effect {
            case .created(let row), .deleted(let row), .left(let row): rows = [row]
            case .updated(let before, let after): rows = [before, after]
            case .bulkDeleted: return nil
            }
            for row in rows {
                for (column, marks) in columns {
                    if let mark = Mark(row[column]), let found = marks[mark] { ids.formUnion(found) }
                }
            }
        }
        return ids
    }

    private func place(of subscription: Subscription) -> (ColumnPath, Mark)? {
        guard let (column, value) = subscription.equality, let mark = Mark(value) else { return nil }
        return (column, mark)
    }
}

extension Where {
    /// A column and the only value that it has where the clause is true; nil where there is none.
    var equality: (ColumnPath, Value)? {
        switch self {
        case .comparison(.column(let column), .equal, .literal(let value)),
            .comparison(.literal(let value), .equal, .column(let column)):
            (column, value)
        case .and(let parts): parts.lazy.compactMap(\.equality).first
        default: nil
        }
    }

    /// Whether a row may take more work than reading it takes.
    package var isCostly: Bool {
        switch self {
        case .regex: true
        case .like(_, let pattern): pattern.text.contains("_")
        case .and(let parts), .or(let parts): conditionCount > 64 || parts.contains(where: \.isCostly)
        case .not(let part): part.isCostly
        default: conditionCount > 64
        }
    }

    /// How many conditions there are; each column in a list is one.
    private var conditionCount: Int {
        switch self {
        case .and(let parts), .or(let parts): parts.reduce(0) { $0 + $1.conditionCount }
        case .not(let part): part.conditionCount
        case .isIn(_, let list): 1 + list.count { if case .column = $0 { true } else { false } }
        default: 1
        }
    }
}
