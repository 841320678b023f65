import Foundation

/// An event that a Socket.IO server has sent.
package struct SocketIOEvent: Sendable, Hashable {
    /// The name.
    package let name: String
    /// The name and the arguments as a JSON array.
    package let json: [UInt8]

    /// Reads the payload of an event; nil when it is no array that begins with a name.
    init?(payload: [UInt8]) {
        guard let first = try? JSONDecoder().decode(First.self, from: Data(payload)) else { return nil }
        (name, json) = (first.name, payload)
    }

    /// The first element of an array.
    private struct First: Decodable {
        let name: String

        init(from decoder: any Decoder) throws {
            var elements = try decoder.unkeyedContainer()
            name = try elements.decode(String.self)
        }
    }
}
