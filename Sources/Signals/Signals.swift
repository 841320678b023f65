import Dispatch
import Foundation
import Synchronization

/// Signals as something to wait for, instead of what they do by themselves.
///
/// A handler that only writes to a pipe takes them: so none is missed from the moment a call here returns. A signal source of
/// Dispatch is made some time after it was asked for, and by then a signal may have come and be gone.
public enum Signals {
    /// Each of these signals as it comes, until the program ends.
    ///
    /// Of signals that nobody takes, the newest 16 are kept. Neither blocks nor fails.
    public static func stream(of signals: [Int32]) -> AsyncStream<Int32> {
        AsyncStream(bufferingPolicy: .bufferingNewest(16)) { continuation in
            observe(signals) { continuation.yield($0) }
        }
    }

    /// Does something whenever one of these signals comes, on a queue of its own, until the program ends.
    public static func observe(_ signals: [Int32], _ action: @escaping @Sendable (Int32) -> Void) {
        pipe.observe(signals, action)
    }

    private static let pipe = SignalPipe()
}

/// What the handler writes to, and those who want to know.
private final class SignalPipe: Sendable {
    private let observers = Mutex<[Int32: [@Sendable (Int32) -> Void]]>([:])

    init() {
        let pipe = Pipe()
        let reading = pipe.fileHandleForReading.fileDescriptor
        let writing = pipe.fileHandleForWriting.fileDescriptor
        for descriptor in [reading, writing] {
            _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        }
        unsafe writingEnd = writing
        let queue = DispatchQueue(label: "signals")
        let source = DispatchSource.makeReadSource(fileDescriptor: reading, queue: queue)
        // The handler holds the source and the pipe, which so live as long as the program.
        source.setEventHandler { [self] in withExtendedLifetime((source, pipe)) { read(reading) } }
        source.resume()
    }

    func observe(_ signals: [Int32], _ action: @escaping @Sendable (Int32) -> Void) {
        observers.withLock { observers in
            for number in signals { observers[number, default: []].append(action) }
        }
        for number in signals { _ = signal(number, note) }
    }

    private func read(_ descriptor: Int32) {
        var numbers = [UInt8](repeating: 0, count: 64)
        let count = unsafe Foundation.read(descriptor, &numbers, numbers.count)
        for number in numbers.prefix(max(0, count)).map(Int32.init) {
            for action in observers.withLock({ $0[number] ?? [] }) { action(number) }
        }
    }
}

// SAFETY: written once, before the first handler is set.
private nonisolated(unsafe) var writingEnd: Int32 = -1

/// The handler, which may do nothing but write.
///
/// A pipe that is full holds enough of them already.
private func note(_ number: Int32) {
    let error = errno
    var byte = UInt8(truncatingIfNeeded: number)
    _ = unsafe write(writingEnd, &byte, 1)
    errno = error
}
