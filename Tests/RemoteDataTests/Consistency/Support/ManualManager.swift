@testable import RemoteData

/// A manager that does nothing until it is told to.
struct ManualManager {
    let work = ManualQueue()
    let delivery = ManualQueue()
    let manager: ConsistencyManager

    /// - Parameter limit: How much may wait to be told before it is put together.
    init(limit: Int = 1_024) {
        manager = ConsistencyManager(delivery: delivery.delivery, work: work.delivery, limit: limit)
    }

    /// Does all that was asked for, and tells it, and what comes of that as well.
    func settle() {
        for _ in 0..<4 {
            work.runAll()
            delivery.runAll()
        }
    }

    /// Somebody who holds a model, which the manager has taken notice of.
    func subscriber<Model: ConsistentModel>(_ model: Model) -> Subscriber<Model> {
        let subscriber = Subscriber(manager, model)
        settle()
        return subscriber
    }

    /// A listener that holds a model, which the manager has taken notice of.
    func listener(_ model: (any ConsistentModel)?, _ then: (@Sendable () -> Void)? = nil) -> RecordingListener
    {
        let listener = RecordingListener(model, then)
        manager.add(listener)
        settle()
        return listener
    }

    /// Says something newer of models, and has it told.
    func update(_ models: any ConsistentModel..., deleting ids: [ModelID] = [], saying context: Int = 0) {
        manager.update(models, deleting: ids, context: ConsistencyContext(context))
        settle()
    }

    /// Says that a model is no more, and has it told.
    func delete(_ id: ModelID, saying context: Int = 0) {
        manager.delete(id, context: ConsistencyContext(context))
        settle()
    }

    /// Whether nothing is kept any more.
    var isEmpty: Bool { manager.counts == (0, 0, 0) }
}
