import RemoteData

/// A write in the outbox: what is to be done to one row on the server.
struct OutboxEntry: Sendable {
    /// How far it has come, by the numbers in the file.
    enum State: Int64, Sendable {
        case queued = 0
        case sending = 1
        case dead = 2
        case rejected = 3
    }

    /// Counts up with the writes that were accepted; never given twice.
    let number: Int64
    let table: String
    let id: RowID
    let change: QueuedChange
    /// The idempotency key of the write by itself.
    let key: String
    /// The idempotency key of the writes it was last sent with; empty where it has to be sent by itself.
    let batch: String?
    let state: State
    /// How often it was sent, or may have been.
    let attempts: Int
    /// The number of the write that has to be done before.
    let waitsFor: Int64?
    /// Whether the server's row is known to have changed since the write was made.
    private(set) var isOutdated: Bool
    /// The server's row as it was when the write was made, where it has changed since; nil when there was none.
    private(set) var before: Row?
    /// Whether it may add a row that the server does not have.
    var isAddition: Bool { change.kind == .create || change.kind == .upsert }
}

extension OutboxEntry {
    /// The columns that ``init(_:)`` reads.
    static let columns = """
        outbox.number,tables.name,id,kind,body,key,batch,state,attempts,waitsFor,isOutdated,before,
        beforeRevision,tables.epoch
        """
    /// How many they are: what is asked for beside them comes after.
    static let columnCount: Int32 = 14
    /// Where they are.
    static let source = "outbox JOIN tables ON tables.number = tableNumber"

    /// Reads a row of ``columns``; nil when the file is damaged.
    init?(_ row: Statement) {
        guard let kind = QueuedChange.Kind(rawValue: row.integer(3)),
            let state = State(rawValue: row.integer(7))
        else { return nil }
        number = row.integer(0)
        table = row.text(1)
        id = row.id(2)
        change = QueuedChange(kind, row.bytes(4)[...])
        key = row.text(5)
        batch = row.isNull(6) ? nil : row.text(6)
        self.state = state
        attempts = Int(row.integer(8))
        waitsFor = row.isNull(9) ? nil : row.integer(9)
        isOutdated = row.integer(10) != 0
        before =
            row.isNull(11)
            ? nil
            : Row(
                id: row.id(2),
                revision: row.isNull(12) ? nil : Revision(row.integer(12), epoch: row.epoch(13)),
                json: row.bytes(11)[...]
            )
    }
}

extension OutboxEntry {
    /// The write as it was taken, with what is known by now of the row that it was made over.
    func refreshed(_ connection: Connection) throws(RemoteDataError) -> OutboxEntry {
        let known = try connection.first(
            "SELECT \(Self.columns) FROM \(Self.source) WHERE outbox.number = ?",
            [.integer(number)]
        ) { OutboxEntry($0) }
        .flatMap(\.self)
        var entry = self
        if let known { (entry.isOutdated, entry.before) = (known.isOutdated, known.before) }
        return entry
    }
}
