import RemoteData

/// Two versions of a model that have come from one, put together: said plainly.
struct NaiveMerge {
    let base: any ConsistentModel
    let theirs: any ConsistentModel

    func merged(_ mine: any ConsistentModel) -> any ConsistentModel {
        let withParts = { mine.map { self.merged($0) } ?? mine }
        guard let before = Self.find(mine, base), let other = Self.find(mine, theirs) else {
            return withParts()
        }
        if mine.isSame(as: before) { return other }
        if other.isSame(as: before) { return mine }
        let parts = Self.parts(mine)
        guard Self.ids(mine) == Self.ids(before), Self.ids(mine) == Self.ids(other),
            Self.with(parts, before).isSame(as: mine)
        else { return withParts() }
        return Self.with(parts.map { merged($0) }, other)
    }

    private static func find(_ model: any ConsistentModel, _ root: any ConsistentModel) -> (
        any ConsistentModel
    )? {
        guard model.modelID != nil else { return nil }
        var found: (any ConsistentModel)?
        NaivePost.forAll(root) { other in
            guard found == nil, other.modelID == model.modelID, type(of: other) == type(of: model) else {
                return
            }
            found = other
        }
        return found
    }

    private static func parts(_ model: any ConsistentModel) -> [any ConsistentModel] {
        var parts: [any ConsistentModel] = []
        model.forEach { parts.append($0) }
        return parts
    }

    private static func ids(_ model: any ConsistentModel) -> [String] {
        parts(model).map { "\($0.modelID?.text ?? "-") \(type(of: $0))" }
    }

    private static func with(_ parts: [any ConsistentModel], _ model: any ConsistentModel)
        -> any ConsistentModel
    {
        var rest = parts[...]
        return model.map { _ in rest.removeFirst() } ?? model
    }
}
