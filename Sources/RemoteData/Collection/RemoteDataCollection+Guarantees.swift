import Synchronization

extension RemoteDataCollection {
    /// What this collection promises over its table, and where each promise ends.
    ///
    /// As of this moment: a table may learn what its server can do when that first answers, and changes may be interrupted.
    ///
    /// Never blocks, never asks the table.
    public var guarantees: Guarantees {
        let status = liveStatus
        let interruption: RemoteDataError? = if case .interrupted(let error) = status { error } else { nil }
        return Guarantees(
            GuaranteeConditions(
                capabilities: table.capabilities,
                isLive: options.isLive,
                hasClause: query.filter != nil,
                countsExactly: query.filter.map { table.canFilterList($0) } ?? true,
                cacheLimit: options.cacheLimit,
                interruption: interruption,
                isRestored: state.withLock { $0.core.restoration != .none }
            )
        )
    }
}
