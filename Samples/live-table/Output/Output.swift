import Foundation

/// What the program writes.
enum Output {
    /// Whether standard output is a terminal.
    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Writes text to standard output at once, all of it.
    ///
    /// - Throws: ``Failure/closedOutput`` when nobody reads it any more.
    static func write(_ text: String) throws(Failure) {
        try write(Array(text.utf8), to: STDOUT_FILENO)
    }

    /// Writes a line to standard error, where it is possible.
    static func complain(_ line: String) {
        try? write(Array((line + "\n").utf8), to: STDERR_FILENO)
    }

    /// Writes a question to standard error, and leaves the cursor behind it.
    static func prompt(_ text: String) { try? write(Array(text.utf8), to: STDERR_FILENO) }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) throws(Failure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if written >= 0 {
                rest = rest.dropFirst(written)
            } else if errno == EPIPE {
                throw .closedOutput
            } else if errno == EAGAIN {
                var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = Foundation.poll(&poll, 1, 1_000)
            } else if errno != EINTR {
                throw Failure("The output cannot be written: \(String(cString: strerror(errno))).")
            }
        }
    }
}
