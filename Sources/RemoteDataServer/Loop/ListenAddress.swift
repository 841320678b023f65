/// An address to listen on: a name or number, and a port.
enum ListenAddress {
    /// Whether only this machine can reach an address, judged by its text.
    static func isLoopback(_ host: String) -> Bool {
        let host = host.lowercased()
        if ["localhost", "::1", "[::1]"].contains(host) || host.hasSuffix(".localhost") { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// The address as it stands in a URL.
    static func inURL(_ host: String) -> String {
        host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    }
}
