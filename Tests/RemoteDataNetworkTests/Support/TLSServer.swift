import Foundation

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

    /// - Parameter names: What the server's certificate is good for.
    init(names: String = "DNS:localhost,IP:127.0.0.1") throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "remote-data-tls-\(UUID().uuidString)")
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
        guard let openssl else { throw POSIXError(.ENOENT) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: openssl)
        process.arguments = arguments.split(separator: " ").map(String.init)
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw POSIXError(.EINVAL) }
    }
}

/// `openssl s_server` in front of a script: what it decrypts is the script's connection, one at a time.
final class TLSServer: Sendable {
    let port: Int
    private let process: Process

    init(_ fixture: TLSFixture, _ script: @escaping LoopbackServer.Script) throws {
        guard let openssl = TLSFixture.openssl else { throw POSIXError(.ENOENT) }
        port = try LoopbackServer.closedPort()
        var ends: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else { throw POSIXError(.EIO) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: openssl)
        process.arguments = [
            "s_server", "-quiet", "-accept", "127.0.0.1:\(port)", "-cert", fixture.certificate, "-key", fixture.key,
        ]
        let handle = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
        process.standardInput = handle
        process.standardOutput = handle
        process.standardError = FileHandle.nullDevice
        try process.run()
        self.process = process
        let connection = LoopbackConnection(ends[0], number: 1)
        Thread.detachNewThread {
            try? script(connection)
            connection.close()
        }
        try Self.waitUntilOpen(port)
    }

    deinit { process.terminate() }

    /// Connects until somebody listens; the server takes that for a client that changed its mind.
    private static func waitUntilOpen(_ port: Int) throws {
        for _ in 0..<3_000 {
            let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(socket) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = in_port_t(port).bigEndian
            address.sin_addr.s_addr = inet_addr("127.0.0.1")
            let code = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            if code == 0 { return }
            var nothing = pollfd(fd: -1, events: 0, revents: 0)
            _ = poll(&nothing, 1, 10)
        }
        throw POSIXError(.ETIMEDOUT)
    }
}
