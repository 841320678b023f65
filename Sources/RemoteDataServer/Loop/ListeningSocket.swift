#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A socket that takes connections.
enum ListeningSocket {
    /// Opens one.
    ///
    /// - Parameters:
    ///   - host: A name or number of this machine.
    ///   - port: The port; 0 picks a free one.
    /// - Returns: The descriptor and the port.
    /// - Throws: ``TableServerError`` that says what to do.
    static func open(host: String, port: Int) throws(TableServerError) -> (descriptor: Int32, port: Int) {
        guard (0...65_535).contains(port) else {
            throw TableServerError(.address, "There is no port \(port); ports are 0 to 65535.")
        }
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        #if canImport(Darwin)
        hints.ai_socktype = SOCK_STREAM
        #else
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #endif
        let name = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        var found: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(name, String(port), &hints, &found)
        guard code == 0, let address = found else {
            throw TableServerError(
                .address,
                "There is no address \(host): \(String(cString: gai_strerror(code)))."
            )
        }
        defer { freeaddrinfo(found) }
        let descriptor = socket(address.pointee.ai_family, address.pointee.ai_socktype, 0)
        guard descriptor >= 0 else {
            throw TableServerError(.system, "No socket can be opened: \(lastError).")
        }
        var isKept = false
        defer { if !isKept { close(descriptor) } }
        setOption(descriptor, SOL_SOCKET, SO_REUSEADDR)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        guard bind(descriptor, address.pointee.ai_addr, address.pointee.ai_addrlen) == 0,
            listen(descriptor, 512) == 0
        else { throw failure(errno, host: host, port: port) }
        isKept = true
        return (descriptor, boundPort(descriptor) ?? port)
    }

    /// The next connection; nil when none waits, or the system has no room for it.
    static func accept(_ descriptor: Int32) -> (descriptor: Int32?, isOutOfDescriptors: Bool) {
        #if canImport(Darwin)
        let accepted = Darwin.accept(descriptor, nil, nil)
        #else
        let accepted = Glibc.accept(descriptor, nil, nil)
        #endif
        guard accepted >= 0 else { return (nil, [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno)) }
        _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
        setOption(accepted, Int32(IPPROTO_TCP), TCP_NODELAY)
        return (accepted, false)
    }

    /// Closes a descriptor.
    static func close(_ descriptor: Int32) {
        #if canImport(Darwin)
        _ = Darwin.close(descriptor)
        #else
        _ = Glibc.close(descriptor)
        #endif
    }

    /// A second descriptor of the same connection; nil when there is no room for one.
    static func duplicate(_ descriptor: Int32) -> Int32? {
        let copy = dup(descriptor)
        guard copy >= 0 else { return nil }
        _ = fcntl(copy, F_SETFD, FD_CLOEXEC)
        return copy
    }

    /// Whether the other side sends nothing more, as far as that can be seen without reading what it has
    /// sent.
    static func hasHungUp(_ descriptor: Int32) -> Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) == 0
    }

    /// Tells the other side that nothing more comes.
    static func finishWriting(_ descriptor: Int32) { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    private static func setOption(_ descriptor: Int32, _ level: Int32, _ option: Int32) {
        var value: Int32 = 1
        _ = setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    private static var lastError: String { String(cString: strerror(errno)) }

    private static func failure(_ code: Int32, host: String, port: Int) -> TableServerError {
        switch code {
        case EADDRINUSE:
            TableServerError(
                .address,
                "Port \(port) of \(host) is in use; choose another one, or 0 for a free one."
            )
        case EACCES:
            TableServerError(.address, "Port \(port) needs more rights; choose one above 1023.")
        case EADDRNOTAVAIL: TableServerError(.address, "\(host) is no address of this machine.")
        default: TableServerError(.address, "\(host):\(port) cannot be listened on: \(lastError).")
        }
    }

    private static func boundPort(_ descriptor: Int32) -> Int? {
        var address = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        // The port is at the same place for both versions of the Internet protocol.
        return code == 0 ? Int(UInt16(bigEndian: address.sin6_port)) : nil
    }
}
