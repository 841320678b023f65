import CLibWebSockets
import Foundation
import RemoteData

/// The other end of WebSockets, which tells changes as fast as the network takes them: the frames are made beforehand, and sent as one
/// piece of memory.
///
/// It speaks as much of RFC 6455 and of the native protocol as one subscription needs: the handshake, `subscribe`, and pings. What it
/// tells are updates of people that leave them where they are.
///
/// SAFETY: all that changes is behind the lock.
final class FrameServer: @unchecked Sendable {
    private let lock = NSLock()
    private let people: Int
    private var listeners: [Int32] = []
    private var revision: Int64 = 1
    private var random = SplitMix(state: 1)
    private var frames: [UInt8] = []
    private var times: [Int64] = []

    /// When each of the changes was sent that were told one by one, as JSON.
    var sent: String { lock.withLock { "\(times)" } }

    /// The name that every client's first subscription has.
    static let subscription = "s1"

    init(people: Int) { self.people = people }

    /// Opens a WebSocket with who asked for it, and hears what it says until it closes.
    func serve(_ connection: Int32, head: String) {
        guard let key = Self.field("sec-websocket-key", of: head), let accept = Self.accept(key) else {
            return
        }
        Self.send(
            Array(
                """
                HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
                Sec-WebSocket-Accept: \(accept)\r\nSec-WebSocket-Protocol: table-changes.v1\r\n\r\n
                """.utf8
            ),
            connection
        )
        while let (opcode, payload) = Self.receive(connection) {
            switch opcode {
            case 1: subscribe(connection)
            case 9: Self.send([0x8A, UInt8(payload.count)] + payload, connection)
            default: break
            }
            if opcode == 8 { break }
        }
        lock.withLock { listeners.removeAll { $0 == connection } }
    }

    private func subscribe(_ connection: Int32) {
        let last = lock.withLock {
            listeners.append(connection)
            return revision
        }
        let answer = #"{"type":"subscribed","id":"\#(Self.subscription)","revision":\#(last)}"#
        Self.send(Self.frame(Array(answer.utf8)), connection)
    }

    /// Makes frames, to be told later.
    func make(_ count: Int) {
        lock.withLock {
            frames = []
            frames.reserveCapacity(count * 320)
            for _ in 0..<count { frames += nextFrame() }
        }
    }

    /// Tells the frames that were made, on a thread of its own.
    func tell() {
        let (bytes, hearing) = lock.withLock { (frames, listeners) }
        Thread.detachNewThread { for listener in hearing { Self.send(bytes, listener) } }
    }

    /// Tells changes one by one, on a thread of its own; ``sent`` says when.
    ///
    /// - Parameters:
    ///   - count: How many.
    ///   - microseconds: How long to wait between two.
    func pace(_ count: Int, every microseconds: UInt32) {
        lock.withLock { times = [] }
        Thread.detachNewThread { [self] in
            for _ in 0..<count {
                usleep(microseconds)
                let (frame, hearing) = lock.withLock { (nextFrame(), listeners) }
                lock.withLock { times.append(Nanoseconds.now) }
                for listener in hearing { Self.send(frame, listener) }
            }
        }
    }

    /// The next change: a person with another score.
    private func nextFrame() -> [UInt8] {
        var person = Person(Int.random(in: 0..<people, using: &random))
        person.score += 1
        defer { revision += 1 }
        let text = """
            {"type":"change","id":"\(Self.subscription)","revision":\(revision + 1),"after":\(revision),"kind":"updated",\
            "row":\(String(decoding: person.row.json, as: UTF8.self)),"previousKey":["\(person.objectId)"]}
            """
        return Self.frame(Array(text.utf8))
    }

    // MARK: RFC 6455

    private static func frame(_ text: [UInt8]) -> [UInt8] {
        guard text.count > 125 else { return [0x81, UInt8(text.count)] + text }
        return [0x81, 126, UInt8(text.count >> 8), UInt8(text.count & 255)] + text
    }

    /// A client's next frame; nil when there is none any more.
    private static func receive(_ connection: Int32) -> (opcode: UInt8, payload: [UInt8])? {
        guard let head = take(2, connection) else { return nil }
        var count = Int(head[1] & 127)
        if count == 126 {
            guard let size = take(2, connection) else { return nil }
            count = Int(size[0]) << 8 | Int(size[1])
        }
        guard count < 65_536, let mask = take(4, connection), let bytes = take(count, connection) else {
            return nil
        }
        return (head[0] & 15, bytes.enumerated().map { $1 ^ mask[$0 % 4] })
    }

    private static func take(_ count: Int, _ connection: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        guard count == 0 || recv(connection, &bytes, count, Int32(truncatingIfNeeded: MSG_WAITALL)) == count
        else {
            return nil
        }
        return bytes
    }

    private static func send(_ bytes: [UInt8], _ connection: Int32) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { write(connection, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            sent += count
        }
    }

    private static func field(_ name: String, of head: String) -> Substring? {
        for line in head.split(separator: "\r\n") {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2, parts[0].lowercased() == name { return parts[1].drop { $0 == " " } }
        }
        return nil
    }

    private static func accept(_ key: Substring) -> String? {
        let text = Array("\(key)258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)
        var digest = [UInt8](repeating: 0, count: 20)
        guard lws_SHA1(text, text.count, &digest) != nil else { return nil }
        return Data(digest).base64EncodedString()
    }
}

/// A clock that two programs read alike.
enum Nanoseconds {
    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
