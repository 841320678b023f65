import RemoteData
import RemoteDataExecution
import RemoteDataTesting
import Testing

@testable import RemoteDataSQLite

/// A call that ends a wait is never missed.
@Suite(.timeLimit(.minutes(1))) struct PauseTests {
    private let clock = ManualClock()

    private func makePause() -> Pause {
        Pause(Surroundings(executor: WorkerExecutor.background, deadlineClock: clock, chance: { 0 }))
    }

    @Test("A call after a wait that ran out ends the next one")
    func callAfterAWaitThatRanOut() async {
        let pause = makePause()
        let wait = Task { await pause.wait(for: .seconds(1)) }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        await wait.value
        pause.cutShort()
        await pause.wait(for: nil)
        #expect(!Task.isCancelled)
    }

    @Test("A call ends the wait that is under way, and no other")
    func callDuringAWait() async {
        let pause = makePause()
        let first = Task { await pause.wait(for: .seconds(1)) }
        await clock.waitForSleepers(1)
        pause.cutShort()
        await first.value
        let second = Task { await pause.wait(for: .seconds(2)) }
        while !clock.sleepers.contains(.seconds(2)) { await Task.yield() }
        clock.advance(by: .seconds(2))
        await second.value
    }
}
