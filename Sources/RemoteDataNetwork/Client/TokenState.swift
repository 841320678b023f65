/// Decides when credentials are asked for: once, however many requests need them.
struct TokenState {
    /// Credentials, and how many times they had been replaced when they were handed out.
    struct Token: Equatable, Sendable {
        let text: String?
        let generation: Int
    }

    enum Step: Equatable {
        case use(Token)
        /// Ask the provider; this caller's answer is everybody's.
        case ask(CredentialsReason, round: Int)
        /// Somebody has asked; wait for the answer.
        case wait
    }

    private var known: String??
    private(set) var generation = 0
    /// Which question is open; answers to earlier ones come too late.
    private var round = 0
    private(set) var isAsking = false
    private var wasRejected = false

    /// The credentials a request can use at once.
    func current(rejecting rejected: Int?) -> Token? {
        guard let known, rejected != generation else { return nil }
        return Token(text: known, generation: generation)
    }

    /// A request needs credentials; `rejected` is the generation the server has just refused, if it did.
    mutating func wanted(rejecting rejected: Int?) -> Step {
        if rejected == generation, known != nil {
            known = nil
            wasRejected = true
        }
        if let known { return .use(Token(text: known, generation: generation)) }
        guard !isAsking else { return .wait }
        isAsking = true
        round += 1
        return .ask(wasRejected ? .rejected : .needed, round: round)
    }

    /// The provider has answered; nil when the answer comes too late to be of use.
    mutating func answered(_ text: String?, round: Int) -> Token? {
        guard isAsking, round == self.round else { return nil }
        isAsking = false
        wasRejected = false
        known = .some(text)
        generation += 1
        return Token(text: text, generation: generation)
    }

    /// The provider has failed, or did not answer in time; false when that is no longer of interest.
    mutating func failed(round: Int) -> Bool {
        guard isAsking, round == self.round else { return false }
        isAsking = false
        return true
    }

    /// Has credentials be asked for again, where those of a generation are still the current ones.
    ///
    /// A question that is open stays so: its answer is newer.
    mutating func renew(_ generation: Int) {
        guard known != nil, generation == self.generation else { return }
        known = nil
        self.generation += 1
    }

    /// Forgets the credentials, and the question that is open: its answer would be of the user who has gone.
    ///
    /// Whoever waits must ask again.
    mutating func forget() {
        known = nil
        generation += 1
        round += 1
        isAsking = false
        wasRejected = false
    }
}
