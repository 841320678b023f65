extension Where {
    /// Reads a where clause from SQL-like text.
    ///
    /// Conditions are `= <> != < <= > >=`, `[NOT] LIKE 'pattern' [ESCAPE 'c']`, the same with `ILIKE`,
    /// `[NOT] IN (a, b)`, `[NOT] BETWEEN a AND b`, `IS [NOT] NULL`, `[NOT] CONTAINS 'a'`, `[NOT] CONTAINS ANY ('a', 2)`,
    /// the same with `ALL`, `[NOT] MATCHES 'expression'`, `DISTANCE(latitude, longitude, 51.5, -0.12) <= 1000` (or `<`, `>`,
    /// `>=`), or a bare column, joined by `AND`, `OR`, `NOT` and parentheses. Operands are columns and values on
    /// either side: text in single quotes (doubled within), numbers, `TRUE`, `FALSE` and `NULL`. Keywords are read
    /// in any case; `CONTAINS`, `ANY`, `ALL`, `MATCHES` and `DISTANCE` are names of columns wherever a column stands.
    /// A column name is a letter or `_` followed by letters, digits, marks and `_`, or anything in double quotes
    /// (doubled within); dots lead into nested objects.
    ///
    /// An integer that does not fit 64 bits becomes a double. `= NULL` is read, and is unknown as in SQL: use
    /// `IS NULL`. An empty list after `IN` is read, and holds nothing. Other functions and arithmetic are not
    /// read. What regular expressions may be says ``RegexPattern``; those of a clause have 20,000 states at most.
    ///
    /// At most 1 MiB of text is read, with parentheses and `NOT` at most 200 deep.
    /// - Throws: ``RemoteDataError`` with code `invalidClause` that says what was expected; its `position`
    ///   counts Unicode scalars from zero, and is at most the length of the text.
    /// - Complexity: O(length of the text), and of the states of its regular expressions.
    public init(_ text: String) throws(RemoteDataError) {
        var parser = try WhereParser(text)
        self = try parser.parse()
    }

    /// Reads a where clause that may be empty; nil, which stands for all rows, when the text is empty or
    /// blank.
    ///
    /// - Throws: ``RemoteDataError`` as ``init(_:)`` does.
    public static func parse(_ text: String) throws(RemoteDataError) -> Where? {
        if text.unicodeScalars.allSatisfy(\.properties.isWhitespace) { return nil }
        return try Where(text)
    }
}
