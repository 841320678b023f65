import RemoteDataExecution

/// Hands on what somebody may see of the changes of a table that knows nothing of rights.
///
/// The subscription has the clause of what may be read, so rows come and go by themselves; what would say more is left out.
struct CheckedFeed: Sendable {
    let base: any Table
    let access: RowAccess
    /// Whether changes from before are wanted, which nobody has kept.
    let misses: Bool

    /// Begins.
    ///
    /// - Parameter source: The feed of what may be read.
    /// - Returns: A feed that ends the other one when it is cancelled or released.
    func start(_ source: ChangeFeed) -> ChangeFeed {
        let feed = ChangeFeed { source.cancel() }
        if misses { feed.send(.reset) }
        Task(executorPreference: WorkerExecutor.shared) { [weak feed, self] in
            for await event in source {
                let events = await seen(event)
                feed?.handOn(events)
            }
            feed?.finish()
        }
        return feed
    }

    private func seen(_ event: ChangeEvent) async -> [ChangeEvent] {
        guard case .change(let change) = event else { return [event] }
        if let row = change.row, !access.mayRead(row) { return Self.progress(change) }
        // Whose clause it was is not known, nor what it speaks of.
        if change.kind == .bulkDeleted, change.predicate != nil {
            return [.reset, .live(change.revision)]
        }
        var exists = false
        if change.left, let id = change.id, let row = try? await base.row(id) { exists = access.mayRead(row) }
        return [
            .change(
                Change(
                    revision: change.revision,
                    kind: change.kind,
                    id: change.id,
                    row: change.row,
                    left: exists,
                    previousKey: change.previousKey,
                    predicate: nil,
                    count: change.count,
                    idempotencyKey: access.keys.own(change.idempotencyKey),
                    formerID: change.formerID
                )
            )
        ]
    }

    private static func progress(_ change: Change) -> [ChangeEvent] {
        change.revision.map { [.progress($0)] } ?? []
    }
}
