import RemoteDataTesting
import Testing

struct ManualClockTests {
    @Test func sleepersWakeWhenTheirTimeComes() async throws {
        let clock = ManualClock()
        let short = Task { try await clock.sleep(for: .seconds(1)) }
        let long = Task { try await clock.sleep(for: .seconds(5)) }
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
        let task = Task { try await clock.sleep(for: .seconds(1)) }
        await clock.waitForSleepers()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.sleepers == [])
    }

    @Test func aTaskCancelledBeforeDoesNotSleep() async {
        let clock = ManualClock()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .seconds(1))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func itServesAsAnyClock() async throws {
        let manual = ManualClock()
        let clock: any Clock<Duration> = manual
        let task = Task { try await clock.sleep(for: .milliseconds(200)) }
        await manual.waitForSleepers()
        manual.advance(by: .milliseconds(200))
        try await task.value
    }
}
