import Foundation

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Clients that take as little as can be, so that what is measured is the server: bare sockets of one thread, requests that were
/// written out beforehand, and answers of which the status and the length are read.
///
/// It speaks as much of HTTP/1.1 as `table-server` needs: each answer has a `Content-Length`.
final class SocketClients {
    private let count: Int
    private let port: UInt16
    private var sockets: [pollfd] = []
    /// What has come of each one's answer.
    private var answers: [[UInt8]] = []
    private var buffer = [UInt8](repeating: 0, count: 1 << 14)

    /// - Parameters:
    ///   - count: How many clients.
    ///   - url: Of a server on this machine, whose port it has.
    /// - Throws: When there is no port.
    init(_ count: Int, url: String) throws {
        guard let port = URL(string: url)?.port.flatMap(UInt16.init(exactly:)) else {
            throw UsageError(message: "\(url) has no port")
        }
        (self.count, self.port) = (count, port)
    }

    /// The bytes of a request.
    static func post(_ body: [UInt8], to path: String) -> [UInt8] {
        let head =
            "POST \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: \(body.count)\r\n\r\n"
        return Array(head.utf8) + body
    }

    /// Connects, since a server closes what is idle, and sends requests, one at a time on each socket; blocks until all are answered.
    ///
    /// - Throws: When one cannot connect, and when an answer is not one of success or does not come within a minute.
    func send(_ requests: [[UInt8]]) throws {
        defer {
            for socket in sockets { close(socket.fd) }
            sockets = []
        }
        for _ in 0..<count {
            sockets.append(pollfd(fd: try Self.socket(to: port), events: Int16(POLLIN), revents: 0))
        }
        answers = Array(repeating: [], count: count)
        var (next, left) = (0, requests.count)
        for client in sockets.indices where next < requests.count {
            try ask(requests[next], client)
            next += 1
        }
        while left > 0 {
            guard poll(&sockets, nfds_t(sockets.count), 60_000) > 0 else {
                throw UsageError(message: "\(left) of \(requests.count) answers did not come")
            }
            for client in sockets.indices where sockets[client].revents != 0 {
                guard try hasAnswer(client) else { continue }
                left -= 1
                guard next < requests.count else { continue }
                try ask(requests[next], client)
                next += 1
            }
        }
    }

    private func ask(_ request: [UInt8], _ client: Int) throws {
        #if canImport(Darwin)
        let sent = Darwin.send(sockets[client].fd, request, request.count, 0)
        #else
        let sent = Glibc.send(sockets[client].fd, request, request.count, Int32(MSG_NOSIGNAL))
        #endif
        guard sent == request.count else {
            throw UsageError(message: "a request was not sent")
        }
    }

    /// Reads what has come.
    ///
    /// - Returns: Whether an answer is complete.
    private func hasAnswer(_ client: Int) throws -> Bool {
        let count = read(sockets[client].fd, &buffer, buffer.count)
        guard count > 0 else { throw UsageError(message: "a connection was closed") }
        answers[client] += buffer[..<count]
        guard let size = try size(of: answers[client]), answers[client].count >= size else { return false }
        guard answers[client].count == size else { throw UsageError(message: "more came than an answer") }
        answers[client].removeAll(keepingCapacity: true)
        return true
    }

    /// How many bytes an answer has; nil while its head is not complete.
    private func size(of answer: [UInt8]) throws -> Int? {
        guard let end = Self.end(of: "\r\n\r\n", in: answer) else { return nil }
        guard answer.starts(with: "HTTP/1.1 2".utf8),
            let field = Self.end(of: "\r\nContent-Length: ", in: answer)
        else {
            throw UsageError(message: "an answer was \(String(decoding: answer.prefix(200), as: UTF8.self))")
        }
        return answer[field...].prefix { $0 != UInt8(ascii: "\r") }
            .reduce(0) { $0 * 10 + Int($1) - Int(UInt8(ascii: "0")) } + end
    }

    /// Where bytes end that stand in others.
    private static func end(of text: StaticString, in bytes: [UInt8]) -> Int? {
        let count = text.utf8CodeUnitCount
        return bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, bytes.count >= count else { return nil }
            return (0...(bytes.count - count)).first { memcmp(base + $0, text.utf8Start, count) == 0 }
                .map { $0 + count }
        }
    }

    private static func socket(to port: UInt16) throws -> Int32 {
        #if canImport(Darwin)
        let client = Darwin.socket(AF_INET, SOCK_STREAM, 0)
        #else
        let client = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isConnected = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard client >= 0, isConnected else {
            if client >= 0 { close(client) }
            throw UsageError(message: "no connection to port \(port)")
        }
        var yes: Int32 = 1
        #if canImport(Darwin)
        setsockopt(client, SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size))
        #endif
        setsockopt(client, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        return client
    }
}
