import Foundation
import RemoteData
import RemoteDataNetwork

/// What PocketBase says when it refuses: `{"status": …, "message": …, "data": {field: {"code", "message"}}}`.
struct PocketBaseProblem: Sendable, Equatable {
    /// What is wrong with a field.
    struct Field: Sendable, Equatable {
        let name: String
        let code: String
        let message: String
    }

    var message = ""
    var fields: [Field] = []

    /// Reads a body; nil when it is no object with a message.
    init?(_ answer: HTTPResponse) { self.init(json: answer.body[...]) }

    private init?(json: ArraySlice<UInt8>) {
        guard let members = try? JSONObject.members(of: json) else { return nil }
        let parts = Dictionary(members.map { ($0.name, $0.json) }) { first, _ in first }
        guard case .text(let text)? = parts["message"].flatMap(Value.init(json:)) else { return nil }
        message = text
        guard let data = parts["data"], let list = try? JSONObject.members(of: data) else { return }
        if let requests = list.first(where: { $0.name == "requests" }) {
            takeRequests(requests.json)
        } else {
            fields = list.compactMap { Field($0.name, $0.json) }
        }
    }

    /// Of a batch, what is wrong with the first request that was refused.
    private mutating func takeRequests(_ json: ArraySlice<UInt8>) {
        let failed = (try? JSONObject.members(of: json))?.first
        let response = failed.flatMap { try? JSONObject.members(of: $0.json) }?.first {
            $0.name == "response"
        }
        guard let failed, let response, let inner = PocketBaseProblem(json: response.json) else { return }
        message = "Request \(failed.name) of the batch: \(inner.message)"
        fields = inner.fields
    }

    /// Whether a row with the id is there already.
    var isTaken: Bool { fields.contains { $0.name == "id" && $0.code == "validation_not_unique" } }

    /// Whether the collection is of a type that cannot be written to.
    var isAboutViews: Bool { message.hasPrefix("Unsupported collection type") }

    /// Whether it speaks of the collection rather than of a row.
    var isAboutCollection: Bool { message.hasPrefix("Missing collection") }
}

extension PocketBaseProblem.Field {
    fileprivate init?(_ name: String, _ json: ArraySlice<UInt8>) {
        guard let members = try? JSONObject.members(of: json) else { return nil }
        let parts = Dictionary(members.map { ($0.name, Value(json: $0.json)) }) { first, _ in first }
        guard case .text(let code)?? = parts["code"], case .text(let message)?? = parts["message"] else {
            return nil
        }
        self.init(name: name, code: code, message: message)
    }
}

// MARK: - As an error

extension RemoteDataError {
    /// The error behind an answer of PocketBase that is none of success.
    ///
    /// - Parameters:
    ///   - answer: The answer.
    ///   - what: What was asked for, for the message.
    ///   - now: The current date, which a date in `Retry-After` is compared with.
    /// - Returns: The error.
    static func pocketBase(_ answer: HTTPResponse, _ what: String, now: Date) -> RemoteDataError {
        let problem = PocketBaseProblem(answer)
        return RemoteDataError(
            code(answer.status, problem),
            "PocketBase refuses \(what) (\(answer.status)): \(words(problem))",
            status: answer.status,
            retryAfter: answer.headers["Retry-After"].flatMap { RetryAfter.duration($0, now: now) }
        )
    }

    private static func code(_ status: Int, _ problem: PocketBaseProblem?) -> Code {
        switch status {
        case 400 where problem?.isTaken == true: .alreadyExists
        case 400 where problem?.fields.isEmpty == false: .invalidRow
        case 404 where problem != nil: .notFound
        default: Code(status: status)
        }
    }

    private static func words(_ problem: PocketBaseProblem?) -> String {
        guard let problem else { return "it said nothing more." }
        let fields = problem.fields.map { "\($0.name): \($0.message)" }
        return ([problem.message] + fields).joined(separator: " ")
    }
}
