import RemoteData

// What a server says of a write.
extension StoreTransaction {
    /// The server has agreed to a write.
    ///
    /// - Parameters:
    ///   - number: The write; one that is done already counts for nothing.
    ///   - row: The row as the server has it now, where it told; nil for a removal.
    ///   - revision: The revision of the server's table, where it told.
    ///   - absence: How it is known that a row that was to be removed is gone.
    ///   - outdatesEvents: Whether events of earlier writes of the row that come after this are older.
    /// - Throws: `RemoteDataError` with code `storage`.
    mutating func acknowledge(
        _ number: Int64,
        _ row: Row?,
        asOf revision: Revision?,
        absence: Absence = .removed,
        outdatesEvents: Bool = true
    ) throws(RemoteDataError) {
        guard let entry = try entry(number), entry.state != .rejected else { return }
        try takeAsMade(entry, row, asOf: revision, absence: absence, outdatesEvents: outdatesEvents)
    }

    private mutating func takeAsMade(
        _ entry: OutboxEntry,
        _ row: Row?,
        asOf revision: Revision?,
        absence: Absence = .removed,
        outdatesEvents: Bool = true
    ) throws(RemoteDataError) {
        let number = entry.number
        try deleteEntry(number)
        var place = RowPlace(table: entry.table, id: entry.id)
        if let row, row.id != entry.id { place = try rename(place, to: row.id) }
        try enter(row?.revision ?? revision, of: place.table)
        try noteOwn(place, asOf: row?.revision ?? revision)
        let isUndated = row?.revision == nil && revision == nil
        if isUndated, outdatesEvents { catalog.recentWrites.note(entry, of: place) }
        let isDoubtful = try note(row, asOf: revision, madeBy: entry, at: place, absence)
        // Others may have added it again since it was removed.
        let isBack = entry.change.kind == .delete ? try base(of: place)?.json != nil : false
        try overlay(place)
        if entry.change.kind == .delete {
            noteRemoved(place, asOf: revision)
            try dropUpdates(of: place, before: number)
            if isBack {
                try showChildren(hiddenBy: number)
            } else {
                try dropChildren(hiddenBy: number, absence: absence, isDoubtful: isDoubtful)
            }
        } else if entry.state == .dead {
            try showChildren(hiddenBy: number)
        }
        try unblock(number)
        tell(number, .acknowledged)
    }

    /// Takes writes for made that the server's row shows, and that were set aside because of a conflict that
    /// could not be looked at: then it was with an earlier attempt.
    ///
    /// What was given up is looked at where a removal waits behind it: it was given up because of that.
    ///
    /// - Parameters:
    ///   - place: The row.
    ///   - row: The row as the server has it.
    ///   - revision: The revision at which it was like this, where that is known.
    /// - Returns: Whether there were any.
    /// - Throws: `RemoteDataError` with code `storage`.
    mutating func acknowledgeUnread(
        at place: RowPlace,
        shownBy row: Row,
        asOf revision: Revision?
    ) throws(RemoteDataError) -> Bool {
        guard let table = catalog.tables[place.table] else { return false }
        var isShown = false
        let removal = try entries(of: place).last { $0.change.kind == .delete }?.number ?? 0
        let setAside = try entries(
            "tableNumber = ? AND id = ? AND (state = 2 OR (state = 3 AND outbox.number < ?)) AND kind <= 3",
            [.integer(table.number), Binding(place.id), .integer(removal)]
        )
        for entry in setAside {
            guard let error = try storedError(of: entry.number), error.code == .conflict, error.status != nil,
                try row.holds(entry.change.body)
            else { continue }
            try takeAsMade(entry, row, asOf: revision)
            isShown = true
        }
        return isShown
    }

