/// Runs a job where it is enqueued: what waits for nothing is done when its task has been made.
final class InlineExecutor: TaskExecutor {
    static let shared = InlineExecutor()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // SAFETY: each job is run once, here.
        unsafe job.runSynchronously(on: asUnownedTaskExecutor())
    }
}
