import RemoteDataTesting
import Synchronization
import Testing

@testable import RemoteData

/// Generated histories, compared with an implementation that rebuilds everything.
@Suite struct ConsistencyHistoryTests {
    @Test func listenersAreToldWhatRebuildingEverythingMakesOfTheirModels() async {
        let faults = await Campaign.faults(in: Campaign.size(quick: 2_000)) {
            History(seed: UInt64($0), isInOrder: true).fault()
        }
        #expect(faults.isEmpty, "history \(faults.first?.number ?? 0): \(faults.first?.fault ?? "")")
    }

    @Test func modelsReplacedBeforeTheirHoldersAreToldArePutTogetherWithWhatIsTold() async {
        let faults = await Campaign.faults(in: Campaign.size(quick: 2_000)) {
            History(seed: UInt64($0), isInOrder: false).fault()
        }
        #expect(faults.isEmpty, "history \(faults.first?.number ?? 0): \(faults.first?.fault ?? "")")
    }
}

/// One who is told, and what it should hold.
private final class Holder: Sendable {
    struct Told: Sendable {
        let model: (any ConsistentModel)?
        let updates: ModelUpdates
        let context: Int?
    }

    let told = Mutex<[Told]>([])

    func take(_ model: (any ConsistentModel)?, _ updates: ModelUpdates, _ context: ConsistencyContext) {
        told.withLock { $0.append(Told(model: model, updates: updates, context: context[Int.self])) }
    }
}

/// A listener that may be asked for its model.
private final class Listener: ConsistencyListener {
    let holder = Holder()
    let model: Mutex<(any ConsistentModel)?>

    init(_ model: any ConsistentModel) { self.model = Mutex(model) }

    func currentModel() -> (any ConsistentModel)? { model.withLock { $0 } }

    func modelUpdated(_ model: (any ConsistentModel)?, updates: ModelUpdates, context: ConsistencyContext) {
        self.model.withLock { $0 = model }
        holder.take(model, updates, context)
    }
}

/// What a holder is expected to be told, and to hold.
private struct Expected {
    let listener: Listener
    var model: (any ConsistentModel)?
    /// The model when it was paused.
    var paused: (base: any ConsistentModel, deleted: Set<ModelID>, context: Int?)?
    /// What was deleted while it was paused and it has not been told.
    var untold: Set<ModelID> = []
    var told: [Holder.Told] = []
    /// What was said with the last change.
    var context: Int?
}

/// One history: holders come, go, and are paused, while things are told.
private struct History {
    var pool: ThingPool
    let work = ManualQueue()
    let delivery = ManualQueue()
    let manager: ConsistencyManager
    var holders: [Expected] = []
    /// Whether models are replaced only by those who have been told everything.
    let isInOrder: Bool
    /// What was deleted and not told yet.
    var untoldDeletions: Set<ModelID> = []

    init(seed: UInt64, isInOrder: Bool) {
        self.isInOrder = isInOrder
        pool = ThingPool(seed: seed)
        manager = ConsistencyManager(delivery: delivery.delivery, work: work.delivery)
    }

    func fault() -> String? {
        var history = self
        return history.run()
    }

    mutating func run() -> String? {
        for _ in 0..<pool.random.number(1..<5) { add() }
        for step in 0..<pool.random.number(1..<14) {
            switch pool.random.number(0..<12) {
            case 0: add()
            case 1: remove()
            case 2: pause()
            case 3: resume()
            case 4: replaceInOrder()
            case 5 where !isInOrder, 6 where !isInOrder: replaceEarly()
            default: tell(step)
            }
            work.runAll()
            // Those who are told late are told all the same.
            if !pool.random.chance(isInOrder ? 4 : 2) { deliver() }
            if let fault = fault(at: step, all: false) { return fault }
        }
        for index in holders.indices { resume(index) }
        settle()
        if let fault = fault(at: -1, all: true) { return fault }
        for holder in holders { manager.remove(holder.listener) }
        settle()
        let counts = manager.counts
        return counts == (0, 0, 0) ? nil : "something is left: \(counts)"
    }

    private mutating func settle() {
        work.runAll()
        deliver()
        work.runAll()
        deliver()
    }

    private mutating func deliver() {
        delivery.runAll()
        untoldDeletions = []
        for index in holders.indices { holders[index].untold = [] }
    }

    // MARK: Steps

    private mutating func add() {
        let model = pool.model()
        let listener = Listener(model)
        manager.add(listener)
        // What is a part of itself is not held.
        guard !NaivePost.isPartOfItself(model) else { return manager.remove(listener) }
        holders.append(Expected(listener: listener, model: model))
    }

    private mutating func remove() {
        guard !holders.isEmpty else { return }
        settle()
        let holder = holders.remove(at: pool.random.number(0..<holders.count))
        manager.remove(holder.listener)
    }

    private mutating func pause() {
        guard !holders.isEmpty else { return }
        settle()
        let index = pool.random.number(0..<holders.count)
        guard holders[index].paused == nil, let model = holders[index].model else { return }
        manager.pause(holders[index].listener)
        holders[index].paused = (model, [], nil)
    }

    private mutating func resume() {
        guard !holders.isEmpty else { return }
        resume(pool.random.number(0..<holders.count))
    }

    private mutating func resume(_ index: Int) {
        manager.resume(holders[index].listener)
        guard let paused = holders[index].paused else { return }
        holders[index].paused = nil
        let (base, model) = (NaivePost.byID(paused.base), holders[index].model)
        if let model, model.isSame(as: paused.base) { return }
        let after = model.map(NaivePost.byID) ?? [:]
        let changed = model.map { NaivePost.changed(paused.base, $0) } ?? []
        let deleted = paused.deleted.intersection(base.keys).subtracting(after.keys)
        let updates = ModelUpdates(changed: changed, deleted: deleted)
        holders[index].told.append(Holder.Told(model: model, updates: updates, context: paused.context))
        holders[index].untold = paused.deleted
    }