    /// Notes what a write has made of a row, unless something newer is known, and what that means for the
    /// writes that wait.
    ///
    /// - Parameters:
    ///   - row: The server's current row, where the answer holds one; nil for a removal.
    ///   - revision: The revision of the server's table, where the answer holds one.
    ///   - entry: The write.
    ///   - place: The row.
    ///   - absence: How it is known that a row that was to be removed is gone.
    /// - Returns: Whether the answer may be older than what is known.
    /// - Throws: `RemoteDataError` with code `storage`.
    private mutating func note(
        _ row: Row?,
        asOf revision: Revision?,
        madeBy entry: OutboxEntry,
        at place: RowPlace,
        _ absence: Absence
    ) throws(RemoteDataError) -> Bool {
        let known = try base(of: place)
        var isDoubtful = false
        let isRemoval = entry.change.kind == .delete
        let version = ServerVersion(isRemoval ? nil : row?.revision, asOf: row?.revision ?? revision)
        let isBehind = known?.version.isNewer(than: version.asOf) ?? false
        // Whether what has outdated the writes that wait are changes of others, after this one or before it.
        var isOfOthers = false
        if let known, isBehind {
            isOfOthers = try !known.isMade(by: entry.change, answeredWith: row, version)
        } else {
            if let last = known?.version.revision, let made = version.revision {
                isOfOthers = made.isLater(than: last)
            }
            var json = row?.json
            if json == nil, !isRemoval { json = try entry.change.applied(to: known?.json) }
            // Without revisions it is unknown whether a late answer is older than what others have made of
            // the row since. One that says what is known, as its event came first, changes nothing.
            // Nor is it of an answer that there is no such row, which has none: it may have come back since.
            let mayBeLate = entry.attempts > 1 || entry.isOutdated || isRemoval && absence == .missing
            if version.asOf == nil, mayBeLate, try !isSame(json, known?.json) {
                try doubt(entry.table)
                isDoubtful = true
            }
            try setBase(
                Base(
                    json: json,
                    version: version,
                    mark: known?.mark ?? settledMark(of: place.table),
                    hiddenBy: known?.hiddenBy
                ),
                of: place
            )
        }
        // Otherwise what waits was made over what this write has made.
        if isOfOthers {
            let isGone = isBehind && known?.json == nil
            try advanceOutdated(at: place, isGone, past: entry.change, answeredWith: isBehind ? row : nil)
        } else {
            try clearOutdated(at: place)
        }
        return isDoubtful
    }

    /// A removal was reported before the answers to what was written in front of it, which change nothing any
    /// more.
    private mutating func dropUpdates(of place: RowPlace, before number: Int64) throws(RemoteDataError) {
        for entry in try entries(of: place) where entry.number < number && entry.change.kind == .update {
            if entry.state == .queued || entry.state == .sending { try close(entry, .acknowledged) }
        }
    }

    /// Whether two rows, or none, have the same values.
    func isSame(
        _ first: ArraySlice<UInt8>?,
        _ second: ArraySlice<UInt8>?
    ) throws(RemoteDataError) -> Bool {
        guard let first, let second else { return first == nil && second == nil }
        return try JSONObject.changes(from: first, to: second).isEmpty
    }

    /// Notes that the writes of a row that wait were made over what the server has.
    private mutating func clearOutdated(at place: RowPlace) throws(RemoteDataError) {
        try connection.run(
            """
            UPDATE outbox SET isOutdated = 0, before = NULL, beforeRevision = NULL
            WHERE tableNumber = ? AND id = ? AND isOutdated = 1 AND state < 2
            """,
            [.integer(try table(place.table).number), Binding(place.id)]
        )
    }

