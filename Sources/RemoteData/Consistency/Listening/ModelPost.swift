/// What becomes of models at once.
struct ModelPost: Sendable {
    /// Newer versions.
    var models: [any ConsistentModel] = []
    /// Models that are no more.
    var deleted: [ModelID] = []
    /// Models that have other ids now, by those that they had.
    var renamed: [ModelID: ModelID] = [:]

    var isEmpty: Bool { models.isEmpty && deleted.isEmpty && renamed.isEmpty }

    /// The id that a model has in the end.
    func finalID(of former: ModelID) -> ModelID {
        var (id, steps) = (former, 0)
        while let next = renamed[id], steps < renamed.count { (id, steps) = (next, steps + 1) }
        return id
    }
}
