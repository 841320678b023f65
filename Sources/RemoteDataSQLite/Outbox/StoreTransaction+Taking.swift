import RemoteData
import RemoteDataExecution

// What is to be sent next.
extension StoreTransaction {
    /// Takes writes to be sent, and notes that they may have been.
    ///
    /// - Parameters:
    ///   - limit: How many requests there may be.
    ///   - bulkSize: How many rows of a table are created by one request; one for a table that cannot be reached.
    /// - Returns: The writes of each request.
    /// - Throws: `RemoteDataError` with code `storage`.
    mutating func take(
        _ limit: Int,
        bulkSize: (String) -> Int?
    ) throws(RemoteDataError) -> [Parcel] {
        var parcels: [Parcel] = []
        var last: (due: Int64, number: Int64) = (.min, .min)
        // Tables that nobody sends for are passed over, and rows that are created together are one request, so more may have to be
        // looked at than requests are made.
        var (look, extra) = (limit, 0)
        while parcels.count < limit || (extra < 4 && parcels.contains(where: \.isOpen)) {
            if parcels.count == limit { extra += 1 }
            let found = try ready(after: last, limit: look)
            for item in found {
                last = (item.due, item.entry.number)
                guard let size = bulkSize(item.entry.table),
                    !parcels.contains(where: { $0.hasAll(sentWith: item.entry) })
                else { continue }
                if let index = parcels.indices.last(where: { parcels[$0].takes(item.entry) }) {
                    parcels[index].add(item.entry)
                } else if parcels.count < limit {
                    parcels.append(try parcel(item.entry, size: size))
                }
            }
            if found.count < look { break }
            look = 1_000
        }
        for index in parcels.indices { try mark(&parcels[index]) }
        return parcels
    }

    /// A request that begins with a write; one that was sent with others goes with all of them again, as they have one key.
    private func parcel(_ entry: OutboxEntry, size: Int) throws(RemoteDataError) -> Parcel {
        var parcel = Parcel(entry, size: size)
        guard let key = parcel.key, entry.change.kind == .create else { return parcel }
        parcel.entries = try entries(
            "batch = ? AND state = 0 AND kind = ? AND attempts > 0",
            [.text(key), .integer(QueuedChange.Kind.create.rawValue)]
        )
        return parcel
    }

    private func ready(
        after last: (due: Int64, number: Int64),
        limit: Int
    ) throws(RemoteDataError) -> [(due: Int64, entry: OutboxEntry)] {
        var found: [(due: Int64, entry: OutboxEntry)] = []
        try connection.query(
            """
            SELECT \(OutboxEntry.columns),due FROM \(OutboxEntry.source)
            WHERE state = 0 AND waitsFor IS NULL AND due <= ? AND (due,outbox.number) > (?,?)
            ORDER BY due,outbox.number LIMIT ?
            """,
            [.integer(milliseconds), .integer(last.due), .integer(last.number), Binding(limit)]
        ) { row in
            if let entry = OutboxEntry(row) { found.append((row.integer(OutboxEntry.columnCount), entry)) }
        }
        return found
    }

    private mutating func mark(_ parcel: inout Parcel) throws(RemoteDataError) {
        let count = parcel.entries.count
        if count > 1, parcel.key == nil { parcel.key = makeKey() + Parcel.suffix(count) }
        for entry in parcel.entries {
            try connection.run(
                "UPDATE outbox SET state = 1, attempts = attempts + 1, batch = ? WHERE number = ?",
                [(parcel.key ?? entry.batch).map { .text($0) } ?? .null, .integer(entry.number)]
            )
            tell(entry.number, .sending)
        }
    }

    /// When the next write is due that waits for a time, in milliseconds since 1970; nil when none does.
    func nextDue() throws(RemoteDataError) -> Int64? {
        try connection.first(
            "SELECT due FROM outbox WHERE state = 0 AND waitsFor IS NULL AND due > ? ORDER BY due LIMIT 1",
            [.integer(milliseconds)]
        ) { $0.integer(0) }
    }

