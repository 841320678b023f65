import Foundation

/// Where a table is: a server's URL, and the table's name as its last part.
struct TableAddress: Sendable, Equatable, CustomStringConvertible {
    /// The whole URL, such as `http://127.0.0.1:8080/airports`.
    let url: URL
    /// The table's name.
    let table: String
    /// The server, such as `http://127.0.0.1:8080`.
    let server: String

    /// Reads an address.
    init(_ text: String) throws(Failure) {
        let example = "such as http://127.0.0.1:8080/airports"
        guard let url = URL(string: text), let scheme = url.scheme?.lowercased(), scheme.hasPrefix("http"),
            ["http", "https"].contains(scheme), let host = url.host, !host.isEmpty
        else { throw .usage("\(text) is no table's URL: it has to be one \(example).") }
        guard url.user == nil, url.password == nil else {
            throw .usage("Keep credentials out of the URL: give a token with --token-file FILE.")
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
        server = url.deletingLastPathComponent().absoluteString.trimmingSuffix("/")
    }

    /// The URL as given.
    var description: String { url.absoluteString }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: Character) -> String {
        var text = self
        while text.last == suffix { text.removeLast() }
        return text
    }
}
