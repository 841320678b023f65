import RemoteData
import RemoteDataExecution

/// Which of the latest changes were told: what is stamped so little earlier than the last one is asked for again and again,
/// since it may come to light late.
struct KintoRecentChanges: Sendable {
    /// How many are remembered; older ones are told again.
    static let limit = 20_000

    /// How much later than others with younger stamps a change may come to light.
    let overlap: Duration
    /// The stamp of the last change of each row.
    private var stamps: [RowID: Revision] = [:]

    init(_ overlap: Duration) { self.overlap = max(.zero, overlap) }

    /// How far back is looked from a revision.
    func start(from revision: Revision) -> Revision {
        Revision(max(0, max(0, revision.rawValue) - Int64(clamping: min(overlap.milliseconds, 1 << 40))))
    }

    /// Whether a change was told.
    func holds(_ id: RowID, _ stamp: Revision) -> Bool { stamps[id] == stamp }

    /// A change was told, or seen before anybody wanted to be told.
    mutating func note(_ id: RowID, _ stamp: Revision) { stamps[id] = stamp }

    /// Whether so many are remembered that it is time to forget.
    var isFull: Bool { stamps.count > 2 * Self.limit }

    /// Forgets what is no longer asked for when everything up to a revision was told.
    mutating func forget(upTo revision: Revision) {
        let start = start(from: revision)
        stamps = stamps.filter { $0.value > start }
        guard stamps.count > Self.limit else { return }
        let oldest = stamps.values.sorted()[stamps.count - Self.limit]
        stamps = stamps.filter { $0.value >= oldest }
    }

    /// Forgets everything.
    mutating func forgetAll() { stamps = [:] }
}
