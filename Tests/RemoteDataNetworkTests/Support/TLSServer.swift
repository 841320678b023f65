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
        guard let openssl else { throw POSIXError(.ENOENT) }
        let status = try ChildProcess(openssl, arguments.split(separator: " ").map(String.init)).wait()
        guard status == 0 else { throw POSIXError(.EINVAL) }
    }
}

/// `openssl s_server` in front of a script: what it decrypts is the script's connection, one at a time.
final class TLSServer: Sendable {
    private let server: ServerProcess

    init(_ fixture: TLSFixture, _ script: @escaping LoopbackServer.Script) throws {
        guard let openssl = TLSFixture.openssl else { throw POSIXError(.ENOENT) }
        var ends: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else { throw POSIXError(.EIO) }
        defer { close(ends[1]) }
        let connection = LoopbackConnection(ends[0], number: 1)
        server = try ServerProcess(openssl, socket: ends[1]) { port in
            [
                "s_server", "-quiet", "-accept", "127.0.0.1:\(port)", "-cert", fixture.certificate, "-key",
                fixture.key,
            ]
        }
        Thread.detachNewThread {
            try? script(connection)
            connection.close()
        }
    }

    var port: Int { server.port }
}

/// A server that speaks HTTP/2: `nghttpd`, which gives what lies in a folder and echoes what is posted.
final class HTTP2Server: Sendable {
    /// Where `nghttpd` is, on machines that have it; HTTP/2 is tested only there.
    static let command = ["/usr/sbin/nghttpd", "/usr/bin/nghttpd", "/opt/homebrew/bin/nghttpd"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    private let server: ServerProcess

    init(_ fixture: TLSFixture, folder: URL) throws {
        guard let command = Self.command else { throw POSIXError(.ENOENT) }
        server = try ServerProcess(command) { port in
            [
                "-a", "127.0.0.1", "-d", folder.path, "--echo-upload", "\(port)", fixture.key,
                fixture.certificate,
            ]
        }
    }

    var url: String { "https://localhost:\(server.port)" }
}
