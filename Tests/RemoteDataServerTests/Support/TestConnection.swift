import Foundation

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A blocking connection to a server under test: raw bytes, and just enough HTTP and WebSocket to tell what
/// came back.
///
/// Each wait ends with an error after `patience` seconds.
final class TestConnection {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let descriptor: Int32
    private(set) var input: [UInt8] = []

    init(port: Int, patience: Int = 60, receiveBuffer: Int32? = nil) throws {
        descriptor = socket(AF_INET, Self.stream, 0)
        guard descriptor >= 0 else { throw Failure(description: "no socket: \(errno)") }
        if var size = receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var time = timeval(tv_sec: patience, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        // `deinit` closes the descriptor, also when this throws.
        guard code == 0 else { throw Failure(description: "not connected: \(errno)") }
    }

    deinit { close(descriptor) }

    private static var stream: Int32 {
        #if canImport(Darwin)
        SOCK_STREAM
        #else
        Int32(SOCK_STREAM.rawValue)
        #endif
    }

    private static var noSignal: Int32 {
        #if canImport(Darwin)
        0
        #else
        Int32(MSG_NOSIGNAL)
        #endif
    }

    func send(_ text: String) throws { try send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write($0) }
            guard count > 0 else { throw Failure(description: "not sent: \(errno)") }
            rest = rest.dropFirst(count)
        }
    }

    private func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Darwin)
        Darwin.send(descriptor, bytes.baseAddress, bytes.count, Self.noSignal)
        #else
        Glibc.send(descriptor, bytes.baseAddress, bytes.count, Self.noSignal)
        #endif
    }

    /// Tells the server that nothing more comes.
    func finishWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Reads some more; false when the server has closed the connection.
    func receive() throws -> Bool {
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        if count < 0, errno == ECONNRESET || errno == EPIPE { return false }
        guard count >= 0 else { throw Failure(description: "nothing came: \(errno)") }
        input += bytes[..<count]
        return count > 0
    }

    /// Takes bytes that have come or will come.
    func take(_ count: Int) throws -> [UInt8] {
        while input.count < count {
            guard try receive() else { throw Failure(description: "the connection was closed") }
        }
        defer { input.removeFirst(count) }
        return Array(input[..<count])
    }

    /// Takes everything up to and including a text.
    func take(through text: String) throws -> String {
        let end = Array(text.utf8)
        while true {
            if let range = input.firstRange(of: end) {
                return String(decoding: try take(range.upperBound), as: UTF8.self)
            }
            guard try receive() else {
                throw Failure(description: "closed after: \(String(decoding: input, as: UTF8.self))")
            }
        }
    }

    /// Waits until the server closes the connection.
    func waitForClose() throws {
        while try receive() {}
    }
}
