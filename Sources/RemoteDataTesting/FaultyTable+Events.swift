import RemoteDataExecution
public import RemoteData
import Synchronization

// Events on their way through a faulty table.
extension FaultyTable {
    /// Holds back every event from now on.
    public func holdEvents() { events.hold() }

    /// How many events are held back.
    public var heldEventCount: Int { events.heldCount }

    /// Lets events go on that are held back, the oldest first; goes on holding those that come.
    public func letEventsGo(_ count: Int) { events.letGo(count) }

    /// Lets every event go on, and holds no more.
    public func letAllEventsGo() { events.letAllGo() }

    /// Sends an event of the test's own, ahead of those held back.
    public func send(_ event: ChangeEvent) { events.send(event) }

    /// Hands events of the test's own on as those are that come over a network.
    package func handOnAtOnce(_ events: [ChangeEvent]) { self.events.handOnAtOnce(events) }

    /// Loses what is held back, and from now on every event, until ``letAllEventsGo()``.
    public func loseEvents() { events.lose() }

    /// Ends the feeds that are open, as a table does that goes away; whoever wants more subscribes again.
    public func endFeeds() { events.end() }

    /// How many feeds are open.
    public var feedCount: Int { events.feedCount }
}

/// Passes events from the feeds of one table to feeds of its own.
final class EventRelay: Sendable {
    private struct Line {
        weak var feed: ChangeFeed?
        var pump: Task<Void, Never>?
    }

    private enum Mode { case passing, holding, losing }

    private struct State {
        var mode = Mode.passing
        var lines: [Int: Line] = [:]
        var held: [(line: Int, event: ChangeEvent)] = []
        var lastLine = 0

        /// The lines in one order in all processes.
        var inOrder: [Line] { lines.sorted { $0.key < $1.key }.map(\.value) }

        /// - Returns: Whether nothing was held, so that it could begin.
        mutating func startPassing() -> Bool {
            if held.isEmpty { mode = .passing }
            return held.isEmpty
        }
    }

    private let state = Mutex(State())

    var heldCount: Int { state.withLock { $0.held.count } }

    var feedCount: Int { state.withLock { $0.lines.count } }

    /// A feed that gets what another one gets.
    func relay(_ source: ChangeFeed, tellsRevisions: Bool) -> ChangeFeed {
        let line = state.withLock { state in
            state.lastLine += 1
            return state.lastLine
        }
        let feed = ChangeFeed { [weak self] in self?.close(line) }
        state.withLock { $0.lines[line] = Line(feed: feed) }
        // Not on the shared pool, which tests of blocking calls may fill.
        let pump = Task(executorPreference: WorkerExecutor.shared) { [weak self] in
            for await event in source {
                if let told = tellsRevisions ? event : event.withoutRevision { self?.pass(told, line) }
            }
        }
        state.withLock { $0.lines[line]?.pump = pump }
        return feed
    }

    private func close(_ line: Int) {
        let closed = state.withLock { state in
            state.held.removeAll { $0.line == line }
            return state.lines.removeValue(forKey: line)
        }
        closed?.pump?.cancel()
    }

    private func pass(_ event: ChangeEvent, _ line: Int) {
        let feed = state.withLock { state -> ChangeFeed? in
            switch state.mode {
            case .passing: return state.lines[line]?.feed
            case .holding:
                state.held.append((line, event))
                return nil
            case .losing: return nil
            }
        }
        feed?.send(event)
    }

    func send(_ event: ChangeEvent) {
        for line in state.withLock({ $0.inOrder }) { line.feed?.send(event) }
    }

    func handOnAtOnce(_ events: [ChangeEvent]) {
        for line in state.withLock({ $0.inOrder }) { line.feed?.handOnAtOnce(events) }
    }

    func hold() { state.withLock { $0.mode = .holding } }

    func lose() {
        state.withLock { state in
            state.mode = .losing
            state.held = []
        }
    }

    func letGo(_ count: Int) {
        let events = state.withLock { state in
            let part = Array(state.held.prefix(count))
            state.held.removeFirst(part.count)
            return part.map { (state.lines[$0.line]?.feed, $0.event) }
        }
        for (feed, event) in events { feed?.send(event) }
    }

    func letAllGo() {
        // Passing begins only when nothing is left that would be overtaken.
        while state.withLock({ $0.startPassing() }) == false { letGo(.max) }
    }

    func end() {
        let lines = state.withLock { state in
            defer { state.lines = [:] }
            return state.inOrder
        }
        for line in lines {
            line.pump?.cancel()
            line.feed?.finish()
        }
    }
}

extension ChangeEvent {
    /// The event as a table without revisions tells it; nil for one it does not know.
    fileprivate var withoutRevision: ChangeEvent? {
        switch self {
        case .live: .live(nil)
        case .progress: nil
        case .change(let change):
            .change(
                Change(
                    revision: nil,
                    kind: change.kind,
                    id: change.id,
                    row: change.row?.at(nil),
                    left: change.left,
                    predicate: change.predicate,
                    count: change.count
                )
            )
        case .interrupted, .reset: self
        }
    }
}
