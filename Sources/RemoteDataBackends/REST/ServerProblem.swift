import Foundation
import RemoteData
import RemoteDataNetwork

/// What a server says when it refuses: `{"code": …, "message": …, "position": …}`.
struct ServerProblem: Sendable, Equatable {
    /// The longest message that is passed on.
    private static let messageLimit = 1_000

    /// The number of the protocol's list, if there is one.
    var code: Int?
    var message: String?
    var position: Int?

    /// Nothing said.
    init() {}

    init(code: Int?, message: String?, position: Int? = nil) {
        self.code = code
        self.message = message.map(Self.readable)
        self.position = position
    }

    /// Reads a body; nil when it is no object with a code and a message.
    init?(_ answer: HTTPResponse) { self.init(json: answer.body[...]) }

    /// Reads JSON; nil when it is no object with a code and a message.
    init?(json: ArraySlice<UInt8>) {
        guard let members = try? JSONObject.members(of: json) else { return nil }
        var (code, message, position): (Int?, String?, Int?)
        for member in members {
            switch (member.name, Value(json: member.json)) {
            case ("code", .integer(let number)?): code = Int(number)
            case ("message", .text(let text)?): message = text
            case ("position", .integer(let number)?): position = Int(number)
            default: break
            }
        }
        guard let code, let message else { return nil }
        self.init(code: code, message: message, position: position)
    }

    /// Whether it speaks of the table or the path rather than of a row.
    var isAboutPath: Bool { code == 1009 || code == 1404 }

    /// Whether the table is not there.
    var isMissingTable: Bool { code == 1009 }

    /// One line without control characters, of a bearable length.
    private static func readable(_ text: String) -> String {
        let line = String(text.prefix(messageLimit).map { $0.isNewline ? " " : $0 })
        return String(
            String.UnicodeScalarView(line.unicodeScalars.filter { $0.properties.generalCategory != .control })
        )
    }
}

// MARK: As an error

extension ServerProblem {
    /// The error that a request ends with.
    ///
    /// - Parameters:
    ///   - answer: The answer the problem came in.
    ///   - table: The table's name, for the message.
    ///   - server: The server's URL, for the message.
    ///   - now: The current date, which a date in `Retry-After` is compared with.
    /// - Returns: An error by the problem's code where the protocol lists it, otherwise by the status.
    func error(_ answer: HTTPResponse, table: String, server: String, now: Date) -> RemoteDataError {
        RemoteDataError(
            kind ?? RemoteDataError.Code(status: answer.status),
            text(status: answer.status, table: table, server: server),
            position: position,
            status: answer.status,
            retryAfter: answer.headers["Retry-After"].flatMap { RetryAfter.duration($0, now: now) },
            attempts: answer.attempts
        )
    }

    /// The error that a subscription ends with.
    func error(table: String, server: String) -> RemoteDataError {
        RemoteDataError(
            kind ?? .rejected,
            text(status: nil, table: table, server: server),
            position: position
        )
    }

    /// The kind of error by the code; nil for one the protocol does not list.
    private var kind: RemoteDataError.Code? {
        switch code {
        // A clause that cannot be read is refused with a position, a column that is not there without.
        case 1017: position == nil ? .unknownColumn : .invalidClause
        case let code?: Self.kinds[code]
        case nil: nil
        }
    }

    private static let kinds: [Int: RemoteDataError.Code] = [
        1000: .invalidRequest, 1001: .notFound, 1009: .notFound, 1018: .invalidRow, 1155: .alreadyExists,
        1403: .forbidden, 1404: .invalidAnswer, 1405: .invalidRequest, 1410: .gone, 1412: .conflict,
        1413: .tooLarge, 1422: .invalidRequest, 1429: .rateLimited, 1431: .tooLarge, 1500: .storage,
        1503: .unavailable, 3064: .unauthorized,
    ]

    private func text(status: Int?, table: String, server: String) -> String {
        if isMissingTable {
            return
                "There is no table \"\(table)\" on \(server). A table comes into being with its first row, "
                + "unless the server's tables are fixed; check the name."
        }
        if let message, !message.isEmpty {
            return status == 401 ? "\(server) refuses the credentials: \(message)" : message
        }
        guard let status else { return "The server refused, and said nothing more." }
        switch status {
        case 300..<400:
            return
                "\(server) redirects (\(status)) what cannot be redirected; use the URL it leads to."
        case 401: return "\(server) refuses the credentials, or wants some."
        case 403: return "\(server) does not allow this with the credentials it was shown, if any."
        case 404: return "There is nothing at the table's path on \(server); is it the right server?"
        case 409: return "\(server) answered 409: it has such a row already, or another request was faster."
        case 412: return "\(server) answered 412: the row has changed since it was read."
        case 413: return "\(server) answered 413: the request is larger than it takes."
        case 408, 425, 429, 500..<600: return "\(server) answered \(status); try again later."
        default: return "\(server) answered \(status)."
        }
    }
}

extension RemoteDataError {
    /// The error of a request that got no answer, or of a socket.
    init(_ error: NetworkError) {
        if error.code == .credentials, let cause = error.cause as? RemoteDataError {
            // Whoever could not be asked for credentials may be later.
            self.init(
                cause.isTransient ? cause.code : .unauthorized,
                "\(error.message) \(cause.message)",
                status: cause.status,
                retryAfter: cause.retryAfter,
                cause: error
            )
            return
        }
        let code: Code =
            switch error.code {
            case .unreachable, .closed: .unreachable
            case .timedOut: .timedOut
            case .cancelled: .cancelled
            case .tooLarge: .tooLarge
            case .tls, .badAnswer, .protocolError: .invalidAnswer
            case .invalidRequest: .invalidRequest
            case .credentials: .unauthorized
            case .overloaded, .unavailable: .unavailable
            case .refused: Self.code(ofHandshake: error.status)
            default: .rejected
            }
        self.init(code, error.message, status: error.status, retryAfter: error.retryAfter, cause: error)
    }

    private static func code(ofHandshake status: Int?) -> Code {
        switch status {
        case 401: .unauthorized
        case 403: .forbidden
        case 404, 405, 426: .notFound
        case 429: .rateLimited
        case 408, 425, 500, 502, 503, 504: .unavailable
        case nil: .invalidAnswer
        default: .rejected
        }
    }
}
