import Synchronization

/// The feed that is being handed on, to be ended from elsewhere.
final class AccessFeedStop: Sendable {
    private let feed: Mutex<ChangeFeed?>

    init(_ feed: ChangeFeed) { self.feed = Mutex(feed) }

    /// The feed; nil once it is ended.
    var source: ChangeFeed? { feed.withLock { $0 } }

    /// Goes on with another one; false, and that one is cancelled, when it was ended meanwhile.
    func replace(by other: ChangeFeed) -> Bool {
        let isOn = feed.withLock { feed in
            guard feed != nil else { return false }
            feed = other
            return true
        }
        if !isOn { other.cancel() }
        return isOn
    }

    /// Ends it.
    func cancel() {
        let feed = feed.withLock { $0.take() }
        feed?.cancel()
    }
}
