import RemoteData

/// Reads a feed event by event, in words; waits under the test's time limit.
final class FeedWords {
    private let feed: ChangeFeed
    private var events: [ChangeEvent] = []

    init(_ feed: ChangeFeed) { self.feed = feed }

    deinit { feed.cancel() }

    /// Ends the subscription.
    func cancel() { feed.cancel() }

    /// The next event, such as `created a`; `end` when the feed has ended.
    func said() async -> String {
        if events.isEmpty { events = await feed.nextBatch() }
        guard !events.isEmpty else { return "end" }
        switch events.removeFirst() {
        case .live: return "live"
        case .reset: return "reset"
        case .progress: return "progress"
        case .interrupted(let error): return "interrupted \(error.code)"
        case .change(let change):
            let what = change.id?.description ?? change.predicate?.description ?? "all"
            return "\(change.kind) \(what)" + (change.left ? " left" : "")
                + (change.count.map { " \($0)" } ?? "")
        }
    }

    /// The next events.
    func said(_ count: Int) async -> [String] {
        var words: [String] = []
        for _ in 0..<count { words.append(await said()) }
        return words
    }

    /// Reads until something is said, and returns what was said before.
    func until(_ words: String) async -> [String] {
        var before: [String] = []
        while case let said = await said(), said != words, said != "end" { before.append(said) }
        return before
    }
}
