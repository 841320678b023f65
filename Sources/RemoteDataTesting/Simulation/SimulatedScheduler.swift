import RemoteData
import RemoteDataExecution
import Synchronization

/// Runs everything of a simulation, one job after another, on the thread of whoever drives it.
///
/// It is the executor of all tasks, the delivery queue, and the source of time: the clock stands still while there is
/// something to do, then jumps to the next timer. With a seed, which of the jobs that are ready comes next is drawn from it, and
/// so are all other choices; without one, jobs run in the order they came. Either way two runs alike do the same.
final class SimulatedScheduler: TaskExecutor, Sendable {
    typealias Action = @Sendable () -> Void

    fileprivate struct Timer {
        let deadline: Duration
        let id: Int
        let isMessage: Bool
        let action: Action
    }

    fileprivate enum Work {
        case job(UnownedJob)
        case delivery(Action)
        case timer(Timer)
        /// One that nobody waits for any more; it is let go of outside the lock.
        case cancelled(Timer)
    }

    fileprivate struct State {
        var now: Duration = .zero
        var jobs: [(number: Int, job: UnownedJob)] = []
        var firstJob = 0
        /// What is to be done on the delivery queue, in order.
        var lane: [(number: Int, action: Action?)] = []
        var firstOfLane = 0
        var laneOpens: Duration = .zero
        /// A heap, the earliest first; those cancelled stay until their time comes.
        var timers: [Timer] = []
        var cancelled: Set<Int> = []
        var live: Set<Int> = []
        var messages = 0
        var lastNumber = 0
        var steps = 0
        var trace: UInt64 = 0xCBF2_9CE4_8422_2325
        var generator: SeededGenerator
        let isShuffling: Bool
    }

    private let state: Mutex<State>

    /// - Parameter seed: What all choices are drawn from; nil for none.
    init(seed: UInt64?) {
        state = Mutex(State(generator: SeededGenerator(seed: seed ?? 0), isShuffling: seed != nil))
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { state in
            state.lastNumber += 1
            state.jobs.append((state.lastNumber, job))
        }
    }
}

// MARK: - Time and chance

extension SimulatedScheduler {
    /// The time since the simulation began.
    var now: Duration { state.withLock { $0.now } }

    /// How many jobs and timers were run.
    var steps: Int { state.withLock { $0.steps } }

    /// A hash of everything that happened, in order.
    var trace: UInt64 { state.withLock { $0.trace } }

    /// Whether choices are drawn from a seed.
    var isShuffling: Bool { state.withLock { $0.isShuffling } }

    /// How many messages are under way.
    var messages: Int { state.withLock { $0.messages } }

    /// Whether something waits to be done, also for a delivery queue that does not run for a while.
    var isBusy: Bool { state.withLock { $0.isBusy } }

    /// A number from zero up to a limit; zero without a seed.
    func number(upTo limit: Int) -> Int {
        state.withLock { state in
            state.isShuffling && limit > 0 ? Int(state.generator.next() % UInt64(limit)) : 0
        }
    }

    /// A number from 0 to 1; a half without a seed.
    func chance() -> Double {
        state.withLock { $0.isShuffling ? Double($0.generator.next() >> 11) * 0x1p-53 : 0.5 }
    }

    /// Adds something to the hash of everything.
    func note(_ value: UInt64) { state.withLock { $0.note(value) } }

    /// Does something later, unless it is cancelled before.
    ///
    /// - Parameters:
    ///   - wait: How much later.
    ///   - isMessage: Whether it is a message that arrives.
    ///   - action: What to do.
    /// - Returns: What to cancel it by.
    @discardableResult
    func after(_ wait: Duration, isMessage: Bool = false, _ action: @escaping Action) -> Int {
        state.withLock { state in
            state.lastNumber += 1
            let deadline = state.now + max(.zero, wait)
            let timer = Timer(deadline: deadline, id: state.lastNumber, isMessage: isMessage, action: action)
            state.push(timer)
            return timer.id
        }
    }

    /// Forgets a timer, unless it has rung.
    func cancel(_ timer: Int) {
        state.withLock { state in if state.live.contains(timer) { state.cancelled.insert(timer) } }
    }

    /// Keeps the delivery queue from running for a while.
    func stallDelivery(for duration: Duration) {
        state.withLock { $0.laneOpens = max($0.laneOpens, $0.now + duration) }
        after(duration) {}
    }

    /// The delivery queue of the simulation.
    var delivery: DeliveryQueue {
        .custom(isCurrent: { false }) { [self] job in
            state.withLock { state in
                state.lastNumber += 1
                state.lane.append((state.lastNumber, job))
            }
        }
    }

    /// Starts a task.
    @discardableResult
    func start(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task(executorPreference: self) { await body() }
    }
}

extension SimulatedScheduler.State {
    var isBusy: Bool { firstJob < jobs.count || firstOfLane < lane.count }

    var isLaneOpen: Bool { firstOfLane < lane.count && laneOpens <= now }

    mutating func note(_ value: UInt64) {
        trace = (trace ^ value) &* 0x0000_0100_0000_01B3
        trace ^= trace >> 29
    }
}

// MARK: - Running

