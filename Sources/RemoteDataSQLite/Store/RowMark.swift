import RemoteData

/// Why a row is here, as the column `used` tells.
enum RowMark: Sendable, Hashable {
    /// It was written here, and stays until it is deleted.
    case own
    /// A label holds it, and it goes when none does any more.
    case held
    /// It was read from a server, at a number that grows with everything that is read; the oldest go first.
    case read(Int64)

    var binding: Binding {
        switch self {
        case .own: .null
        case .held: .integer(0)
        case .read(let number): .integer(number)
        }
    }

    /// Reads a column.
    init(_ row: Statement, _ column: Int32) {
        self =
            row.isNull(column)
            ? .own : row.integer(column) == 0 ? .held : .read(row.integer(column))
    }
}
