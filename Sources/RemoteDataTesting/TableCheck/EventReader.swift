import RemoteData

/// Reads a feed in a test: whatever does not come within 30 seconds fails instead of hanging.
final class EventReader {
    private let feed: ChangeFeed
    private var events: [ChangeEvent] = []
    private let watchdog: Task<Void, any Error>

    struct Silence: Error, CustomStringConvertible {
        var description: String { "the feed ended, or said nothing for 30 seconds" }
    }

    init(_ feed: ChangeFeed) {
        self.feed = feed
        watchdog = Task {
            try await Task.sleep(for: .seconds(30))
            feed.cancel()
        }
    }

    deinit {
        watchdog.cancel()
        feed.cancel()
    }

    func next() async throws -> ChangeEvent {
        if events.isEmpty { events = await feed.nextBatch() }
        guard !events.isEmpty else { throw Silence() }
        return events.removeFirst()
    }

    /// Reads up to the `live` event and returns its revision.
    func live() async throws -> Revision? {
        while true {
            if case .live(let revision) = try await next() { return revision }
        }
    }

    /// Reads the changes up to a revision, or, without one, as many as are expected.
    func changes(upTo revision: Revision?, expecting count: Int) async throws -> [Change] {
        var changes: [Change] = []
        var reached: Revision?
        while revision == nil ? changes.count < count : (reached ?? .zero) < (revision ?? .zero) {
            switch try await next() {
            case .change(let change):
                changes.append(change)
                reached = change.revision
            case .progress(let revision): reached = revision
            case .live, .interrupted, .reset: break
            }
        }
        return changes
    }

    /// Reads the changes until they are as wanted.
    func changes(until isDone: ([Change]) -> Bool) async throws -> [Change] {
        var changes: [Change] = []
        while !isDone(changes) {
            if case .change(let change) = try await next() { changes.append(change) }
        }
        return changes
    }

    /// Whether the feed begins with a `reset`, after which comes `live` and no other `reset`.
    func isReset() async throws -> Bool {
        var isReset = false
        while true {
            switch try await next() {
            case .reset where !isReset: isReset = true
            case .live: return isReset
            case .interrupted: break
            case .reset, .change, .progress: return false
            }
        }
    }
}
