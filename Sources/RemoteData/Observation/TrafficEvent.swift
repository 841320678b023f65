/// One thing that happened between this process and a server.
///
/// It holds neither bodies nor credentials, so it may be logged; a URL can hold a where clause.
public struct TrafficEvent: Sendable {
    /// What happened.
    public var kind: Kind
    /// The number of the request among those of its server object, the same for all its attempts; nil for
    /// sockets.
    public var request: Int?
    /// The method, such as `GET`; nil for sockets.
    public var method: String?
    /// What was asked, without credentials.
    public var url: String?
    /// The status of a reply.
    public var status: Int?
    /// How many bytes a body or a frame has.
    public var bytes: Int?
    /// How long it took from sending to the whole reply, or from a ping to its answer.
    public var duration: Duration?
    /// Which attempt it is, counted from one.
    public var attempt: Int?
    /// How long will be waited before the next attempt.
    public var delay: Duration?
    /// Why it failed, or why it is done again.
    public var error: RemoteDataError?

    /// Creates an event of a kind; everything else can be set.
    public init(_ kind: Kind) { self.kind = kind }
}

extension TrafficEvent {
    /// A kind of event.
    ///
    /// New kinds may appear in a minor release, so a `switch` needs a `default`.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        private let name: String

        /// The name of the kind.
        public var description: String { name }

        /// A request is sent, for the first time or again.
        public static let request = Kind(name: "request")
        /// A request was answered, whatever the status.
        public static let reply = Kind(name: "reply")
        /// A request got no answer.
        public static let failure = Kind(name: "failure")
        /// A request will be sent again after a delay.
        public static let retry = Kind(name: "retry")
        /// New credentials are asked for, because the server refused the ones it was given.
        public static let credentials = Kind(name: "credentials")
        /// A socket is being connected.
        public static let connecting = Kind(name: "connecting")
        /// A socket is connected.
        public static let connected = Kind(name: "connected")
        /// A socket, or the attempt to connect one, ended.
        public static let disconnected = Kind(name: "disconnected")
        /// A socket will be connected again after a delay.
        public static let reconnect = Kind(name: "reconnect")
        /// A frame was sent.
        public static let frameSent = Kind(name: "frame sent")
        /// A frame was received.
        public static let frameReceived = Kind(name: "frame received")
        /// A socket was asked whether it is still alive.
        public static let ping = Kind(name: "ping")
        /// A socket said that it is alive.
        public static let pong = Kind(name: "pong")
    }
}
