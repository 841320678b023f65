extension TableServer {
    /// How a server is reached and what it allows.
    public struct Configuration: Sendable {
        /// The address to listen on, a name or a number; anything but this machine itself needs a ``token``.
        public var host = "127.0.0.1"
        /// The port to listen on; 0 picks a free one.
        public var port = 0
        /// What clients have to send to be answered; nil lets every program on this machine ask.
        public var token: String?
        /// Whether tables come into being only by other means than a first row over the network.
        public var fixedTables = false
        /// How much the server takes on.
        public var limits = Limits()
        /// How long the server waits.
        public var deadlines = Deadlines()
        /// Called for each answer, just before it is sent, on one of the server's own threads.
        ///
        /// It should return soon: the answer waits for it.
        public var log: (@Sendable (RequestLog) -> Void)?

        /// A server for this machine alone, on a free port.
        public init() {}
    }
}
