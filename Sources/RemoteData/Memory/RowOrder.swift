/// The rows of a query in its order, kept so through every change.
///
/// Sorted chunks: finding, inserting and removing a row costs O(log n + chunk), a copy shares unchanged
/// chunks.
struct RowOrder: Sendable {
    struct Entry: Sendable {
        let key: Key
        let row: Row
    }

    private static let chunkLimit = 512

    private let prepared: PreparedQuery
    private(set) var count: Int
    private var chunks: [[Entry]]

    init(_ query: Query) {
        prepared = PreparedQuery(query)
        count = 0
        chunks = []
    }

    var query: Query { prepared.query }

    /// Sorts rows, with the ``WorkBudget`` in force: once that is used up, they are not in order.
    ///
    /// - Complexity: O(n log n).
    init(_ query: Query, sorting rows: RowOrder) {
        let prepared = PreparedQuery(query)
        self.prepared = prepared
        var entries: [Entry] = []
        for chunk in rows.chunks {
            for entry in chunk where prepared.matches(entry.row) {
                entries.append(Entry(key: Key(entry.row, sort: query.sort), row: entry.row))
            }
        }
        if !query.sort.isEmpty { Self.sort(&entries, by: query.sort) }
        count = entries.count
        chunks = stride(from: 0, to: count, by: Self.chunkLimit / 2).map {
            Array(entries[$0..<Swift.min($0 + Self.chunkLimit / 2, entries.count)])
        }
    }
}

extension RowOrder {
    /// What comparing two keys counts.
    private static let comparisonSteps = 64

    private static func sort(_ entries: inout [Entry], by sort: [SortTerm]) {
        guard let budget = WorkBudget.current else {
            return entries.sort { Key.order($0.key, $1.key, sort: sort) == .ascending }
        }
        try? entries.sort { (first, second) throws(RemoteDataError) in
            guard budget.take(comparisonSteps) else { throw .tooMuchWork }
            return Key.order(first.key, second.key, sort: sort) == .ascending
        }
    }

    /// Where an entry is or would be; `chunk` may be one past the last.
    private struct Position {
        var chunk: Int
        var index: Int
    }

    /// The first position whose key is not before `key`, or is behind it when `isAfter`.
    private func position(of key: Key, isAfter: Bool) -> Position {
        func isInFront(_ entry: Entry) -> Bool {
            switch Key.order(entry.key, key, sort: query.sort) {
            case .ascending: true
            case .same: isAfter
            case .descending: false
            }
        }
        let chunk = chunks.firstPosition { $0.last.map(isInFront) ?? true }
        guard chunk < chunks.count else { return Position(chunk: chunk, index: 0) }
        return Position(chunk: chunk, index: chunks[chunk].firstPosition(where: isInFront))
    }

    func row(at key: Key) -> Row? {
        let place = position(of: key, isAfter: false)
        guard place.chunk < chunks.count, place.index < chunks[place.chunk].count else { return nil }
        let entry = chunks[place.chunk][place.index]
        return Key.order(entry.key, key, sort: query.sort) == .same ? entry.row : nil
    }

    /// - Complexity: O(log n + limit) behind or in front of a key, O(n / chunk + limit) at an offset.
    func page(_ start: PageRequest.Start, limit: Int) -> [Row] {
        if case .before(let key) = start {
            return rows(upTo: position(of: key, isAfter: false), limit: limit)
        }
        var rows: [Row] = []
        forEach(of: start, limit: limit) {
            rows.append($0)
            return true
        }
        return rows
    }

    /// Calls `body` with the rows of a page in order, as long as it answers true; with none of one in front of a key.
    ///
    /// - Complexity: That of ``page(_:limit:)``.
    func forEach(of start: PageRequest.Start, limit: Int, _ body: (Row) -> Bool) {
        guard var place = place(of: start) else { return }
        var left = limit
        while left > 0, place.chunk < chunks.count {
            let end = place.index + Swift.min(chunks[place.chunk].count - place.index, left)
            for index in place.index..<end where !body(chunks[place.chunk][index].row) { return }
            left -= end - place.index
            place = Position(chunk: place.chunk + 1, index: 0)
        }
    }

