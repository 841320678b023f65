import RemoteData

/// Decides which indexes a table has: those its queries keep asking for, up to a number.
///
/// Making an index costs about as much as a few queries without it, and holds up the writes that wait behind it. So
/// it is made when that has been spent on queries already, and one that is in use never makes room for another: with
/// more shapes of queries than indexes the last ones stay slow, and nothing is made and dropped in turn.
struct IndexAdvisor: Sendable {
    /// What to do about indexes now.
    struct Advice: Equatable, Sendable {
        var create: IndexShape
        var drop: [String]
    }

    /// The most indexes of a table.
    static let limit = 16
    /// The least rows that are worth an index.
    static let rowLimit = 100
    /// How many queries ask for an index before it is made.
    static let usesNeeded = 3
    /// How many of the table's queries count: uses before them are forgotten, an index without any since may go.
    static let window = 1_000
    /// How many shapes without an index are remembered.
    private static let shapeLimit = 256

    private let table: Int64
    /// The indexes there are, the latest used last.
    private(set) var indexes: [String]
    /// The number of the query that used each index last.
    private var lastUses: [String: Int] = [:]
    /// The numbers of the latest queries of each shape that has no index.
    private var uses: [IndexShape: [Int]] = [:]
    /// How many queries there have been.
    private var now = 0

    /// Starts with the indexes there are.
    init(table: Int64, indexes: [String]) {
        self.table = table
        self.indexes = indexes
    }

    /// Notes that a query of a shape is run on a table of some rows, and says whether an index is to be made
    /// for it.
    ///
    /// The index counts as made from then on, even if it could not be: trying again with every query would
    /// cost more than it could gain.
    /// - Complexity: O(number of indexes); now and then O(number of shapes).
    mutating func uses(_ shape: IndexShape, rows: Int) -> Advice? {
        now += 1
        let name = shape.name(table: table)
        if let index = indexes.lastIndex(of: name) {
            if index != indexes.count - 1 { indexes.append(indexes.remove(at: index)) }
            lastUses[name] = now
            return nil
        }
        guard rows > Self.rowLimit else { return nil }
        let counted = note(shape)
        let dropped = Array(indexes.prefix(max(0, indexes.count + 1 - Self.limit)))
        guard counted >= Self.usesNeeded, dropped.allSatisfy({ isOld(lastUses[$0] ?? 0) }) else { return nil }
        uses[shape] = nil
        for name in dropped { lastUses[name] = nil }
        indexes.removeFirst(dropped.count)
        indexes.append(name)
        lastUses[name] = now
        return Advice(create: shape, drop: dropped)
    }

    private func isOld(_ use: Int) -> Bool { now - use >= Self.window }

    /// Remembers a use and says how many there were of late.
    private mutating func note(_ shape: IndexShape) -> Int {
        if uses[shape] == nil, uses.count >= Self.shapeLimit { forget() }
        let recent = (uses[shape] ?? []).suffix(Self.usesNeeded - 1).filter { !isOld($0) } + [now]
        uses[shape] = recent
        return recent.count
    }

    /// Makes room: shapes not used of late go, or else the half that was not used for longest.
    private mutating func forget() {
        uses = uses.filter { !isOld($0.value.last ?? 0) }
        guard uses.count >= Self.shapeLimit else { return }
        let latest = uses.sorted { ($0.value.last ?? 0) > ($1.value.last ?? 0) }.prefix(Self.shapeLimit / 2)
        uses = Dictionary(uniqueKeysWithValues: latest.map { ($0.key, $0.value) })
    }
}
