import CCurl

/// The parts of a URL that a connection needs, read by libcurl's own URL parser.
///
/// The same parser decides where a request goes, so the two cannot disagree about what the host is.
package struct Endpoint: Hashable, Sendable {
    /// `http` or `https`; `ws` and `wss` are read as these.
    package let scheme: String
    /// The host without brackets, in small letters.
    package let host: String
    /// The port, also when the URL leaves it out.
    package let port: Int
    /// Path and query, beginning with a slash.
    package let target: String
    private let isBracketed: Bool

    /// Reads a URL.
    ///
    /// - Parameter url: An absolute URL with one of the four schemes.
    /// - Throws: `invalidRequest` when it is not.
    package init(_ url: String) throws(NetworkError) {
        let parts = try URLParts(Self.withWebScheme(url))
        guard let scheme = parts[CURLUPART_SCHEME], scheme == "http" || scheme == "https",
            let host = parts[CURLUPART_HOST], !host.isEmpty,
            let port = parts[CURLUPART_PORT].flatMap({ Int($0) }), (1...65_535).contains(port)
        else {
            throw NetworkError(
                .invalidRequest,
                "\(url.withoutQuery) is not an absolute http, https, ws or wss URL."
            )
        }
        self.scheme = scheme
        self.port = port
        isBracketed = host.hasPrefix("[")
        self.host = isBracketed ? String(host.dropFirst().dropLast()) : host.lowercased()
        target = (parts[CURLUPART_PATH] ?? "/") + (parts[CURLUPART_QUERY].map { "?" + $0 } ?? "")
    }

    /// Whether the connection is by TLS.
    package var isSecure: Bool { scheme == "https" }

    /// The value of a `Host` header: the port is left out when it is the scheme's own.
    package var authority: String {
        let name = isBracketed ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }

    /// Scheme, host and port: whoever shares all three is the same server (RFC 6454).
    package var origin: String { "\(scheme)://\(host):\(port)" }

    /// Whether the host is this machine, going by its name.
    package var isLoopback: Bool {
        host == "localhost" || host.hasSuffix(".localhost") || host == "::1" || host.hasPrefix("127.")
    }

    private static func withWebScheme(_ url: String) -> String {
        let scheme = url.prefix { $0 != ":" }.lowercased()
        switch scheme {
        case "ws": return "http" + url.dropFirst(2)
        case "wss": return "https" + url.dropFirst(3)
        default: return url
        }
    }
}

extension String {
    /// A URL without its query, which may hold credentials.
    fileprivate var withoutQuery: Substring { prefix { $0 != "?" } }
}

/// One parsed URL, freed when it goes away.
private struct URLParts: ~Copyable {
    private let handle: OpaquePointer

    init(_ url: String) throws(NetworkError) {
        guard let handle = curl_url() else { throw NetworkError(.unavailable, "libcurl is out of memory.") }
        guard !url.utf8.contains(0), curl_url_set(handle, CURLUPART_URL, url, 0) == CURLUE_OK else {
            curl_url_cleanup(handle)
            throw NetworkError(.invalidRequest, "\(url.withoutQuery) is not a URL.")
        }
        self.handle = handle
    }

    deinit { curl_url_cleanup(handle) }

    subscript(part: CURLUPart) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(handle, part, &text, UInt32(CURLU_DEFAULT_PORT)) == CURLUE_OK, let text else {
            return nil
        }
        defer { curl_free(text) }
        return String(cString: text)
    }
}
