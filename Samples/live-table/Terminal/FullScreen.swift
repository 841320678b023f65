import Dispatch
import Foundation

/// The terminal as a screen of its own: keys come one by one, and what was there before returns in the end.
///
/// One task alone may write while the screen is taken: ``suspend()`` and ``take()`` come between two frames.
struct FullScreen: Sendable {
    private let saved: termios
    private let raw: termios

    private init() throws(Failure) {
        var modes = termios()
        guard Output.isTerminal, tcgetattr(STDIN_FILENO, &modes) == 0 else {
            throw .usage("browse needs a terminal to draw on and to read keys from; use list to print rows.")
        }
        saved = modes
        cfmakeraw(&modes)
        raw = modes
    }

    /// Takes the terminal over for as long as a function runs, however it ends.
    ///
    /// - Parameter body: What runs on the full screen.
    /// - Throws: What `body` throws; a usage ``Failure`` when there is no terminal.
    static func run(_ body: (FullScreen) async throws(Failure) -> Void) async throws(Failure) {
        let screen = try FullScreen()
        defer { screen.leave() }
        try screen.take()
        try await body(screen)
    }

    /// Takes the terminal: the alternate screen, without a cursor, without wrapping at the right edge.
    ///
    /// May be called again, as after a stop that the program did not see coming.
    func take() throws(Failure) {
        var modes = raw
        tcsetattr(STDIN_FILENO, TCSADRAIN, &modes)
        try Output.write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l")
    }

    private func leave() {
        try? Output.write("\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
        var modes = saved
        tcsetattr(STDIN_FILENO, TCSADRAIN, &modes)
    }

    /// Gives the terminal back, stops until the shell continues the program, and takes the terminal again.
    ///
    /// Blocks for as long. Returns at once where no shell could continue the program.
    func suspend() throws(Failure) {
        leave()
        stop()
        try take()
    }

    /// Stops every process of the shell's job, this one last.
    private func stop() {
        var handler = sigaction()
        sigaction(SIGTSTP, nil, &handler)
        signal(SIGTSTP, SIG_IGN)
        kill(0, SIGTSTP)
        signal(SIGTSTP, SIG_DFL)
        // Dispatch blocks signals on its threads. A thread that raises one does not go on before the stop.
        var (stop, mask) = (sigset_t(), sigset_t())
        sigemptyset(&stop)
        sigaddset(&stop, SIGTSTP)
        pthread_sigmask(SIG_UNBLOCK, &stop, &mask)
        raise(SIGTSTP)
        pthread_sigmask(SIG_SETMASK, &mask, nil)
        sigaction(SIGTSTP, &handler, nil)
    }

    /// Calls a function with the keys that are typed; with an interrupt when the terminal is gone.
    static func readKeys(_ body: @escaping @Sendable ([Key]) -> Void) {
        let queue = DispatchQueue(label: "keys")
        let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: queue)
        var decoder = KeyDecoder()
        source.setEventHandler {
            var bytes = [UInt8](repeating: 0, count: 1_024)
            let count = read(STDIN_FILENO, &bytes, bytes.count)
            guard count > 0 else {
                source.cancel()
                return body([.interrupt])
            }
            var keys = decoder.keys(bytes.prefix(count))
            // An escape that no further byte follows at once is the key of that name.
            if decoder.hasEscape, !isTyped(within: 50) { keys += decoder.flush() }
            body(keys)
        }
        source.resume()
    }

    /// Whether there is something to read, now or after some milliseconds.
    private static func isTyped(within milliseconds: Int32) -> Bool {
        var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        return poll(&input, 1, milliseconds) > 0
    }
}
