import RemoteDataTesting
import Testing

@testable import RemoteData

/// Generated trees of all sizes, of which whatever is held ends up as it would be built anew.
@Suite struct ConsistencyTreeTests {
    @Test func whatWasSaidOfAModelIsNotTakenForWhatIsSaidOfTheNextWithItsNumber() {
        var numbers = ModelNumbers()
        let first = numbers.number(of: ModelID("a"))
        numbers.said.note([first], at: 5)
        #expect(numbers.said.time(of: first) == 5)
        numbers.sweep()
        let second = numbers.number(of: ModelID("b"))
        #expect(second == first)
        #expect(numbers.said.time(of: second) == nil)
    }

    @Test func whateverIsHeldIsAsItWouldBeBuiltAnew() async {
        let faults = await Campaign.faults(in: Campaign.size(quick: 60)) { number in
            var forest = Forest(seed: UInt64(number))
            return forest.fault()
        }
        #expect(faults.isEmpty, "forest \(faults.first?.number ?? 0): \(faults.first?.fault ?? "")")
    }
}

/// What the models of a tree are, said flatly: each by its number, and of which others it is made.
private struct Forest {
    struct Node {
        var id: String?
        var value = 0
        var parts: [Int] = []
        /// What it cannot be without, if that has an id.
        var need: String?
        var isGone = false
    }

    var random: SeededGenerator
    var nodes: [Node] = []
    /// What needs are worth, by their ids; none for those that are gone.
    var needs: [String: Int] = [:]
    let manual = ManualManager()
    var holders: [(root: Int, holder: Subscriber<Thing>, told: Int, last: Thing?)] = []

    /// Grows a tree in which each node has as many parts as the branching says, as long as there are nodes.
    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        let branching = random.pick([1, 2, 3, 10, 100, 1_000])
        // A tree that does not branch is as deep as it is large.
        let count = random.number(1..<(random.chance(3) ? 20 : branching == 1 ? 150 : 2_001))
        let missing = random.pick([0, 3, 20])
        for number in 0..<count {
            var node = Node(id: missing > 0 && random.chance(missing) ? nil : "\(number)")
            if random.chance(10) { node.need = "need \(random.number(0..<30))" }
            nodes.append(node)
            if number > 0 { nodes[(number - 1) / branching].parts.append(number) }
        }
        for number in 0..<30 { needs["need \(number)"] = 0 }
        let leaves = nodes.indices.filter { nodes[$0].parts.isEmpty && nodes[$0].id != nil }
        guard !leaves.isEmpty, count > 1 else { return }
        // Leaves that others have as well, or that recur in one list.
        for _ in 0..<random.number(0..<10) {
            let (leaf, other) = (random.pick(leaves), random.number(0..<count))
            guard other < leaf, !nodes[other].parts.isEmpty else { continue }
            for _ in 0..<random.number(1..<3) { nodes[other].parts.append(leaf) }
        }
    }

    /// A node as a model; nil where it is gone.
    func build(_ number: Int) -> Thing? {
        let node = nodes[number]
        guard !node.isGone else { return nil }
        var need = Card(nil)
        if let id = node.need {
            guard let value = needs[id] else { return nil }
            need = Card(id, value)
        }
        return Thing(node.id, node.value, need: need, node.parts.compactMap(build))
    }

    mutating func fault() -> String? {
        for index in 0..<random.number(1..<6) {
            let root = index == 0 ? 0 : random.number(0..<nodes.count)
            if let model = build(root) { holders.append((root, manual.subscriber(model), 0, model)) }
        }
        for step in 0..<8 {
            let (models, gone) = change()
            manual.manager.update(models, deleting: gone)
            manual.settle()
            if let fault = compare(step) { return fault }
        }
        holders = []
        manual.settle()
        return manual.isEmpty ? nil : "something is left: \(manual.manager.counts)"
    }

    private mutating func compare(_ step: Int) -> String? {
        for index in holders.indices {
            let holder = holders[index]
            let expected = holder.last == nil ? nil : build(holder.root)
            if expected != holder.last { holders[index].told += 1 }
            holders[index].last = expected
            let what = "step \(step), \(nodes.count) nodes: the holder of \(holder.root)"
            if holder.holder.model != expected { return "\(what) holds something else" }
            guard holder.holder.hearing.count == holders[index].told else {
                return "\(what) was told \(holder.holder.hearing.count) times, not \(holders[index].told)"
            }
        }
        return nil
    }

    /// Changes some nodes.
    ///
    /// - Returns: What is to be told of it.
    private mutating func change() -> (models: [any ConsistentModel], gone: [ModelID]) {
        var told: Set<Int> = []
        var (models, gone): ([any ConsistentModel], [ModelID]) = ([], [])
        for _ in 0..<random.pick([1, 1, 2, 5, 50]) {
            let number = random.number(0..<nodes.count)
            guard let id = nodes[number].id, !nodes[number].isGone else { continue }
            switch random.number(0..<20) {
            case 0 where number > 0:
                nodes[number].isGone = true
                gone.append(ModelID(id))
            case 1...3 where !nodes[number].parts.isEmpty:
                nodes[number].parts.remove(at: random.number(0..<nodes[number].parts.count))
                told.insert(number)
            case 4...6:
                nodes.append(Node(id: random.chance(4) ? nil : "\(nodes.count)", value: 1))
                nodes[number].parts.append(nodes.count - 1)
                told.insert(number)
            default:
                nodes[number].value += random.number(0..<2)
                told.insert(number)
            }
        }
        changeNeeds(&models, &gone)
        // Nothing is told of what is gone.
        for number in told.sorted() where !nodes[number].isGone {
            if let model = build(number) { models.append(model) }
        }
        return (models, gone)
    }

    private mutating func changeNeeds(_ models: inout [any ConsistentModel], _ gone: inout [ModelID]) {
        let id = "need \(random.number(0..<30))"
        guard let value = needs[id] else { return }
        if random.chance(30) {
            needs[id] = nil
            gone.append(ModelID(id))
        } else if random.chance(2) {
            needs[id] = value + 1
            models.append(Card(id, value + 1))
        }
    }
}
