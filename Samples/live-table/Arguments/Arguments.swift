/// What the user asks for, read from the command line.
struct Arguments: Sendable, Equatable {
    /// Which table.
    var address: TableAddress
    /// What to do with it.
    var command: Command
    /// What follows the command: JSON, ids.
    var operands: [String] = []
    /// `--where`; empty for all rows.
    var clause = ""
    /// Whether `--where` leaves out no row.
    var isForAllRows: Bool { clause.unicodeScalars.allSatisfy(\.properties.isWhitespace) }
    /// `--sort`; empty for the order of the ids.
    var sort = ""
    /// `--limit`.
    var limit: Int?
    /// `--columns`; nil for all, in the order first seen.
    var columns: [String]?
    /// `--format`.
    var format = Format.table
    /// `--for`, in seconds; nil for as long as it takes.
    var seconds: Double?
    /// `--token-file`.
    var tokenFile: String?
    /// `--account-file`.
    var accountFile: String?
    /// `--yes`.
    var isConfirmed = false
    /// `--page-size`; nil for what suits the command.
    var pageSize: Int?
}

/// How rows are printed.
enum Format: String, Sendable, CaseIterable {
    case table, json, csv
}

/// What the program is to do.
enum Invocation: Sendable, Equatable {
    /// Print the help.
    case help
    /// Run a command.
    case run(Arguments)
}
