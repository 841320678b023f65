import RemoteData

/// Why a row is here, as the column `used` tells.
enum RowMark: Sendable, Hashable {
    /// It was written here, and stays until it is deleted.
    case own
    /// A label holds it, and it goes when none does any more; or it was written here and a server has it since.
    case held
    /// It was read from a server, at a number that grows with everything that is read; the oldest go first.
    case read(Int64)
    /// It is one of a table that is held whole, as the server has it.
    case synced
    /// It was changed here, and the server does not know yet.
    case pending

    var binding: Binding {
        switch self {
        case .own: .null
        case .held: .integer(0)
        case .read(let number): .integer(number)
        case .synced: .integer(-1)
        case .pending: .integer(-2)
        }
    }

    /// Reads a column.
    init(_ row: Statement, _ column: Int32) {
        guard !row.isNull(column) else {
            self = .own
            return
        }
        self =
            switch row.integer(column) {
            case 0: .held
            case -1: .synced
            case -2: .pending
            case let number: .read(number)
            }
    }

    /// Whether it is here only because somebody read or holds it, so that the server's word counts.
    var isCopy: Bool {
        switch self {
        case .held, .read: true
        case .own, .synced, .pending: false
        }
    }
}
