import Foundation

extension TableServer {
    /// How a server is reached and what it allows.
    public struct Configuration: Sendable {
        /// The address to listen on, a name or a number; anything but this machine itself needs a ``token`` or ``users``.
        public var host = "127.0.0.1"
        /// The port to listen on; 0 picks a free one.
        public var port = 0
        /// What clients have to send to see and change everything; nil, where there are no ``users``, lets every program on this
        /// machine do so.
        public var token: String?
        /// Those who see and change what the `ACL` of each row lets them, each by a token of their own.
        public var users: Users?
        /// Whether guests may write even where others than this machine can reach the server:
        /// ``Users/guests`` alone does not say so.
        public var letsGuestsWrite = false
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

extension TableServer.Configuration {
    /// Who may ask.
    var authorization: Authorization {
        Authorization(token: token, users: users, isLocal: ListenAddress.isLoopback(host))
    }

    /// - Throws: ``TableServerError`` with code `configuration` that says what is missing.
    func check() throws(TableServerError) {
        if let token, token.trimmingCharacters(in: .whitespaces).isEmpty {
            throw TableServerError(.configuration, "The token is empty.")
        }
        if let token, let index = users?.members.firstIndex(where: { $0.token == token }) {
            throw TableServer.Users.wrong(index, "the token is the one that sees everything")
        }
        guard !ListenAddress.isLoopback(host) else { return }
        guard token != nil || users != nil else {
            throw TableServerError(
                .configuration,
                "\(host) can be reached by others: set a token, or listen on 127.0.0.1."
            )
        }
        guard users?.guests != .write || letsGuestsWrite else {
            throw TableServerError(
                .guestsMayWrite,
                "\(host) can be reached by others, and guests may write without a token: let \"guests\" be"
                    + " \"read\" or \"none\", or say once more that they may write."
            )
        }
    }
}
