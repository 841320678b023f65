// Lists of models, each of which is a tree of its own.
extension ConsistencyCore {
    /// What is known of one list: the trees of its models that can change, by their keys.
    final class ListHolding {
        let list: ListListening
        var trees: [Int: ModelTree] = [:]

        init(_ list: ListListening) { self.list = list }
    }

    /// What whoever holds a list has done to it.
    enum ListEdit {
        /// Models that came, with keys that count on from the first.
        case entered(ModelBatch, firstKey: Int)
        /// The same of models that may be older than what others hold.
        case adopted(ModelBatch, firstKey: Int)
        /// A model in the place of another one.
        case replaced(ListListening.Place, base: any ConsistentModel, any ConsistentModel)
        case left([Int])
        /// All left; what they were goes with this, where it holds up nobody.
        case leftAll(was: any Sendable)
    }

    /// Models of a list that come at once.
    struct ModelBatch: Sendable {
        let count: Int
        let model: @Sendable (Int) -> any ConsistentModel
    }

    /// Takes note of what whoever holds a list has done to it.
    ///
    /// - Returns: Models in the place of others, put together with what has become of these.
    mutating func edit(
        _ list: ListListening,
        _ edits: [ListEdit],
        _ telling: inout Telling
    ) -> [any ConsistentModel] {
        let holding = lists[ObjectIdentifier(list)] ?? ListHolding(list)
        guard !list.hasEnded else {
            removeList(list)
            // Nobody has the list any more, but what was done to it was done.
            return edits.compactMap { if case .replaced(_, _, let mine) = $0 { mine } else { nil } }
        }
        var merged: [any ConsistentModel] = []
        lists[ObjectIdentifier(list)] = holding
        for edit in edits {
            switch edit {
            case .entered(let models, let firstKey):
                holding.trees.reserveCapacity(holding.trees.count + models.count)
                for index in 0..<models.count {
                    let place = ListListening.Place(key: firstKey + index, version: 0)
                    enter(models.model(index), place, holding, &telling)
                }
            case .adopted(let models, let firstKey):
                for index in 0..<models.count {
                    let place = ListListening.Place(key: firstKey + index, version: 0)
                    adopt(models.model(index), place, holding, &telling)
                }
            case .replaced(let place, let base, let mine):
                merged.append(replace(place, base, mine, holding, &telling) ?? mine)
            case .left(let keys): for key in keys { leave(key, holding) }
            case .leftAll(was: _): for key in holding.trees.keys { leave(key, holding) }
            }
        }
        return merged
    }

    mutating func removeList(_ list: ListListening) {
        guard let holding = lists.removeValue(forKey: ObjectIdentifier(list)) else { return }
        for key in holding.trees.keys { leave(key, holding) }
    }

    private mutating func enter(
        _ model: any ConsistentModel,
        _ place: ListListening.Place,
        _ holding: ListHolding,
        _ telling: inout Telling
    ) {
        do throws(ModelTree.Problem) {
            let tree = try graph.hold(share(model))
            // What has no ids never changes elsewhere.
            guard tree.positions.contains(where: { $0.id >= 0 }) else {
                if tree.isIdle { graph.remove(tree) }
                return
            }
            tree.places.append(ListPlace(list: holding.list, place: place))
            holding.trees[place.key] = tree
        } catch { telling.errors.append(Self.error(of: error)) }
    }

    private mutating func adopt(
        _ model: any ConsistentModel,
        _ place: ListListening.Place,
        _ holding: ListHolding,
        _ telling: inout Telling
    ) {
        let latest = latest(of: model)
        enter(latest ?? model, place, holding, &telling)
        guard let latest else { return }
        let places: ContiguousArray = [ListPlace(list: holding.list, place: place)]
        telling.parts.append(
            Telling.Part(
                listenings: [],
                places: places,
                old: share(model),
                model: share(latest),
                updates: ModelUpdates()
            )
        )
    }

    mutating func leave(_ key: Int, _ holding: ListHolding) {
        guard let tree = holding.trees.removeValue(forKey: key) else { return }
        if let index = tree.places.firstIndex(where: { $0.list === holding.list && $0.place.key == key }) {
            tree.places.swapAt(index, tree.places.count - 1)
            tree.places.removeLast()
        }
        if tree.isIdle { graph.remove(tree) }
    }

    private mutating func replace(
        _ place: ListListening.Place,
        _ base: any ConsistentModel,
        _ mine: any ConsistentModel,
        _ holding: ListHolding,
        _ telling: inout Telling
    ) -> (any ConsistentModel)? {
        let (theirs, context) = (holding.trees[place.key]?.model, holding.trees[place.key]?.context)
        let unknown = unknownDeletions(base, theirs: theirs)
        let result = putTogether(base, mine, theirs: theirs, without: unknown)
        leave(place.key, holding)
        if let model = result.model { enter(model, place, holding, &telling) }
        guard !result.updates.isEmpty else { return result.model }
        telling.context = context ?? deletions.last?.context ?? .none
        telling.parts.append(
            Telling.Part(
                listenings: [],
                places: [ListPlace(list: holding.list, place: place)],
                old: share(mine),
                model: result.model.map { share($0) },
                updates: result.updates
            )
        )
        return result.model
    }

    /// Those whose lists hold a tree hold another one, or none.
    mutating func movePlaces(_ places: ContiguousArray<ListPlace>, to other: ModelTree?) {
        for place in places {
            guard let holding = lists[ObjectIdentifier(place.list)] else { continue }
            holding.trees[place.place.key] = other
            other?.places.append(place)
        }
    }
}
