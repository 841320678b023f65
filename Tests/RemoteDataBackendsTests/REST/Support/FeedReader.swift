import RemoteData

/// Reads a feed event by event, in words; waits under the test's time limit.
final class FeedReader {
    private let feed: ChangeFeed
    private var events: [ChangeEvent] = []

    init(_ feed: ChangeFeed) { self.feed = feed }

    /// The next event; nil when the feed has ended.
    func next() async -> ChangeEvent? {
        if events.isEmpty { events = await feed.nextBatch() }
        return events.isEmpty ? nil : events.removeFirst()
    }

    /// The next event in words, such as `live 3`; `end` when the feed has ended.
    func said() async -> String {
        switch await next() {
        case .live(let revision)?: "live \(revision.map(\.description) ?? "-")"
        case .change(let change)?: "\(change.kind) \(change.id?.description ?? "-")"
        case .progress(let revision)?: "progress \(revision)"
        case .interrupted(let error)?: "interrupted \(error.code)"
        case .reset?: "reset"
        case nil: "end"
        }
    }

    /// The next `count` events in words.
    func said(_ count: Int) async -> [String] {
        var words: [String] = []
        for _ in 0..<count { words.append(await said()) }
        return words
    }

    /// Reads up to the next `live` event and returns its revision; nil when the feed ends before.
    func live() async -> Revision? {
        while let event = await next() {
            if case .live(let revision) = event { return revision ?? .zero }
        }
        return nil
    }

    /// The ids of the changes up to a revision; only the changes, whatever else is said.
    func changes(upTo revision: Revision?) async -> [Change] {
        var changes: [Change] = []
        var reached = Revision.zero
        while reached < revision ?? .zero, let event = await next() {
            switch event {
            case .change(let change):
                changes.append(change)
                reached = change.revision ?? reached
            case .progress(let revision): reached = revision
            case .live, .interrupted, .reset: break
            }
        }
        return changes
    }
}
