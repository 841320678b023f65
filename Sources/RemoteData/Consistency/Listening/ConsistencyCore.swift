/// What a consistency manager knows, and what it makes of what it is told, one thing after another.
struct ConsistencyCore {
    /// Something to be done.
    enum Job {
        case update([any ConsistentModel], deleted: [ModelID], ConsistencyContext)
        /// An update that is made when its turn comes, and what is done where it is told, in front of it.
        case derive(
            ConsistencyContext,
            @Sendable (HeldModels) -> ModelPost,
            then: (@Sendable () -> Void)? = nil
        )
        case listen(Listening, any SharedModel)
        case wait(Listening, ModelID)
        /// Holds another model than it did; what it held is the base of what has become of both.
        case replace(Listening, base: (any ConsistentModel)?, (any ConsistentModel)?)
        /// The same, and everyone else is told of it; what both are put together, where that is another model.
        case set(
            Listening,
            base: (any ConsistentModel)?,
            any ConsistentModel,
            ConsistencyContext,
            merged: (@Sendable (any ConsistentModel) -> Void)?
        )
        /// Holds a model that may be older than what others hold.
        case adopt(Listening, any ConsistentModel)
        case pause(Listening, base: (any ConsistentModel)?)
        case resume(Listening)
        case end(Listening)
        case edit(ListListening, [ListEdit], posted: ModelBatch, ConsistencyContext)
        case endList(ListListening)
        case clean
        case forgetAll
        case fail(RemoteDataError)
        case notify(@Sendable () -> Void)

        /// What is done of it even where all that was asked for is told to nobody: somebody waits for it.
        var notice: Job? {
            switch self {
            case .notify: self
            case .derive(_, _, let then?): .notify(then)
            default: nil
            }
        }

        /// It is not done: whoever would have been listened to from now on is not.
        func abandon() {
            switch self {
            case .listen(let listening, _), .wait(let listening, _), .adopt(let listening, _): listening.end()
            case .replace(let listening, _, _), .set(let listening, _, _, _, _): listening.end()
            case .edit(let list, _, _, _): list.end()
            default: break
            }
        }
    }

    /// The models that somebody holds.
    struct HeldModels {
        fileprivate let graph: ConsistencyGraph

        func contains(_ id: ModelID) -> Bool {
            graph.numbers.known(id).map { graph.numbers.isHeld($0) } ?? false
        }

        /// Whether nobody holds anything.
        var isEmpty: Bool { graph.idCount == 0 }

        /// Whether something was said of a model that somebody holds since a time that is not long ago.
        func wasSaid(_ id: ModelID, since time: UInt64) -> Bool {
            graph.numbers.known(id).flatMap { graph.numbers.said.time(of: $0) }.map { $0 > time } ?? false
        }

        /// The id of a model that somebody holds.
        ///
        /// - Complexity: O(n) for n models.
        func firstID(where isWanted: (any ConsistentModel) -> Bool) -> ModelID? {
            for tree in graph.allTrees {
                var found: ModelID?
                tree.model?.walk { model in
                    if found == nil, isWanted(model) { found = model.modelID }
                    return found == nil
                }
                if let found { return found }
            }
            return nil
        }

        /// Those of a kind, each as somebody holds it.
        ///
        /// - Complexity: O(ids that are known).
        func all(of kind: String) -> [(id: ModelID, model: any ConsistentModel)] {
            var all: [(id: ModelID, model: any ConsistentModel)] = []
            graph.numbers.forEachHeld(of: kind) { id, holder in
                guard let model = graph.tree(holder.tree)?.model(at: holder.position) else { return }
                all.append((id, model))
            }
            return all
        }
    }

    /// What went from trees at once.
    struct Deletion {
        let time: UInt64
        var ids: Set<ModelID>
        let context: ConsistencyContext
    }

