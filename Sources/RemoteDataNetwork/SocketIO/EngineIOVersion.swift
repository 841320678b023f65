/// A version of the Engine.IO protocol, with the version of Socket.IO above it.
package enum EngineIOVersion: Int, Sendable, Hashable {
    /// Engine.IO 3 with Socket.IO protocol 4: clients ping, and servers join everybody to the default namespace.
    case three = 3
    /// Engine.IO 4 with Socket.IO protocol 5: servers ping.
    case four = 4

    /// The other one.
    var other: EngineIOVersion { self == .three ? .four : .three }
}
