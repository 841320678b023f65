extension ColumnSet {
    /// Refuses a query that names a column the table has never had.
    ///
    /// A path into an object is known only when it was seen itself. A set that is empty or full refuses
    /// nothing: an empty table has no columns yet, and a full set cannot tell.
    ///
    /// - Parameters:
    ///   - query: The query to be run.
    ///   - table: The table's name, for the message.
    ///   - idColumn: The column of the ids, for the message; nil where that is not known.
    /// - Throws: ``RemoteDataError`` with code `unknownColumn` and the nearest names.
    /// - Complexity: O(size of the query); with an unknown column, O(number of columns).
    public func check(
        _ query: Query,
        table: String,
        idColumn: String? = nil
    ) throws(RemoteDataError) {
        guard !isEmpty, !isFull else { return }
        let unknown = query.columns.filter { !contains($0) }
        guard let column = unknown.min(by: { $0.description < $1.description }) else { return }
        let name = String(column.description.prefix(100))
        throw RemoteDataError(
            .unknownColumn,
            "There is no column \(name) in \(table); \(advice(column, query, idColumn))"
        )
    }

    private func advice(_ column: ColumnPath, _ query: Query, _ idColumn: String?) -> String {
        if let idColumn, column.names == ["id"] { return "ids are in \(idColumn)." }
        let near = nearest(to: column).map(\.description)
        if let last = near.last {
            let others = near.dropLast()
            return "did you mean " + (others.isEmpty ? last : others.joined(separator: ", ") + " or " + last)
                + "?"
        }
        if query.filter?.namesInPlaceOfValue(column) == true {
            return "if text was meant, write it in single quotes."
        }
        let known = paths.filter { $0.names.count == 1 }.map(\.description)
        let more = known.count > 8 ? " and \(known.count - 8) more" : ""
        return "it has " + known.prefix(8).joined(separator: ", ") + more + "."
    }

    /// The columns whose names are most like a name, best first; none when nothing is like it.
    ///
    /// Names that differ only in case come first, then a path with the same last name (`city` finds
    /// `address.city`), then names by the number of letters to add, remove, replace or swap, up to a third of
    /// the name's length (names of up to 100 letters).
    ///
    /// - Complexity: O(number of columns × length of the name²).
    public func nearest(to path: ColumnPath, limit: Int = 3) -> [ColumnPath] {
        let wanted = Self.folded(path)
        let last = path.names.last?.lowercased()
        let tolerance = max(1, wanted.count / 3)
        let candidates = paths.compactMap { candidate -> (distance: Int, path: ColumnPath)? in
            let found = Self.folded(candidate)
            if found == wanted { return (0, candidate) }
            let hasSameEnd = candidate.names.last?.lowercased() == last
            if hasSameEnd { return (1, candidate) }
            guard abs(found.count - wanted.count) <= tolerance, max(found.count, wanted.count) <= 100 else {
                return nil
            }
            let distance = Self.distance(wanted, found)
            return distance <= tolerance ? (distance, candidate) : nil
        }
        let sorted = candidates.sorted {
            ($0.distance, $0.path.description) < ($1.distance, $1.path.description)
        }
        return sorted.prefix(limit).map(\.path)
    }

    private static func folded(_ path: ColumnPath) -> [Unicode.Scalar] {
        Array(path.names.joined(separator: ".").lowercased().unicodeScalars)
    }

    /// The least number of scalars to add, remove, replace, or swap with their neighbour (optimal string
    /// alignment).
    private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        var before: [Int] = []
        var above = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                let isSame = left[row] == right[column]
                var best = min(above[column] + (isSame ? 0 : 1), above[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    best = min(best, before[column - 1] + 1)
                }
                current.append(best)
            }
            (before, above) = (above, current)
        }
        return above[right.count]
    }
}

extension Where {
    /// Whether a column stands where a value usually does: on the right of a comparison, in a list, as a
    /// bound.
    fileprivate func namesInPlaceOfValue(_ column: ColumnPath) -> Bool {
        switch self {
        case .comparison(_, _, let right): right == .column(column)
        case .isIn(_, let list): list.contains(.column(column))
        case .between(_, let low, let high): low == .column(column) || high == .column(column)
        case .like, .isAmong, .contains, .regex, .distance, .isNull, .truth: false
        case .and(let parts), .or(let parts): parts.contains { $0.namesInPlaceOfValue(column) }
        case .not(let part): part.namesInPlaceOfValue(column)
        }
    }
}
