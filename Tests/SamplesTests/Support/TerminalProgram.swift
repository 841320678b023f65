import Foundation
import ProgramTesting
import Synchronization
import Testing

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A program of this package on a terminal of its own.
final class TerminalProgram: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let terminal: Int32
    private let identifier: pid_t
    private let parts: AsyncStream<[UInt8]>
    private let hasEnded = Mutex(false)

    /// Starts a program on a new pseudo-terminal, as the leader of a session of its own.
    ///
    /// - Parameters:
    ///   - name: Its name, such as `live-table`; or the path of another program.
    ///   - arguments: What stands behind the name.
    ///   - columns: How many characters a line of the terminal has.
    ///   - rows: How many lines it has.
    /// - Throws: When there are no pseudo-terminals, or there is no such program.
    init(_ name: String, _ arguments: [String], columns: Int = 80, rows: Int = 24) throws {
        let (terminal, side) = try Self.open()
        self.terminal = terminal
        Self.resize(terminal, columns: columns, rows: rows)
        identifier = try Self.spawn(
            name.hasPrefix("/") ? name : Program.folder.appendingPathComponent(name).path,
            arguments,
            on: side
        )
        let (parts, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        self.parts = parts
        // It has a descriptor of its own, so that it can go on until the program has let go of the terminal.
        let reading = fcntl(terminal, F_DUPFD_CLOEXEC, 0)
        Thread.detachNewThread {
            var bytes = [UInt8](repeating: 0, count: 1 << 16)
            while case let count = read(reading, &bytes, bytes.count), count > 0 {
                continuation.yield(Array(bytes[..<count]))
            }
            close(reading)
            continuation.finish()
        }
    }

    deinit {
        if !hasEnded.withLock({ $0 }) {
            kill(identifier, SIGKILL)
            _ = wait()
        }
        close(terminal)
    }

    /// Types something.
    func type(_ text: String) { _ = write(terminal, text, text.utf8.count) }

    /// Sends the program a signal.
    func signal(_ signal: Int32) { kill(identifier, signal) }

    /// Gives the terminal another size, of which the program is told by `SIGWINCH`.
    func resize(columns: Int, rows: Int) { Self.resize(terminal, columns: columns, rows: rows) }

    /// Whether lines are edited and echoed by the terminal, as a shell wants it.
    var isCooked: Bool {
        var modes = termios()
        guard tcgetattr(terminal, &modes) == 0 else { return false }
        let wanted = tcflag_t(ICANON | ECHO | ISIG)
        return modes.c_lflag & wanted == wanted && modes.c_oflag & tcflag_t(OPOST) != 0
    }

    /// Reads on until the text so far, from this call on, is as wanted.
    ///
    /// - Throws: When the program ends before.
    @discardableResult
    func output(until isEnough: (String) -> Bool) async throws -> String {
        var bytes: [UInt8] = []
        for await part in parts {
            bytes += part
            let text = String(decoding: bytes, as: UTF8.self)
            if isEnough(text) { return text }
        }
        let text = String(decoding: bytes.suffix(1_000), as: UTF8.self)
        throw Failure(description: "the output ended: \(text.debugDescription)")
    }

    /// Waits for the end: the exit code, 128 and the signal's number for a program that one has ended, and the
    /// output that was not read yet.
    func end() async -> (status: Int32, output: String) {
        var bytes: [UInt8] = []
        for await part in parts { bytes += part }
        return (wait(), String(decoding: bytes, as: UTF8.self))
    }

    /// Waits for the end of a program that has let go of the terminal.
    private func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        hasEnded.withLock { $0 = true }
        let signal = status & 0x7F
        return signal == 0 ? status >> 8 & 0xFF : 128 + signal
    }
}

// MARK: - System calls

extension TerminalProgram {
    private static func resize(_ terminal: Int32, columns: Int, rows: Int) {
        var size = winsize()
        (size.ws_col, size.ws_row) = (UInt16(columns), UInt16(rows))
        _ = ioctl(terminal, UInt(TIOCSWINSZ), &size)
    }

    /// A new pseudo-terminal: this side of it, and the name of the other one.
    private static func open() throws -> (terminal: Int32, side: String) {
        #if canImport(Darwin)
        let terminal = posix_openpt(O_RDWR | O_NOCTTY)
        _ = fcntl(terminal, F_SETFD, FD_CLOEXEC)
        var name = [CChar](repeating: 0, count: 256)
        let isOpen = grantpt(terminal) == 0 && unlockpt(terminal) == 0 && ptsname_r(terminal, &name, 256) == 0
        let side = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        #else
        // Glibc's functions for this are not visible to Swift. TIOCSPTLCK unlocks, TIOCGPTN tells the number.
        let terminal = Glibc.open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var lock: Int32 = 0
        var number: Int32 = 0
        let isOpen = ioctl(terminal, 0x4004_5431, &lock) == 0 && ioctl(terminal, 0x8004_5430, &number) == 0
        let side = "/dev/pts/\(number)"
        #endif
        guard isOpen else {
            throw Failure(description: "there is no pseudo-terminal: \(String(cString: strerror(errno)))")
        }
        return (terminal, side)
    }

    /// `POSIX_SPAWN_SETSID`, which is not visible to Swift.
    private static var newSession: Int16 {
        #if canImport(Darwin)
        0x400
        #else
        0x80
        #endif
    }

    private static func spawn(_ path: String, _ arguments: [String], on side: String) throws -> pid_t {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        var attributes: posix_spawnattr_t?
        #else
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        // The first terminal that the leader of a new session opens is the one that controls it.
        posix_spawnattr_setflags(&attributes, newSession)
        posix_spawn_file_actions_addopen(&actions, 0, side, O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, 0, 1)
        posix_spawn_file_actions_adddup2(&actions, 0, 2)
        let environment = ProcessInfo.processInfo.environment.merging(["TERM": "xterm-256color"]) { $1 }
        let words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) } + [nil]
        let variables: [UnsafeMutablePointer<CChar>?] =
            environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for word in words + variables { free(word) } }
        var identifier: pid_t = 0
        let code = posix_spawn(&identifier, path, &actions, &attributes, words, variables)
        guard code == 0 else { throw Failure(description: "\(path): \(String(cString: strerror(code)))") }
        return identifier
    }
}
