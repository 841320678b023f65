import Foundation
import Synchronization

/// The servers of others that are installed.
enum Interop {
    /// Where `Tests/interop` has installed them; nil where it did not.
    static let directory = ProcessInfo.processInfo.environment["INTEROP"]
    /// How many batches of writes an oracle does, and what they follow from.
    static let batches = number("INTEROP_BATCHES") ?? 12
    static let seed = UInt64(number("INTEROP_SEED") ?? 1)

    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }
}

/// A server that somebody else wrote, on a free port of 127.0.0.1, with a folder of its own; both end with it.
final class ForeignServer: Sendable {
    struct Failed: Error {
        let reason: String
    }

    let port: Int
    let folder: URL
    private let process: Mutex<Process?>
    private let program: String
    private let arguments: [String]
    private let sign: String

    var url: String { "http://127.0.0.1:\(port)" }

    /// Starts a program and waits until it says that it runs, for two minutes at most.
    ///
    /// - Parameters:
    ///   - program: Its name in the folder of programs.
    ///   - sign: What a line has that it prints once it runs.
    ///   - arguments: What to start it with, on a port and with a folder.
    /// - Throws: When it does not run.
    init(
        _ program: String,
        saying sign: String,
        arguments: (_ port: Int, _ folder: String) -> [String]
    ) async throws {
        guard let directory = Interop.directory else { throw Failed(reason: "INTEROP is not set") }
        folder = FileManager.default.temporaryDirectory.appending(path: "interop-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        port = Self.freePort()
        self.program = "\(directory)/bin/\(program)"
        self.arguments = arguments(port, folder.path)
        self.sign = sign
        process = Mutex(nil)
        try await start()
    }

    deinit {
        kill()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Kills it, and starts it again on the same data.
    func restart() async throws {
        kill()
        try await start()
    }

    /// Starts it again, after it was killed, and waits until it runs.
    func start() async throws {
        let next = Process()
        let output = Pipe()
        next.executableURL = URL(fileURLWithPath: program)
        next.arguments = arguments
        (next.standardOutput, next.standardError) = (output, output)
        try next.run()
        process.withLock { $0 = next }
        let lines = AsyncStream<String>.makeStream()
        // Read to the end, or the program would stand still when nobody takes what it prints.
        Thread.detachNewThread {
            var rest = Data()
            while case let bytes = output.fileHandleForReading.availableData, !bytes.isEmpty {
                rest += bytes
                while let end = rest.firstIndex(of: 10) {
                    lines.continuation.yield(String(decoding: rest[..<end], as: UTF8.self))
                    rest = Data(rest[(end + 1)...])
                }
            }
            lines.continuation.finish()
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + 120) { lines.continuation.finish() }
        var said: [String] = []
        for await line in lines.stream {
            if line.contains(sign) { return }
            said.append(line)
        }
        throw Failed(reason: "\(program) does not run: \(said.suffix(10).joined(separator: "\n"))")
    }

    /// Ends it at once, as `kill -9` does.
    func kill() {
        let last = process.withLock { process in
            defer { process = nil }
            return process
        }
        guard let last else { return }
        Foundation.kill(last.processIdentifier, SIGKILL)
        last.waitUntilExit()
    }

    private static func freePort() -> Int {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(socket, pointer, size)
                return getsockname(socket, pointer, &size)
            }
        }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}
