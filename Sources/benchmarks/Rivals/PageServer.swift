import Foundation
import RemoteData

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The fastest server of people there is: their pages lie in memory as the bytes that are sent, as a static file server has them.
///
/// It answers the native protocol's reading requests, each connection on a thread of its own, with `write` straight from memory. What
/// it takes is what any server takes at least; a time can be added to each answer, as of a way there and back.
///
/// SAFETY: all is constant from when it serves.
final class PageServer: @unchecked Sendable {
    /// The rows, joined by commas.
    private let bytes: [UInt8]
    /// Where each row begins, and where one more would.
    private let starts: [Int]
    private let delay: Duration
    private let frames: FrameServer
    private var count: Int { starts.count - 1 }

    /// - Parameters:
    ///   - rows: How many people.
    ///   - delay: How long each answer takes.
    init(rows: Int, delay: Duration) {
        var (bytes, starts): ([UInt8], [Int]) = ([], [0])
        bytes.reserveCapacity(rows * 170)
        starts.reserveCapacity(rows + 1)
        for number in 0..<rows {
            bytes += Person(number).row.json
            bytes.append(UInt8(ascii: ","))
            starts.append(bytes.count)
        }
        (self.bytes, self.starts, self.delay) = (bytes, starts, delay)
        frames = FrameServer(people: rows)
    }

    /// Prints its URL and serves until the program ends.
    func run() throws -> Never {
        let (listener, port) = try Self.listener()
        FileHandle.standardOutput.write(Data("http://127.0.0.1:\(port)\n".utf8))
        // Ends with the program that started it.
        Thread.detachNewThread {
            while getppid() != 1 { usleep(200_000) }
            exit(0)
        }
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { continue }
            var yes: Int32 = 1
            setsockopt(connection, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
            Thread.detachNewThread { [self] in serve(connection) }
        }
    }

    private func serve(_ connection: Int32) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var held = 0
        while true {
            let received = buffer[held...].withUnsafeMutableBytes {
                recv(connection, $0.baseAddress, $0.count, 0)
            }
            guard received > 0 else { break }
            held += received
            while let end = Self.headEnd(buffer[..<held]) {
                if delay > .zero { usleep(UInt32(delay / .microseconds(1))) }
                let head = String(decoding: buffer[..<end], as: UTF8.self)
                if head.hasPrefix("GET /api/changes ") {
                    frames.serve(connection, head: head)
                    close(connection)
                    return
                }
                answer(head, connection)
                buffer.replaceSubrange(0..<(held - end), with: buffer[end..<held])
                held -= end
            }
            guard held < buffer.count else { break }
        }
        close(connection)
    }

    private static func headEnd(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.count >= 4 else { return nil }
        let end = Array("\r\n\r\n".utf8)
        for index in 0...(bytes.count - 4)
        where bytes[index] == end[0] && bytes[index..<(index + 4)].elementsEqual(end) {
            return index + 4
        }
        return nil
    }

    /// Answers the request with a head.
    private func answer(_ head: String, _ connection: Int32) {
        let words = head.prefix { $0 != "\r\n" }.split(separator: " ")
        let parts = words.count > 1 ? words[1].split(separator: "?", maxSplits: 1) : []
        guard let path = parts.first else { return send("400 Bad Request", Array("{}".utf8), connection) }
        let query = parts.count > 1 ? parts[1] : ""
        if path.hasPrefix("/frames/") { return tell(path, query, connection) }
        if path.hasSuffix("/count") { return send("200 OK", Array("\(count)".utf8), connection) }
        let page = page(query)
        send(
            "200 OK",
            from: starts[page.lowerBound],
            to: max(starts[page.lowerBound], starts[page.upperBound] - 1),
            connection
        )
    }

    /// Has WebSockets told something.
    private func tell(_ path: Substring, _ query: Substring, _ connection: Int32) {
        let numbers = query.split(separator: "&").compactMap { UInt32($0.drop { $0 != "=" }.dropFirst()) }
        switch (path, numbers.first, numbers.last) {
        case ("/frames/make", let count?, _): frames.make(Int(count))
        case ("/frames/tell", _, _): frames.tell()
        case ("/frames/sent", _, _): return send("200 OK", Array(frames.sent.utf8), connection)
        case ("/frames/pace", let count?, let wait?): frames.pace(Int(count), every: wait)
        default: return send("404 Not Found", Array("{}".utf8), connection)
        }
        send("200 OK", Array("{}".utf8), connection)
    }

    /// The rows that a query asks for.
    private func page(_ query: Substring) -> Range<Int> {
        var (first, limit) = (0, 100)
        for parameter in query.split(separator: "&") {
            let value = parameter.drop { $0 != "=" }.dropFirst()
            if parameter.hasPrefix("pageSize=") { limit = Int(value) ?? limit }
            if parameter.hasPrefix("offset=") { first += Int(value) ?? 0 }
            // The digits of `["person-000000099"]`.
            if parameter.hasPrefix("after="), let name = value.range(of: "person-") {
                first += (Int(value[name.upperBound...].prefix(9)) ?? 0) + 1
            }
        }
        first = min(max(first, 0), count)
        return first..<min(first + max(limit, 0), count)
    }

    private func send(_ status: String, _ body: [UInt8], _ connection: Int32) {
        let head =
            "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\nTable-Revision: 1\r\nContent-Length: \(body.count)\r\n\r\n"
        let parts = [Array(head.utf8)[...], body[...]]
        Self.withVectors(parts[...], []) { Self.send(&$0, connection) }
    }

    /// Sends a page of bytes that lie here.
    private func send(_ status: String, from start: Int, to end: Int, _ connection: Int32) {
        let head =
            "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\nTable-Revision: 1\r\nContent-Length: \(end - start + 2)\r\n\r\n["
        let parts = [Array(head.utf8)[...], bytes[start..<end], Array("]".utf8)[...]]
        Self.withVectors(parts[...], []) { Self.send(&$0, connection) }
    }

    /// The bytes of parts as the system takes them.
    private static func withVectors(
        _ parts: ArraySlice<ArraySlice<UInt8>>,
        _ vectors: [iovec],
        _ body: (inout [iovec]) -> Void
    ) {
        var vectors = vectors
        guard let part = parts.first else { return body(&vectors) }
        part.withUnsafeBytes { buffer in
            let base = UnsafeMutableRawPointer(mutating: buffer.baseAddress)
            vectors.append(iovec(iov_base: base, iov_len: buffer.count))
            withVectors(parts.dropFirst(), vectors, body)
        }
    }

    private static func send(_ parts: inout [iovec], _ connection: Int32) {
        while !parts.isEmpty {
            var sent = writev(connection, parts, Int32(parts.count))
            guard sent > 0 else { return }
            while let first = parts.first, sent >= first.iov_len {
                sent -= first.iov_len
                parts.removeFirst()
            }
            if sent > 0 {
                parts[0].iov_base += sent
                parts[0].iov_len -= sent
            }
        }
    }

    private static func listener() throws -> (Int32, UInt16) {
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
                bind(listener, $0, length) == 0 && listen(listener, 128) == 0
                    && getsockname(listener, $0, &length) == 0
            }
        }
        guard listener >= 0, isListening else { throw UsageError(message: "no port to listen on") }
        return (listener, UInt16(bigEndian: address.sin_port))
    }
}
