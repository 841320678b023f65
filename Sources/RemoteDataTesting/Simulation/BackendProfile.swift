package import RemoteData

/// What the adapter of a server of others declares, by its name in the README.
package enum BackendProfile: String, CaseIterable, Sendable {
    case pocketBase = "PocketBase"
    case backendless = "Backendless"
    case kintoOverPostgreSQL = "Kinto over PostgreSQL"
    case kintoInMemory = "Kinto in memory"

    /// What it declares, with pages and writes of any size.
    package var capabilities: Capabilities {
        var capabilities = Capabilities()
        (capabilities.keysetPages, capabilities.reportsLeaving) = (true, true)
        capabilities.liveChanges = true
        capabilities.binaryOrder = self == .pocketBase || self == .kintoInMemory
        switch self {
        case .backendless:
            (capabilities.filteredDeletes, capabilities.filteredUpdates) = (true, true)
            capabilities.checksColumns = true
        case .kintoInMemory, .kintoOverPostgreSQL:
            (capabilities.revisions, capabilities.resume) = (true, true)
            (capabilities.filteredDeletes, capabilities.idempotentCreation) = (true, true)
            capabilities.conditionalWrites = self == .kintoInMemory
        case .pocketBase:
            (capabilities.locatesDeleted, capabilities.idempotentCreation) = (true, true)
            capabilities.checksColumns = true
        }
        return capabilities
    }
}
