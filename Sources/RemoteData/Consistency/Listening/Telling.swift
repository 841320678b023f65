/// What is to be told at once, in the order of its parts.
struct Telling: Sendable {
    /// What those are told who hold one tree.
    struct Part: Sendable {
        var listenings: ContiguousArray<Listening>
        var places: ContiguousArray<ListPlace>
        var old: (any SharedModel)?
        let model: (any SharedModel)?
        var updates: ModelUpdates

        /// Whether there is still somebody to be told.
        var concernsSomebody: Bool {
            listenings.contains { !$0.hasEnded } || places.contains { !$0.list.hasEnded }
        }
    }

    /// When it was initiated: what is later in the manager's order is newer.
    let time: UInt64
    var context: ConsistencyContext
    var parts: [Part] = []
    /// What was told to the manager, for those who listen to all.
    var changes: [ModelID: ModelNews] = [:]
    var errors: [RemoteDataError] = []
    /// Who waits until all before is told.
    var waiter: (@Sendable () -> Void)?

    var isEmpty: Bool { parts.isEmpty && changes.isEmpty && errors.isEmpty && waiter == nil }
}
