import Foundation
import RemoteData
import RemoteDataNetwork

/// What Backendless says when it refuses: an object with a number `code` and a text `message`, whatever the HTTP status.
struct BackendlessProblem: Sendable, Equatable {
    let code: Int?
    let message: String

    /// Reads an answer; nil for one that is no refusal.
    ///
    /// A row may have such columns, and is known by its id.
    init?(_ answer: HTTPResponse) {
        guard let first = answer.body.first(where: { !" \n\r\t".utf8.contains($0) }),
            first == UInt8(ascii: "{"), let problem = ServerProblem(answer)
        else { return nil }
        if answer.isSuccess, (try? Row.parse(answer.body[...], idColumn: "objectId")) != nil { return nil }
        self.init(problem)
    }

    /// Reads an error that came over the socket; its code is not always a number.
    init(json: ArraySlice<UInt8>) {
        let members = (try? JSONObject.members(of: json)) ?? []
        let parts = Dictionary(members.map { ($0.name, Value(json: $0.json)) }) { first, _ in first }
        let code: Int? =
            switch parts["code"] {
            case .integer(let number)??: Int(number)
            case .text(let digits)??: Int(digits)
            default: nil
            }
        let words = if case .text(let text)?? = parts["message"] { text } else { "it said nothing more" }
        self.init(ServerProblem(code: code, message: words))
    }

    private init(_ problem: ServerProblem) {
        (code, message) = (problem.code, problem.message ?? "")
    }

    /// Whether a user's token is wrong or has ended.
    var isAboutToken: Bool { code.map { [3064, 3023, 3090, 3091].contains($0) } ?? false }

    /// Whether the table is not there.
    var isMissingTable: Bool { code == 1009 }

    /// The HTTP status that says the same.
    var status: Int {
        if isAboutToken { return 401 }
        return code.flatMap { 400..<600 ~= $0 ? $0 : nil } ?? 400
    }

    /// Whether it speaks of a column that is not there.
    private var isAboutColumn: Bool {
        let words = message.lowercased()
        return words.contains("column")
            && ["does not exist", "no column", "unknown column", "not found"].contains { words.contains($0) }
    }
}

// MARK: - As an error

extension RemoteDataError {
    /// The error behind an answer of Backendless that is none of success.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - what: What was asked for, for the message.
    ///   - now: The current date, which a date in `Retry-After` is compared with.
    /// - Returns: The error.
    static func backendless(_ answer: HTTPResponse, _ what: String, now: Date) -> RemoteDataError {
        let problem = BackendlessProblem(answer)
        return RemoteDataError(
            problem?.kind ?? Code(status: answer.status),
            "Backendless refuses \(what) (\(words(problem, answer.status)).",
            status: answer.status,
            retryAfter: answer.headers["Retry-After"].flatMap { RetryAfter.duration($0, now: now) }
        )
    }

    /// The error behind a refusal that came over the socket.
    static func backendless(_ problem: BackendlessProblem, _ what: String) -> RemoteDataError {
        RemoteDataError(
            problem.kind ?? problem.code.flatMap { 400..<600 ~= $0 ? Code(status: $0) : nil } ?? .rejected,
            "Backendless refuses \(what) (\(words(problem, nil))."
        )
    }

    private static func words(_ problem: BackendlessProblem?, _ status: Int?) -> String {
        let numbers = [status.map { "status \($0)" }, problem?.code.map { "code \($0)" }].compactMap(\.self)
        let message = problem?.message ?? "it said nothing more"
        let end = message.hasSuffix(".") ? message.dropLast() : message[...]
        return numbers.joined(separator: ", ") + "): " + end
    }
}

extension BackendlessProblem {
    /// The kind of error by the code; nil for one that is not known.
    fileprivate var kind: RemoteDataError.Code? {
        if isAboutToken { return .unauthorized }
        switch code {
        case 404, 1000, 1009: return .notFound
        case 1155: return .alreadyExists
        case 1017: return isAboutColumn ? .unknownColumn : .invalidClause
        case 3003: return .unauthorized
        default: return isAboutColumn ? .unknownColumn : nil
        }
    }
}
