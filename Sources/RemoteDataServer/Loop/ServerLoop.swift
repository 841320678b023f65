import Foundation
import RemoteDataExecution
import Synchronization

/// The thread that serves a server's connections, from start to end.
final class ServerLoop: Sendable {
    private struct State {
        var hasEnded = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let mailbox = LoopMailbox()
    private let state = Mutex(State())
    private let plan: LoopPlan

    init(_ plan: LoopPlan) { self.plan = plan }

    /// Starts the thread and opens the listening socket.
    ///
    /// - Returns: The port.
    func start() async throws(TableServerError) -> Int {
        let result = await withCheckedContinuation { (started: CheckedContinuation<Outcome, Never>) in
            let thread = Thread { [self] in run(started) }
            thread.name = "TableServer"
            thread.stackSize = 1 << 20
            thread.start()
        }
        return try result.get()
    }

    /// Ends the loop once what is under way is finished, at the latest after its deadline, and waits for
    /// that.
    func stop() async {
        mailbox.post(.stop)
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let hasEnded = state.withLock { state in
                if !state.hasEnded { state.waiters.append(continuation) }
                return state.hasEnded
            }
            if hasEnded { continuation.resume() }
        }
    }

    /// Asks the loop to end, without waiting.
    func requestStop() { mailbox.post(.stop) }

    private typealias Outcome = Result<Int, TableServerError>

    private func run(_ started: CheckedContinuation<Outcome, Never>) {
        let core = LoopCore(plan, mailbox)
        do throws(TableServerError) {
            let port = try core.open()
            started.resume(returning: .success(port))
            core.run()
        } catch { started.resume(returning: .failure(error)) }
        core.close()
        mailbox.close()
        let waiters = state.withLock { state in
            state.hasEnded = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}

/// What a loop serves, and how.
struct LoopPlan: Sendable {
    let api: TableAPI
    let configuration: TableServer.Configuration
    let executor: WorkerExecutor
}
