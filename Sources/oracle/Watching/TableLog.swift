import RemoteData
import RemoteDataTesting

/// The rows of the table and what was done to them in a batch, by the server's own log.
struct TableLog: Sendable {
    /// The begin of a history.
    private struct History: Sendable {
        /// How many changes of the batch were made before it.
        let changes: Int
        let revision: Revision
        let rows: [RowID: Row]
        let time = ContinuousClock.now
    }

    /// The rows at the beginning of the batch.
    private var base: [RowID: Row] = [:]
    private var baseRevision = Revision.zero
    /// The rows now.
    private(set) var rows: [RowID: Row] = [:]
    /// What was done in the batch.
    private(set) var changes: [Change] = []
    /// Where other histories began in the batch.
    private var histories: [History] = []
    /// How far the log was read.
    private(set) var revision = Revision.zero

    /// Begins with a table that has no rows.
    ///
    /// - Parameter revision: The server's.
    init(at revision: Revision = .zero) { self.revision = revision }

    /// Begins a new batch with the rows there are.
    mutating func beginBatch() { (base, baseRevision, changes, histories) = (rows, revision, [], []) }

    /// Whether another history began in the batch.
    var hasNewHistory: Bool { !histories.isEmpty }

    /// Another history begins; all changes of the one before were read.
    mutating func beginHistory(_ rows: [Row], at revision: Revision) {
        self.rows = Dictionary(uniqueKeysWithValues: rows.map { ($0.id, $0) })
        self.revision = revision
        histories.append(History(changes: changes.count, revision: revision, rows: self.rows))
    }

    /// The epoch of the history that an answer is of which came at a time.
    func epoch(at time: ContinuousClock.Instant) -> Epoch? {
        (histories.last { $0.time <= time }?.revision ?? baseRevision).epoch
    }

    /// Whether two revisions name the same change; a restored copy names its changes by its own history.
    func isSame(_ revision: Revision?, as other: Revision?) -> Bool {
        guard let revision, let other, revision.rawValue == other.rawValue, revision.epoch != other.epoch
        else {
            return revision == other
        }
        return histories.contains { $0.revision.epoch == other.epoch && other <= $0.revision }
    }

    /// Reads what the server has done since the last time.
    mutating func read(from table: some Table) async throws(RemoteDataError) {
        while true {
            let batch = try await table.changes(since: revision, limit: 1_000)
            for change in batch.changes { Self.apply(change, to: &rows) }
            changes += batch.changes
            revision = batch.revision
            if batch.isComplete { return }
        }
    }

    /// The rows of a query at every revision of the batch.
    func moments(of query: Query) -> [QueryMoment] {
        let matcher = query.filter.map { Where.Matcher($0) }
        let keys = { (rows: [RowID: Row]) in
            rows.filter { matcher?.matches($0.value) ?? true }.mapValues { Key($0, sort: query.sort) }
        }
        var rows = base
        var moments = [QueryMoment(revision: baseRevision, keys: keys(rows))]
        var rest = histories[...]
        for position in 0...changes.count {
            while let history = rest.first, history.changes == position {
                rows = history.rows
                moments.append(QueryMoment(revision: history.revision, keys: keys(rows)))
                rest.removeFirst()
            }
            guard position < changes.count else { break }
            let change = changes[position]
            Self.apply(change, to: &rows)
            moments.append(QueryMoment(revision: change.revision ?? revision, keys: keys(rows)))
        }
        return moments
    }

    /// How many changes of the batch were about a row.
    func changeCount(of id: RowID) -> Int {
        changes.count { change in change.id.map { $0 == id } ?? (change.kind == .bulkDeleted) }
    }

    private static func apply(_ change: Change, to rows: inout [RowID: Row]) {
        switch (change.kind, change.id) {
        case (.created, let id?), (.updated, let id?): rows[id] = change.row
        case (.deleted, let id?): rows[id] = nil
        case (.bulkDeleted, _):
            guard let predicate = change.predicate else { return rows.removeAll() }
            let matcher = Where.Matcher(predicate)
            rows = rows.filter { !matcher.matches($0.value) }
        default: break
        }
    }
}