    /// Notes that the writes of a row that wait, and that others have outdated, were made over what one made.
    ///
    /// - Parameters:
    ///   - place: The row.
    ///   - isGone: Whether others have removed it, which outdates all of them.
    ///   - change: What the write does.
    ///   - row: The row as the server has made it, where it answered with it, and others had no part in it.
    /// - Throws: `RemoteDataError` with code `storage`.
    private func advanceOutdated(
        at place: RowPlace,
        _ isGone: Bool,
        past change: QueuedChange,
        answeredWith row: Row?
    ) throws(RemoteDataError) {
        for later in try entries(of: place) where later.isOutdated || isGone {
            let made = try change.applied(to: later.before?.json)
            try connection.run(
                "UPDATE outbox SET isOutdated = 1, before = ?, beforeRevision = ? WHERE number = ?",
                [
                    (row?.json ?? made).map { .utf8($0) } ?? .null,
                    row?.revision.map { Binding($0) } ?? .null, .integer(later.number),
                ]
            )
        }
    }

    /// The server does not take a write, and never will as it is.
    ///
    /// - Parameters:
    ///   - number: The write.
    ///   - error: What the server said.
    ///   - isFinal: Whether that is decided; otherwise the write is kept until somebody decides.
    /// - Throws: `RemoteDataError` with code `storage`.
    mutating func refuse(
        _ number: Int64,
        _ error: RemoteDataError,
        isFinal: Bool
    ) throws(RemoteDataError) {
        guard let entry = try entry(number) else { return }
        let place = RowPlace(table: entry.table, id: entry.id)
        let isRemoved = try entries(of: place).contains { $0.number > number && $0.change.kind == .delete }
        // A row that was removed here since is wanted by nobody.
        let isUnwanted = isRemoved && entry.change.kind != .delete
        guard !isFinal, !isUnwanted else { return try reject(entry, error) }
        try setState(.dead, of: number, error)
        let isShown = rules[entry.table].showsRefused
        if !isShown { try overlay(place) }
        switch entry.change.kind {
        case .create, .upsert:
            // What belongs to it waits for what is decided.
            if !isShown, try row(place) == nil { try removeChildren(of: place, with: number) }
        case .delete:
            if !isShown { try showChildren(hiddenBy: number) }
            try unblock(number)
        case .update: try unblock(number)
        }
        tell(number, .dead(error))
    }

    /// A write is given up.
    private mutating func reject(
        _ entry: OutboxEntry,
        _ error: RemoteDataError
    ) throws(RemoteDataError) {
        let place = RowPlace(table: entry.table, id: entry.id)
        let isThere = try base(of: place)?.json != nil
        try close(entry, .rejected(error))
        switch entry.change.kind {
        case .update: break
        case .delete: try showChildren(hiddenBy: entry.number)
        // What was done to a row that is not to be goes with it.
        case .create, .upsert: if !isThere { try rejectAll(of: place, entry.number, error) }
        }
    }

    /// A row is not to be: nor is what was done to it since, nor what belongs to it.
    private mutating func rejectAll(
        of place: RowPlace,
        _ number: Int64,
        _ error: RemoteDataError
    ) throws(RemoteDataError) {
        for later in try entries(of: place) {
            // That it is gone is what was wanted.
            let isRemoval = later.change.kind == .delete
            try close(later, isRemoval ? .acknowledged : .rejected(error))
            if isRemoval { try dropChildren(hiddenBy: later.number) }
        }
        try dropChildren(hiddenBy: number, .rejected(error))
        try loseChildren(of: place, because: error)
    }

    /// Ends a write in one way or another, and shows the row without it.
    mutating func close(_ entry: OutboxEntry, _ state: WriteState) throws(RemoteDataError) {
        if case .rejected(let error) = state {
            try setState(.rejected, of: entry.number, error)
            try forgetOldest()
        } else {
            try deleteEntry(entry.number)
        }
        try overlay(RowPlace(table: entry.table, id: entry.id))
        try unblock(entry.number)
        tell(entry.number, state)
    }

    private func setState(
        _ state: OutboxEntry.State,
        of number: Int64,
        _ error: RemoteDataError
    ) throws(RemoteDataError) {
        try connection.run(
            "UPDATE outbox SET state = ?, error = ?, waitsFor = NULL, batch = NULL WHERE number = ?",
            [.integer(state.rawValue), .text(error.stored), .integer(number)]
        )
    }

