import Dispatch
import RemoteDataExecution
import Synchronization

/// Keeps models the same wherever they are held.
///
/// Whoever holds a model listens, as a ``ConsistencyListener`` or with a ``ConsistencySubscription``. Whoever learns something newer
/// of a model says so with ``update(_:context:)-(ConsistentModel,_)``; everyone who holds the model, by itself or as a part of another, is told of the model as it is then.
///
/// ```swift
/// let manager = ConsistencyManager()
/// let subscription = manager.subscribe(to: message) { change in
///     print(change.model?.author.isOnline ?? false)
/// }
/// manager.update(Person(id: "ada", name: "Ada", isOnline: true))
/// ```
///
/// All is done in the order in which it is asked for, on a thread of the manager's, and told on its delivery queue; where that is a private one, both are done there. No method blocks. What is asked for later is
/// newer: where a listener has put another model in its own model's place after a change was asked for and before it was told, it is told of both put together.
public final class ConsistencyManager: Sendable {
    private struct Queue {
        var time: UInt64 = 0
        var jobs: [Errand] = []
        /// Whether they will be done.
        var isScheduled = false
        /// Whether they will be done elsewhere.
        var isDiverted = false
        /// Whether some are being done.
        var isWorking = false
    }

    // SAFETY: only `run()` looks at it, of which one runs at a time: `Queue.isWorking` says so, under a lock. Itself it needs none,
    // and must have none: models are compared there, by code of others.
    private final class Desk: @unchecked Sendable {
        var core = ConsistencyCore()
        /// What was taken from the queue and is not done yet.
        var backlog: ArraySlice<Errand> = []
    }

    /// A job as it was asked for.
    private struct Errand {
        let time: UInt64
        let job: ConsistencyCore.Job
        /// Up to when whoever asked for it had been told everything.
        let toldUntil: UInt64
    }

    private struct Outbound {
        var tellings: [Telling] = []
        /// How many of them are put together.
        var nextFold: Int
        var isRunning = false
        /// Up to when everything has been told.
        var toldUntil: UInt64 = 0
    }

    /// Is told everything, with when that was initiated.
    typealias Observer = @Sendable ([ModelID: ModelNews], ConsistencyContext, UInt64) -> Void

    struct Audience {
        var listeners: [ObjectIdentifier: Listening] = [:]
        var observers: [Int: Observer] = [:]
        var nextObserver = 0
        var nextSweep = 64
        /// What is done at the end of what is told at once.
        var roundEnds: [@Sendable () -> Void] = []
        weak var delegate: (any ConsistencyManagerDelegate)?
    }

    let surroundings: Surroundings
    private let delivery: DeliveryQueue
    private let work: DeliveryQueue
    /// Where work is done as long as it cannot be done where it should, because somebody who is told something holds it up.
    private let detour: DeliveryQueue?
    /// How much may wait to be told.
    private let limit: Int
    /// How much may wait to be done: more is only there when somebody holds that up.
    private var jobLimit: Int { limit * 64 }
    private let queue = Mutex(Queue())
    private let desk = Desk()
    private let known = Mutex(ConsistencyCore().counts)
    /// Up to when nothing is done any more.
    private let cancelledUntil = Atomic<UInt64>(0)
    private let outbound: Mutex<Outbound>
    let audience = Mutex(Audience())

    /// Creates one without listeners.
    ///
    /// - Parameter delivery: Where listeners are called, one after another: for an app the main queue, for others a private one.
    public convenience init(delivery: DeliveryQueue = .privateQueue) {
        let queue = DeliveryQueue.queue(DispatchQueue(label: "remote-data.consistency"))
        // Where it can be the same, one thread is woken instead of two.
        if delivery.isPrivate {
            self.init(delivery: delivery, work: delivery, detour: queue)
        } else {
            self.init(delivery: delivery, work: queue)
        }
    }

    init(
        delivery: DeliveryQueue,
        work: DeliveryQueue,
        detour: DeliveryQueue? = nil,
        limit: Int = 1_024,
        surroundings: Surroundings = Surroundings()
    ) {
        self.surroundings = surroundings
        self.delivery = delivery
        self.work = work
        self.detour = detour
        self.limit = limit
        outbound = Mutex(Outbound(nextFold: limit))
    }

