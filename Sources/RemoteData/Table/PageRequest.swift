/// A part of a query's rows.
public struct PageRequest: Hashable, Sendable {
    /// The rows and their order.
    public var query: Query
    /// Where the page starts.
    public var start: Start
    /// The most rows to send; a table may send fewer only at the end, or when its own limit is lower.
    public var limit: Int

    /// Creates a request.
    public init(_ query: Query, start: Start = .offset(0), limit: Int = 100) {
        self.query = query
        self.start = start
        self.limit = limit
    }

    /// Where a page starts.
    public enum Start: Hashable, Sendable {
        /// At a position counted from zero; past the end is an empty page.
        case offset(Int)
        /// At the first row behind a key, whether or not a row with that key still exists.
        case after(Key)
        /// At the row that this many others lie in front of, counted from the first one behind a key.
        ///
        /// Only for a table that declares ``Capabilities/pagesBeyondKeys``. So pages behind a row can be asked for before those
        /// in front of them have come, at the cost of the rows passed over rather than of the position.
        case beyond(Key, offset: Int)
        /// At the `limit`th row in front of a key, and up to it; rows still come in query order.
        case before(Key)
    }
}
