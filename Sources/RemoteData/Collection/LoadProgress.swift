/// How far loading has come.
public struct LoadProgress: Sendable, Hashable {
    /// Rows that are here.
    public let loaded: Int
    /// Rows there are, as far as known.
    public let total: Int

    /// So many of so many, for trying what shows it.
    public init(loaded: Int, total: Int) { (self.loaded, self.total) = (loaded, total) }

    /// The share that is here, from 0 to 1.
    public var fraction: Double { total == 0 ? 1 : Double(loaded) / Double(total) }
}
