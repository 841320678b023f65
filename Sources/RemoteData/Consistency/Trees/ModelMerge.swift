/// Two versions of a model that have come from one, put together.
enum ModelMerge {
    /// Each model in it as in the version that has changed it; where both have, as in mine.
    ///
    /// What a model says itself and what it is made of are told apart where both versions are made of the same.
    ///
    /// - Complexity: O(n) for n models in all versions, each comparison counted once.
    static func merged(
        base: any ConsistentModel,
        mine: any ConsistentModel,
        theirs: any ConsistentModel
    ) -> any ConsistentModel {
        let (base, theirs) = (base.byVersion, theirs.byVersion)
        guard let layout = try? ModelLayout(mine, number: { _ in 0 }) else { return mine }
        var changes: [Int32: [ModelChange]] = [:]
        for position in layout.positions.indices.reversed() {
            let own = layout.models[position]
            let parts = changes.removeValue(forKey: Int32(position))?.reversed() ?? []
            guard let model = merged(own, Array(parts), base, theirs) else { continue }
            let place = layout.positions[position]
            guard place.parent >= 0 else { return model }
            changes[place.parent, default: []].append(ModelChange(place: Int(place.place), model: model))
        }
        return mine
    }

    /// One of them, of which the parts are merged; nil where it stays as it is in mine.
    private static func merged(
        _ mine: any ConsistentModel,
        _ parts: [ModelChange],
        _ base: [ModelVersion: any ConsistentModel],
        _ theirs: [ModelVersion: any ConsistentModel]
    ) -> (any ConsistentModel)? {
        let withParts = parts.isEmpty ? nil : mine._replacing(parts[...])
        guard let version = ModelVersion(mine), let before = base[version], let other = theirs[version] else {
            return withParts
        }
        if mine.isSame(as: before) { return other.isSame(as: mine) ? nil : other }
        if other.isSame(as: before) { return nil }
        guard hasSameIDs(mine, before), hasSameIDs(mine, other),
            let unchanged = before._replacing(changes(to: mine)[...]), unchanged.isSame(as: mine)
        else { return withParts }
        return other._replacing(changes(to: withParts ?? mine)[...])
    }

    private static func hasSameIDs(_ one: any ConsistentModel, _ other: any ConsistentModel) -> Bool {
        one.parts.elementsEqual(other.parts) { $0.modelID == $1.modelID && type(of: $0) == type(of: $1) }
    }

    private static func changes(to model: any ConsistentModel) -> [ModelChange] {
        model.parts.enumerated().map { ModelChange(place: $0.offset, model: $0.element) }
    }
}
