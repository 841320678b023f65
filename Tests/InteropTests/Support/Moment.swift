import Foundation
import Synchronization

/// A time of day that a test moves on.
final class Moment: Sendable {
    private let offset = Mutex<TimeInterval>(0)

    /// The time, by so much later than it is.
    var date: Date { Date().addingTimeInterval(offset.withLock { $0 }) }

    func pass(_ seconds: TimeInterval) { offset.withLock { $0 += seconds } }
}
