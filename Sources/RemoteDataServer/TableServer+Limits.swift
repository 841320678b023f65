extension TableServer {
    /// How much a server takes on; beyond a limit there is a clear error, never a growing buffer.
    public struct Limits: Sendable, Hashable {
        /// The most bytes of a request's body: 413 beyond.
        public var bodyBytes = 16 << 20
        /// The most bytes that all requests under way may hold together, bodies above all: 503 beyond.
        public var requestBytes = 256 << 20
        /// The most bytes of a request line and its fields: 414 or 431 beyond.
        public var headerBytes = 64 << 10
        /// The most rows of a page: 400 beyond.
        public var pageSize = 1_000
        /// The bytes of rows in one answer after which it ends early and says that there is more: an answer has
        /// at most so many and one row.
        public var answerBytes = 16 << 20
        /// The most bytes of answers that wait for their clients to read them, of all connections together:
        /// the connection whose answer has waited longest is closed beyond.
        ///
        /// With those that are being made there are twice as many at most: pages become smaller as they fill
        /// that, and reads get 503 beyond.
        public var unreadBytes = 128 << 20
        /// The most rows of one bulk write: 413 beyond.
        public var bulkRows = 10_000
        /// The most connections over which something was asked for that is allowed, WebSockets included: 429
        /// beyond.
        public var connections = 1_024
        /// The most connections over which nothing was yet: beyond, the oldest one is closed of the address
        /// that has most of them.
        public var connectionsBeforeSignIn = 256
        /// The most of ``connections`` that guests have, who send no token where there are users.
        ///
        /// The others are kept for those who do. Beyond, the connection is closed that has waited longest for
        /// a guest's next request: 429 where there is none.
        public var guestConnections = 768
        /// The most connections that guests have from one address, or one network of IPv6 (/64); not counted
        /// from this machine, where a proxy may be.
        public var guestsPerAddress = 128
        /// The most subscriptions of one WebSocket: an error frame with code 1429 beyond.
        public var subscriptionsPerConnection = 256
        /// The most bytes of one frame from a client; the WebSocket is closed beyond.
        public var frameBytes = 64 << 10
        /// The most bytes waiting for one WebSocket to read them: `reset` beyond.
        public var queuedBytes = 4 << 20
        /// The most bytes waiting for all WebSockets together: beyond, `reset` for those that have more than
        /// 64 KiB of them.
        public var allQueuedBytes = 128 << 20
        /// The most frames waiting for one WebSocket to read them: `reset` beyond.
        public var queuedFrames = 10_000

        /// The limits named above.
        public init() {}
    }

    /// How long a server waits.
    public struct Deadlines: Sendable, Hashable {
        /// For the head of a request, and then as long again for its body: 408.
        public var request = Duration.seconds(30)
        /// For the next request on a connection, which is then closed.
        public var keepAlive = Duration.seconds(60)
        /// For the storage to answer: 503.
        public var answer = Duration.seconds(120)
        /// For the work on one query, and on a write by clause over tables in memory: 503.
        public var query = Duration.seconds(20)
        /// How often to look whether a client that waits for an answer is still there; the work on its
        /// query ends
        /// where it is not.
        public var hangUp = Duration.seconds(1)
        /// For a client to take in some more of an answer; the connection is then closed.
        public var send = Duration.seconds(30)
        /// For a client to read an error and close, when its request was not read whole.
        public var linger = Duration.seconds(2)
        /// For a silent WebSocket, before it is pinged; whole seconds.
        public var ping = Duration.seconds(20)
        /// For a silent WebSocket, before it is given up; whole seconds, more than `ping`.
        public var silence = Duration.seconds(45)
        /// For what is under way when the server stops.
        public var stop = Duration.seconds(10)

        /// The times named above.
        public init() {}
    }
}