extension SimulatedScheduler {
    /// Does everything that can be done without time going by; at most so many things.
    @discardableResult
    func runReady(atMost limit: Int = .max) -> Int {
        var count = 0
        while count < limit, let work = state.withLock({ $0.nextReady() }) {
            run(work)
            count += 1
        }
        return count
    }

    /// How many steps something may take that nobody waits for, lest what goes on for ever be waited for as long.
    static var stepLimit: Int { 1_000_000 }

    /// Lets time go by.
    ///
    /// - Returns: Whether it did; not where that takes more steps than anything should.
    func run(for duration: Duration) -> Bool {
        let end = now + duration
        let left = run(until: end, steps: Self.stepLimit) { false }
        state.withLock { $0.now = max($0.now, end) }
        return left > 0
    }

    /// Runs until something is so, or for a time, or for a number of steps.
    ///
    /// - Returns: Whether it is so.
    @discardableResult
    func run(atMost duration: Duration, steps: Int = 200_000, until isDone: () -> Bool) -> Bool {
        _ = run(until: now + duration, steps: steps, isDone)
        return isDone()
    }

    /// - Returns: How many steps are left.
    private func run(until end: Duration, steps: Int, _ isDone: () -> Bool) -> Int {
        var left = steps
        while left > 0 {
            left -= runReady(atMost: left)
            guard !isDone(), let work = state.withLock({ $0.nextTimer(until: end) }) else { break }
            run(work)
            left -= 1
        }
        return left
    }

    private func run(_ work: Work) {
        switch work {
        case .job(let job):
            // SAFETY: each job was taken from the queue exactly once, so it is run exactly once.
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        case .delivery(let action): action()
        case .timer(let timer): timer.action()
        case .cancelled: break
        }
    }

    /// Runs every timer that is left at once, so that nothing is left waiting when the simulation is let go.
    func drain(atMost limit: Int = 100_000) -> Bool {
        var left = limit
        while left > 0 {
            left -= runReady(atMost: left)
            guard let work = state.withLock({ $0.nextTimer(until: .seconds(100_000_000)) }) else {
                return !isBusy
            }
            run(work)
            left -= 1
        }
        return false
    }
}

extension SimulatedScheduler.State {
    fileprivate mutating func nextReady() -> SimulatedScheduler.Work? {
        let (jobCount, hasDelivery) = (jobs.count - firstJob, isLaneOpen)
        let choices = jobCount + (hasDelivery ? 1 : 0)
        guard choices > 0 else { return nil }
        steps += 1
        guard isShuffling else {
            if hasDelivery, jobCount == 0 || lane[firstOfLane].number < jobs[firstJob].number {
                return takeDelivery()
            }
            return takeJob(0)
        }
        let draw = generator.next()
        // Now and then something arrives while others are still at work.
        if draw >> 60 == 0, let next = timers.first, next.deadline <= now + .milliseconds(20),
            let work = nextTimer(until: next.deadline)
        {
            return work
        }
        let choice = choices == 1 ? 0 : Int((draw & 0xFFFF_FFFF) % UInt64(choices))
        note(UInt64(choices) << 8 | UInt64(choice))
        return choice < jobCount ? takeJob(choice) : takeDelivery()
    }

    private mutating func takeJob(_ choice: Int) -> SimulatedScheduler.Work {
        let job = jobs[firstJob + choice].job
        if choice > 0 {
            // The others keep their order.
            jobs.remove(at: firstJob + choice)
        } else {
            firstJob += 1
        }
        if firstJob == jobs.count {
            jobs.removeAll(keepingCapacity: true)
            firstJob = 0
        }
        return .job(job)
    }

    private mutating func takeDelivery() -> SimulatedScheduler.Work {
        // Taken out, lest what it holds be let go of under the lock.
        let action = lane[firstOfLane].action.take()
        firstOfLane += 1
        if firstOfLane == lane.count {
            lane.removeAll(keepingCapacity: true)
            firstOfLane = 0
        }
        return .delivery(action ?? {})
    }

    /// Moves the clock to the next timer that is due by a moment.
    fileprivate mutating func nextTimer(until end: Duration) -> SimulatedScheduler.Work? {
        guard let first = timers.first, first.deadline <= end else { return nil }
        pop()
        live.remove(first.id)
        if first.isMessage { messages -= 1 }
        guard cancelled.remove(first.id) == nil else { return .cancelled(first) }
        now = max(now, first.deadline)
        steps += 1
        note(UInt64(truncatingIfNeeded: first.deadline.components.attoseconds) ^ UInt64(first.id))
        return .timer(first)
    }

    fileprivate mutating func push(_ timer: SimulatedScheduler.Timer) {
        live.insert(timer.id)
        if timer.isMessage { messages += 1 }
        timers.append(timer)
        var index = timers.count - 1
        while index > 0, isEarlier(index, (index - 1) / 2) {
            timers.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    private mutating func pop() {
        let last = timers.removeLast()
        guard !timers.isEmpty else { return }
        timers[0] = last
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < timers.count && isEarlier(child, least)
            {
                least = child
            }
            guard least != index else { return }
            timers.swapAt(index, least)
            index = least
        }
    }

    private func isEarlier(_ left: Int, _ right: Int) -> Bool {
        (timers[left].deadline, timers[left].id) < (timers[right].deadline, timers[right].id)
    }
}
