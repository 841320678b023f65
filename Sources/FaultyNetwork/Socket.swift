import Foundation

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// What the proxy needs of the system's sockets.
enum Socket {
    struct Failure: Error {}

    private static func make() throws(Failure) -> Int32 {
        #if canImport(Darwin)
        let made = socket(AF_INET, SOCK_STREAM, 0)
        #else
        let made = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #endif
        guard made >= 0 else { throw Failure() }
        return made
    }

    private static func withLoopback<Result>(
        _ port: UInt16,
        _ body: (UnsafeMutablePointer<sockaddr>, inout socklen_t) -> Result
    ) -> (Result, port: UInt16) {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, &length) }
        }
        return (result, UInt16(bigEndian: address.sin_port))
    }

    /// Listens on a free port of this machine.
    static func listener() throws(Failure) -> (socket: Int32, port: UInt16) {
        let listener = try make()
        let (isListening, port) = withLoopback(0) { address, length in
            bind(listener, address, length) == 0 && listen(listener, 128) == 0
                && getsockname(listener, address, &length) == 0
        }
        guard isListening else {
            Self.close(listener)
            throw Failure()
        }
        return (listener, port)
    }

    /// Connects to a port of this machine; nil when nobody listens there.
    static func connected(to port: UInt16) -> Int32? {
        guard let made = try? make() else { return nil }
        #if canImport(Darwin)
        let (isConnected, _) = withLoopback(port) { Darwin.connect(made, $0, $1) == 0 }
        #else
        let (isConnected, _) = withLoopback(port) { Glibc.connect(made, $0, $1) == 0 }
        #endif
        guard isConnected else {
            Self.close(made)
            return nil
        }
        return made
    }

    /// Sends every byte; false when the other side has gone.
    static func send(_ bytes: ArraySlice<UInt8>, on socket: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { buffer in
                #if canImport(Darwin)
                Darwin.send(socket, buffer.baseAddress, buffer.count, 0)
                #else
                Glibc.send(socket, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
                #endif
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Gives a socket back that nobody uses any more.
    static func close(_ socket: Int32) {
        #if canImport(Darwin)
        _ = Darwin.close(socket)
        #else
        _ = Glibc.close(socket)
        #endif
    }

    /// Ends both directions, which wakes whoever reads or writes; abruptly as by a router that forgot the connection.
    static func end(_ socket: Int32, abruptly: Bool) {
        if abruptly {
            var option = linger(l_onoff: 1, l_linger: 0)
            setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
            #if !canImport(Darwin)
            // Says "reset" at once; `shutdown` would say "end" first.
            var nobody = sockaddr()
            nobody.sa_family = sa_family_t(AF_UNSPEC)
            _ = Glibc.connect(socket, &nobody, socklen_t(MemoryLayout<sockaddr>.size))
            #endif
        }
        #if canImport(Darwin)
        _ = shutdown(socket, SHUT_RDWR)
        #else
        _ = shutdown(socket, Int32(SHUT_RDWR))
        #endif
    }
}
