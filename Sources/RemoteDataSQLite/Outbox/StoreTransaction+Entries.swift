import RemoteData

// The rows of the outbox, one by one.
extension StoreTransaction {
    /// The entry of a number, if it is not done.
    func entry(_ number: Int64) throws(RemoteDataError) -> OutboxEntry? {
        try connection.first(
            "SELECT \(OutboxEntry.columns) FROM \(OutboxEntry.source) WHERE outbox.number = ?",
            [.integer(number)]
        ) { OutboxEntry($0) }
        .flatMap(\.self)
    }

    /// What was written of a row and is not done, the refused among it, the oldest first.
    func entries(of place: RowPlace) throws(RemoteDataError) -> [OutboxEntry] {
        guard let table = catalog.tables[place.table] else { return [] }
        return try entries(
            "tableNumber = ? AND id = ? AND state < 3",
            [.integer(table.number), Binding(place.id)]
        )
    }

    /// The entries for which something is so, the oldest first.
    func entries(
        _ condition: String,
        _ bindings: [Binding],
        order: String = "outbox.number"
    ) throws(RemoteDataError) -> [OutboxEntry] {
        var entries: [OutboxEntry] = []
        try connection.query(
            "SELECT \(OutboxEntry.columns) FROM \(OutboxEntry.source) WHERE \(condition) ORDER BY \(order)",
            bindings
        ) { row in
            if let entry = OutboxEntry(row) { entries.append(entry) }
        }
        return entries
    }

    /// Adds an entry.
    ///
    /// - Returns: Its number: the revision of the change that it is about, which no other has.
    mutating func insert(
        _ change: QueuedChange,
        of place: RowPlace,
        parent: RowPlace?
    ) throws(RemoteDataError) -> Int64 {
        guard let table = catalog.tables[place.table] else { throw .closed }
        let parentTable = parent.flatMap { catalog.tables[$0.table]?.number }
        if catalog.revision.rawValue <= catalog.lastWrite { _ = nextRevision() }
        catalog.lastWrite = catalog.revision.rawValue
        try connection.run(
            """
            INSERT INTO outbox (number,tableNumber,id,kind,body,key,state,attempts,due,isOutdated,parentTable,parent,time)
            VALUES (?,?,?,?,?,?,0,0,0,0,?,?,?)
            """,
            [
                .integer(catalog.lastWrite), .integer(table.number), Binding(place.id),
                .integer(change.kind.rawValue), .utf8(change.body),
                .text(makeKey()), parentTable.map { .integer($0) } ?? .null,
                parentTable == nil ? .null : parent.map { Binding($0.id) } ?? .null, .integer(milliseconds),
            ]
        )
        return catalog.lastWrite
    }

    func deleteEntry(_ number: Int64) throws(RemoteDataError) {
        try connection.run("DELETE FROM outbox WHERE number = ?", [.integer(number)])
    }

    /// Notes how far a write has come, for whoever holds it.
    mutating func tell(_ number: Int64, _ state: WriteState) {
        outboxNews.states.append((number, state))
    }
}

/// What has become of the outbox in a transaction, for whoever sends and whoever waits.
struct OutboxNews: Sendable {
    /// How far writes have come.
    var states: [(number: Int64, state: WriteState)] = []
    /// Whether there may be something to be sent that was not before.
    var hasWork = false
    /// Ids that became others.
    var renamed: [RowPlace: RowID] = [:]
    /// Tables of which something is shown that may be older than what was known before.
    var doubtful: Set<String> = []

    var isEmpty: Bool { states.isEmpty && !hasWork && renamed.isEmpty && doubtful.isEmpty }
}
