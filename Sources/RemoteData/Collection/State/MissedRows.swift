/// Rows that an iteration has not taken and no longer comes to, in the order in which they went.
struct MissedRows: Sendable {
    private var rows: [RowID: (number: Int, row: Row)] = [:]
    private var lastNumber = 0

    func contains(_ id: RowID) -> Bool { !rows.isEmpty && rows[id] != nil }

    /// Adds a row, or puts it in the place of what it was before.
    mutating func put(_ row: Row) {
        lastNumber += 1
        let id = row.id
        rows[id] = (rows[id]?.number ?? lastNumber, row)
    }

    /// - Returns: Whether it was among them.
    mutating func remove(_ id: RowID) -> Bool { !rows.isEmpty && rows.removeValue(forKey: id) != nil }

    mutating func removeAll(where isGone: (Row) -> Bool) { rows = rows.filter { !isGone($0.value.row) } }

    /// All of them, the first first.
    var inOrder: [Row] { rows.values.sorted { $0.number < $1.number }.map(\.row) }
}
