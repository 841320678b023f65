/// How columns share the width of a line.
enum ColumnWidths {
    /// The narrowest a column gets.
    static let least = 4

    /// Widths that fit into a line: the widest columns give way first.
    ///
    /// - Parameters:
    ///   - widths: What the columns would like to have.
    ///   - total: The places of the line.
    ///   - gap: The places between two columns.
    /// - Returns: A width for each column, at least ``least`` or what it wanted; together they may still be too wide.
    static func fit(_ widths: [Int], into total: Int, gap: Int) -> [Int] {
        let available = total - gap * max(0, widths.count - 1)
        guard widths.reduce(0, +) > available else { return widths }
        // The limit under which all columns together fit: those below it keep their width.
        var low = least
        var high = widths.max() ?? least
        while low < high {
            let middle = (low + high + 1) / 2
            if widths.reduce(0, { $0 + min($1, middle) }) <= available {
                low = middle
            } else {
                high = middle - 1
            }
        }
        var fitted = widths.map { min($0, low) }
        var spare = available - fitted.reduce(0, +)
        for index in widths.indices where spare > 0 && widths[index] > fitted[index] {
            fitted[index] += 1
            spare -= 1
        }
        return fitted
    }
}
