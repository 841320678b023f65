public import Dispatch
import Foundation

/// Where a collection applies changes and calls handlers, one after another.
///
/// Index-based code that runs there never sees an index go stale between two reads.
public struct DeliveryQueue: Sendable {
    /// Runs a job later, in order with all others; never at once, inside the call.
    package let run: @Sendable (@escaping @Sendable () -> Void) -> Void
    /// Whether the caller runs on it, and so holds it up by blocking.
    let isCurrent: @Sendable () -> Bool
    /// Whether nobody else knows of it, so that whoever delivers there can work there as well.
    private(set) var isPrivate = false
    /// Whether to have it run something takes no time and calls nobody.
    private(set) var isDispatchQueue = false

    /// A queue of the collection's own.
    public static var privateQueue: DeliveryQueue {
        var queue = queue(DispatchQueue(label: "remote-data.delivery"))
        queue.isPrivate = true
        return queue
    }

    /// The main queue, which runs in apps and wherever the main thread runs a run loop or `dispatchMain()`.
    public static var main: DeliveryQueue { .queue(.main) }

    /// A serial queue of the caller's.
    public static func queue(_ queue: DispatchQueue) -> DeliveryQueue {
        let identity = ObjectIdentifier(queue)
        queue.setSpecific(key: key, value: identity)
        let isMain = queue === DispatchQueue.main
        return DeliveryQueue(
            run: { queue.async(execute: $0) },
            isCurrent: { DispatchQueue.getSpecific(key: key) == identity || (isMain && Thread.isMainThread) },
            isDispatchQueue: true
        )
    }

    /// Anything that runs jobs one at a time, in order, and never inside the call.
    ///
    /// - Parameters:
    ///   - isCurrent: Whether the caller runs on it. Only there blocking calls apply changes while they wait; where that
    ///     is not known, all do.
    ///   - run: Runs a job later.
    /// - Returns: The queue.
    public static func custom(
        isCurrent: @escaping @Sendable () -> Bool = { true },
        _ run: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) -> DeliveryQueue { DeliveryQueue(run: run, isCurrent: isCurrent) }

    private static let key = DispatchSpecificKey<ObjectIdentifier>()
}
