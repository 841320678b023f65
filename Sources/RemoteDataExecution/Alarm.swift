package import Dispatch

/// Calls once after a while, unless cancelled before.
///
/// SAFETY: a dispatch source may be used from any thread; Dispatch on Linux does not declare it.
package struct Alarm: @unchecked Sendable {
    private let timer: any DispatchSourceTimer

    /// Sets an alarm; it holds `body` until it has rung or is cancelled.
    package init(on queue: DispatchQueue, after wait: Duration, _ body: @escaping @Sendable () -> Void) {
        timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + wait.dispatchInterval)
        timer.setEventHandler(handler: body)
        timer.activate()
    }

    /// Lets it never ring, unless it has.
    package func cancel() { timer.cancel() }
}
