/// How columns share the width of a line.
enum ColumnWidths {
    /// The narrowest a column gets, unless it needs less.
    static let least = 8

    /// How many of the first columns fit into a line with a readable width each; one of them in any case.
    ///
    /// - Parameters:
    ///   - widths: What the columns would like to have.
    ///   - total: The places of the line.
    ///   - gap: The places between two columns.
    /// - Returns: The number of columns.
    static func count(_ widths: [Int], into total: Int, gap: Int) -> Int {
        var left = total + gap
        let fitting = widths.prefix { width in
            left -= min(width, least) + gap
            return left >= 0
        }
        return max(min(1, widths.count), fitting.count)
    }

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
