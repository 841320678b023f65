import RemoteData

/// Rows being read, all in one buffer.
struct PageBuffer {
    private struct Place {
        let id: RowID
        let revision: Revision?
        let range: Range<Int>
    }

    private var bytes: [UInt8] = []
    private var places: [Place] = []

    init(capacity: Int) { places.reserveCapacity(capacity) }

    var count: Int { places.count }

    /// Takes the row that a statement with the columns id, revision and JSON has come to.
    mutating func append(_ row: Statement) { append(row, revision: row.revision(1)) }

    mutating func append(_ row: Statement, revision: Revision?) {
        let range = row.append(2, to: &bytes)
        places.append(Place(id: row.id(0), revision: revision, range: range))
    }

    func rows(reversed: Bool) -> [Row] {
        let rows = places.map { Row(id: $0.id, revision: $0.revision, in: bytes, $0.range) }
        return reversed ? rows.reversed() : rows
    }
}
