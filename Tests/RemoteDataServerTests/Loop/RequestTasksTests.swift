import RemoteDataExecution
import Synchronization
import Testing

@testable import RemoteDataServer

@Suite(.timeLimit(.minutes(1))) struct RequestTasksTests {
    private let executor = WorkerExecutor(width: 1)

    /// Until all that was to be done is done: the executor has one thread, which takes jobs in their order.
    private func settle() async { await Task(executorPreference: executor) {}.value }

    @Test func aTaskIsUsedAgain() async {
        let tasks = RequestTasks(on: executor)
        tasks.perform {}
        await settle()
        #expect(tasks.idleCount == 1)
        await withCheckedContinuation { isDone in
            tasks.perform {
                #expect(tasks.idleCount == 0)
                isDone.resume()
            }
        }
        await settle()
        #expect(tasks.idleCount == 1)
        tasks.close()
    }

    @Test func noMoreWaitThanAreKept() async {
        let tasks = RequestTasks(on: executor, keeping: 2)
        // All of them are made before the first one does anything.
        await Task(executorPreference: executor) { for _ in 0..<5 { tasks.perform {} } }.value
        await settle()
        #expect(tasks.idleCount == 2)
        tasks.close()
    }

    @Test func aTaskThatWaitsKeepsNothing() async {
        final class Request: Sendable {}
        let tasks = RequestTasks(on: executor)
        weak var kept: Request?
        do {
            let request = Request()
            kept = request
            tasks.perform { _ = request }
        }
        await settle()
        #expect(tasks.idleCount == 1)
        #expect(kept == nil)
        tasks.close()
    }

    @Test func requestsBeginInTheirOrder() async {
        let tasks = RequestTasks(on: executor)
        let begun = Begun()
        await Task(executorPreference: executor) {
            for number in 0..<5 { tasks.perform { begun.note(number) } }
        }.value
        await settle()
        #expect(begun.numbers == Array(0..<5))
        tasks.close()
    }

    /// Requests that wait for nothing, and of which there is always another one.
    @Test func requestsLeaveTurnsForOthers() async {
        let tasks = RequestTasks(on: executor)
        let (begun, line) = (Begun(), executor)
        @Sendable func ask(_ number: Int) {
            tasks.perform {
                begun.note(number)
                if number == 1 { Task(executorPreference: line) { begun.note(1_000) } }
                if number < 100 { ask(number + 1) }
            }
        }
        ask(0)
        while !begun.numbers.contains(100) { await settle() }
        let place = begun.numbers.firstIndex(of: 1_000)
        #expect(place.map { $0 < 10 } == true)
        tasks.close()
    }

    @Test func aTaskThatWasCancelledIsNotUsedAgain() async {
        let tasks = RequestTasks(on: executor)
        tasks.perform { withUnsafeCurrentTask { $0?.cancel() } }
        await settle()
        #expect(tasks.idleCount == 0)
        await withCheckedContinuation { isDone in
            tasks.perform {
                #expect(!Task.isCancelled)
                isDone.resume()
            }
        }
        tasks.close()
    }

    @Test func noneWaitsOnceItIsClosed() async {
        weak var ended: RequestTasks?
        do {
            let tasks = RequestTasks(on: executor)
            ended = tasks
            tasks.perform {}
            await settle()
            tasks.close()
            #expect(tasks.idleCount == 0)
            // What comes late is done still.
            await withCheckedContinuation { isDone in tasks.perform { isDone.resume() } }
            await settle()
            #expect(tasks.idleCount == 0)
        }
        await settle()
        // A task that waits would hold it.
        #expect(ended == nil)
    }
}

private final class Begun: Sendable {
    private let all = Mutex<[Int]>([])

    var numbers: [Int] { all.withLock { $0 } }

    func note(_ number: Int) { all.withLock { $0.append(number) } }
}
