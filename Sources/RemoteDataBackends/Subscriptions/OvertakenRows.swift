import RemoteData

/// Which rows are to be read because changes of them may have come in another order than they were made.
///
/// Servers hand messages to threads of their own, and tell nothing of their order. So a change of a row soon after another is not
/// taken as it comes: the row is read.
struct OvertakenRows: Sendable {
    /// How long after a change of a row an older one may come.
    static let window: Duration = .seconds(10)
    /// How many rows are remembered.
    static let limit = 10_000
    /// How many rows are read at a time.
    static let batch = 50

    private struct Place: Hashable, Sendable {
        let table: String
        let id: RowID
    }

    /// When rows of a table changed that nobody named.
    private var wholeTimes: [String: Duration] = [:]
    private var times: [Place: Duration] = [:]
    /// The same with the oldest first, from ``first`` on; a row that came again is there again.
    private var queue: [(place: Place, time: Duration)] = []
    private var first = 0
    /// Rows to be read.
    private var waiting: [String: [RowID]] = [:]
    private var waitingPlaces: Set<Place> = []
    /// Rows that are being read, and what has happened to them since that began.
    private var reading: [String: [RowID: Standing]] = [:]

    private enum Standing: Sendable {
        case same
        case changed
        /// They may have changed with rows that nobody named, so that what is read may be older than what was told.
        case outdated
    }

    /// What is to be done with a change.
    enum Verdict: Sendable {
        /// It can be taken as it is.
        case isInOrder
        /// The row is to be read.
        case isInDoubt
        /// So many rows are to be read that the whole table is.
        case isTooMuch
    }

    /// Notes a change of a row.
    mutating func note(_ id: RowID, of table: String, at now: Duration) -> Verdict {
        let place = Place(table: table, id: id)
        let isKnown = !isUnknown(id, of: table, at: now)
        touch(place, at: now)
        return hold(place, isNeeded: isKnown)
    }

    /// Notes rows that changed, which have to be read in any case.
    ///
    /// - Returns: Whether there are so many that the whole table has to be.
    mutating func demand(_ ids: [RowID], of table: String, at now: Duration) -> Bool {
        for id in ids {
            let place = Place(table: table, id: id)
            touch(place, at: now)
            if hold(place, isNeeded: true) == .isTooMuch { return true }
        }
        return false
    }

    /// Notes a change of rows that nobody names: whatever else is told of a row for a while is in doubt.
    ///
    /// - Returns: Whether there are so many rows that the whole table has to be read.
    mutating func noteAll(of table: String, at now: Duration) -> Bool {
        forget(now)
        wholeTimes[table] = now
        wholeTimes = wholeTimes.filter { now - $0.value < Self.window }
        for place in queue[first...].map(\.place) where place.table == table {
            if hold(place, isNeeded: true) == .isTooMuch { return true }
        }
        for id in reading[table, default: [:]].keys { reading[table]?[id] = .outdated }
        return false
    }

    /// Whether nothing was told of a row for a while, nor of rows that nobody named.
    func isUnknown(_ id: RowID, of table: String, at now: Duration) -> Bool {
        [times[Place(table: table, id: id)], wholeTimes[table]].allSatisfy { time in
            time.map { now - $0 >= Self.window } ?? true
        }
    }

    private mutating func touch(_ place: Place, at now: Duration) {
        times[place] = now
        queue.append((place, now))
        forget(now)
    }

    /// Has a row read where that is needed, or it is about to be read anyway.
    private mutating func hold(_ place: Place, isNeeded: Bool) -> Verdict {
        if let standing = reading[place.table]?[place.id] {
            if standing == .same { reading[place.table]?[place.id] = .changed }
            return .isInDoubt
        }
        if waitingPlaces.contains(place) { return .isInDoubt }
        guard isNeeded else { return .isInOrder }
        guard waitingPlaces.count < Self.limit else {
            forget(place.table)
            return .isTooMuch
        }
        wait(for: place)
        return .isInDoubt
    }

    private mutating func wait(for place: Place) {
        waiting[place.table, default: []].append(place.id)
        waitingPlaces.insert(place)
    }

    private mutating func forget(_ now: Duration) {
        while first < queue.count, now - queue[first].time >= Self.window || queue.count - first > Self.limit
        {
            let (place, time) = queue[first]
            if times[place] == time { times[place] = nil }
            first += 1
        }
        if first > Self.limit {
            queue.removeFirst(first)
            first = 0
        }
    }

    /// The rows of a table to read now; nil while there are none, or some are being read.
    mutating func next(of table: String) -> [RowID]? {
        guard reading[table] == nil, let ids = waiting[table], !ids.isEmpty else { return nil }
        let batch = Array(ids.prefix(Self.batch))
        waiting[table] = ids.count > batch.count ? Array(ids.dropFirst(batch.count)) : nil
        for id in batch { waitingPlaces.remove(Place(table: table, id: id)) }
        reading[table] = Dictionary(uniqueKeysWithValues: batch.map { ($0, .same) })
        return batch
    }

    /// Rows were read, or could not be.
    ///
    /// Those that have changed since are to be read again.
    /// - Returns: The rows whose values can be told: also of those that have changed since, or one that changes all the time would
    ///   never be told.
    mutating func end(of table: String) -> Set<RowID> {
        let rows = reading.removeValue(forKey: table) ?? [:]
        let changed = rows.filter { $0.value != .same }.keys.sorted { $0.description < $1.description }
        for id in changed { wait(for: Place(table: table, id: id)) }
        return Set(rows.filter { $0.value != .outdated }.keys)
    }

    /// Forgets a table's rows: everything is read anew.
    mutating func forget(_ table: String) {
        for id in waiting.removeValue(forKey: table) ?? [] {
            waitingPlaces.remove(Place(table: table, id: id))
        }
        // What is under way is of no use, and another read waits for its end.
        for id in reading[table, default: [:]].keys { reading[table]?[id] = nil }
    }
}