    /// Who is told of what cannot be done; held weakly.
    public var delegate: (any ConsistencyManagerDelegate)? {
        get { audience.withLock { $0.delegate } }
        set { audience.withLock { $0.delegate = newValue } }
    }

    // MARK: Changing models

    /// There is something newer of a model, and of all that it is made of.
    ///
    /// Takes no time of the caller's; costs later what its own size and those who hold some of it ask for.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - context: What those who are told are to know with it.
    public func update(_ model: any ConsistentModel, context: ConsistencyContext = .none) {
        update([model], context: context)
    }

    /// There is something newer of several models, which is one change: each listener is told once.
    ///
    /// Of several versions of one model the last counts.
    ///
    /// - Parameters:
    ///   - models: The models.
    ///   - ids: Models that are no more, in the same change.
    ///   - context: What those who are told are to know with it.
    public func update(
        _ models: [any ConsistentModel],
        deleting ids: [ModelID] = [],
        context: ConsistencyContext = .none
    ) { enqueue { _ in .update(models, deleted: ids, context) } }

    /// A model is no more.
    ///
    /// It goes from all who hold it: from lists and where it may be missing, and elsewhere together with what cannot be without it. Those who
    /// hold nothing else are told of nil. What it was made of stays. A model without an id is told to the delegate as an error.
    public func delete(_ model: any ConsistentModel, context: ConsistencyContext = .none) {
        if let id = model.modelID {
            delete(id, context: context)
        } else {
            let type = type(of: model)
            let error = RemoteDataError(.invalidModel, "A \(type) without an id cannot be deleted.")
            enqueue { _ in .fail(error) }
        }
    }

    /// The model with an id is no more.
    public func delete(_ id: ModelID, context: ConsistencyContext = .none) {
        enqueue { _ in .update([], deleted: [id], context) }
    }

    // MARK: Waiting

    /// Waits until all that was asked for before has been told.
    ///
    /// Not to be awaited by what holds up the delivery queue.
    ///
    /// - Parameter limit: How long to wait.
    /// - Returns: Whether it has been; false at the limit, and when the task is cancelled.
    @discardableResult public func settled(within limit: Duration = .seconds(60)) async -> Bool {
        do throws(RemoteDataError) {
            try await RemoteData.within(limit, surroundings) { [self] () async throws(RemoteDataError) in
                // Whoever is found to have another model than is known is told of it once more.
                for _ in 0..<2 {
                    let told = OneShot<Void>()
                    enqueue { _ in .notify { told.resume(.success(())) } }
                    try await told.awaited()
                }
            }
            return true
        } catch {
            return false
        }
    }

    /// Forgets all listeners; what was asked for and not told yet is told to nobody.
    public func removeAll() {
        let listeners = audience.withLock { audience in
            defer { audience.listeners = [:] }
            return audience.listeners
        }
        enqueue { time in
            cancelledUntil.store(time - 1, ordering: .releasing)
            return .forgetAll
        }
        // Not under the lock: whoever goes with them may have something to do with the manager.
        withExtendedLifetime(listeners) {}
    }

    /// Lets go of what is kept for listeners that are gone; that is done now and then anyway, as new ones come.
    public func cleanMemory() {
        forgetListeners()
        enqueue { _ in .clean }
    }

    /// How many ids, trees and listeners are known, for tests and figures.
    package var counts: (ids: Int, trees: Int, listeners: Int) { known.withLock(\.self) }

    /// What is asked for from now on is later.
    var now: UInt64 { queue.withLock { $0.time } }

    /// Up to when everything has been told.
    var toldUntil: UInt64 { outbound.withLock { $0.toldUntil } }

    // MARK: Working

    /// Does something later, in the order of times.
    ///
    /// - Parameter job: What is to be done, at a time that is now; nil for nothing after all. Runs under a lock.
    func enqueue(_ job: (UInt64) -> ConsistencyCore.Job?) {
        let toldUntil = outbound.withLock { $0.toldUntil }
        let (starts, diverts) = queue.withLock { queue in
            queue.time += 1
            guard let job = job(queue.time) else { return (false, false) }
            queue.jobs.append(Errand(time: queue.time, job: job, toldUntil: toldUntil))
            // Whoever is at it sees to the rest, behind what is to be told by then.
            let starts = !queue.isScheduled && !queue.isWorking
            let diverts = queue.jobs.count >= jobLimit && !queue.isWorking && !queue.isDiverted
            queue.isScheduled = queue.isScheduled || starts
            queue.isDiverted = queue.isDiverted || diverts
            return (starts, diverts)
        }
        if starts { work.run { self.run() } }
        if diverts { detour?.run { self.run(isDetour: true) } }
    }

