import Foundation

/// One connection of a ``LoopbackServer``, used by the one thread its script runs on.
///
/// SAFETY: a script has its connection for itself.
final class LoopbackConnection: @unchecked Sendable {
    struct Ended: Error {}

    /// Which connection of the server this is, from one.
    let number: Int
    private let socket: Int32
    private let record: @Sendable (LoopbackRequest) -> Void
    private var buffer: [UInt8] = []
    private var isClosed = false

    init(_ socket: Int32, number: Int, record: @escaping @Sendable (LoopbackRequest) -> Void = { _ in }) {
        self.socket = socket
        self.number = number
        self.record = record
        // No test waits for ever for a client that says nothing.
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close() }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        Foundation.close(socket)
    }

    /// Ends the connection with a reset instead of in order.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Foundation.linger>.size))
        close()
    }

    /// Makes the system buffer little of what the client sends and is sent.
    func shrinkBuffers(to size: Int32 = 4_096) {
        var size = size
        setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }

    // MARK: Bytes

    func write(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { throw Ended() }
            rest = rest.dropFirst(count)
        }
    }

    func write(_ text: String) throws { try write(Array(text.utf8)) }

    /// Writes as much as goes within a while, without waiting for the client to read; the number of bytes
    /// written.
    func writeUntilFull(_ bytes: [UInt8]) -> Int {
        var rest = bytes[...]
        while !rest.isEmpty {
            var poll = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
            guard Foundation.poll(&poll, 1, 300) > 0 else { break }
            let count = rest.withUnsafeBytes {
                send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        return bytes.count - rest.count
    }

    func read(_ count: Int) throws -> [UInt8] {
        while buffer.count < count { guard try fill() else { throw Ended() } }
        defer { buffer.removeFirst(count) }
        return Array(buffer.prefix(count))
    }

    /// Waits until the client closes; what it says before is dropped.
    func waitForClose() {
        while let more = try? fill(), more { buffer = [] }
    }

    /// Waits until the client is gone, reading nothing meanwhile.
    func waitForHangUp() {
        var poll = pollfd(fd: socket, events: 0, revents: 0)
        _ = Foundation.poll(&poll, 1, 60_000)
    }

    /// One line without its line break; nil when the client has closed.
    func readLine() throws -> String? {
        while true {
            if let end = buffer.firstIndex(of: 0x0A) {
                defer { buffer.removeFirst(end + 1) }
                return String(decoding: buffer.prefix(end).filter { $0 != 0x0D }, as: UTF8.self)
            }
            guard try fill() else { return nil }
        }
    }

    private func fill() throws -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = chunk.withUnsafeMutableBytes { recv(socket, $0.baseAddress, $0.count, 0) }
        guard count >= 0 else { throw Ended() }
        buffer += chunk.prefix(count)
        return count > 0
    }

    // MARK: HTTP

    /// Reads a request with its body; nil when the client has closed.
    func readRequest() throws -> LoopbackRequest? {
        guard let line = try readLine() else { return nil }
        let words = line.split(separator: " ").map(String.init)
        guard words.count == 3 else { throw Ended() }
        var headers: [(name: String, value: String)] = []
        while let field = try readLine(), !field.isEmpty {
            guard let colon = field.firstIndex(of: ":") else { throw Ended() }
            let value = field[field.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            headers.append((name: String(field[..<colon]), value: value))
        }
        let length = headers.first { $0.name.lowercased() == "content-length" }.flatMap { Int($0.value) } ?? 0
        let request = LoopbackRequest(
            method: words[0],
            target: words[1],
            headers: headers,
            body: try read(length),
            connection: number
        )
        record(request)
        return request
    }
}
