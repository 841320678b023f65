/// A row of the table.
struct Note: Codable, Identifiable, Sendable {
    /// The table's `objectId`.
    var id: String
    var text: String
    var author: String
    var stars: Int
}
