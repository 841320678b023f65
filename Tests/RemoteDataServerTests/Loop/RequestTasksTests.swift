import Dispatch
import RemoteDataExecution
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

    @Test func noneWaitsOnceItIsClosed() async {
        let tasks = RequestTasks(on: executor)
        tasks.perform {}
        await settle()
        tasks.close()
        #expect(tasks.idleCount == 0)
        // What comes late is done still.
        await withCheckedContinuation { isDone in tasks.perform { isDone.resume() } }
        await settle()
        #expect(tasks.idleCount == 0)
    }
}
