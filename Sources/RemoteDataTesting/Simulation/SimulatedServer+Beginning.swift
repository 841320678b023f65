import RemoteData

// A table that begins with its first row.
extension SimulatedServer {
    /// When a table is there.
    enum Beginning: Sendable, Equatable {
        /// From the start.
        case atOnce
        /// Once it has had a row; reads are refused until then, and so are subscriptions, unless they wait.
        case withFirstRow(refusesSubscriptions: Bool)
    }

    /// Whether there is no table yet.
    var isMissing: Bool { beginning != .atOnce && table.revision == .zero }
}

extension WireRequest {
    /// Whether a table that is not there begins with this.
    var createsTable: Bool {
        guard case .commit(let mutation) = call else { return false }
        return switch mutation {
        case .create, .upsert: true
        case .update, .updateAll, .delete, .deleteAll: false
        }
    }
}

extension RemoteDataError {
    /// What is answered of a table that is not there.
    static let missingTable = RemoteDataError(.notFound, "There is no such table.")
}
