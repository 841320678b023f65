/// What a repair asks the table for.
struct RepairRead: Sendable {
    enum Kind: Sendable {
        /// Rows that were written lately.
        case written
        /// How many rows lie in a stretch in which nothing is new.
        case size(KeyInterval)
        /// The rows of a stretch, from its beginning.
        case stretch(KeyInterval)
        /// Rows by their ids.
        case rows([RowID])
        /// How many rows lie in the gap between these keys.
        case gap(KeyInterval)
        /// How many rows there are.
        case total
    }

    let kind: Kind
    /// The request; where ``isCount`` its query is to be counted.
    let fetch: Fetch
    /// A watch begun with it, to be ended with it.
    let watch: Int

    /// Whether a count is asked for rather than a page.
    var isCount: Bool {
        switch kind {
        case .size, .gap, .total: true
        case .written, .stretch, .rows: false
        }
    }
}

/// What a repair does next.
enum RepairStep: Sendable {
    case read(RepairRead)
    /// What was found has to be applied first.
    case drain
    /// Everything that is here is as it is in the table.
    case done
    /// The rows cannot be compared, and have to be read anew.
    case impossible
}
