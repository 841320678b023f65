/// One event of a `text/event-stream` (WHATWG HTML, section 9.2).
package struct ServerSentEvent: Sendable, Hashable {
    /// The name; `message` where the server gives none.
    package var name: String
    /// The lines of data, with a line feed between any two.
    package var data: [UInt8]
    /// The last id the server gave up to here; empty for none.
    package var id: String

    /// Creates an event.
    package init(name: String = "message", data: [UInt8], id: String = "") {
        (self.name, self.data, self.id) = (name, data, id)
    }

    /// The data as text, in O(n); bytes that are not UTF-8 are replaced.
    package var text: String { String(decoding: data, as: UTF8.self) }
}
