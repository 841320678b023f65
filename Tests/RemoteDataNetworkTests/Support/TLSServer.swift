import Foundation
import Synchronization

/// A certificate authority of our own, and a server certificate by it for `localhost` and 127.0.0.1.
struct TLSFixture: Sendable {
    let folder: URL

    var authority: String { folder.appending(path: "ca.pem").path }
    var certificate: String { folder.appending(path: "server.pem").path }
    var key: String { folder.appending(path: "server.key").path }

    /// Where `openssl` is, on machines that have it; TLS is tested only there.
    static let openssl = ["/usr/bin/openssl", "/usr/local/bin/openssl", "/opt/homebrew/bin/openssl"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// One for all tests; making keys takes a while.
    static let shared: TLSFixture? = try? TLSFixture()

    /// Makes both; `names` is what the server's certificate is good for.
    init(names: String = "DNS:localhost,IP:127.0.0.1") throws {
        folder = FileManager.default.temporaryDirectory.appending(
            path: "remote-data-tls-\(UUID().uuidString)"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let extensions = folder.appending(path: "extensions").path
        try "subjectAltName=\(names)\n".write(toFile: extensions, atomically: true, encoding: .utf8)
        let path = folder.path
        try Self.run(
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=Test-CA"
                + " -keyout \(path)/ca.key -out \(path)/ca.pem"
        )
        try Self.run(
            "req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=test"
                + " -keyout \(path)/server.key -out \(path)/server.csr"
        )
        try Self.run(
            "x509 -req -days 2 -in \(path)/server.csr -CA \(path)/ca.pem -CAkey \(path)/ca.key -set_serial 1"
                + " -extfile \(extensions) -out \(path)/server.pem"
        )
    }

    private static func run(_ arguments: String) throws {
        let status = try OpenSSL(arguments.split(separator: " ").map(String.init)).wait()
        guard status == 0 else { throw POSIXError(.EINVAL) }
    }
}

/// A run of the `openssl` command; it is ended when it is released.
///
/// Foundation's `Process` waits for the end in a run loop, which has been seen to miss it.
private final class OpenSSL: Sendable {
    private let process: pid_t

    /// Starts it; `socket` is what it reads and writes, nothing unless given.
    init(_ arguments: [String], socket: Int32? = nil) throws {
        guard let openssl = TLSFixture.openssl else { throw POSIXError(.ENOENT) }
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
        var words = ([openssl] + arguments).map { strdup($0) }
        words.append(nil)
        defer { for word in words { free(word) } }
        var process: pid_t = 0
        guard posix_spawn(&process, openssl, &actions, nil, words, environ) == 0 else {
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

/// `openssl s_server` in front of a script: what it decrypts is the script's connection, one at a time.
final class TLSServer: Sendable {
    let port: Int
    private let process: OpenSSL

    init(_ fixture: TLSFixture, _ script: @escaping LoopbackServer.Script) throws {
        port = Self.nextPort()
        var ends: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else { throw POSIXError(.EIO) }
        process = try OpenSSL(
            [
                "s_server", "-quiet", "-accept", "127.0.0.1:\(port)", "-cert", fixture.certificate, "-key",
                fixture.key,
            ],
            socket: ends[1]
        )
        close(ends[1])
        let connection = LoopbackConnection(ends[0], number: 1)
        Thread.detachNewThread {
            try? script(connection)
            connection.close()
        }
        try Self.waitUntilOpen(port)
    }

    /// The last port that was given to `openssl`, which cannot be told to find a free one.
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

    private static func onLoopback(
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
