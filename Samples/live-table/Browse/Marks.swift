import RemoteData

/// Which rows have just changed, and how they are to be shown until that is old news.
struct Marks: Sendable {
    /// What happened to a row.
    enum Kind: Sendable {
        case created, updated, removed
    }

    /// How a mark looks now.
    struct Look: Sendable, Equatable {
        let kind: Kind
        /// Whether it is about to vanish.
        let isFading: Bool
    }

    /// A row that is gone and still shown for a moment, in front of the row at a position.
    struct Ghost: Sendable {
        let row: LiveRow
        var position: Int
        let time: ContinuousClock.Instant
    }

    static let bright: Duration = .seconds(1.5)
    static let lifetime: Duration = .seconds(3)
    private static let limit = 1_000

    private var marks: [RowID: (kind: Kind, time: ContinuousClock.Instant)] = [:]
    private(set) var ghosts: [Ghost] = []

    /// Whether nothing is marked.
    var isEmpty: Bool { marks.isEmpty && ghosts.isEmpty }

    /// Marks rows; beyond a thousand at once nobody could follow anyway.
    mutating func mark(_ ids: [RowID], _ kind: Kind, at time: ContinuousClock.Instant) {
        for id in ids where marks.count < Self.limit { marks[id] = (kind, time) }
    }

    /// Goes on showing a row that was at a position and is gone.
    mutating func keep(_ row: LiveRow, at position: Int, since time: ContinuousClock.Instant) {
        guard ghosts.count < Self.limit else { return }
        ghosts.append(Ghost(row: row, position: position, time: time))
        ghosts.sort { $0.position < $1.position }
    }

    /// Moves what is at positions, as rows come and go in front of it.
    mutating func shift(_ shifted: (Int) -> Int) {
        for index in ghosts.indices { ghosts[index].position = shifted(ghosts[index].position) }
    }

    /// Forgets what is old.
    mutating func expire(at time: ContinuousClock.Instant) {
        marks = marks.filter { $0.value.time.duration(to: time) < Self.lifetime }
        ghosts.removeAll { $0.time.duration(to: time) >= Self.lifetime }
    }

    /// How a row is marked; nil for not at all.
    func look(of id: RowID, at time: ContinuousClock.Instant) -> Look? {
        marks[id].map { Look(kind: $0.kind, isFading: $0.time.duration(to: time) >= Self.bright) }
    }

    /// How a row that is gone is marked.
    func look(of ghost: Ghost, at time: ContinuousClock.Instant) -> Look {
        Look(kind: .removed, isFading: ghost.time.duration(to: time) >= Self.bright)
    }
}
