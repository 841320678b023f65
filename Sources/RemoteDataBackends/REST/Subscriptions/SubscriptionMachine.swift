import RemoteData

/// Decides what happens to the subscriptions that share one socket.
///
/// Each method is an event and returns what is to be done, in order. Events of an earlier session do nothing.
/// It holds no socket, no clock and no feed.
struct SubscriptionMachine: Sendable {
    enum Action: Sendable {
        /// Begin a session of this number.
        case open(session: Int)
        /// End the session.
        case close(session: Int)
        /// Drop the connection, so that the session makes another one.
        case reconnect
        /// Hand events to a subscriber.
        case deliver(Int, [ChangeEvent])
        /// End a subscriber's feed.
        case finish(Int)
        /// Call ``SubscriptionMachine/lingered(_:)`` with this number after a while.
        case linger(Int)
        /// Call ``SubscriptionMachine/overdue(_:)`` with this number when an answer takes too long.
        case startDeadline(Int)
    }

    enum Link: Sendable, Equatable {
        /// There is no session.
        case none
        /// The session tries to connect.
        case connecting
        case open
        /// The connection is being dropped for a reason of this side's.
        case dropping
        /// The connection has ended, and the subscribers know.
        case down
    }

    private struct Entry {
        enum Phase: Equatable {
            /// Not asked for on this connection.
            case waiting
            /// Asked for, by a number that grows.
            case asked(Int)
            /// The server begins anew after a gap, without having to be asked.
            case restarting
            case live
        }

        let request: SubscriptionRequest
        /// Up to where everything is known.
        var since: Revision?
        var phase = Phase.waiting
        /// Whether the server has ever answered.
        var isAnswered = false
        /// Whether the subscriber has to be told of a gap before it can go on.
        var owesReset = false
    }

    private enum Outgoing: Equatable {
        case begin(Int)
        case end(Int)
    }

    private(set) var link = Link.none
    private let server: String
    private var entries: [Int: Entry] = [:]
    private var outgoing: [Outgoing] = []
    private var session = 0
    private var lastAsked = 0
    private var lingerNumber = 0
    private var hasDeadline = false
    private var fault: RemoteDataError?
    private var isReleased = false

    /// - Parameter server: The server's URL, for messages.
    init(server: String) { self.server = server }

    /// How many subscriptions there are.
    var count: Int { entries.count }

    private static func wireID(_ id: Int) -> String { "s\(id)" }

    private func id(_ wireID: String) -> Int? {
        guard wireID.first == "s", let id = Int(wireID.dropFirst()), entries[id] != nil else { return nil }
        return id
    }
}

// MARK: Subscribers

extension SubscriptionMachine {
    /// Somebody subscribes.
    mutating func begin(_ id: Int, _ request: SubscriptionRequest, since: Revision?) -> [Action] {
        entries[id] = Entry(request: request, since: since)
        lingerNumber += 1
        switch link {
        case .none:
            session += 1
            link = .connecting
            return [.open(session: session)]
        case .open: return ask([id])
        case .connecting, .dropping, .down: return []
        }
    }

    /// A subscriber has left.
    mutating func end(_ id: Int) -> [Action] {
        guard let entry = entries.removeValue(forKey: id) else { return [] }
        if link == .open, entry.phase != .waiting {
            if let index = outgoing.firstIndex(of: .begin(id)) {
                outgoing.remove(at: index)
            } else {
                outgoing.append(.end(id))
            }
        }
        return rest()
    }

    /// Nobody will subscribe any more.
    mutating func released() -> [Action] {
        isReleased = true
        return rest()
    }

    /// The time after ``Action/linger(_:)`` is over.
    mutating func lingered(_ number: Int) -> [Action] {
        guard number == lingerNumber, entries.isEmpty else { return [] }
        return close()
    }

    /// What to do when there may be nobody left.
    private mutating func rest() -> [Action] {
        guard entries.isEmpty, link != .none else { return [] }
        if isReleased { return close() }
        lingerNumber += 1
        return [.linger(lingerNumber)]
    }

