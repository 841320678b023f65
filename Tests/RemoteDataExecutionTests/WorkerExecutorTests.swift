import RemoteDataExecution
import Dispatch
import Synchronization
import Testing

private final class Done: Sendable {
    let number = Atomic<Int>(0)
}

private final class Numbers: Sendable {
    let all = Mutex<[Int]>([])
}

@Suite(.timeLimit(.minutes(1))) struct WorkerExecutorTests {
    @Test(arguments: [0, 1, 4]) func runsEveryTask(width: Int) async {
        let executor = WorkerExecutor(width: width)
        let done = Done()
        await withTaskGroup { group in
            for _ in 0..<100 {
                group.addTask(executorPreference: executor) {
                    await Task.yield()
                    done.number.add(1, ordering: .relaxed)
                }
            }
        }
        #expect(done.number.load(ordering: .relaxed) == 100)
    }

    @Test func jobsRunAtTheSameTime() async {
        // Each stands still until the other has come, which only two threads can do.
        let executor = WorkerExecutor(width: 2)
        let (first, second) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        @Sendable func meet(_ mine: DispatchSemaphore, _ other: DispatchSemaphore) -> Bool {
            mine.signal()
            return other.wait(timeout: .now() + 30) == .success
        }
        await withTaskGroup { group in
            group.addTask(executorPreference: executor) { meet(first, second) }
            group.addTask(executorPreference: executor) { meet(second, first) }
            for await met in group { #expect(met) }
        }
    }

    @Test func aJobThatBlocksHoldsUpNoOther() async {
        let executor = WorkerExecutor(width: 3)
        let (holds, isHeld) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let (blocks, isDone) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        // All threads are held until all wait in line, so that whoever takes the one that blocks has others behind it.
        let held = (0..<3).map { _ in
            Task(executorPreference: executor) {
                isHeld.signal()
                return Self.wait(holds)
            }
        }
        #expect(await Task.detached { (0..<3).allSatisfy { _ in Self.wait(isHeld) } }.value)
        let blocked = (0..<2).map { _ in Task(executorPreference: executor) { Self.wait(blocks) } }
        for _ in 0..<20 { Task(executorPreference: executor) { isDone.signal() } }
        for _ in 0..<3 { holds.signal() }
        let others = await Task.detached { (0..<20).allSatisfy { _ in Self.wait(isDone) } }.value
        #expect(others)
        for _ in 0..<2 { blocks.signal() }
        for task in held + blocked { #expect(await task.value) }
    }

    @Test func jobsOfOneThreadRunInTheirOrder() async {
        let executor = WorkerExecutor(width: 1)
        let blocks = DispatchSemaphore(value: 0)
        let numbers = Numbers()
        let first = Task(executorPreference: executor) { Self.wait(blocks) }
        let tasks = (0..<1_000).map { number in
            Task(executorPreference: executor) { numbers.all.withLock { $0.append(number) } }
        }
        blocks.signal()
        #expect(await first.value)
        for task in tasks { await task.value }
        #expect(numbers.all.withLock { $0 } == Array(0..<1_000))
    }

    private static func wait(_ semaphore: DispatchSemaphore) -> Bool {
        semaphore.wait(timeout: .now() + 30) == .success
    }
}
