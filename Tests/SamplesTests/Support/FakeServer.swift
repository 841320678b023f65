import Foundation

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A server that says what a test wants, whether it is HTTP or not.
final class FakeServer: Sendable {
    /// What is done about a request.
    enum Answer: Sendable {
        /// These bytes are sent.
        case text(String)
        /// These bytes are sent, and then the connection is closed.
        case last(String)
        /// Nothing is ever said.
        case silence

        /// A whole HTTP answer.
        static func http(_ status: Int, _ body: String = "") -> Answer {
            .text(
                "HTTP/1.1 \(status) X\r\nTable-Revision: 1\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
            )
        }
    }

    struct Failure: Error {}

    /// Where it answers.
    let url: String
    private let listener: Int32

    /// Starts to listen on a free port.
    ///
    /// - Parameter answer: What to do about a request, given its first line.
    /// - Throws: When there is no socket.
    init(_ answer: @escaping @Sendable (String) -> Answer) throws {
        #if canImport(Darwin)
        let listener = socket(AF_INET, SOCK_STREAM, 0)
        #else
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, $0, &length) == 0
            }
        }
        guard isListening else { throw Failure() }
        self.listener = listener
        url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
        Thread.detachNewThread {
            while case let connection = accept(listener, nil, nil), connection >= 0 {
                Thread.detachNewThread { Self.serve(connection, answer) }
            }
            close(listener)
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    private static func send(_ text: String, on connection: Int32) {
        #if canImport(Darwin)
        _ = Darwin.send(connection, text, text.utf8.count, 0)
        #else
        _ = Glibc.send(connection, text, text.utf8.count, Int32(MSG_NOSIGNAL))
        #endif
    }

    /// Answers one request after another, until the client has gone.
    private static func serve(_ connection: Int32, _ answer: (String) -> Answer) {
        defer { close(connection) }
        var pending: [UInt8] = []
        var bytes = [UInt8](repeating: 0, count: 4_096)
        while case let count = read(connection, &bytes, bytes.count), count > 0 {
            pending += bytes[..<count]
            guard pending.firstRange(of: Array("\r\n\r\n".utf8)) != nil else { continue }
            let line = String(decoding: pending.prefix { $0 != 0x0D }, as: UTF8.self)
            pending = []
            switch answer(line) {
            case .text(let text): send(text, on: connection)
            case .last(let text):
                send(text, on: connection)
                return
            case .silence: break
            }
        }
    }
}
