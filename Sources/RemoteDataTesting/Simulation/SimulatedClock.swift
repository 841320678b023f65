import RemoteDataExecution

/// The clock of a simulation: time goes by only when there is nothing else to do.
struct SimulatedClock: Clock {
    typealias Instant = ManualClock.Instant

    let scheduler: SimulatedScheduler

    var now: Instant { Instant(offset: scheduler.now) }

    var minimumResolution: Duration { .nanoseconds(1) }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        let waiter = OneShot<Void>()
        let timer = scheduler.after(now.duration(to: deadline)) { waiter.resume(.success(())) }
        defer { scheduler.cancel(timer) }
        try await withTaskCancellationHandler {
            try await waiter.value()
        } onCancel: {
            waiter.resume(.failure(CancellationError()))
        }
    }
}
