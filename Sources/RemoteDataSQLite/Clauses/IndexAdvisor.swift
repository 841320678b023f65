import RemoteData

/// Decides which indexes a table has: those its queries keep asking for, up to a number.
struct IndexAdvisor: Sendable {
    /// What to do about indexes now.
    struct Advice: Equatable, Sendable {
        var create: IndexShape
        var drop: [String]
    }

    /// The most indexes of a table.
    static let limit = 16
    private static let useLimit = 256

    private let table: Int64
    /// The indexes there are, the latest used last.
    private(set) var indexes: [String]
    private var uses: [IndexShape: Int] = [:]

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
    mutating func uses(_ shape: IndexShape, rows: Int) -> Advice? {
        let name = shape.name(table: table)
        if indexes.last == name { return nil }
        if let index = indexes.firstIndex(of: name) {
            indexes.append(indexes.remove(at: index))
            return nil
        }
        if uses.count == Self.useLimit { uses = [:] }
        uses[shape, default: 0] += 1
        guard rows > 1_000 || rows > 100 && uses[shape, default: 0] >= 3 else { return nil }
        uses[shape] = nil
        let dropped = Array(indexes.prefix(max(0, indexes.count + 1 - Self.limit)))
        indexes.removeFirst(dropped.count)
        indexes.append(name)
        return Advice(create: shape, drop: dropped)
    }
}
