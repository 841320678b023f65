/// A model with all that it is made of, laid out so that each part is found, and replaced, without looking at the others.
///
/// Listeners that hold equal models share one.
final class ModelTree {
    /// A model of the tree, 12 bytes.
    struct Position: Equatable {
        /// The number of its id; -1 for none.
        let id: Int32
        /// The position of what it is a part of; -1 for the root.
        let parent: Int32
        /// How many models come before it in its parent.
        let place: Int32
    }

    /// What is wrong with a model.
    enum Problem: Error {
        /// It has more levels than any model has that is not a part of itself.
        case isEndless
        /// A model is a part of itself.
        case isPartOfItself(ModelID)
    }

    /// How many levels a model may have.
    static var levelLimit: Int { 100_000 }

    let number: Int32
    /// The model as it is handed out; nil while it is only waited for.
    fileprivate(set) var shared: (any SharedModel)?
    /// The positions, each before its parts, and these in their order.
    fileprivate(set) var positions: ContiguousArray<Position> = []
    /// The next position with the same id, for those that have one.
    fileprivate(set) var repeats: [Int32: Int32] = [:]
    /// What was said with the last change.
    var context = ConsistencyContext.none
    /// Who is told of it.
    var listenings: ContiguousArray<Listening> = []
    /// Who will be told of it later.
    var pausedListenings: ContiguousArray<Listening> = []
    /// Which lists have it, and where.
    var places: ContiguousArray<ListPlace> = []

    init(number: Int32) { self.number = number }

    /// The model; nil while it is only waited for.
    var model: (any ConsistentModel)? { shared?.model }

    /// Whether nobody holds it.
    var isIdle: Bool { listenings.isEmpty && pausedListenings.isEmpty && places.isEmpty }

    /// Whether somebody who holds it, or waits for it, listens for models of a type.
    func isAwaited(_ model: any ConsistentModel) -> Bool {
        listenings.contains { $0.accepts(model) } || pausedListenings.contains { $0.accepts(model) }
    }

    /// Whether a position is another one or a part of it.
    func isInside(_ position: Int32, _ root: Int32) -> Bool {
        var position = position
        while position > root { position = positions[Int(position)].parent }
        return position == root
    }

    /// The model at a position.
    ///
    /// - Complexity: The way from the root, and where a model does not list its children the number of these.
    func model(at position: Int32) -> (any ConsistentModel)? {
        var places: [Int] = []
        var next = position
        while next > 0 {
            places.append(Int(positions[Int(next)].place))
            next = positions[Int(next)].parent
        }
        var model = model
        while let place = places.popLast(), let parent = model {
            model = parent._part(at: place) ?? parent.parts[place]
        }
        return model
    }

    /// The first model of the type of another one, at a position or where its id is repeated.
    func model(like other: any ConsistentModel, at position: Int32?) -> (any ConsistentModel)? {
        var next = position
        while let position = next {
            if let model = model(at: position), type(of: model) == type(of: other) { return model }
            next = repeats[position]
        }
        return nil
    }

    /// Whether a model laid out somewhere is made of models with the same ids in the same places as that at a position.
    func hasShape(of other: ModelLayout.Part, at position: Int32) -> Bool {
        let (shape, start) = (other.layout.positions, other.start)
        let length = other.end - start
        guard Int(position) + length <= positions.count else { return false }
        // A leaf, as most are.
        let isAtEnd =
            Int(position) + length == positions.count || positions[Int(position) + length].parent < position
        guard isAtEnd else { return false }
        for offset in 0..<length {
            let (mine, theirs) = (positions[Int(position) + offset], shape[start + offset])
            guard mine.id == theirs.id else { return false }
            if offset > 0 {
                guard mine.place == theirs.place, mine.parent - position == theirs.parent - Int32(start)
                else { return false }
            }
        }
        return true
    }

    /// Puts another model in its place that is made of models with the same ids in the same places.
    func replace(_ model: any SharedModel) { shared = model }

    /// Takes a model and its layout for its own.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - layout: Its layout.
    ///   - hold: Notes that an id is at a position; gives where it was noted to be before, -1 for nowhere.
    /// - Returns: What is wrong with it, if anything is; it has to be taken back then.
    func take(_ model: any SharedModel, _ layout: ModelLayout, _ hold: (Int32, Int32) -> Int32) -> Int32? {
        shared = model
        // What it grew into for more is not kept.
        positions = layout.positions.count > 1 ? layout.positions.exact : layout.positions
        if !repeats.isEmpty { repeats = [:] }
        // Backwards, so that the first position of an id leads to the others in their order.
        for position in Int32(0)..<Int32(positions.count) {
            let position = Int32(positions.count) - 1 - position
            let id = positions[Int(position)].id
            guard id >= 0 else { continue }
            let later = hold(id, position)
            if later >= 0 {
                repeats[position] = later
                if isInside(later, position) { return id }
            }
        }
        return nil
    }

    /// Waits for a model with an id.
    func wait(for id: Int32) { positions = [Position(id: id, parent: -1, place: 0)] }
}

extension ContiguousArray {
    /// A copy without room for more.
    fileprivate var exact: ContiguousArray { ContiguousArray(map(\.self)) }
}
