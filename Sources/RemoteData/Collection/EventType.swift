/// What happened to a collection.
public enum EventType: Int, Sendable, Hashable, CaseIterable, Codable {
    /// Rows were loaded: every row is here, or the collection was read anew.
    case dataLoaded = 0
    /// A row was added, or came to match the clause.
    case created = 1
    /// A row was changed.
    case updated = 2
    /// A row was removed, or no longer matches the clause.
    case deleted = 3
    /// Many rows were removed at once.
    case bulkDeleted = 4
}
