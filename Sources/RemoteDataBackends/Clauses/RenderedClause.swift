/// A clause in the words of a server.
struct RenderedClause: Sendable, Equatable {
    /// What the server is asked.
    var text: String
    /// Whether the server answers with exactly the rows that match; otherwise there may be others among them, and the clause is
    /// evaluated here on each.
    var isExact = true
    /// How many conditions the text has.
    var conditionCount = 1
}
