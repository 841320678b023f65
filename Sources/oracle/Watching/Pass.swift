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
    /// The revision the collection was right at when it began: no older row may come.
    let known: Revision
    /// The revision from which on each row that matches has to come.
    ///
    /// While changes come, the one that the collection had reached. While they are away, the server's: rows
    /// in memory are no excuse then.
    let begin: Revision
    private(set) var taken: [RowID] = []
    var end = End.abandoned
    /// When its last row came, or it began.
    private(set) var lastTime = ContinuousClock.now
    var endTime = ContinuousClock.now
    /// The revision of the server when it had ended; nil when it could not be asked.
    var endRevision: Revision?

    /// Takes a row.
    ///
    /// - Returns: Whether more are wanted.
    mutating func take(_ id: RowID, limit: Int?) -> Bool {
        taken.append(id)
        lastTime = .now
        return taken.count != limit
    }

    /// The revision to which a row has to match; the last one where the server could not be asked.
    func end(in log: TableLog) -> Revision { endRevision ?? log.revision }

    /// The ids that came twice.
    var repeated: Set<RowID> {
        var seen: Set<RowID> = []
        return Set(taken.filter { !seen.insert($0).inserted })
    }
}