    /// How many writes are remembered that were given up.
    private static var rejectedLimit: Int { 10_000 }

    private func forgetOldest() throws(RemoteDataError) {
        let last = try connection.first(
            "SELECT number FROM outbox WHERE state = 3 ORDER BY number DESC LIMIT 1 OFFSET \(Self.rejectedLimit)"
        ) { $0.integer(0) }
        guard let last else { return }
        try connection.run("DELETE FROM outbox WHERE state = 3 AND number <= ?", [.integer(last)])
        try connection.set("forgottenWrites", String(last))
    }

    // MARK: Decisions

    /// Sends a refused write again, as it was or changed.
    mutating func retry(
        _ number: Int64,
        as change: QueuedChange? = nil
    ) throws(RemoteDataError) {
        guard let entry = try entry(number), entry.state == .dead else { throw .notDead(number) }
        let place = RowPlace(table: entry.table, id: entry.id)
        if try base(of: place) == nil, let known = try known(entry.id, in: entry.table),
            known.mark != .pending
        {
            try setBase(Base(json: known.row.json, version: known.version, mark: known.mark), of: place)
        }
        let change = change ?? entry.change
        try connection.run(
            """
            UPDATE outbox SET state = 0, attempts = 0, due = 0, key = ?, error = NULL, kind = ?, body = ?,
            isOutdated = 0, before = NULL, beforeRevision = NULL WHERE number = ?
            """,
            [
                .text(makeKey()), .integer(change.kind.rawValue), .utf8(change.body), .integer(number),
            ]
        )
        try overlay(place)
        if change.kind == .delete {
            try removeChildren(of: place, with: number)
        } else {
            try showChildren(hiddenBy: number)
        }
        try findBlocker(of: number)
        for later in try entries(of: place)
        where later.number > number && later.state == .queued && later.attempts == 0 {
            try findBlocker(of: later.number)
        }
        outboxNews.hasWork = true
        tell(number, .queued)
    }

    /// Sends a refused write again with other contents.
    mutating func retry(_ number: Int64, with json: ArraySlice<UInt8>) throws(RemoteDataError) {
        guard let entry = try entry(number), entry.state == .dead else { throw .notDead(number) }
        switch entry.change.kind {
        case .create, .upsert:
            guard try Row.parse(json, idColumn: idColumn).id == entry.id else {
                throw RemoteDataError(.invalidRow, "The row has another id than \(entry.id).")
            }
        case .update: _ = try JSONObject.patch(json, of: entry.id, idColumn: idColumn)
        case .delete:
            throw RemoteDataError(.invalidRow, "A removal has no contents to be changed.")
        }
        try retry(number, as: QueuedChange(entry.change.kind, json))
    }

    /// Gives up a refused write.
    mutating func discard(_ number: Int64) throws(RemoteDataError) {
        guard let entry = try entry(number), entry.state == .dead else { throw .notDead(number) }
        let error = try storedError(of: number)
        try reject(entry, error ?? RemoteDataError(.cancelled, "The write was discarded."))
    }

    /// What the server said of a write that it refused.
    func storedError(of number: Int64) throws(RemoteDataError) -> RemoteDataError? {
        try connection.first(
            "SELECT error FROM outbox WHERE number = ? AND error IS NOT NULL",
            [.integer(number)]
        ) { RemoteDataError(stored: $0.text(0)) }
        .flatMap(\.self)
    }
}

extension RemoteDataError {
    fileprivate static func notDead(_ number: Int64) -> RemoteDataError {
        RemoteDataError(.notFound, "There is no refused write of the number \(number).")
    }

    /// The code, the status and the message as text.
    var stored: String { "\(code)\n\(status.map(String.init) ?? "")\n\(message)" }

    /// Reads what ``stored`` wrote.
    init?(stored: String) {
        let parts = stored.split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        self.init(Code(named: String(parts[0])), String(parts[2]), status: Int(parts[1]))
    }
}
