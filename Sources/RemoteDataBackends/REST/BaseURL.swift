import RemoteData
import RemoteDataNetwork

/// Where a server is, and the paths below it (RFC 3986).
struct BaseURL: Sendable, Hashable {
    /// The URL without a slash at its end.
    let text: String

    /// Reads an absolute URL.
    ///
    /// - Throws: `RemoteDataError` with code `invalidRequest` that does not repeat a password.
    init(_ url: String) throws(RemoteDataError) {
        let parts = url.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, ["http", "https"].contains(parts[0].lowercased()) else {
            throw Self.error(
                "\"\(Self.shown(url))\" is not a server's URL; one begins with http:// or https://."
            )
        }
        let authority = parts[1].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard !authority.isEmpty else { throw Self.error("\"\(Self.shown(url))\" names no server.") }
        guard !authority.contains("@") else {
            throw Self.error("A server's URL holds no user name or password; give them as credentials.")
        }
        guard !parts[1].contains(where: { $0 == "?" || $0 == "#" }) else {
            throw Self.error("A server's URL has no query and no fragment: \(Self.shown(url)).")
        }
        guard url.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
            throw Self.error("A URL has no spaces and only ASCII; percent-encode the rest.")
        }
        do throws(NetworkError) { _ = try Endpoint(url) } catch {
            throw RemoteDataError(
                .invalidRequest,
                "\"\(Self.shown(url))\" is not a server's URL.",
                cause: error
            )
        }
        var text = url[...]
        while text.hasSuffix("/") { text.removeLast() }
        self.text = String(text)
    }

    /// Splits the URL of a table into its server's and the name behind the last slash.
    static func split(table url: String) throws(RemoteDataError) -> (server: String, table: String) {
        var text = url[...]
        while text.hasSuffix("/") { text.removeLast() }
        guard let slash = text.lastIndex(of: "/"), let start = text.firstRange(of: "://"),
            slash >= start.upperBound
        else {
            throw error(
                "\"\(shown(url))\" names no table; its URL is the server's with the table's name "
                    + "behind it, such as http://127.0.0.1:8080/people."
            )
        }
        guard let table = PercentEncoding.decoded(text[text.index(after: slash)...]) else {
            throw error("The table's name in \"\(shown(url))\" is not percent-encoded UTF-8.")
        }
        let server = text[..<slash]
        return (String(server.hasSuffix("/api/data") ? server.dropLast("/api/data".count) : server), table)
    }

    /// A table's path.
    func table(_ name: String) -> String { "\(text)/api/data/\(PercentEncoding.segment(name))" }

    /// A path of bulk writes of a table.
    func bulk(_ name: String, _ word: String = "bulk") -> String {
        "\(text)/api/data/\(word)/\(PercentEncoding.segment(name))"
    }

    /// A row's path.
    func row(_ id: RowID, of table: String) -> String {
        let path = "\(self.table(table))/\(PercentEncoding.segment(id.description))"
        switch id {
        case .integer: return path + "?idType=integer"
        // Digits mean the integer unless it is said otherwise.
        case .text(let text): return Int64(text) == nil ? path : path + "?idType=text"
        }
    }

    /// What the server says of itself.
    var info: String { "\(text)/api/info" }

    /// Where the WebSocket is.
    var changes: String { "\(text)/api/changes" }

    private static func error(_ message: String) -> RemoteDataError {
        RemoteDataError(.invalidRequest, message)
    }

    /// A URL for a message: without user name and password, and not too long.
    private static func shown(_ url: String) -> String {
        let start = url.firstRange(of: "://")?.upperBound ?? url.startIndex
        let end = url[start...].firstIndex { $0 == "/" } ?? url.endIndex
        guard let at = url[start..<end].lastIndex(of: "@") else { return String(url.prefix(200)) }
        return String((url[..<start] + url[url.index(after: at)...]).prefix(200))
    }
}