    private mutating func close() -> [Action] {
        guard link != .none else { return [] }
        link = .none
        outgoing = []
        return [.close(session: session)]
    }

    private mutating func ask(_ ids: [Int]) -> [Action] {
        for id in ids {
            lastAsked += 1
            entries[id]?.phase = .asked(lastAsked)
            outgoing.append(.begin(id))
        }
        guard !ids.isEmpty, !hasDeadline else { return [] }
        hasDeadline = true
        return [.startDeadline(lastAsked)]
    }

    /// Whether there is something to send.
    var hasFrames: Bool { link == .open && !outgoing.isEmpty }

    /// The next frame to send over the open connection.
    mutating func nextFrame() -> [UInt8]? {
        guard link == .open else { return nil }
        while !outgoing.isEmpty {
            switch outgoing.removeFirst() {
            case .end(let id): return SubscriptionRequest.endFrame(id: Self.wireID(id))
            case .begin(let id):
                guard let entry = entries[id] else { continue }
                return entry.request.frame(id: Self.wireID(id), since: entry.since)
            }
        }
        return nil
    }
}

// MARK: The connection

extension SubscriptionMachine {
    /// A connection is open: everything is subscribed to again, from where it was left.
    mutating func connected(session: Int) -> [Action] {
        guard session == self.session, link != .none else { return [] }
        link = .open
        fault = nil
        outgoing = []
        return ask(entries.keys.sorted())
    }

    /// The connection has ended.
    mutating func disconnected(session: Int, _ error: RemoteDataError?) -> [Action] {
        guard session == self.session, link == .open || link == .dropping else { return [] }
        link = .down
        outgoing = []
        let isTooLarge = error?.code == .tooLarge
        for id in entries.keys {
            entries[id]?.phase = .waiting
            // A message that was too large would be again, so nobody goes on from in front of it.
            if isTooLarge, entries[id]?.since != nil {
                entries[id]?.since = nil
                entries[id]?.owesReset = true
            }
            // Without a revision to go on from, whatever happens meanwhile is missed.
            if let entry = entries[id], entry.isAnswered, entry.since == nil { entries[id]?.owesReset = true }
        }
        let closed = RemoteDataError(
            .unreachable,
            isTooLarge
                ? "\(server) sent a change too large to be received; the connection is made again without it."
                : "\(server) closed the connection; it is being made again.",
            cause: error
        )
        return interruptAll(fault ?? (isTooLarge ? closed : error ?? closed))
    }

    /// The session waits before it connects again.
    mutating func retrying(session: Int, because error: RemoteDataError?) -> [Action] {
        guard session == self.session, link != .none else { return [] }
        let isTold = link == .down
        link = .connecting
        guard !isTold, let error else { return [] }
        return interruptAll(error)
    }

    /// The session is over; nil when it was closed from here.
    mutating func ended(session: Int, _ error: RemoteDataError?) -> [Action] {
        guard session == self.session, link != .none else { return [] }
        link = .none
        outgoing = []
        let ids = entries.keys.sorted()
        entries = [:]
        let error = error ?? RemoteDataError(.cancelled, "The connection to \(server) was given up.")
        return ids.flatMap { [.deliver($0, [.interrupted(error)]), .finish($0)] }
    }

    /// The time after ``Action/startDeadline(_:)`` is over.
    mutating func overdue(_ number: Int) -> [Action] {
        hasDeadline = false
        let asked = entries.values.compactMap {
            if case .asked(let number) = $0.phase { number } else { nil }
        }
        if asked.contains(where: { $0 <= number }) {
            return drop(RemoteDataError(.timedOut, "\(server) does not answer a subscription."))
        }
        guard !asked.isEmpty else { return [] }
        hasDeadline = true
        return [.startDeadline(lastAsked)]
    }

    private func interruptAll(_ error: RemoteDataError) -> [Action] {
        entries.keys.sorted().map { .deliver($0, [.interrupted(error)]) }
    }

