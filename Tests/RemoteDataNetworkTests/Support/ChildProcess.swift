import Foundation
import Synchronization

/// A run of a command; it is ended when it is released.
///
/// Foundation's `Process` waits for the end in a run loop, which has been seen to miss it.
final class ChildProcess: Sendable {
    private let process: pid_t

    /// Starts it; `socket` is what it reads and writes, nothing unless given.
    init(_ path: String, _ arguments: [String], socket: Int32? = nil) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for file in [STDIN_FILENO, STDOUT_FILENO] {
            if let socket {
                posix_spawn_file_actions_adddup2(&actions, socket, file)
            } else {
                posix_spawn_file_actions_addopen(&actions, file, "/dev/null", O_RDWR, 0)
            }
        }
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_RDWR, 0)
        // What other tests have open must not stay open in here.
        for file in 3..<Int32(1_024) { posix_spawn_file_actions_addclose(&actions, file) }
        var words = ([path] + arguments).map { strdup($0) }
        words.append(nil)
        defer { for word in words { free(word) } }
        var process: pid_t = 0
        guard posix_spawn(&process, path, &actions, nil, words, environ) == 0 else {
            throw POSIXError(.ENOENT)
        }
        self.process = process
    }

    deinit {
        kill(process, SIGKILL)
        var status: Int32 = 0
        waitpid(process, &status, 0)
    }

    /// Waits for the end and gives the status.
    func wait() -> Int32 {
        var information = siginfo_t()
        // The process is left to be collected by `deinit`.
        waitid(P_PID, id_t(process), &information, Int32(WEXITED) | Int32(WNOWAIT))
        return information._sifields._sigchld.si_status
    }
}

/// A command that listens on a free port of 127.0.0.1.
final class ServerProcess: Sendable {
    let port: Int
    private let process: ChildProcess

    /// Starts it and waits until it listens.
    init(_ path: String, socket: Int32? = nil, arguments: (_ port: Int) -> [String]) throws {
        port = Self.nextPort()
        process = try ChildProcess(path, arguments(port), socket: socket)
        try Self.waitUntilOpen(port)
    }

    /// The last port that was given to a command, which cannot be told to find a free one.
    ///
    /// They are below those that the system gives to others, and begin anywhere.
    private static let lastPort = Mutex(Int.random(in: 10_000..<30_000))

    private static func nextPort() -> Int {
        lastPort.withLock { port in
            repeat { port += 1 } while !isFree(port)
            return port
        }
    }

    private static func isFree(_ port: Int) -> Bool {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        return onLoopback(port) { bind(socket, $0, $1) } == 0
    }

    static func onLoopback(
        _ port: Int,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// Connects until somebody listens; the server takes that for a client that changed its mind.
    private static func waitUntilOpen(_ port: Int) throws {
        for _ in 0..<3_000 {
            let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(socket) }
            let code = onLoopback(port) { connect(socket, $0, $1) }
            if code == 0 { return }
            var nothing = pollfd(fd: -1, events: 0, revents: 0)
            _ = poll(&nothing, 1, 10)
        }
        throw POSIXError(.ETIMEDOUT)
    }
}
