import Dispatch
import Foundation

/// The terminal as a screen of its own: keys come one by one, and what was there before returns in the end.
enum FullScreen {
    /// Takes the terminal over for as long as a function runs, however it ends.
    ///
    /// - Parameter body: What runs on the full screen.
    /// - Throws: What `body` throws; a usage ``Failure`` when there is no terminal.
    static func run(_ body: () async throws(Failure) -> Void) async throws(Failure) {
        var saved = termios()
        guard Output.isTerminal, tcgetattr(STDIN_FILENO, &saved) == 0 else {
            throw .usage("browse needs a terminal to draw on and to read keys from; use list to print rows.")
        }
        var raw = saved
        cfmakeraw(&raw)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &raw)
        defer {
            try? Output.write("\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
            tcsetattr(STDIN_FILENO, TCSADRAIN, &saved)
        }
        // The alternate screen, without a cursor, without wrapping at the right edge.
        try Output.write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l")
        try await body()
    }

    /// Calls a function with the bytes that are typed, as they come; with none when the terminal is gone.
    static func readKeys(_ body: @escaping @Sendable ([UInt8]) -> Void) {
        let queue = DispatchQueue(label: "keys")
        let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: queue)
        source.setEventHandler {
            var bytes = [UInt8](repeating: 0, count: 1_024)
            let count = read(STDIN_FILENO, &bytes, bytes.count)
            if count <= 0 { source.cancel() }
            body(Array(bytes.prefix(max(0, count))))
        }
        source.resume()
    }
}
