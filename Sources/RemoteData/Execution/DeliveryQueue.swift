public import Dispatch

/// Where a collection applies changes and calls handlers, one after another.
///
/// Index-based code that runs there never sees an index go stale between two reads.
public struct DeliveryQueue: Sendable {
    /// Runs a job later, in order with all others; never at once, inside the call.
    let run: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// A queue of the collection's own.
    public static var privateQueue: DeliveryQueue {
        let queue = DispatchQueue(label: "remote-data.delivery")
        return DeliveryQueue { queue.async(execute: $0) }
    }

    /// The main queue, which runs in apps and wherever the main thread runs a run loop or `dispatchMain()`.
    public static var main: DeliveryQueue { .queue(.main) }

    /// A serial queue of the caller's.
    public static func queue(_ queue: DispatchQueue) -> DeliveryQueue {
        DeliveryQueue { queue.async(execute: $0) }
    }

    /// Anything that runs jobs one at a time, in order, and never inside the call.
    public static func custom(
        _ run: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) -> DeliveryQueue { DeliveryQueue(run: run) }
}
