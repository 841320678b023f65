import Foundation
import Synchronization

/// A server on 127.0.0.1 and a free port that does with each connection what a test says, byte for byte.
///
/// The script runs on a thread of its own for each connection. When it returns, the connection is closed.
final class LoopbackServer: Sendable {
    typealias Script = @Sendable (LoopbackConnection) throws -> Void

    let port: Int
    private let listener: Int32
    private let state = Mutex((accepted: 0, requests: [LoopbackRequest]()))

    init(_ script: @escaping Script) throws {
        (listener, port) = try Self.listen()
        let listener = listener
        let record = { @Sendable [weak self] (request: LoopbackRequest) -> Void in self?.record(request) }
        let count = { @Sendable [weak self] () -> Int in self?.count() ?? 0 }
        Thread.detachNewThread {
            while case let socket = accept(listener, nil, nil), socket >= 0 {
                let connection = LoopbackConnection(socket, number: count(), record: record)
                Thread.detachNewThread {
                    try? script(connection)
                    connection.close()
                }
            }
            // Not before: its number may be another server's by then, whose connections would come here.
            Foundation.close(listener)
        }
    }

    /// Answers every request on every connection, kept alive.
    static func answering(
        _ answer: @escaping @Sendable (LoopbackRequest) -> LoopbackAnswer
    ) throws -> LoopbackServer {
        try LoopbackServer { connection in
            while let request = try connection.readRequest() { try connection.write(answer(request).bytes) }
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    var url: String { "http://127.0.0.1:\(port)" }

    /// How many connections were accepted.
    var accepted: Int { state.withLock { $0.accepted } }

    /// Every request that was read, in order.
    var requests: [LoopbackRequest] { state.withLock { $0.requests } }

    private func record(_ request: LoopbackRequest) { state.withLock { $0.requests.append(request) } }

    private func count() -> Int {
        state.withLock { state in
            state.accepted += 1
            return state.accepted
        }
    }

    fileprivate static func listen(backlog: Int32? = 128) throws -> (Int32, Int) {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                guard bind(socket, pointer, size) == 0 else { return Int32(-1) }
                if let backlog, Foundation.listen(socket, backlog) != 0 { return -1 }
                return getsockname(socket, pointer, &size)
            }
        }
        guard socket >= 0, code == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
        return (socket, Int(UInt16(bigEndian: address.sin_port)))
    }
}

/// A port of this machine where nobody listens, and nobody else can while this lives.
final class ClosedPort: Sendable {
    let port: Int
    private let socket: Int32

    init() throws { (socket, port) = try LoopbackServer.listen(backlog: nil) }

    deinit { close(socket) }
}

/// A port of this machine that takes no more connections: as many wait there as may, and nobody accepts them.
///
/// Linux answers nothing then to who wants to connect.
final class FullPort: Sendable {
    let port: Int
    private let sockets: [Int32]

    init() throws {
        let (listener, port) = try LoopbackServer.listen(backlog: 0)
        self.port = port
        sockets =
            [listener]
            + (0..<8).map { _ in
                let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
                _ = ServerProcess.onLoopback(port) { connect(socket, $0, $1) }
                return socket
            }
    }

    deinit { for socket in sockets { close(socket) } }
}

/// A request as a server reads it.
struct LoopbackRequest: Sendable {
    let method: String
    let target: String
    let headers: [(name: String, value: String)]
    let body: [UInt8]
    /// Which connection it came on, from one.
    let connection: Int

    func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// An answer with its length.
struct LoopbackAnswer: Sendable {
    var status = 200
    var headers: [(name: String, value: String)] = []
    var body: [UInt8] = []

    init(_ status: Int = 200, headers: [(String, String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers.map { (name: $0.0, value: $0.1) }
        self.body = body
    }

    init(_ status: Int = 200, headers: [(String, String)] = [], text: String) {
        self.init(status, headers: headers, body: Array(text.utf8))
    }

    var bytes: [UInt8] {
        let fields = headers.map { "\($0.name): \($0.value)\r\n" }.joined()
        let head = "HTTP/1.1 \(status) Status\r\n\(fields)Content-Length: \(body.count)\r\n\r\n"
        return Array(head.utf8) + body
    }
}
