/// Whether a server still knows who the program is.
///
/// Kinto takes whoever shows a wrong password, or a token that has ended, for a guest, and answers with what guests may see: as
/// if the rest had been removed. So it is asked whom it takes the program for, before the first request, once a minute, and
/// after it has refused a token.
struct KintoLogin: Sendable {
    /// For how long an answer holds.
    static let validity: Duration = .seconds(60)

    private var confirmed: Duration?
    private var doubts = 0

    /// Whether the server has to be asked.
    func isInDoubt(at now: Duration) -> Bool { confirmed.map { now - $0 >= Self.validity } ?? true }

    /// What the server is about to be asked: to be told with its answer.
    var question: Int { doubts }

    /// The server has said that it knows the program.
    ///
    /// - Parameters:
    ///   - question: What was asked.
    ///   - time: When it was asked.
    mutating func confirm(_ question: Int, at time: Duration) {
        if question == doubts { confirmed = time }
    }

    /// The server has refused the credentials, or takes the program for somebody else.
    mutating func doubt() {
        confirmed = nil
        doubts += 1
    }
}
