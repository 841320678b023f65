/// Trees of models that are held somewhere, and which of them have what in common.
///
/// Without locks and threads: what is told to it is worked out at once.
struct ConsistencyGraph {
    /// What becomes of a tree.
    struct Effect {
        let tree: ModelTree
        let old: (any SharedModel)?
        /// The model as it is now; nil when it is gone.
        let model: (any SharedModel)?
        let updates: ModelUpdates
        /// A tree that holds just this already.
        let twin: ModelTree?
    }

    var numbers = ModelNumbers()
    private var trees: ContiguousArray<ModelTree?> = []
    private var freeTrees: [Int32] = []
    /// Kept to save their memory's allocation for each tree.
    var scratch = TreeRebuild()

    /// How many ids are known.
    var idCount: Int { numbers.count }
    /// How many trees there are.
    var treeCount: Int { trees.count - freeTrees.count }

    func tree(_ number: Int32) -> ModelTree? { trees[Int(number)] }

    var allTrees: some Sequence<ModelTree> { trees.lazy.compactMap(\.self) }

    // MARK: Trees

    /// Begins to hold a model, in a tree that it may share with others.
    ///
    /// - Complexity: O(n) for n models that it is made of; the time of a comparison if it is held already.
    mutating func hold(_ shared: any SharedModel) throws(ModelTree.Problem) -> ModelTree {
        let model = shared.model
        if let id = model.modelID, let number = numbers.known(id), let tree = twin(of: model, number) {
            return tree
        }
        let tree = makeTree()
        do throws(ModelTree.Problem) { try lay(shared, tree) } catch {
            give(back: tree)
            numbers.sweep()
            throw error
        }
        numbers.sweep()
        return tree
    }

    /// Begins to wait for a model with an id.
    mutating func wait(for id: ModelID) -> ModelTree {
        let tree = makeTree()
        let number = numbers.number(of: id)
        tree.wait(for: number)
        _ = numbers.hold(number, ModelNumbers.Holder(tree: tree.number, position: 0))
        return tree
    }

    /// Holds a model no longer.
    mutating func remove(_ tree: ModelTree) {
        release(tree)
        give(back: tree)
        numbers.sweep()
    }

    /// A tree that holds the same; of many with this id at their roots only some are looked at.
    func twin(of model: any ConsistentModel, _ number: Int32, besides other: Int32 = -1) -> ModelTree? {
        for holder in numbers.someHolders(of: number, atMost: 4)
        where holder.position == 0 && holder.tree != other {
            if let tree = trees[Int(holder.tree)], let held = tree.model, held.isInterchangeable(with: model)
            {
                return tree
            }
        }
        return nil
    }

    private mutating func makeTree() -> ModelTree {
        let number = freeTrees.popLast() ?? Int32(trees.count)
        let tree = ModelTree(number: number)
        if number == trees.count { trees.append(tree) } else { trees[Int(number)] = tree }
        return tree
    }

    private mutating func give(back tree: ModelTree) {
        trees[Int(tree.number)] = nil
        freeTrees.append(tree.number)
    }

    private mutating func lay(_ model: any SharedModel, _ tree: ModelTree) throws(ModelTree.Problem) {
        let layout = try ModelLayout(model.model) { numbers.number(of: $0) }
        let culprit = tree.take(model, layout) { id, position in
            numbers.hold(id, ModelNumbers.Holder(tree: tree.number, position: position))
        }
        guard let culprit else { return }
        release(tree)
        throw .isPartOfItself(numbers.id(culprit))
    }

    private mutating func release(_ tree: ModelTree) {
        for position in tree.positions where position.id >= 0 {
            numbers.release(position.id, tree: tree.number)
        }
    }

    /// Puts a model in the place of a tree's that need not be made of the same.
    ///
    /// The caller sweeps the numbers.
    mutating func replace(_ tree: ModelTree, _ model: any SharedModel) throws(ModelTree.Problem) {
        let old = tree.shared
        release(tree)
        do throws(ModelTree.Problem) { try lay(model, tree) } catch {
            if let old { try lay(old, tree) }
            throw error
        }
    }
}
