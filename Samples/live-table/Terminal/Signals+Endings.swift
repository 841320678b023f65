import Foundation
import Signals

extension Signals {
    /// Those that ask the program to end.
    static let endings = [SIGINT, SIGTERM, SIGHUP]
}
