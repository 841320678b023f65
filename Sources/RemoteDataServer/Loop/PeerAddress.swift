#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Where a connection comes from: an address of IPv4, or the first half of one of IPv6, as one customer has
/// of it.
struct PeerAddress: Hashable, Sendable {
    private let bytes: [UInt8]

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// The other end of a connection; nil where that is this machine, or unknown.
    init?(of descriptor: Int32) {
        var address = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) }
        }
        guard code == 0 else { return nil }
        if Int32(address.sin6_family) == AF_INET6 {
            self.init(ipv6: withUnsafeBytes(of: address.sin6_addr) { Array($0) })
        } else {
            let number = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { $0.pointee.sin_addr }
            }
            self.init(ipv4: withUnsafeBytes(of: number) { Array($0) })
        }
    }

    /// - Parameter bytes: The 4 bytes of an address; nil for one of this machine.
    init?(ipv4 bytes: [UInt8]) {
        guard bytes.first != 127 else { return nil }
        self.init(bytes: bytes)
    }

    /// - Parameter bytes: The 16 bytes of an address; nil for one of this machine.
    init?(ipv6 bytes: [UInt8]) {
        let zeros = [UInt8](repeating: 0, count: 10)
        if bytes.starts(with: zeros + [0xFF, 0xFF]) {
            self.init(ipv4: Array(bytes[12...]))
        } else if bytes == zeros + [0, 0, 0, 0, 0, 1] {
            return nil
        } else {
            self.init(bytes: Array(bytes[..<8]))
        }
    }
}
