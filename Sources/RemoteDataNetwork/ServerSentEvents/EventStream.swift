package import Foundation
import Synchronization

/// A connection over which a server sends events (WHATWG HTML, section 9.2).
///
/// ```swift
/// let stream = try await EventStream.open(HTTPRequest("GET", url), over: CurlTransport())
/// while case let events = try await stream.receiveBatch(), !events.isEmpty { handle(events) }
/// ```
package final class EventStream: Sendable {
    private let stream: HTTPStream
    private let parser: Mutex<EventStreamParser>

    private init(_ stream: HTTPStream, _ parser: EventStreamParser) {
        self.stream = stream
        self.parser = Mutex(parser)
    }

    /// Asks for a stream of events.
    ///
    /// - Parameters:
    ///   - request: What to ask for; `Accept`, `Cache-Control` and `Last-Event-ID` are added.
    ///   - transport: What sends it.
    ///   - lastID: The id of the last event that was received; empty for none.
    ///   - eventLimit: The most bytes an event may have.
    ///   - now: The current date, for `Retry-After` with a date.
    /// - Returns: The stream, open.
    /// - Throws: ``NetworkError``; `refused`, with its status, for an answer that is not one of success, and `badAnswer` for one
    ///   that is no stream of events.
    package static func open(
        _ request: HTTPRequest,
        over transport: any HTTPStreamTransport,
        lastID: String = "",
        eventLimit: Int = 17 << 20,
        now: @Sendable () -> Date = { Date() }
    ) async throws(NetworkError) -> EventStream {
        var request = request
        request.headers["Accept"] = "text/event-stream"
        request.headers["Cache-Control"] = "no-store"
        if !lastID.isEmpty { request.headers["Last-Event-ID"] = lastID }
        let stream = try await transport.open(request)
        guard stream.head.isSuccess else { throw refusal(stream.head, now()) }
        let type = (stream.head.headers["Content-Type"] ?? "").prefix { $0 != ";" }
            .trimmingCharacters(in: .whitespaces).lowercased()
        guard stream.head.status == 200, type == "text/event-stream" else {
            stream.close()
            throw NetworkError(
                .badAnswer,
                "The server answered \(stream.head.status) with \(type.isEmpty ? "no type" : type), not with a stream of events."
            )
        }
        return EventStream(stream, EventStreamParser(lastID: lastID, limit: eventLimit))
    }

    private static func refusal(_ answer: HTTPResponse, _ now: Date) -> NetworkError {
        NetworkError(
            .refused,
            "The server answered \(answer.status) to the request for its events.",
            status: answer.status,
            retryAfter: answer.headers["Retry-After"].flatMap { RetryAfter.duration($0, now: now) }
        )
    }

    /// The id of the last event that gave one; empty for none.
    package var lastID: String { parser.withLock { $0.lastID } }

    /// How long to wait before connecting again, as the stream has said.
    package var retryAfter: Duration? { parser.withLock { $0.retryAfter } }

    /// Waits for events, in order.
    ///
    /// One reader at a time. Never blocks the caller's thread. What is not received is not read from the network.
    /// - Returns: One event or more; none when the server has ended the stream, with which it loses one that was not complete.
    /// - Throws: What broke the stream; `tooLarge` for an event above the limit; `cancelled` when the task is.
    package func receiveBatch() async throws(NetworkError) -> [ServerSentEvent] {
        while true {
            let bytes = try await stream.receive()
            guard !bytes.isEmpty else { return [] }
            let events = parser.withLock { parser in
                Result { () throws(NetworkError) in try parser.take(bytes) }
            }
            guard let events = try? events.get() else {
                stream.close()
                return try events.get()
            }
            if !events.isEmpty { return events }
        }
    }

    /// Lets go of the connection; a waiting ``receiveBatch()`` throws `closed`.
    package func close() { stream.close() }
}
