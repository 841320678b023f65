import RemoteData

/// An iteration and what it took.
struct Pass: Sendable {
    enum End: Sendable {
        /// There were no more rows.
        case complete
        /// It was broken out of.
        case abandoned
        /// The table could not be asked.
        case failed(RemoteDataError?)
    }

    let isBlocking: Bool
    /// The revision the collection was right at when it began.
    let begin: Revision
    var taken: [RowID] = []
    var end = End.abandoned
    /// The revision of the server when it had ended; nil when it could not be asked.
    var endRevision: Revision?

    /// Takes a row.
    ///
    /// - Returns: Whether more are wanted.
    mutating func take(_ id: RowID, limit: Int?) -> Bool {
        taken.append(id)
        return taken.count != limit
    }

    /// The ids that came twice.
    var repeated: Set<RowID> {
        var seen: Set<RowID> = []
        return Set(taken.filter { !seen.insert($0).inserted })
    }
}