    /// Puts writes back that got no answer, or were not sent, to be sent again.
    ///
    /// - Parameters:
    ///   - numbers: The writes.
    ///   - wasSent: Whether they may have been made; otherwise it is as if they had not been taken.
    ///   - wait: How long to wait, after each number of attempts.
    /// - Throws: `RemoteDataError` with code `storage`.
    mutating func putBack(
        _ numbers: [Int64],
        wasSent: Bool = true,
        after wait: (Int) -> Duration
    ) throws(RemoteDataError) {
        for number in numbers {
            guard let entry = try entry(number), entry.state == .sending else { continue }
            let due = milliseconds + Int64(wait(entry.attempts).seconds * 1_000)
            try connection.run(
                "UPDATE outbox SET state = 0, due = ? WHERE number = ?",
                [.integer(due), .integer(number)]
            )
            if !wasSent {
                try connection.run(
                    """
                    UPDATE outbox SET batch = CASE WHEN attempts > 1 OR batch = '' THEN batch END,
                    attempts = attempts - 1 WHERE number = ?
                    """,
                    [.integer(number)]
                )
            }
            tell(number, .queued)
        }
        outboxNews.hasWork = true
    }

    /// Sends a write of one request by itself, as not all of them can be made together.
    ///
    /// The server has made none of them. Where its row has a known id, that is looked for all the same.
    mutating func separate(_ entry: OutboxEntry) throws(RemoteDataError) {
        // A key goes with what was sent by it.
        try connection.run(
            """
            UPDATE outbox SET state = 0, due = 0, attempts = ?, batch = '', key = ?
            WHERE number = ? AND state = 1
            """,
            [.integer(rules[entry.table].sendsIDs ? 1 : 0), .text(makeKey()), .integer(entry.number)]
        )
        if connection.changeCount > 0 { tell(entry.number, .queued) }
        outboxNews.hasWork = true
    }

    /// What was under way when the program ended is to be sent again, unless it has arrived, and nothing waits for a time.
    mutating func recoverOutbox() throws(RemoteDataError) {
        try connection.run("UPDATE outbox SET state = 0, due = 0 WHERE state = 1 OR (state = 0 AND due > 0)")
    }

    /// Has everything that waits for a time be sent now.
    mutating func hurry() throws(RemoteDataError) {
        try connection.run("UPDATE outbox SET due = 0 WHERE state = 0 AND due > 0")
        outboxNews.hasWork = true
    }
}

/// Writes that go in one request.
struct Parcel: Sendable {
    var entries: [OutboxEntry]
    /// The idempotency key of several.
    var key: String?
    private var bytes: Int
    /// How many there may be.
    private let size: Int

    /// How many bytes of rows go in one request: what servers and the proxies before them usually take.
    static let byteLimit = 1_000_000

    init(_ entry: OutboxEntry, size: Int) {
        (entries, self.size) = ([entry], size)
        key = entry.batch.flatMap { $0.isEmpty ? nil : $0 }
        bytes = entry.change.body.count
    }

    var table: String { entries[0].table }

    /// What the key of several ends with, so that it tells how many they were.
    static func suffix(_ count: Int) -> String { "-\(count)" }

    /// Whether all are there that were first sent by the key: some of them would be answered as all were.
    var isWhole: Bool { key?.hasSuffix(Self.suffix(entries.count)) ?? false }

    /// Whether it was sent before, so that it may have arrived.
    var isRepeated: Bool { entries[0].attempts > 0 }

    /// Whether rows that are created in the same table can go with it: what was not sent before.
    var isOpen: Bool {
        let first = entries[0]
        return entries.count < size && bytes < Self.byteLimit && first.change.kind == .create
            && first.canShareRequest
    }

    mutating func add(_ entry: OutboxEntry) {
        entries.append(entry)
        bytes += entry.change.body.count
    }

    /// Whether another write can go with it.
    func takes(_ entry: OutboxEntry) -> Bool {
        isOpen && entry.table == entries[0].table && entry.change.kind == .create && entry.canShareRequest
            && bytes + entry.change.body.count <= Self.byteLimit
    }

    /// Whether it has all that a write was sent with before.
    func hasAll(sentWith entry: OutboxEntry) -> Bool {
        key != nil && entry.batch == key && entry.change.kind == .create && entries[0].change.kind == .create
    }
}

extension OutboxEntry {
    /// Whether it can go with others: it was not sent before, and was not refused together with them.
    fileprivate var canShareRequest: Bool { !isOutdated && attempts == 0 && batch == nil }
}
