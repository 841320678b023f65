/// What own updates wrote lately, so that callers can change it back, or go on with the same elements.
struct WrittenValues: Sendable {
    /// Of how many rows it is known.
    static let limit = 4_096

    /// Hashes of values by hashes of where they are.
    fileprivate typealias Hashes = [Int: Int]

    /// What own updates wrote to a row.
    struct OfRow: Sendable {
        /// What was written to each place last, and by which update.
        private var written: [Int: (value: Int, update: Int)] = [:]
        /// How many updates were made.
        private var updates = 0
        /// The element that was written last.
        private var element: Hashes = [:]
        /// What the table stored where that is not what the element had: values that it computes, and what
        /// others wrote before.
        private var effects: Hashes = [:]
    }

    /// What one update writes to a row.
    struct Update: Sendable {
        fileprivate let mark: UInt64
        fileprivate let values: Hashes

        /// - Parameters:
        ///   - element: What the element has.
        ///   - changed: What of it is written.
        ///   - mark: The hash of the row's id.
        init(_ element: JSONLeaves, changed: Set<JSONPath>, of mark: UInt64) {
            self.mark = mark
            // Places with one hash are taken for one, as in what is noted of a row.
            values = Dictionary(changed.map { ($0.hashValue, element[$0].hashValue) }) { first, _ in first }
        }
    }

    private var rows: [UInt64: OfRow] = [:]
    /// The rows in the order in which they were first written to; once full, the oldest is at `next`.
    private var order: [UInt64] = []
    private var next = 0
}

// MARK: - Noting

extension WrittenValues {
    /// Notes what an update has written.
    mutating func note(_ update: Update) { withRow(update.mark) { $0.note(update) } }

    /// Notes what the table has made of an element.
    mutating func note(_ element: JSONLeaves, storedAs stored: JSONLeaves, of mark: UInt64) {
        withRow(mark) { $0.note(element, storedAs: stored) }
    }

    private mutating func withRow(_ mark: UInt64, _ body: (inout OfRow) -> Void) {
        if rows[mark] == nil {
            if order.count < Self.limit {
                order.append(mark)
            } else {
                rows[order[next]] = nil
                order[next] = mark
                next = (next + 1) % Self.limit
            }
        }
        body(&rows[mark, default: OfRow()])
    }

    /// What was written to a row.
    ///
    /// - Parameter marks: The hashes of the ids that it has or had.
    /// - Returns: What is known of that.
    func ofRow(under marks: [UInt64]) -> OfRow { marks.lazy.compactMap { rows[$0] }.first ?? OfRow() }
}

extension WrittenValues.OfRow {
    fileprivate mutating func note(_ update: WrittenValues.Update) {
        updates += 1
        for (path, value) in update.values { written[path] = (value, updates) }
    }

    fileprivate mutating func note(_ element: JSONLeaves, storedAs stored: JSONLeaves) {
        // The hash of a value differs from that of an optional one.
        self.element = Dictionary(
            uniqueKeysWithValues: element.map { ($0.hashValue, Optional($1).hashValue) }
        )
        effects = [:]
        for path in element.paths(otherThanIn: stored) { effects[path.hashValue] = stored[path].hashValue }
    }
}

// MARK: - Asking

extension WrittenValues.OfRow {
    /// Returns whether places were written to last by updates that wrote to others as well.
    func wrote(_ paths: Set<JSONPath>, togetherWith others: Set<JSONPath>) -> Bool {
        let updates = others.map { written[$0.hashValue]?.update }
        return paths.allSatisfy { path in
            written[path.hashValue].map { updates.contains($0.update) } ?? false
        }
    }

    /// Whether the last update that wrote to a place wrote this value; nil for null.
    func isValue(_ value: ArraySlice<UInt8>?, at path: JSONPath) -> Bool {
        written[path.hashValue]?.value == value.hashValue
    }

    /// Where an element has what the one written last had, and the row what the table made of that.
    ///
    /// - Parameters:
    ///   - new: An element.
    ///   - newest: What an element of the row as it is now has.
    /// - Returns: Nothing where the element has anything of the row that the one written last had not.
    func effects(on new: JSONLeaves, newest: JSONLeaves) -> Set<JSONPath> {
        guard !effects.isEmpty else { return [] }
        let isOfRow = new.contains { path, value in
            value == newest[path] && element[path.hashValue] != Optional(value).hashValue
        }
        guard !isOfRow else { return [] }
        return new.paths(otherThanIn: newest).filter { path in
            let hash = path.hashValue
            return effects[hash] == newest[path].hashValue
                && (element[hash] ?? nullHash) == new[path].hashValue
        }
    }

    private var nullHash: Int { ArraySlice<UInt8>?.none.hashValue }
}