    private mutating func drop(_ error: RemoteDataError) -> [Action] {
        guard link == .open else { return [] }
        link = .dropping
        fault = error
        outgoing = []
        return [.reconnect]
    }
}

// MARK: Frames

extension SubscriptionMachine {
    /// Frames came over the open connection.
    mutating func received(session: Int, _ frames: [IncomingFrame]) -> [Action] {
        var actions: [Action] = []
        for frame in frames {
            guard session == self.session, link == .open else { break }
            actions += received(frame)
        }
        return actions
    }

    private mutating func received(_ frame: IncomingFrame) -> [Action] {
        switch frame {
        case .subscribed(let wireID, let revision): return id(wireID).map { subscribed($0, revision) } ?? []
        case .change(let wireID, let change): return id(wireID).map { changed($0, change) } ?? []
        case .unreadableChange(let wireID, let revision):
            return id(wireID).map { lost($0, upTo: revision) } ?? []
        case .progress(let wireID, let revision): return id(wireID).map { progressed($0, revision) } ?? []
        case .reset(let wireID):
            guard let id = id(wireID) else { return [] }
            entries[id]?.phase = .restarting
            entries[id]?.isAnswered = true
            entries[id]?.since = nil
            entries[id]?.owesReset = false
            return [.deliver(id, [.reset])]
        case .unsubscribed(let wireID):
            // Expected for one that has left; for another one the table behind it is gone for now.
            guard id(wireID) != nil else { return [] }
            return drop(
                RemoteDataError(.unavailable, "\(server) ended a subscription; it is being made again.")
            )
        case .problem(let wireID?, let problem): return id(wireID).map { refused($0, problem) } ?? []
        case .problem(nil, let problem):
            return drop(RemoteDataError(.invalidAnswer, problem.error(table: "", server: server).message))
        case .malformed(let what): return drop(RemoteDataError(.invalidAnswer, "\(server) sent \(what)."))
        case .unknown: return []
        }
    }

    private mutating func subscribed(_ id: Int, _ revision: Revision?) -> [Action] {
        guard var entry = entries[id] else { return [] }
        // Asked to go on from one revision and beginning at a later one, the server left something out.
        let isLate = if let since = entry.since, let revision { revision > since } else { false }
        let isGap = entry.owesReset || isLate
        entry.phase = .live
        entry.isAnswered = true
        entry.owesReset = false
        entry.since = revision ?? entry.since
        entries[id] = entry
        return [.deliver(id, isGap ? [.reset, .live(revision)] : [.live(revision)])]
    }

    private mutating func changed(_ id: Int, _ change: Change) -> [Action] {
        guard isNews(id, change.revision) else { return [] }
        if let revision = change.revision { entries[id]?.since = revision }
        return [.deliver(id, [.change(change)])]
    }

    private mutating func progressed(_ id: Int, _ revision: Revision) -> [Action] {
        guard isNews(id, revision) else { return [] }
        entries[id]?.since = revision
        return [.deliver(id, [.progress(revision)])]
    }

    /// A change was not understood: a gap, but one whose end is known.
    private mutating func lost(_ id: Int, upTo revision: Revision) -> [Action] {
        guard isNews(id, revision) else { return [] }
        entries[id]?.since = revision
        return [.deliver(id, [.reset, .live(revision)])]
    }

    /// Whether a subscription is live and has not heard of a revision yet.
    private func isNews(_ id: Int, _ revision: Revision?) -> Bool {
        guard let entry = entries[id], entry.phase == .live else { return false }
        guard let revision, let since = entry.since else { return true }
        return revision > since
    }

    private mutating func refused(_ id: Int, _ problem: ServerProblem) -> [Action] {
        let error = problem.error(table: entries[id]?.request.table ?? "", server: server)
        if error.code == .unavailable { return drop(error) }
        entries[id] = nil
        return [.deliver(id, [.interrupted(error)]), .finish(id)] + rest()
    }
}
