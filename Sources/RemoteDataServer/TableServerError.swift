public import Foundation
import RemoteDataExecution

/// Why a server could not start, or a file could not be imported.
public struct TableServerError: Error, Sendable {
    /// What kind of thing went wrong.
    public let code: Code
    /// What was being done and what to do about it, in words a person can act on.
    public let message: String
    /// The lower-level error, when there is one.
    public let cause: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }
}

extension TableServerError: CustomStringConvertible {
    /// The code and message, then in parentheses what the cause adds.
    public var description: String {
        RemoteDataExecution.errorDescription(code.description, message, cause: cause)
    }
}

extension TableServerError: LocalizedError {
    /// The message, for `localizedDescription`.
    public var errorDescription: String? { message }
}

extension TableServerError {
    /// A kind of failure.
    ///
    /// New codes may appear in a minor release, so a `switch` needs a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private let name: String

        /// The name of the code.
        public var description: String { name }

        /// The address is in use, or not this machine's, or not allowed.
        public static let address = Code(name: "address")
        /// A configuration that is refused, such as listening to the network without a token.
        public static let configuration = Code(name: "configuration")
        /// Guests may write, and others than this machine can reach the server: both have to be configured.
        public static let guestsMayWrite = Code(name: "guests may write")
        /// The server is running, or has been.
        public static let started = Code(name: "already started")
        /// The system refused something.
        public static let system = Code(name: "system")
        /// A file that cannot be read.
        public static let unreadable = Code(name: "unreadable file")
        /// A file that is not what it should be.
        public static let malformed = Code(name: "malformed file")
    }
}
