import RemoteData

// What is decided of a write.
extension StoreTransaction {
    /// Notes what becomes of a write that was sent.
    ///
    /// - Parameters:
    ///   - entry: The write as it was sent.
    ///   - decision: What becomes of it.
    ///   - wait: How long to wait before it is sent again, after each number of attempts.
    /// - Throws: `RemoteDataError` with code `storage`.
    mutating func settle(
        _ entry: OutboxEntry,
        _ decision: Decision,
        after wait: (Int) -> Duration
    ) throws(RemoteDataError) {
        // It may be done by now, because its event came first.
        guard try self.entry(entry.number)?.state == .sending else { return }
        switch decision {
        case .acknowledged(let row, let revision): try acknowledge(entry.number, row, asOf: revision)
        case .absent: try acknowledge(entry.number, nil, asOf: nil, absence: .missing)
        case .separate: try separate(entry)
        case .refused(let error): try refuse(entry.number, error, isFinal: false)
        case .putBack: try putBack([entry.number], after: wait)
        case .putBackUnsent: try putBack([entry.number], wasSent: false, after: wait)
        case .conflict(let theirs, let mine, let resolution, let version, let serverBeganAnew):
            if serverBeganAnew { try leaveHistory(of: entry.table) }
            let place = RowPlace(table: entry.table, id: entry.id)
            if let theirs, try acknowledgeUnread(at: place, shownBy: theirs, asOf: theirs.revision) {
                return try decideAnew(entry)
            }
            guard try !isOvertaken(entry, theirs, over: version) else { return try decideAnew(entry) }
            try settle(entry, theirs: theirs, mine: mine, resolution)
        }
    }

    private mutating func settle(
        _ entry: OutboxEntry,
        theirs: Row?,
        mine: Row?,
        _ resolution: Conflict.Resolution
    ) throws(RemoteDataError) {
        if let theirs {
            // Without revisions it is unknown whether the row that was found is older than the known one.
            let known = try base(of: RowPlace(table: entry.table, id: entry.id))
            if theirs.revision == nil, entry.isOutdated, let known, known.json != theirs.json {
                try doubt(entry.table)
            }
            try pull(theirs, asOf: theirs.revision, in: entry.table)
        } else {
            try pullRemoval(of: entry.id, asOf: nil, in: entry.table)
        }
        // What belonged to a row that is gone may have taken the write with it.
        guard try self.entry(entry.number)?.state == .sending else { return }
        let next: QueuedChange?
        switch resolution {
        case .theirs:
            return try refuse(entry.number, .overruled(entry, theirs), isFinal: true)
        case .mine: next = try change(from: theirs, to: mine?.json)
        case .row(let json): next = try change(from: theirs, to: json)
        }
        guard let next else { return try acknowledge(entry.number, theirs, asOf: theirs?.revision) }
        try sendAgain(entry, as: next)
    }

    /// Whether the server's row is known by now as others have made it after it was looked at, or as an
    /// earlier write from here has.
    ///
    /// - Parameters:
    ///   - entry: The write as it was sent.
    ///   - theirs: The row that was found; nil for none, which comes without a revision.
    ///   - version: As of when the row was known when the write was sent.
    /// - Returns: Whether what was found is older.
    /// - Throws: `RemoteDataError` with code `storage`.
    private func isOvertaken(
        _ entry: OutboxEntry,
        _ theirs: Row?,
        over version: ServerVersion
    ) throws(RemoteDataError) -> Bool {
        let place = RowPlace(table: entry.table, id: entry.id)
        guard let known = try base(of: place) else { return false }
        if known.json == theirs?.json {
            // Where the row is what the write was made over, an earlier one from here has made it since.
            let isOutdated = try self.entry(entry.number)?.isOutdated ?? true
            return !isOutdated && known.version.revision != version.revision
        }
        if let latest = known.version.asOf, let revision = theirs?.revision {
            return latest.isLater(than: revision)
        }
        // Once only: what is known to be outdated as it is sent is decided by the row that is found.
        guard !entry.isOutdated else { return false }
        if theirs == nil, known.version != version { return true }
        return try self.entry(entry.number)?.isOutdated ?? false
    }

    /// Has a write that the server has not made be decided by the row as it is by then.
    private mutating func decideAnew(_ entry: OutboxEntry) throws(RemoteDataError) {
        try connection.run(
            "UPDATE outbox SET state = 0, attempts = attempts - 1, due = 0, key = ? WHERE number = ?",
            [.text(makeKey()), .integer(entry.number)]
        )
        outboxNews.hasWork = true
        tell(entry.number, .queued)
    }

    /// What makes the server's row another one; nil for nothing.
    private func change(
        from theirs: Row?,
        to json: ArraySlice<UInt8>?
    ) throws(RemoteDataError) -> QueuedChange? {
        switch (theirs, json) {
        case (nil, nil): return nil
        case (_?, nil): return QueuedChange(.delete)
        case (nil, let json?): return QueuedChange(.upsert, json)
        case (let theirs?, let json?):
            let members = try JSONObject.changes(from: theirs.json, to: json)
                .filter { !$0.name.utf8.elementsEqual(idColumn.utf8) }
            return members.isEmpty ? nil : QueuedChange(.update, JSONObject.object(of: members))
        }
    }

    private mutating func sendAgain(
        _ entry: OutboxEntry,
        as change: QueuedChange
    ) throws(RemoteDataError) {
        try connection.run(
            """
            UPDATE outbox SET state = 0, attempts = 0, due = 0, kind = ?, body = ?, key = ?, batch = NULL,
            isOutdated = 0, before = NULL, beforeRevision = NULL WHERE number = ?
            """,
            [
                .integer(change.kind.rawValue), .utf8(change.body), .text(makeKey()),
                .integer(entry.number),
            ]
        )
        try overlay(RowPlace(table: entry.table, id: entry.id))
        try findBlocker(of: entry.number)
        outboxNews.hasWork = true
        tell(entry.number, .queued)
    }
}

extension RemoteDataError {
    fileprivate static func overruled(_ entry: OutboxEntry, _ theirs: Row?) -> RemoteDataError {
        let what = theirs == nil ? "removed" : "changed"
        return RemoteDataError(
            .conflict,
            """
            The row \(entry.id) of \(entry.table) was \(what) on the server since it was read here, \
            and the server's version counts.
            """
        )
    }
}
