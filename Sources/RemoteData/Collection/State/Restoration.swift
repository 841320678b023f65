/// Whether rows are those that a cache kept from another time.
enum Restoration: Sendable {
    /// The feed has come alive since the collection was opened, or nothing was kept.
    case none
    /// The feed has not come alive yet.
    case restored
    /// The table cannot be reached, neither for changes nor by a request: what was kept is all there is.
    case offline
}
