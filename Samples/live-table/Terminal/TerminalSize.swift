import Foundation

/// How many characters a terminal shows.
struct TerminalSize: Sendable, Equatable {
    var columns: Int
    var rows: Int

    /// The size of the terminal of standard output; 80 by 24 where that is not known.
    static var current: TerminalSize {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return TerminalSize(columns: 80, rows: 24)
        }
        return TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }
}