    /// Whether what was asked for at a time is told to nobody.
    func isCancelled(_ time: UInt64) -> Bool { time <= cancelledUntil.load(ordering: .acquiring) }

    private func run(isDetour: Bool = false) {
        let begins = queue.withLock { queue in
            if isDetour { queue.isDiverted = false } else { queue.isScheduled = false }
            // Whoever is at it sees to the rest.
            guard !queue.isWorking else { return false }
            queue.isWorking = true
            return true
        }
        guard begins else { return }
        if desk.backlog.isEmpty { desk.backlog = takeJobs() }
        // What is told wants the queue in between, before it is so much that it is put together.
        let count = isDetour ? desk.backlog.count : max(1, limit / 2)
        for errand in desk.backlog.prefix(count) { run(errand) }
        desk.backlog = desk.backlog.dropFirst(count)
        let isDone = desk.backlog.isEmpty
        if isDone { desk.backlog = [] }
        let (goesOn, diverts) = queue.withLock { queue in
            queue.isWorking = false
            let isMore = !isDone || !queue.jobs.isEmpty
            defer { queue.isScheduled = queue.isScheduled || isMore }
            queue.isDiverted = queue.isDiverted || isDetour && queue.jobs.count >= jobLimit
            return (isMore && !queue.isScheduled, isDetour && queue.isDiverted)
        }
        if goesOn { work.run { self.run() } }
        if diverts { detour?.run { self.run(isDetour: true) } }
    }

    private func takeJobs() -> ArraySlice<Errand> {
        queue.withLock { queue in
            defer { queue.jobs = [] }
            return queue.jobs[...]
        }
    }

    private func run(_ errand: Errand) {
        guard let job = isCancelled(errand.time) ? errand.job.notice : errand.job else {
            return errand.job.abandon()
        }
        let wantsAll = audience.withLock { !$0.observers.isEmpty }
        let telling = desk.core.run(
            job,
            at: errand.time,
            toldUntil: errand.toldUntil,
            wantsAll: wantsAll
        )
        let counts = desk.core.counts
        known.withLock { $0 = counts }
        tell(telling)
    }

    private func tell(_ telling: Telling) {
        let (starts, isCrowded) = outbound.withLock { outbound in
            if telling.isEmpty, outbound.tellings.isEmpty, !outbound.isRunning {
                outbound.toldUntil = telling.time
                return (false, false)
            }
            outbound.tellings.append(telling)
            defer { outbound.isRunning = true }
            return (!outbound.isRunning, outbound.tellings.count >= outbound.nextFold)
        }
        if starts { delivery.run { self.deliver() } }
        if isCrowded { fold() }
    }

    /// Puts together what the delivery queue has not taken yet; as part of working, so nothing is added meanwhile.
    private func fold() {
        let waiting = outbound.withLock { outbound in
            defer { outbound.tellings = [] }
            return outbound.tellings
        }
        let folded = Telling.folded(waiting)
        let starts = outbound.withLock { outbound in
            outbound.tellings = folded
            outbound.nextFold = max(limit, folded.count * 2)
            defer { outbound.isRunning = outbound.isRunning || !folded.isEmpty }
            return !outbound.isRunning && !folded.isEmpty
        }
        if starts { delivery.run { self.deliver() } }
    }

    /// How much waits to be done and to be told, for tests.
    var waitingCounts: (jobs: Int, tellings: Int) {
        (queue.withLock { $0.jobs.count }, outbound.withLock { $0.tellings.count })
    }

    private func deliver() {
        let tellings = outbound.withLock { outbound in
            defer { outbound.tellings = [] }
            return outbound.tellings
        }
        for telling in tellings {
            telling.waiter?()
            if !isCancelled(telling.time) { deliver(telling) }
            endRound()
        }
        let goesOn = outbound.withLock { outbound in
            if let last = tellings.last { outbound.toldUntil = last.time }
            outbound.isRunning = !outbound.tellings.isEmpty
            return outbound.isRunning
        }
        // Others may want the queue in between.
        if goesOn { delivery.run { self.deliver() } }
    }
}
