/// Decides whether a redirect is followed, and what is sent then (RFC 9110, section 15.4).
///
/// Only reads by `GET` and `HEAD` are followed, at most ``limit`` times, never from `https` to `http`. What
/// goes to another scheme, host or port carries no header that could be a secret: only the few in
/// ``harmless``.
struct RedirectRule {
    enum Step: Equatable {
        case deliver
        case follow(HTTPRequest)
        case refuse(String)
    }

    static let limit = 5

    /// Header fields that say nothing about who is asking.
    static let harmless: Set<String> = [
        "accept", "accept-language", "cache-control", "if-modified-since", "if-none-match", "range",
    ]

    private var followed = 0

    /// The step after an answer.
    mutating func answered(
        _ request: HTTPRequest,
        at origin: Endpoint,
        status: Int,
        location: String?
    ) -> Step {
        guard [301, 302, 303, 307, 308].contains(status), request.method == "GET" || request.method == "HEAD",
            let location, let target = try? Endpoint(location)
        else { return .deliver }
        guard followed < Self.limit else {
            return .refuse("The server redirected more than \(Self.limit) times.")
        }
        guard !(origin.isSecure && !target.isSecure) else {
            return .refuse("The server redirected from https to http, which is not followed.")
        }
        followed += 1
        var next = request
        next.url = location
        if target.origin != origin.origin {
            next.headers.keep { !$0.isSensitive && Self.harmless.contains($0.name.lowercased()) }
        }
        return .follow(next)
    }
}
