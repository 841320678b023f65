import Foundation
import RemoteDataExecution
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct TimerClockTests {
    @Test func aSleepEndsNotBeforeItsMoment() async throws {
        let clock = TimerClock()
        let end = clock.now.advanced(by: .milliseconds(5))
        try await clock.sleep(until: end)
        #expect(clock.now >= end)
    }

    @Test func aMomentThatIsPastIsNotWaitedFor() async throws {
        let clock = TimerClock()
        try await clock.sleep(until: clock.now.advanced(by: .seconds(-1)))
    }

    @Test func cancellingEndsASleepAtOnce() async {
        let task = Task { try await TimerClock().sleep(for: .seconds(3_600)) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func aCancelledTaskDoesNotBeginToSleep() async {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await TimerClock().sleep(for: .zero)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func aSleepOfCenturiesCanBeBegunAndCancelled() async {
        let task = Task { try await TimerClock().sleep(for: .seconds(Int64.max / 4)) }
        await Task.yield()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func durationsAreRoundedDownToNanoseconds() {
        #expect(Duration.milliseconds(1_500).dispatchInterval == .nanoseconds(1_500_000_000))
        #expect(
            Duration(secondsComponent: 0, attosecondsComponent: 1_999_999_999).dispatchInterval
                == .nanoseconds(1)
        )
        #expect(Duration.seconds(Int64.max / 4).dispatchInterval == .nanoseconds(.max))
    }

    @Test func manySleepsAndCancellationsAtOnceEachEndOnce() async {
        await withTaskGroup { group in
            for number in 0..<500 {
                group.addTask {
                    // Short enough to be over while it is cancelled.
                    let task = Task { try await TimerClock().sleep(for: .nanoseconds(number)) }
                    if number % 2 == 0 { task.cancel() }
                    _ = await task.result
                }
            }
        }
    }

    @Test func sleepsEndWhileEveryThreadOfThePoolIsBlocked() async {
        // As many tasks as block all threads of the shared pool, released by a sleep that begins when they all are.
        let pool = BlockedPool(count: ProcessInfo.processInfo.activeProcessorCount)
        Task(executorPreference: WorkerExecutor.background) {
            try await pool.isBlocked.value()
            try await TimerClock().sleep(for: .nanoseconds(1))
            pool.release()
        }
        await withTaskGroup { group in
            for _ in 0..<pool.count { group.addTask { #expect(pool.block() == .success) } }
        }
    }
}

/// Threads that are held until all are released.
private final class BlockedPool: Sendable {
    let count: Int
    /// Resumed when all of them are held.
    let isBlocked = OneShot<Void>()
    private let blocked = Atomic(0)
    private let slept = DispatchSemaphore(value: 0)

    init(count: Int) { self.count = count }

    /// Holds the current thread.
    func block() -> DispatchTimeoutResult {
        if blocked.add(1, ordering: .relaxed).newValue == count { isBlocked.resume(.success(())) }
        return slept.wait(timeout: .now() + 20)
    }

    func release() { for _ in 0..<count { slept.signal() } }
}
