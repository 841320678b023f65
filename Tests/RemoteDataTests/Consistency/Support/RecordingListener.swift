import RemoteData
import Synchronization

/// A listener that takes what it is told for its model, and notes it.
final class RecordingListener: ConsistencyListener {
    let hearing = Hearing()
    private let held: Mutex<(any ConsistentModel)?>
    private let then: (@Sendable () -> Void)?

    /// Holds a model, and does something else as well when it is told something.
    init(_ model: (any ConsistentModel)?, _ then: (@Sendable () -> Void)? = nil) {
        held = Mutex(model)
        self.then = then
    }

    var thing: Thing? { currentModel() as? Thing }

    /// Puts another model in the place of its own.
    func swap(_ model: (any ConsistentModel)?) { held.withLock { $0 = model } }

    func currentModel() -> (any ConsistentModel)? { held.withLock { $0 } }

    func modelUpdated(_ model: (any ConsistentModel)?, updates: ModelUpdates, context: ConsistencyContext) {
        swap(model)
        hearing.note(model, updates, context)
        then?()
    }
}

/// A delegate that notes what it is told.
final class RecordingDelegate: ConsistencyManagerDelegate {
    struct Replacement: Sendable {
        let old: any ConsistentModel
        let new: (any ConsistentModel)?
        let context: ConsistencyContext
    }

    let errors = EventLog<RemoteDataError>()
    let replacements = EventLog<Replacement>()
    private let then: (@Sendable () -> Void)?

    /// Does something else as well when a model is about to be replaced.
    init(_ then: (@Sendable () -> Void)? = nil) { self.then = then }

    func consistencyManager(_ manager: ConsistencyManager, failedWith error: RemoteDataError) {
        errors.note(error)
    }

    func consistencyManager(
        _ manager: ConsistencyManager,
        willReplace old: any ConsistentModel,
        with new: (any ConsistentModel)?,
        context: ConsistencyContext
    ) {
        replacements.note(Replacement(old: old, new: new, context: context))
        then?()
    }
}
