import Foundation

/// What passes through the proxy, and what does not.
///
/// SAFETY: everything that changes is touched only under the condition's lock.
package final class ProxyGate: @unchecked Sendable {
    /// Where bytes go.
    package enum Direction: Sendable {
        /// To the server.
        case up
        /// To a client.
        case down
    }

    private let condition = NSCondition()
    private var isStalled = false
    private var cut: (direction: Direction, bytes: Int)?
    private var cutMessages = 0
    /// How requests for changes begin; nil where they are not distinguished.
    private let changesRequest: [UInt8]?
    private var refusesChanges = false

    /// - Parameter changesPath: The path of requests for changes, such as `/api/changes`.
    init(changesPath: String? = nil) { changesRequest = changesPath.map { Array("GET \($0)".utf8) } }

    private func locked<Result>(_ body: () -> Result) -> Result {
        condition.lock()
        defer { condition.unlock() }
        return body()
    }

    /// Holds everything back, or lets it go on.
    package func stall(_ isStalled: Bool) {
        locked { self.isStalled = isStalled }
        wake()
    }

    /// Has those look again who wait.
    func wake() { locked { condition.broadcast() } }

    /// Waits until bytes may pass, or nobody wants them any more.
    func waitWhileStalled(unless isOver: () -> Bool) {
        locked { while isStalled, !isOver() { condition.wait() } }
    }

    /// Cuts the next connection that has something to send that way in the middle of it.
    ///
    /// - Parameters:
    ///   - direction: Where it sends.
    ///   - bytes: How many bytes of it pass, at most.
    package func cutNext(_ direction: Direction, after bytes: Int) { locked { cut = (direction, bytes) } }

    /// Refuses connections that carry changes while others pass, or admits them again.
    func refuseChanges(_ isRefusing: Bool) { locked { refusesChanges = isRefusing } }

    /// Whether connections that carry changes are refused.
    var isRefusingChanges: Bool { locked { refusesChanges } }

    /// Whether bytes to the server begin a request for changes.
    func areRequestForChanges(_ bytes: ArraySlice<UInt8>) -> Bool {
        changesRequest.map { bytes.starts(with: $0) } ?? false
    }

    /// Forgets what was to be cut and was not.
    func cutNothing() { locked { cut = nil } }

    /// How many of some bytes pass, behind which the connection is to be cut; nil when nothing is.
    func allowance(_ count: Int, _ direction: Direction) -> Int? {
        locked {
            guard let next = cut, next.direction == direction else { return nil }
            cut = nil
            cutMessages += 1
            return next.bytes % count
        }
    }

    /// How many connections were cut in the middle of something.
    var cuts: Int { locked { cutMessages } }
}
