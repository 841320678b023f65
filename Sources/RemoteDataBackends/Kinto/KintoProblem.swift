import Foundation
import RemoteData
import RemoteDataNetwork

/// What Kinto says when it refuses: `{"code": …, "errno": …, "error": …, "message": …, "details": …}`.
struct KintoProblem: Sendable, Equatable {
    /// What is wrong with a part of a request.
    struct Detail: Sendable, Equatable {
        /// Where it is: `body`, `path`, `querystring`, `header`.
        let location: String
        let description: String
    }

    /// Kinto's number for what is wrong.
    var errno: Int?
    var message: String?
    var details: [Detail] = []
    /// What is missing, such as `record` or `collection`.
    var missing: String?
    /// The row that is there already, or has changed.
    var existing: ArraySlice<UInt8>?

    /// The longest message that is passed on.
    private static let messageLimit = 1_000

    /// Reads a body; nil when it is no object with a number.
    init?(_ answer: HTTPResponse) {
        guard let members = try? JSONObject.members(of: answer.body[...]) else { return nil }
        let parts = Dictionary(members.map { ($0.name, $0.json) }) { first, _ in first }
        guard case .integer(let number)? = parts["errno"].flatMap(Value.init(json:)) else { return nil }
        errno = Int(number)
        if case .text(let text)? = parts["message"].flatMap(Value.init(json:)) {
            message = Self.readable(text)
        }
        guard let json = parts["details"] else { return }
        if let list = try? JSONObject.elements(of: json) {
            details = list.compactMap { Detail($0) }
        } else if let members = try? JSONObject.members(of: json) {
            existing = members.first { $0.name == "existing" }?.json
            if case .text(let name)? = members.first(where: { $0.name == "resource_name" }).flatMap({
                Value(json: $0.json)
            }) {
                missing = name
            }
        }
    }

    /// Whether it speaks of a row that is not there.
    var isMissingRow: Bool { errno == 110 && missing == "record" }

    /// Whether another write was made at the same moment, so that the same request may be sent again at once: nothing was done.
    var isCollision: Bool { errno == 122 }

    /// What is said in the header `Alert`: `{"code": …, "message": …, "url": …}`.
    fileprivate static func alert(_ answer: HTTPResponse) -> String? {
        let members = answer.headers["Alert"].flatMap { try? JSONObject.members(of: Array($0.utf8)[...]) }
        guard let member = members?.first(where: { $0.name == "message" }),
            case .text(let text)? = Value(json: member.json)
        else {
            return nil
        }
        return readable(text)
    }

    /// One line without control characters, of a bearable length.
    fileprivate static func readable(_ text: String) -> String {
        let line = String(text.prefix(messageLimit).map { $0.isNewline ? " " : $0 })
        return String(
            String.UnicodeScalarView(line.unicodeScalars.filter { $0.properties.generalCategory != .control })
        )
    }
}

extension KintoProblem.Detail {
    fileprivate init?(_ json: ArraySlice<UInt8>) {
        guard let members = try? JSONObject.members(of: json) else { return nil }
        let parts = Dictionary(members.map { ($0.name, Value(json: $0.json)) }) { first, _ in first }
        guard case .text(let location)?? = parts["location"],
            case .text(let description)?? = parts["description"]
        else {
            return nil
        }
        self.init(location: location, description: KintoProblem.readable(description))
    }
}

// MARK: - As an error

extension RemoteDataError {
    /// The error behind an answer of Kinto that is none of success.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - what: What was asked for, for the message.
    ///   - now: The current date, which a date in `Retry-After` is compared with.
    /// - Returns: The error.
    static func kinto(_ answer: HTTPResponse, _ what: String, now: Date) -> RemoteDataError {
        let problem = KintoProblem(answer)
        return RemoteDataError(
            code(answer.status, problem),
            "Kinto refuses \(what) (\(answer.status)): \(words(problem, answer))",
            status: answer.status,
            retryAfter: answer.headers["Retry-After"].flatMap { RetryAfter.duration($0, now: now) }
        )
    }

    private static func code(_ status: Int, _ problem: KintoProblem?) -> Code {
        switch status {
        case 400 where problem?.details.contains { $0.location == "body" } ?? false: .invalidRow
        case 404 where problem != nil: .notFound
        // Two writes were made at the same moment.
        case 409: .unavailable
        // The server only reads, or is closed.
        case 405, 410: .rejected
        default: Code(status: status)
        }
    }

    private static func words(_ problem: KintoProblem?, _ answer: HTTPResponse) -> String {
        let details = problem?.details.map(\.description) ?? []
        // Of a row that breaks a schema, the message says the same as the details.
        var parts = [problem?.message].compactMap(\.self)
        parts += details.filter { problem?.message?.contains($0) != true }
        // Why a server is closed, it says there.
        if answer.status == 410, let alert = KintoProblem.alert(answer) { parts.append(alert) }
        guard parts.isEmpty else { return parts.joined(separator: " ") }
        switch (answer.status, problem?.missing) {
        case (404, let missing?): return "there is no such \(missing)."
        case (405, _): return "it only reads."
        default: return "it said nothing more."
        }
    }
}
