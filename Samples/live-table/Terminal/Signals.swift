import Dispatch
import Foundation

/// Signals as a sequence, instead of what they do by themselves.
enum Signals {
    /// Those that ask the program to end.
    static let endings = [SIGINT, SIGTERM, SIGHUP]

    /// Each of these signals as it comes, until the program ends.
    static func stream(of signals: [Int32]) -> AsyncStream<Int32> {
        AsyncStream(bufferingPolicy: .bufferingNewest(16)) { continuation in
            let queue = DispatchQueue(label: "signals")
            for signal in signals {
                Foundation.signal(signal, SIG_IGN)
                let source = DispatchSource.makeSignalSource(signal: signal, queue: queue)
                // The handler holds the source, which so lives as long as the program.
                source.setEventHandler { withExtendedLifetime(source) { _ = continuation.yield(signal) } }
                source.resume()
            }
        }
    }
}
