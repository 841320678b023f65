/// Puts the frames of one subscription back in order.
///
/// Each frame names its own revision and that of the frame before it, so the frames form a chain. What comes twice is
/// dropped; what comes ahead of a hole waits for it to close, up to a limit. A hole that does not close means that frames
/// were lost: then the subscriber subscribes again from ``last``, and nothing is missed. A frame of another
/// epoch begins a chain of its own, after a gap.
package struct FrameOrder: Sendable {
    private struct Early: Sendable {
        let after: Revision?
        let revision: Revision
        let event: ChangeEvent
    }

    /// The revision up to which every event was handed on; nil before the first frame.
    package private(set) var last: Revision?
    private var early: [Early] = []
    private let limit: Int
    private var hasOverflown = false

    /// Waits for the first frame of a subscription.
    ///
    /// - Parameter limit: How many frames may wait for a hole to close.
    package init(limit: Int = 256) { self.limit = max(1, limit) }

    /// Whether frames wait for others that have not come.
    package var hasHole: Bool { !early.isEmpty }

    /// How many frames wait.
    package var waitingCount: Int { early.count }

    /// Whether so many frames wait that the hole will hardly close: subscribe again from ``last``.
    package var isBroken: Bool { hasOverflown }

    /// Takes a frame.
    ///
    /// - Parameters:
    ///   - after: The revision of the frame before it; nil for the first of a subscription.
    ///   - revision: Its own revision.
    ///   - event: What it tells.
    /// - Returns: The events that are now in order.
    /// - Complexity: O(frames that wait).
    package mutating func receive(after: Revision?, revision: Revision, event: ChangeEvent) -> [ChangeEvent] {
        let frame = Early(after: after, revision: revision, event: event)
        if let last, !last.isOfSameHistory(as: revision) { return begin(anew: revision) }
        guard !isRepeated(frame) else { return [] }
        guard isNext(frame) else {
            if early.count < limit { early.append(frame) } else { hasOverflown = true }
            return []
        }
        var events = take(frame)
        while let index = early.firstIndex(where: { isNext($0) || isRepeated($0) }) {
            let frame = early.remove(at: index)
            if !isRepeated(frame) { events += take(frame) }
        }
        return events
    }

    /// Whether a frame that is no reset follows the last one and none waits, so that it can be handed on at once; then it is the last.
    package mutating func passes(after: Revision?, revision: Revision) -> Bool {
        guard early.isEmpty, let last, last.isOfSameHistory(as: revision), revision > last,
            after.map({ $0 <= last }) ?? true
        else { return false }
        self.last = revision
        return true
    }

    /// What was known belongs to another history, and so does what waits.
    private mutating func begin(anew revision: Revision) -> [ChangeEvent] {
        (last, early, hasOverflown) = (revision, [], false)
        return [.reset, .live(revision)]
    }

    private mutating func take(_ frame: Early) -> [ChangeEvent] {
        last = frame.revision
        // What was missed ends at the frame's revision.
        if case .reset = frame.event { return [.reset, .live(frame.revision)] }
        return [frame.event]
    }

    private func isNext(_ frame: Early) -> Bool {
        guard let last else { return frame.after == nil }
        return frame.after.map { $0 <= last } ?? true
    }

    private func isRepeated(_ frame: Early) -> Bool {
        guard let last else { return false }
        // A reset is worth hearing twice: nothing is lost by it.
        if case .reset = frame.event { return frame.revision < last }
        return frame.revision <= last
    }
}
