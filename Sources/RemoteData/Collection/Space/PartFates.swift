/// What becomes of models by what is said of what they are made of.
struct PartFates {
    private var numbers = ModelNumbers()
    private var fates: [Int32: PostedModels.Fate] = [:]

    init(_ news: [ModelID: ModelNews]) {
        for (id, news) in news {
            switch news {
            case .deleted: fates[numbers.number(of: id)] = .gone
            case .updated(let versions):
                guard let last = versions.last else { continue }
                let newer = PostedModels.Newer(model: last, part: nil, others: versions.dropLast())
                fates[numbers.number(of: id)] = .newer(newer)
            }
        }
    }

    /// What becomes of a model; not by what is said of itself.
    ///
    /// - Returns: nil if it stays as it is; none if it cannot be without what is gone.
    /// - Complexity: O(n) for n models that it is made of.
    func outcome(of model: any ConsistentModel) -> (any ConsistentModel)?? {
        let own = model.modelID.flatMap { numbers.known($0) }
        let result = try? ProjectedRebuild.run(model, { $0 == own ? nil : fates[$0] }, numbers)
        return result.map(\.model)
    }
}
