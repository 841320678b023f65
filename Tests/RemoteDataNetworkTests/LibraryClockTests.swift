import Foundation
import RemoteDataNetwork
import Testing

@Suite struct LibraryClockTests {
    let clock = LibraryClock()

    @Test func aSleepLastsAtLeastAsLongAsAsked() async throws {
        let start = clock.now
        try await clock.sleep(for: .milliseconds(20))
        #expect(start.duration(to: clock.now) >= .milliseconds(20))
    }

    @Test func aSleepUntilThePastIsNone() async throws {
        try await inTime { try await clock.sleep(until: clock.now - .seconds(1), tolerance: nil) }
    }

    @Test func aSleepIsCancelledAtOnce() async throws {
        let task = Task { try await clock.sleep(for: .seconds(3_600)) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await inTime { try await task.value } }
    }

    @Test func aCancelledTaskDoesNotSleep() async {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .seconds(3_600))
        }
        await #expect(throws: CancellationError.self) { try await inTime { try await task.value } }
    }

    @Test func manySleepsAndCancellationsAtOnceEachEndOnce() async throws {
        try await inTime {
            await withTaskGroup { group in
                for number in 0..<500 {
                    group.addTask {
                        let task = Task { try await clock.sleep(for: .milliseconds(number % 5)) }
                        if number % 2 == 0 { task.cancel() }
                        _ = await task.result
                    }
                }
            }
        }
    }

    @Test func sleepsEndWhileEveryThreadOfThePoolIsBlocked() async throws {
        // As many tasks as block all threads of the shared pool, each released by a sleep that needs none
        // of them.
        let count = ProcessInfo.processInfo.activeProcessorCount
        try await inTime {
            await withTaskGroup { group in
                for _ in 0..<count { group.addTask { blockUntilSlept(clock) } }
            }
        }
    }
}

/// Holds the current thread until a sleep on the library's own threads is over.
private func blockUntilSlept(_ clock: LibraryClock) {
    let slept = DispatchSemaphore(value: 0)
    Task(executorPreference: LibraryExecutor.shared) {
        try? await clock.sleep(for: .milliseconds(10))
        slept.signal()
    }
    #expect(slept.wait(timeout: .now() + 20) == .success)
}
