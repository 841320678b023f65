/// An address to listen on: a name or number, and a port.
enum ListenAddress {
    /// Whether only this machine can reach an address, judged by its text.
    static func isLoopback(_ host: String) -> Bool {
        // Each request is asked this, mostly about a number.
        if isLoopback(number: host.utf8) { return true }
        let host = host.asciiLowercased
        return ["localhost", "::1", "[::1]"].contains(host) || host.hasSuffix(".localhost")
    }

    private static func isLoopback(number: String.UTF8View) -> Bool {
        var (part, digits, dots) = (0, 0, 0)
        for byte in number {
            switch byte {
            case 48...57:
                (part, digits) = (part * 10 + Int(byte - 48), digits + 1)
                guard digits <= 3, part <= 255 else { return false }
            case UInt8(ascii: "."):
                guard digits > 0, dots > 0 || part == 127 else { return false }
                (part, digits, dots) = (0, 0, dots + 1)
            default: return false
            }
        }
        return dots == 3 && digits > 0
    }

    /// The address as it stands in a URL.
    static func inURL(_ host: String) -> String {
        host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    }
}
