import RemoteData

/// An order as Backendless has it: columns with a direction each, and nulls wherever its database puts them.
struct BackendlessOrder: Sendable {
    private(set) var terms: [SortTerm]
    private let comparison: BackendlessTextComparison

    /// - Parameters:
    ///   - terms: The order.
    ///   - comparison: How the server compares text.
    /// - Throws: `RemoteDataError` with code `invalidRequest` for a column that Backendless has no spelling for, and for
    ///   one of related rows.
    init(_ terms: [SortTerm], _ comparison: BackendlessTextComparison) throws(RemoteDataError) {
        for term in terms where BackendlessFilter.name(term.column) == nil {
            throw RemoteDataError(
                .invalidRequest,
                "Backendless has no way to spell the column \(term.column)."
            )
        }
        for term in terms where term.column.names.count > 1 {
            throw RemoteDataError(
                .invalidRequest,
                "Backendless sends rows without those that they are related to, so they cannot be sorted by \(term.column)."
            )
        }
        // Behind the id nothing is left to sort.
        let end = terms.firstIndex { $0.column == "objectId" }.map { $0 + 1 } ?? terms.count
        (self.terms, self.comparison) = (Array(terms[..<end]), comparison)
    }

    /// The same from its end.
    var reversed: BackendlessOrder {
        var order = self
        order.terms = terms.map {
            SortTerm($0.column, ascending: !$0.isAscending, nullsFirst: !$0.nullsFirst)
        }
        return order
    }

    /// The value of the parameter `sortBy`, for rows that are the same in the terms in front of a level.
    func text(from level: Int, idDescending: Bool) -> String {
        var names: [String] = []
        var columns: Set<ColumnPath> = []
        for term in terms[level...] + [SortTerm("objectId", ascending: !idDescending)]
        where columns.insert(term.column).inserted {
            names.append(term.column.names.joined(separator: ".") + (term.isAscending ? "" : " desc"))
        }
        return names.joined(separator: ",")
    }
}

// MARK: - Rows that are the same in a term

extension BackendlessOrder {
    /// Whether rows have nulls in terms behind a level.
    func hasNulls(_ rows: some Sequence<Row>, behind level: Int) -> Bool {
        rows.contains { row in terms[(level + 1)...].contains { row[$0.column] == .null } }
    }

    /// Cuts rows in the server's order where a term changes for sure; none of them has a null in it.
    func blocks(_ rows: [Row], at level: Int) -> [ArraySlice<Row>] {
        var blocks: [ArraySlice<Row>] = []
        var start = 0
        for position in rows.indices.dropFirst() {
            let column = terms[level].column
            guard differ(rows[position - 1][column], rows[position][column]) else { continue }
            blocks.append(rows[start..<position])
            start = position
        }
        return rows.isEmpty ? [] : blocks + [rows[start...]]
    }

    /// Puts rows with nulls where the query has them, in terms from a level on.
    ///
    /// - Parameters:
    ///   - rows: All rows that are the same in the terms in front of the level, in the server's order.
    ///   - level: The level.
    /// - Returns: The rows in order; nil where it cannot be told which of them are the same in a term.
    func arranged(_ rows: [Row], from level: Int) -> [Row]? {
        guard level < terms.count else { return rows }
        let term = terms[level]
        guard let nulls = arranged(rows.filter { $0[term.column] == .null }, from: level + 1) else {
            return nil
        }
        var others: [Row] = []
        for block in blocks(rows.filter { $0[term.column] != .null }, at: level) {
            guard let block = arranged(block, at: level) else { return nil }
            others += block
        }
        return term.nullsFirst ? nulls + others : others + nulls
    }

    /// The same for all rows of a block.
    func arranged(_ block: ArraySlice<Row>, at level: Int) -> [Row]? {
        guard let first = block.first, block.count > 1, hasNulls(block, behind: level) else {
            return Array(block)
        }
        let column = terms[level].column
        guard block.allSatisfy({ isSame(first[column], $0[column]) }) else { return nil }
        return arranged(Array(block), from: level + 1)
    }

    /// Whether two values are the same to the server for sure.
    private func isSame(_ left: Value, _ right: Value) -> Bool {
        switch (left, right) {
        case (.text, .text), (.json, .json): left == right
        case (.text, _), (_, .text), (.json, _), (_, .json): false
        default: Value.order(left, right) == .same
        }
    }

    /// Whether two values are not the same to the server for sure.
    private func differ(_ left: Value, _ right: Value) -> Bool {
        switch (left, right) {
        case (.text(let left), .text(let right)):
            comparison == .byBytes
                ? Value.order(.text(left), .text(right)) != .same
                : Self.isPlain(left) && Self.isPlain(right) && left.lowercased() != right.lowercased()
        case (.text, _), (_, .text), (.json, _), (_, .json): false
        default: Value.order(left, right) != .same
        }
    }

    /// Whether text has only letters and digits that every collation tells apart.
    private static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) }
    }
}
