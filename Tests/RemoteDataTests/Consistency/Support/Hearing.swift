import RemoteData
import Synchronization

/// What somebody was told, in its order.
final class Hearing: Sendable {
    struct Told: Sendable {
        let model: (any ConsistentModel)?
        let updates: ModelUpdates
        let context: ConsistencyContext
    }

    private let all = Mutex<[Told]>([])

    func note(_ model: (any ConsistentModel)?, _ updates: ModelUpdates, _ context: ConsistencyContext) {
        all.withLock { $0.append(Told(model: model, updates: updates, context: context)) }
    }

    var told: [Told] { all.withLock { $0 } }
    var count: Int { told.count }
    /// The models, as things; nil for what was deleted.
    var things: [Thing?] { told.map { $0.model as? Thing } }
    var cards: [Card?] { told.map { $0.model as? Card } }
    var updates: [ModelUpdates] { told.map(\.updates) }
    /// What was said with them, as numbers.
    var contexts: [Int?] { told.map { $0.context[Int.self] } }
}

/// Things in the order in which they happen.
final class EventLog<Event: Sendable>: Sendable {
    private let all = Mutex<[Event]>([])

    func note(_ event: Event) { all.withLock { $0.append(event) } }

    var events: [Event] { all.withLock { $0 } }
}

/// Somebody who holds a model with a subscription.
struct Subscriber<Model: ConsistentModel>: Sendable {
    let subscription: ConsistencySubscription<Model>
    let hearing: Hearing

    init(_ manager: ConsistencyManager, _ model: Model) {
        let hearing = Hearing()
        self.hearing = hearing
        subscription = manager.subscribe(to: model) { hearing.note($0.model, $0.updates, $0.context) }
    }

    init(_ manager: ConsistencyManager, waitingFor id: ModelID, of type: Model.Type) {
        let hearing = Hearing()
        self.hearing = hearing
        subscription = manager.subscribe(to: id, of: type) { hearing.note($0.model, $0.updates, $0.context) }
    }

    var model: Model? { subscription.model }
}
