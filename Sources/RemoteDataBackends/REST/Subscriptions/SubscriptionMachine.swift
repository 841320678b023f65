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
        /// Note that the connection of the session works.
        case confirm(session: Int)
        /// Hand events to a subscriber.
        case deliver(Int, [ChangeEvent])
        /// End a subscriber's feed.
        case finish(Int)
        /// Call ``SubscriptionMachine/lingered(_:)`` with this number after a while.
        case linger(Int)
        /// Call ``SubscriptionMachine/overdue(_:)`` with this number when an answer takes too long.
        case startDeadline(Int)
        /// Call ``SubscriptionMachine/impatient(_:)`` with this number when a missing frame takes too long.
        case startPatience(Int)
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

    enum Outgoing: Equatable {
        case begin(Int)
        case end(String)
    }

    private(set) var link = Link.none
    let server: String
    private(set) var session = 0
    var entries: [Int: Entry] = [:]
    var outgoing: [Outgoing] = []
    /// The number of the latest hole.
    var lastHole = 0
    /// Whether a time runs in which holes may close.
    var isPatient = false
    private var lastAsked = 0
    private var lingerNumber = 0
    private var hasDeadline = false
    /// Whether a subscription was answered over this connection.
    private var isConfirmed = false
    private var fault: RemoteDataError?
    private var isReleased = false

    /// - Parameter server: The server's URL, for messages.
    init(server: String) { self.server = server }

    /// How many subscriptions there are.
    var count: Int { entries.count }

    /// The subscription that has a name at the server now.
    func id(_ name: String) -> Int? {
        var id = 0
        // More digits than any of them has are nobody's.
        for digit in name.utf8.dropFirst().prefix(18) {
            guard (48...57).contains(digit) else { break }
            id = id * 10 + Int(digit - 48)
        }
        return entries[id]?.name == name ? id : nil
    }
}

// MARK: Subscribers

extension SubscriptionMachine {
    /// Somebody subscribes.
    mutating func begin(_ id: Int, _ request: SubscriptionRequest, since: Revision?) -> [Action] {
        entries[id] = Entry(id, request, since: since)
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
                outgoing.append(.end(entry.name))
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
    mutating func rest() -> [Action] {
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

    /// Asks the server for subscriptions.
    mutating func ask(_ ids: [Int]) -> [Action] {
        outgoing += ids.map { .begin($0) }
        return expect(ids)
    }

    /// Waits for the server's answers.
    mutating func expect(_ ids: [Int]) -> [Action] {
        for id in ids {
            lastAsked += 1
            entries[id]?.phase = .asked(lastAsked)
            entries[id]?.hole = nil
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
            case .end(let name): return SubscriptionRequest.endFrame(id: name)
            case .begin(let id):
                guard let entry = entries[id] else { continue }
                return entry.request.frame(id: entry.name, since: entry.since)
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
        isConfirmed = false
        fault = nil
        outgoing = []
        return ask(entries.keys.sorted())
    }

    /// The server answered a subscription: the connection works from here on.
    mutating func confirm() -> [Action] {
        defer { isConfirmed = true }
        return isConfirmed ? [] : [.confirm(session: session)]
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

    /// Gives up the connection, so that another one is made.
    mutating func drop(_ error: RemoteDataError) -> [Action] {
        guard link == .open else { return [] }
        link = .dropping
        fault = error
        outgoing = []
        return [.reconnect]
    }
}
