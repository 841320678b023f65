import RemoteDataExecution
import RemoteDataTesting
import Synchronization
import Testing

@testable import RemoteData

@Suite(.timeLimit(.minutes(1))) struct BlockingTests {
    @Test func aDeadlineTellsWhatIsLeftOfIt() {
        let deadline = Deadline(.seconds(100), clock: TimerClock())
        #expect(deadline.remaining <= .seconds(100))
        #expect(deadline.remaining > .seconds(50))
    }

    @Test func returnsWhatTheWorkReturns() throws {
        #expect(try Blocking.wait(atMost: .seconds(30)) { () async throws(RemoteDataError) in 7 } == 7)
    }

    @Test func throwsWhatTheWorkThrows() {
        #expect {
            try Blocking.wait(atMost: .seconds(30)) { () async throws(RemoteDataError) -> Int in throw .lost }
        } throws: { ($0 as? RemoteDataError)?.code == .unreachable }
    }

    @Test func givesUpAtTheDeadlineAndCancelsTheWork() async throws {
        let wasCancelled = OneShot<Void>()
        #expect {
            try Blocking.wait(atMost: .milliseconds(-990)) { () async throws(RemoteDataError) in
                let never = OneShot<Void>()
                await withTaskCancellationHandler {
                    _ = try? await never.value()
                } onCancel: {
                    never.resume(.success(()))
                    wasCancelled.resume(.success(()))
                }
            }
        } throws: { ($0 as? RemoteDataError)?.code == .timedOut }
        try await wasCancelled.value()
    }

    @Test func manyCallsFromFewThreadsFinish() async {
        let sum = Counter()
        await withTaskGroup { group in
            for number in 0..<64 {
                group.addTask {
                    let value = try? Blocking.wait(atMost: .seconds(30)) { () async throws(RemoteDataError) in
                        await Task.yield()
                        return number
                    }
                    sum.add(value ?? -1_000_000)
                }
            }
        }
        #expect(sum.value == 64 * 63 / 2)
    }

    @Test func theWorkRunsOnOtherThreadsThanTheSharedPool() throws {
        // Inside the work a blocking call would be safe to make only because the pool is not needed: the work itself
        // starts others and waits for them while this thread, which may be one of two, stands still.
        let value = try Blocking.wait(atMost: .seconds(30)) { () async throws(RemoteDataError) in
            await withTaskGroup { group in
                for number in 0..<8 { group.addTask { number } }
                return await group.reduce(0, +)
            }
        }
        #expect(value == 28)
    }
}