    /// What is known of one listener.
    final class Holding {
        let listening: Listening
        var tree: ModelTree?
        /// Where it is among those who hold the tree.
        var index = 0
        var isPaused = false
        /// The model when it was paused.
        var base: (any ConsistentModel)?
        /// What was said last while it was paused.
        var context = ConsistencyContext.none
        var deletedWhilePaused: Set<ModelID> = []
        /// When it was told what has become of its model while it was paused.
        var resumedAt: UInt64 = 0
        /// Whether its model, or what it waited for, went while it was paused.
        var hasGoneInPause = false
        /// What was said when its model went, as long as it has no other.
        var farewell: ConsistencyContext?

        init(_ listening: Listening) { self.listening = listening }
    }

    var graph = ConsistencyGraph()
    private(set) var holdings: [ObjectIdentifier: Holding] = [:]
    var lists: [ObjectIdentifier: ListHolding] = [:]
    /// What was deleted and could not be without it, as long as somebody may not have been told.
    var deletions: [Deletion] = []
    /// Up to when whoever has asked for what is done now had been told everything.
    var toldUntil: UInt64 = 0
    /// How many of them are told apart.
    static var deletionLimit: Int { 1_024 }
    private var listenersToClean = 64

    /// How many ids, trees and listeners are known.
    var counts: (ids: Int, trees: Int, listeners: Int) { (graph.idCount, graph.treeCount, holdings.count) }

    // MARK: Listeners

    func holding(_ listening: Listening) -> Holding? { holdings[ObjectIdentifier(listening)] }

    mutating func add(_ listening: Listening) -> Holding {
        if let known = holding(listening) { return known }
        // Those who are gone say nothing; looked for each time their number may have doubled.
        if holdings.count >= listenersToClean {
            clean()
            listenersToClean = max(64, holdings.count * 2)
        }
        let holding = Holding(listening)
        holdings[ObjectIdentifier(listening)] = holding
        return holding
    }

    /// Takes out those who are gone.
    mutating func clean() {
        for holding in holdings.values where holding.listening.hasEnded { remove(holding) }
        for holding in lists.values where holding.list.hasEnded { removeList(holding.list) }
    }

    mutating func remove(_ holding: Holding) {
        leave(holding)
        holdings[ObjectIdentifier(holding.listening)] = nil
    }

    mutating func removeAll() {
        for holding in holdings.values { holding.listening.end() }
        for holding in lists.values { holding.list.end() }
        self = ConsistencyCore()
    }

    /// What is made of the models that are held; what that looks at is let go of before anything is changed.
    func derived(_ make: (HeldModels) -> ModelPost) -> ModelPost {
        make(HeldModels(graph: graph))
    }

    // MARK: Trees

    mutating func enter(_ tree: ModelTree, _ holding: Holding) {
        holding.tree = tree
        holding.farewell = nil
        if holding.isPaused {
            holding.index = tree.pausedListenings.count
            tree.pausedListenings.append(holding.listening)
        } else {
            holding.index = tree.listenings.count
            tree.listenings.append(holding.listening)
        }
    }

    /// Takes a listener out of its tree, and the tree away if that was the last.
    mutating func leave(_ holding: Holding, keepsTree: Bool = false) {
        guard let tree = holding.tree else { return }
        holding.tree = nil
        // The last takes its place.
        if holding.isPaused {
            let last = tree.pausedListenings.removeLast()
            if last !== holding.listening { tree.pausedListenings[holding.index] = last }
            self.holding(last)?.index = holding.index
        } else {
            let last = tree.listenings.removeLast()
            if last !== holding.listening { tree.listenings[holding.index] = last }
            self.holding(last)?.index = holding.index
        }
        if tree.isIdle, !keepsTree { graph.remove(tree) }
    }

    /// Those who hold a tree hold another one, or none.
    mutating func moveAll(from tree: ModelTree, to other: ModelTree?) {
        let (all, paused, places) = (tree.listenings, tree.pausedListenings, tree.places)
        (tree.listenings, tree.pausedListenings, tree.places) = ([], [], [])
        graph.remove(tree)
        movePlaces(places, to: other)
        for listening in all + paused {
            guard let holding = holding(listening) else { continue }
            holding.tree = nil
            if let other {
                enter(other, holding)
            } else {
                holding.farewell = tree.context
                holding.hasGoneInPause = holding.isPaused
            }
        }
    }
}
