import Dispatch
import Foundation

/// What asks the program to end.
enum Signals {
    /// Does something before the program ends because of a signal.
    static func beforeEnd(_ action: @escaping @Sendable () -> Void) {
        let queue = DispatchQueue(label: "oracle.signals")
        for number in [SIGINT, SIGTERM, SIGHUP] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            // The handler holds the source, which so lives as long as the program.
            source.setEventHandler {
                withExtendedLifetime(source) {
                    action()
                    exit(128 + number)
                }
            }
            source.resume()
        }
    }
}
