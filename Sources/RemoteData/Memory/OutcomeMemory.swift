/// The answers to the newest writes that carried an idempotency key.
struct OutcomeMemory: Sendable {
    private let keyLimit: Int
    private let rowLimit: Int
    private var outcomes: [String: Outcome] = [:]
    private var order: [String] = []
    private var dropped = 0
    private var rowCount = 0

    /// Remembers up to `keyLimit` answers that together hold up to `rowLimit` rows, and always the newest
    /// one.
    init(keyLimit: Int, rowLimit: Int = 100_000) {
        self.keyLimit = Swift.max(1, keyLimit)
        self.rowLimit = rowLimit
    }

    subscript(key: String) -> Outcome? { outcomes[key] }

    mutating func remember(_ outcome: Outcome, for key: String) {
        outcomes[key] = outcome
        order.append(key)
        rowCount += outcome.ids.count
        while outcomes.count > 1, outcomes.count > keyLimit || rowCount > rowLimit {
            rowCount -= outcomes.removeValue(forKey: order[dropped])?.ids.count ?? 0
            dropped += 1
        }
        guard dropped > keyLimit else { return }
        order.removeFirst(dropped)
        dropped = 0
    }
}