    /// Where a page begins; nil for one in front of a key, and for one further away than can be.
    private func place(of start: PageRequest.Start) -> Position? {
        var place: Position
        let offset: Int
        switch start {
        case .offset(let passed): (place, offset) = (Position(chunk: 0, index: 0), passed)
        case .beyond(let key, let passed): (place, offset) = (position(of: key, isAfter: true), passed)
        case .after(let key): return position(of: key, isAfter: true)
        case .before: return nil
        }
        guard !place.index.addingReportingOverflow(offset).overflow else { return nil }
        place.index += offset
        while place.chunk < chunks.count, place.index >= chunks[place.chunk].count {
            place.index -= chunks[place.chunk].count
            place.chunk += 1
        }
        return place
    }

    private func rows(upTo place: Position, limit: Int) -> [Row] {
        var parts: [[Row]] = []
        var missing = limit
        var (chunk, end) = (place.chunk, place.index)
        while missing > 0 {
            if chunk < chunks.count {
                parts.append(chunks[chunk][..<end].suffix(missing).map(\.row))
                missing -= parts.last?.count ?? 0
            }
            guard chunk > 0 else { break }
            chunk -= 1
            end = chunks[chunk].count
        }
        return Array(parts.reversed().joined())
    }

    /// Calls `body` with every row in order.
    func forEach(_ body: (Row) -> Void) {
        for chunk in chunks { for entry in chunk { body(entry.row) } }
    }
}

extension RowOrder {
    /// Follows a change of the table.
    ///
    /// - Complexity: O(log n + chunk); O(n) for a bulk deletion.
    mutating func apply(_ change: RowChange) {
        switch change.effect {
        case .created(let row): insert(row)
        case .updated(let before, let after):
            remove(before)
            insert(after)
        case .deleted(let row), .left(let row): remove(row)
        case .bulkDeleted(let predicate, _, _):
            guard let predicate else {
                self = RowOrder(query)
                return
            }
            let matcher = Where.Matcher(predicate)
            chunks = chunks.compactMap { chunk in
                let kept = chunk.filter { !matcher.matches($0.row) }
                return kept.isEmpty ? nil : kept
            }
            count = chunks.reduce(0) { $0 + $1.count }
        }
    }

    private mutating func insert(_ row: Row) {
        guard prepared.matches(row) else { return }
        let key = Key(row, sort: query.sort)
        var place = position(of: key, isAfter: false)
        if place.chunk == chunks.count {
            guard place.chunk > 0 else {
                chunks = [[Entry(key: key, row: row)]]
                count = 1
                return
            }
            place = Position(chunk: place.chunk - 1, index: chunks[place.chunk - 1].count)
        }
        chunks[place.chunk].insert(Entry(key: key, row: row), at: place.index)
        count += 1
        guard chunks[place.chunk].count > Self.chunkLimit else { return }
        let half = Array(chunks[place.chunk][(Self.chunkLimit / 2)...])
        chunks[place.chunk].removeLast(half.count)
        chunks.insert(half, at: place.chunk + 1)
    }

    private mutating func remove(_ row: Row) {
        guard prepared.matches(row) else { return }
        let place = position(of: Key(row, sort: query.sort), isAfter: false)
        guard place.chunk < chunks.count, place.index < chunks[place.chunk].count,
            chunks[place.chunk][place.index].row.hasSameID(as: row)
        else { return }
        chunks[place.chunk].remove(at: place.index)
        count -= 1
        if chunks[place.chunk].isEmpty { chunks.remove(at: place.chunk) }
    }
}

extension Array {
    /// The position of the first element that is not `isInFront`, where all that are in front come first.
    fileprivate func firstPosition(where isInFront: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = low + (high - low) / 2
            if isInFront(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
