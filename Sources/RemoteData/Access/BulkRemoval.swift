/// What of a removal by clause has to be known to tell it to those who see only a part of a table.
package struct BulkRemoval: Sendable {
    /// The most rows that are kept; of more, those who see a part are told that they have missed something.
    package static let rowLimit = 1_000
    /// The most bytes that these may have.
    package static let byteLimit = 4 << 20

    /// The rows that were removed; nil when there were too many.
    package let rows: [Row]?
    /// Who asked for it and in which words, if those are right for all that they may read.
    package let request: Request?

    /// A removal by clause as somebody with rights asked for it.
    package struct Request: Sendable {
        /// The rows they may read.
        let readable: Where
        /// The rows they wanted removed.
        let filter: Where?
    }

    /// Keeps rows that were removed.
    package init(rows: [Row], request: Request? = nil) {
        let bytes = rows.reduce(0) { $0 + $1.json.count }
        self.rows = rows.count > Self.rowLimit || bytes > Self.byteLimit ? nil : rows
        self.request = request
    }
}