    /// A holder that has been told everything holds something else.
    private mutating func replaceInOrder() {
        guard !holders.isEmpty else { return }
        settle()
        let (index, model) = (pool.random.number(0..<holders.count), pool.model())
        guard holders[index].paused == nil, !NaivePost.isPartOfItself(model) else { return }
        holders[index].listener.model.withLock { $0 = model }
        manager.add(holders[index].listener)
        holders[index].model = model
    }

    /// A holder puts something else in the place of its model before it is told what has become of that.
    private mutating func replaceEarly() {
        let indices = holders.indices.filter { holders[$0].paused == nil }
        guard !indices.isEmpty else { return }
        let index = pool.random.pick(Array(indices))
        let listener = holders[index].listener
        guard let base = listener.currentModel() else { return }
        let mine = edited(base)
        let toldCount = listener.holder.told.withLock { $0.count }
        let (theirs, deleted) = (holders[index].model, unknownDeletions(base, holders[index]))
        listener.model.withLock { $0 = mine }
        // It says so, or is found out when it is told something else.
        let isFoundOut = toldCount < holders[index].told.count && !mine.isSame(as: base)
        if !isFoundOut || pool.random.chance(2) { manager.add(listener) }
        settle()
        holders[index].told.removeLast(holders[index].told.count - toldCount)
        var model: (any ConsistentModel)? = mine
        if let theirs, !theirs.isSame(as: base) {
            model = NaiveMerge(base: base, theirs: theirs).merged(mine)
        }
        model = model.flatMap { NaivePost([], deleted: Array(deleted))?.applied(to: $0).model }
        if let model, NaivePost.isPartOfItself(model) {
            manager.remove(listener)
            holders.remove(at: index)
            return
        }
        holders[index].model = model
        if let model, model.isSame(as: mine) { return }
        let context = holders[index].context
        holders[index].told.append(Holder.Told(model: model, updates: ModelUpdates(), context: context))
    }

    /// What was deleted of a model, not told, and has not come back.
    private func unknownDeletions(_ base: any ConsistentModel, _ holder: Expected) -> Set<ModelID> {
        let gone = untoldDeletions.union(holder.untold).intersection(NaivePost.byID(base).keys)
        return holder.model.map { gone.subtracting(NaivePost.byID($0).keys) } ?? gone
    }

    /// A model in which one of those it is made of is another.
    private mutating func edited(_ model: any ConsistentModel) -> any ConsistentModel {
        let ids = NaivePost.byID(model).keys.sorted { $0.text < $1.text }
        guard !ids.isEmpty else { return model }
        let (id, number) = (pool.random.pick(ids), pool.random.number(10..<20))
        func edited(_ model: any ConsistentModel) -> any ConsistentModel {
            let model = model.map { edited($0) } ?? model
            guard model.modelID == id else { return model }
            switch model {
            case var card as Card:
                card.value = number
                return card
            case var thing as Thing:
                if number < 15 { thing.value = number } else { thing.maybe = nil }
                return thing
            default: return model
            }
        }
        return edited(model)
    }

    private mutating func tell(_ step: Int) {
        let models = (0..<pool.random.pick([0, 1, 1, 1, 2, 3])).map { _ in pool.model() }
        let deleted = (0..<pool.random.pick([0, 0, 0, 1, 2])).map { _ in pool.id() }
        manager.update(models, deleting: deleted, context: ConsistencyContext(step))
        guard let post = NaivePost(models, deleted: deleted) else { return }
        for index in holders.indices {
            guard let old = holders[index].model else { continue }
            let (model, updates) = post.applied(to: old)
            if model.map({ $0.isSame(as: old) || NaivePost.isPartOfItself($0) }) ?? false { continue }
            holders[index].model = model
            holders[index].context = step
            untoldDeletions.formUnion(updates.deleted.union(deleted))
            if holders[index].paused != nil {
                holders[index].paused?.deleted.formUnion(updates.deleted)
                holders[index].paused?.context = step
            } else {
                holders[index].told.append(Holder.Told(model: model, updates: updates, context: step))
            }
        }
    }

    // MARK: Comparing

    private func fault(at step: Int, all: Bool) -> String? {
        for (index, holder) in holders.enumerated() {
            let told = holder.listener.holder.told.withLock { $0 }
            if told.count > holder.told.count || all && told.count < holder.told.count {
                return "step \(step): holder \(index) was told \(told.count) times, not \(holder.told.count)"
            }
            for (place, (told, expected)) in zip(told, holder.told).enumerated() {
                if let fault = difference(told, expected) {
                    return "step \(step): holder \(index), told \(place): \(fault)"
                }
            }
        }
        return nil
    }

    private func difference(_ told: Holder.Told, _ expected: Holder.Told) -> String? {
        switch (told.model, expected.model) {
        case (nil, nil): break
        case (let model?, let other?) where model.isSame(as: other): break
        default: return "\(String(describing: told.model)) is not \(String(describing: expected.model))"
        }
        // Where models are put together, one may be there in two versions.
        if isInOrder, told.updates != expected.updates {
            return "\(told.updates) are not \(expected.updates) of \(String(describing: told.model))"
        }
        return told.context == expected.context
            ? nil : "said \(told.context ?? -1), not \(expected.context ?? -1)"
    }
}
