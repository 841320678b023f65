import RemoteData

/// Reads a feed event by event, in words; waits under the test's time limit.
final class Heard {
    private let feed: ChangeFeed
    private var events: [ChangeEvent] = []

    init(_ feed: ChangeFeed) { self.feed = feed }

    /// The next event in words, such as `updated a`; progress is passed over, `end` is when the feed has ended.
    func next() async -> String {
        while true {
            if events.isEmpty { events = await feed.nextBatch() }
            guard !events.isEmpty else { return "end" }
            switch events.removeFirst() {
            case .live: return "live"
            case .change(let change):
                let kind = change.left ? "left" : "\(change.kind)"
                return "\(kind) \(change.id?.description ?? "-")" + (change.revision == nil ? " late" : "")
            case .progress: continue
            case .interrupted(let error): return "interrupted \(error.code)"
            case .reset: return "reset"
            }
        }
    }

    /// The next `count` events.
    func next(_ count: Int) async -> [String] {
        var words: [String] = []
        for _ in 0..<count { words.append(await next()) }
        return words
    }

    /// Whether something is said, sooner or later.
    func waits(for word: String) async -> Bool {
        var said = await next()
        while said != word, said != "end" { said = await next() }
        return said == word
    }
}
