import Foundation
import RemoteDataExecution
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
                    let task = Task { try await TimerClock().sleep(for: .milliseconds(number % 5)) }
                    if number % 2 == 0 { task.cancel() }
                    _ = await task.result
                }
            }
        }
    }

    @Test func sleepsEndWhileEveryThreadOfThePoolIsBlocked() async {
        // As many tasks as block all threads of the shared pool, each released by a sleep that needs none
        // of them.
        let count = ProcessInfo.processInfo.activeProcessorCount
        await withTaskGroup { group in
            for _ in 0..<count { group.addTask { blockUntilSlept() } }
        }
    }
}

/// Holds the current thread until a sleep on the library's own threads is over.
private func blockUntilSlept() {
    let slept = DispatchSemaphore(value: 0)
    Task(executorPreference: WorkerExecutor.background) {
        try? await TimerClock().sleep(for: .milliseconds(10))
        slept.signal()
    }
    #expect(slept.wait(timeout: .now() + 20) == .success)
}
