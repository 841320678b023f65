import RemoteData
import Synchronization

/// The feeds of a server's subscribers, by number.
///
/// It does not keep them: a feed that nobody holds any more ends its subscription.
final class FeedRegistry: Sendable {
    private struct WeakFeed {
        weak let feed: ChangeFeed?
    }

    private struct State {
        var feeds: [Int: WeakFeed] = [:]
        var lastID = 0
        /// Feeds that may have to be waited for.
        var crowded: [Int: WeakFeed] = [:]
    }

    private let state = Mutex(State())

    /// Makes a feed.
    ///
    /// - Parameter onEnd: Called with the number when the subscriber is done, under no lock.
    /// - Returns: The feed and its number.
    func add(onEnd: @escaping @Sendable (Int) -> Void) -> (id: Int, feed: ChangeFeed) {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let feed = ChangeFeed { [weak self] in
            self?.state.withLock { ($0.feeds[id], $0.crowded[id]) = (nil, nil) }
            onEnd(id)
        }
        state.withLock { $0.feeds[id] = WeakFeed(feed: feed) }
        return (id, feed)
    }

    /// Hands events to a subscriber, in order.
    func deliver(_ events: [ChangeEvent], to id: Int) {
        let box = state.withLock { $0.feeds[id] }
        guard let box, let feed = box.feed else { return }
        feed.handOnAtOnce(events)
        if feed.isCrowded { state.withLock { $0.crowded[id] = box } }
    }

    /// Whether there are subscribers that have much to read.
    var isCrowded: Bool { state.withLock { !$0.crowded.isEmpty } }

    /// Waits for the subscribers that have much to read, no longer than a time.
    ///
    /// Does not block.
    func waitForRoom(atMost patience: Duration, _ clock: any Clock<Duration>) async {
        let crowded = state.withLock { state in
            defer { state.crowded = [:] }
            return state.crowded
        }
        guard !crowded.isEmpty else { return }
        await withTaskGroup { group in
            for box in crowded.values {
                group.addTask { await box.feed?.waitForRoom(atMost: patience, clock) }
            }
        }
    }

    /// Ends a subscriber's feed after what it was handed.
    func finish(_ id: Int) {
        let box = state.withLock { $0.feeds.removeValue(forKey: id) }
        box?.feed?.finish()
    }
}
