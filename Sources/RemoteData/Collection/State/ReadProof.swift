/// What answers of the table prove about how recent the rows here are.
///
/// A feed that resumes is live before the changes that were missed have come, and nothing in it tells when they have. An answer
/// that was asked for afterwards does: its revision is the table's at a later moment.
struct ReadProof: Sendable {
    /// The number of the newest request whose answer's revision has been reached.
    private(set) var reached = 0
    /// A newer one whose revision has not been reached.
    private var open: (asked: Int, revision: Revision)?

    /// The number of the newest request that was answered.
    var newest: Int { max(reached, open?.asked ?? 0) }

    /// Notes an answer.
    ///
    /// - Parameters:
    ///   - revision: Its revision.
    ///   - asked: A number given before it was asked for.
    ///   - applied: The revision that was reached.
    mutating func note(_ revision: Revision, asked: Int, applied: Revision) {
        if revision <= applied {
            reached = max(reached, asked)
        } else if asked > newest {
            open = (asked, revision)
        }
    }

    /// Forgets the answer whose revision has not been reached, as no change leads to it any more.
    mutating func forgetOpen() { open = nil }

    /// Notes that a revision has been reached.
    mutating func reach(_ applied: Revision) {
        guard let item = open, item.revision <= applied else { return }
        reached = max(reached, item.asked)
        open = nil
    }
}
