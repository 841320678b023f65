/// The requests for an answer that proves how recent the rows here are.
///
/// An answer proves nothing to an iteration that began after it was asked for, so that such an iteration does
/// not wait for it: it may never come.
struct ProofRequests: Sendable {
    /// The numbers at which those under way were asked.
    private var asked: Set<Int> = []
    /// Whether another one is to be asked for as soon as it may be.
    private(set) var isDue = false

    /// Whether an answer is to come that proves something to an iteration.
    func serves(_ iteration: Int) -> Bool { isDue || asked.contains { $0 > iteration } }

    /// Another one is to be asked for.
    mutating func schedule() { isDue = true }

    /// The one that is due is asked for at a number; for nil it is no longer needed.
    mutating func ask(at number: Int?) {
        isDue = false
        if let number { asked.insert(number) }
    }

    /// The one that was asked for at a number has been answered, or has failed.
    mutating func end(_ number: Int) { asked.remove(number) }
}
