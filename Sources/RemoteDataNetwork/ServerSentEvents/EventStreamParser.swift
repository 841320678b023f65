import Foundation
import RemoteDataExecution

/// Reads events from the bytes of a `text/event-stream`, wherever those are cut (WHATWG HTML, section 9.2.6).
struct EventStreamParser: Sendable {
    /// The id of the last event that gave one; empty for none.
    private(set) var lastID: String
    /// How long to wait before connecting again, as the stream has said.
    private(set) var retryAfter: Duration?
    private let limit: Int
    /// The line that has not ended.
    private var line: [UInt8] = []
    private var isBehindReturn = false
    private var isAtStart = true
    private var name = ""
    private var data: [UInt8] = []
    private var hasData = false

    /// - Parameters:
    ///   - lastID: The id of the last event of an earlier connection.
    ///   - limit: The most bytes an event may have.
    init(lastID: String = "", limit: Int) { (self.lastID, self.limit) = (lastID, limit) }

    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let (feed, carriage) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))

    /// Takes bytes.
    ///
    /// - Returns: The events that end in them.
    /// - Throws: `tooLarge` when an event has more bytes than it may.
    /// - Complexity: O(bytes).
    mutating func take(_ bytes: [UInt8]) throws(NetworkError) -> [ServerSentEvent] {
        var events: [ServerSentEvent] = []
        var rest = bytes[...]
        if isBehindReturn, !rest.isEmpty {
            if rest.first == Self.feed { rest.removeFirst() }
            isBehindReturn = false
        }
        while let end = rest.firstLineEnd {
            try keep(rest[..<end])
            let isReturn = rest[end] == Self.carriage
            rest = rest[(end + 1)...]
            if isReturn, rest.isEmpty { isBehindReturn = true }
            if isReturn, rest.first == Self.feed { rest.removeFirst() }
            if let event = endLine() { events.append(event) }
        }
        try keep(rest)
        return events
    }

    private mutating func keep(_ bytes: ArraySlice<UInt8>) throws(NetworkError) {
        guard line.count + data.count + bytes.count <= limit else {
            throw NetworkError(
                .tooLarge,
                "An event of the stream is larger than the limit of \(limit) bytes."
            )
        }
        line += bytes
    }

    private mutating func endLine() -> ServerSentEvent? {
        defer { line.removeAll(keepingCapacity: true) }
        if isAtStart {
            isAtStart = false
            if line.starts(with: Self.mark) { line.removeFirst(Self.mark.count) }
        }
        guard !line.isEmpty else { return endEvent() }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[min(colon + 1, line.endIndex)...]
        if value.first == UInt8(ascii: " ") { value.removeFirst() }
        take(String(decoding: line[..<colon], as: UTF8.self), value)
        return nil
    }

    private mutating func take(_ field: String, _ value: ArraySlice<UInt8>) {
        switch field {
        case "event": name = String(decoding: value, as: UTF8.self)
        case "data":
            if hasData { data.append(Self.feed) }
            data += value
            hasData = true
        case "id" where !value.contains(0): lastID = String(decoding: value, as: UTF8.self)
        case "retry" where !value.isEmpty && value.allSatisfy { 0x30...0x39 ~= $0 }:
            let time = Int(String(decoding: value, as: UTF8.self)).map { Duration.milliseconds($0) }
            retryAfter = time.map { min($0, RetrySignal.longestWish) } ?? retryAfter
        default: break
        }
    }

    private mutating func endEvent() -> ServerSentEvent? {
        defer { (name, data, hasData) = ("", [], false) }
        guard hasData else { return nil }
        return ServerSentEvent(name: name.isEmpty ? "message" : name, data: data, id: lastID)
    }
}

extension ArraySlice<UInt8> {
    /// Where the first line feed or carriage return is.
    fileprivate var firstLineEnd: Int? {
        let feed = position(of: UInt8(ascii: "\n"))
        return self[..<(feed ?? endIndex)].position(of: UInt8(ascii: "\r")) ?? feed
    }

    /// As `firstIndex(of:)`, many bytes at a time.
    private func position(of byte: UInt8) -> Int? {
        withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, let found = memchr(start, Int32(byte), bytes.count) else {
                return nil
            }
            return startIndex + (UnsafeRawPointer(found) - start)
        }
    }
}
