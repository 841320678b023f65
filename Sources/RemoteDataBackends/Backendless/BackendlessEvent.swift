/// What a table tells its subscribers, each by a subscription of its own.
enum BackendlessEvent: String, Sendable, CaseIterable {
    case created
    case updated
    case upserted
    case deleted
    case bulkCreated = "bulk-created"
    case bulkUpdated = "bulk-updated"
    case bulkUpserted = "bulk-upserted"
    case bulkDeleted = "bulk-deleted"
}
