import Foundation
public import RemoteData

/// What the rows of a table under ``checkTable(logCapacity:traits:sections:sourceLocation:make:)`` can be like, where a server is
/// particular.
public struct TableTraits: Sendable {
    /// An id the table takes, for a word of small letters, digits and hyphens; another one for each word.
    public var id: @Sendable (String) -> RowID = { .text($0) }
    /// Ids of every kind the table takes.
    public var ids: [RowID] = [
        "a", "A", 7, "7", -7, .integer(.min), .integer(.max), RowID(UUID()), "caf\u{E9}", "cafe\u{301}",
        "a b/c?d=e%&+#", "count", "find", "日本", "👩‍👩‍👧", "\"quoted\" 'single' \\ ", ".", "..",
    ]
    /// Whether ids may be integers.
    public var takesIntegers = true
    /// Whether integers beyond 2⁵³ are kept as they are.
    public var keepsLargeIntegers = true
    /// Whether rows sort those without a value as a query says; otherwise they are the least, or the greatest.
    public var sortsNulls = true
    /// Where rows do not sort those without a value as a query says, whether they are the greatest.
    public var nullsAreGreatest = false
    /// Whether values of different kinds sort as `Value.order(_:_:)` says: numbers and truth values in front of text.
    public var sortsKinds = true

    /// The most columns that rows are sorted by, besides their ids.
    public var maximumSortColumns = Int.max
    /// Whether a column can be one inside another.
    public var nestsColumns = true

    /// Text and integers of every kind.
    public init() {}
}
