public import Foundation
import RemoteDataExecution

/// An error thrown by a table, a collection, or a where clause.
///
/// Descriptions never contain row contents or credentials, so they may be logged.
public struct RemoteDataError: Error, Sendable {
    /// What kind of thing went wrong.
    public let code: Code
    /// What was being done and what to do about it, in words a person can act on.
    public let message: String
    /// The character the error speaks of, counted in Unicode scalars from zero, for errors in a where clause or
    /// sort.
    public let position: Int?
    /// The HTTP status the server answered with, when there was an answer.
    public let status: Int?
    /// How long the server asked to wait before trying again; five minutes where it asked for more.
    public let retryAfter: Duration?
    /// How often the request was sent, this attempt included, where the server refused it: a write that was
    /// sent more than once may have been made by an earlier attempt.
    public let attempts: Int
    /// The lower-level error, when there is one.
    public let cause: (any Error)?
    private let versions: Versions?

    /// The versions of the row that a refused update could not bring together, with the code `conflict`.
    ///
    /// They hold what the row holds; descriptions of the error do not.
    public var conflict: Conflict? { versions?.conflict }

    /// Rows take too much room for every error.
    private final class Versions: Sendable {
        let conflict: Conflict

        init(_ conflict: Conflict) { self.conflict = conflict }
    }

    /// Creates an error.
    public init(
        _ code: Code,
        _ message: String,
        position: Int? = nil,
        status: Int? = nil,
        retryAfter: Duration? = nil,
        attempts: Int = 1,
        cause: (any Error)? = nil,
        conflict: Conflict? = nil
    ) {
        versions = conflict.map { Versions($0) }
        self.code = code
        self.message = message
        self.position = position
        self.status = status
        self.retryAfter = retryAfter.map { min($0, RetrySignal.longestWish) }
        self.attempts = attempts
        self.cause = cause
    }

    /// Whether trying the same thing again later may succeed.
    public var isTransient: Bool { Self.transientCodes.contains(code) }

    /// Whether the server was not reached, so that an answer to any other request shows that it can be again.
    package var isOutage: Bool { !isRefusal && RetrySignal.isOutage(status) }

    /// Whether the server understood the request and refuses it; asked again in a while, it may not any more.
    package var isRefusal: Bool { !isTransient && !Self.localCodes.contains(code) }

    /// Codes that do not mean that the server refuses; an answer that cannot be read may have been cut off.
    private static let localCodes: Set<Code> = [.invalidAnswer, .cancelled, .storage]

    private static let transientCodes: Set<Code> = [.unreachable, .timedOut, .rateLimited, .unavailable]
}

extension RemoteDataError: CustomStringConvertible {
    /// The code and message, then in parentheses what the cause adds.
    public var description: String {
        RemoteDataExecution.errorDescription(code.description, message, cause: cause)
    }
}

extension RemoteDataError: LocalizedError {
    /// The message, for `localizedDescription`.
    public var errorDescription: String? { message }
}

extension RemoteDataError {
    /// A kind of failure.
    ///
    /// New codes may appear in a minor release, so a `switch` needs a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private let name: String

        private init(name: String) { self.name = name }

        /// The code of a name that was noted.
        package init(named name: String) { self.name = name }

        /// The name of the code.
        public var description: String { name }

        /// A where clause that cannot be read, or cannot be translated.
        public static let invalidClause = Code(name: "invalid clause")
        /// A clause or sort that names a column the table has never had.
        public static let unknownColumn = Code(name: "unknown column")
        /// A row the table cannot take, or cannot have sent: no object, no id, wrong types.
        public static let invalidRow = Code(name: "invalid row")
        /// A request the table does not understand.
        public static let invalidRequest = Code(name: "invalid request")
        /// An answer that is not what the protocol promises.
        public static let invalidAnswer = Code(name: "invalid answer")
        /// There is no such row or table.
        public static let notFound = Code(name: "not found")
        /// A row with this id is there already.
        public static let alreadyExists = Code(name: "already exists")
        /// The row changed since it was read.
        public static let conflict = Code(name: "conflict")
        /// The credentials are missing, wrong or expired.
        public static let unauthorized = Code(name: "unauthorized")
        /// The credentials do not allow this.
        public static let forbidden = Code(name: "forbidden")
        /// The change log does not reach back that far.
        public static let gone = Code(name: "gone")
        /// More than a stated limit.
        public static let tooLarge = Code(name: "too large")
        /// Too many requests in a short time.
        public static let rateLimited = Code(name: "rate limited")
        /// The server cannot answer now.
        public static let unavailable = Code(name: "unavailable")
        /// The server could not be reached.
        public static let unreachable = Code(name: "unreachable")
        /// The answer did not come in time.
        public static let timedOut = Code(name: "timed out")
        /// The server answered, and said no.
        public static let rejected = Code(name: "rejected")
        /// The caller gave up.
        public static let cancelled = Code(name: "cancelled")
        /// The storage failed or is full.
        public static let storage = Code(name: "storage")
        /// A model that cannot be kept the same everywhere: it is a part of itself, or has no id.
        public static let invalidModel = Code(name: "invalid model")
        /// An index that is no longer, or never was, in the collection.
        public static let outOfRange = Code(name: "out of range")
    }
}
