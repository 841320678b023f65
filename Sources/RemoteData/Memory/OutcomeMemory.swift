/// The answers to the newest writes that carried an idempotency key.
struct OutcomeMemory: Sendable {
    private let keyLimit: Int
    private let rowLimit: Int
    private var answers: [String: (request: UInt64, answer: Result<Outcome, RemoteDataError>)] = [:]
    private var order: [String] = []
    private var dropped = 0
    private var rowCount = 0

    /// Remembers up to `keyLimit` answers that together hold up to `rowLimit` rows, and always the newest
    /// one.
    init(keyLimit: Int, rowLimit: Int = 100_000) {
        self.keyLimit = Swift.max(1, keyLimit)
        self.rowLimit = rowLimit
    }

    /// The answer to a write; nil for none.
    ///
    /// - Throws: What it was refused for, or that its key was that of another write.
    func outcome(of mutation: Mutation, for key: String) throws(RemoteDataError) -> Outcome? {
        guard let (request, answer) = answers[key] else { return nil }
        guard request == mutation.fingerprint else { throw .keyOfAnotherWrite }
        return try answer.get()
    }

    mutating func remember(
        _ answer: Result<Outcome, RemoteDataError>,
        to mutation: Mutation,
        for key: String
    ) {
        answers[key] = (mutation.fingerprint, answer)
        order.append(key)
        rowCount += answer.rowCount
        while answers.count > 1, answers.count > keyLimit || rowCount > rowLimit {
            rowCount -= answers.removeValue(forKey: order[dropped])?.answer.rowCount ?? 0
            dropped += 1
        }
        guard dropped > keyLimit else { return }
        order.removeFirst(dropped)
        dropped = 0
    }
}

extension Result<Outcome, RemoteDataError> {
    /// How many rows it holds.
    fileprivate var rowCount: Int {
        if case .success(let outcome) = self { outcome.ids.count } else { 0 }
    }
}

extension RemoteDataError {
    /// Whether a write was refused for what the table held then, so that a late repeat of it could be made: such a refusal stays
    /// the answer to the write's idempotency key.
    package var isRefusalByRows: Bool {
        switch code {
        case .notFound, .alreadyExists, .conflict: true
        default: false
        }
    }
}
