import RemoteDataTesting
import Testing

struct ManualClockTests {
    /// Waits on a clock that the test moves.
    private func waiting(_ duration: Duration, on clock: some Clock<Duration>) -> Task<Void, any Error> {
        let end = clock.now.advanced(by: duration)
        return Task { try await clock.sleep(until: end, tolerance: nil) }
    }

    @Test func sleepersWakeWhenTheirTimeComes() async throws {
        let clock = ManualClock()
        let short = waiting(.seconds(1), on: clock)
        let long = waiting(.seconds(5), on: clock)
        await clock.waitForSleepers(2)
        #expect(clock.sleepers == [.seconds(1), .seconds(5)])
        clock.advance(by: .seconds(2))
        try await short.value
        #expect(clock.sleepers == [.seconds(3)])
        #expect(clock.now.offset == .seconds(2))
        clock.advance(by: .seconds(3))
        try await long.value
        #expect(clock.sleepers == [])
    }

    @Test func aPassedDeadlineDoesNotWait() async throws {
        let clock = ManualClock()
        clock.advance(by: .seconds(10))
        try await clock.sleep(until: ManualClock.Instant(offset: .seconds(10)), tolerance: nil)
    }

    @Test func aCancelledSleeperStopsAtOnce() async {
        let clock = ManualClock()
        let task = waiting(.seconds(1), on: clock)
        await clock.waitForSleepers()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.sleepers == [])
    }

    @Test func aTaskCancelledBeforeDoesNotSleep() async {
        let clock = ManualClock()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(until: ManualClock.Instant(offset: .seconds(1)), tolerance: nil)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func itServesAsAnyClock() async throws {
        let manual = ManualClock()
        let clock: any Clock<Duration> = manual
        let task = waiting(.milliseconds(200), on: clock)
        await manual.waitForSleepers()
        manual.advance(by: .milliseconds(200))
        try await task.value
    }
}
