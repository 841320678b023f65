import Foundation

/// Where a table is: a server's URL, and the table's name as its last part; in front of that, whose server it is.
struct TableAddress: Sendable, Equatable, CustomStringConvertible {
    /// A kind of server, by the word in front of the URL.
    enum Kind: String, Sendable, CaseIterable {
        case backendless
        case kinto
        case pocketBase = "pocketbase"

        /// A server's URL.
        fileprivate var example: String {
            switch self {
            case .backendless: "https://api.backendless.com/APP-ID/API-KEY"
            case .kinto: "http://127.0.0.1:8888/v1/BUCKET"
            case .pocketBase: "http://127.0.0.1:8090"
            }
        }
    }

    /// Whose server it is; nil for `table-server` and others that speak its protocol.
    let kind: Kind?
    /// The whole URL, such as `http://127.0.0.1:8080/airports`.
    let url: URL
    /// The table's name.
    let table: String
    /// The server, such as `http://127.0.0.1:8080`.
    let server: String

    /// Reads an address.
    init(_ text: String) throws(Failure) {
        let prefix = Kind.allCases.first { text.lowercased().hasPrefix($0.rawValue + ":") }
        kind = prefix
        let rest = String(text.dropFirst(prefix.map { $0.rawValue.count + 1 } ?? 0))
        let server = prefix.map { "\($0.rawValue):\($0.example)" } ?? "http://127.0.0.1:8080"
        let example = "such as \(server)/airports"
        guard let url = URL(string: rest), let scheme = url.scheme?.lowercased(), scheme.hasPrefix("http"),
            ["http", "https"].contains(scheme), let host = url.host, !host.isEmpty
        else {
            let lacksScheme = !rest.contains("://") && URL(string: "http://" + rest)?.host?.isEmpty == false
            let advice = lacksScheme ? "it begins with http:// or https://," : "it has to be one"
            throw .usage("\(text) is no table's URL: \(advice) \(example).")
        }
        guard url.user == nil, url.password == nil else {
            throw .usage("Keep credentials out of the URL: use --token-file FILE or --account-file FILE.")
        }
        guard url.query == nil, url.fragment == nil else {
            throw .usage("A table's URL ends with its name, \(example), without ? or #.")
        }
        let name = url.lastPathComponent
        guard !name.isEmpty, name != "/" else {
            throw .usage("\(text) names no table: add its name, \(example).")
        }
        self.url = url
        table = name
        self.server = url.deletingLastPathComponent().absoluteString.trimmingSuffix("/")
    }

    /// The address as given.
    var description: String { (kind.map { "\($0.rawValue):" } ?? "") + url.absoluteString }
}

extension TableAddress {
    /// Kinto's server and bucket: the last part of the URL in front of the table's name, unless that is the version of the
    /// interface, when it is the account's own.
    var bucket: (server: String, name: String) {
        let parts = server.split(separator: "/", omittingEmptySubsequences: false)
        // A scheme, nothing, a host, and then the path.
        guard parts.count > 3, let last = parts.last, last != "v1" else { return (server, "default") }
        return (parts.dropLast().joined(separator: "/"), last.removingPercentEncoding ?? String(last))
    }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: Character) -> String {
        var text = self
        while text.last == suffix { text.removeLast() }
        return text
    }
}
