/// How often a server without real-time events is asked what has changed.
public struct SyncRate: Hashable, Sendable {
    /// The time between two polls; nil for none.
    public let interval: Duration?

    private init(_ interval: Duration?) { self.interval = interval }

    /// Every 6 seconds.
    public static let normal = SyncRate(.seconds(6))
    /// Every 20 seconds.
    public static let slow = SyncRate(.seconds(20))
    /// Not at all: only when asked to.
    public static let off = SyncRate(nil)

    /// Every so often; at least 100 milliseconds.
    public static func every(_ interval: Duration) -> SyncRate {
        SyncRate(max(interval, .milliseconds(100)))
    }
}
