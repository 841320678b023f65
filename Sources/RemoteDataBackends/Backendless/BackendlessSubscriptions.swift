import RemoteData

/// Decides what happens to the subscriptions that share the socket of a Backendless application.
///
/// Of each table all eight events are subscribed to, without a clause, since a server says nothing of rows that leave one; what
/// matches is found out here. A table is heard of when the server is ready to tell all of them. Nothing is told of what happened
/// while there was no connection.
///
/// Each method is an event and returns what is to be done, in order. Events of an earlier session do nothing. It holds no socket,
/// no clock and no feed.
struct BackendlessSubscriptions: Sendable {
    enum Action: Sendable {
        /// Begin a session of this number.
        case open(Int)
        /// End it.
        case close(Int)
        /// Drop its connection, so that it makes another one.
        case reconnect(Int)
        /// Say something over its connection.
        case say(Int, BackendlessCall)
        /// Get another token, and call ``BackendlessSubscriptions/renewed(_:_:)``.
        case renewToken(Int)
        /// Call ``BackendlessSubscriptions/overdue(_:)`` with this number when an answer takes too long.
        case startDeadline(Int)
        /// Call ``BackendlessSubscriptions/lingered(_:)`` with this number after a while.
        case linger(Int)
        /// Read rows, and call ``BackendlessSubscriptions/read(_:_:)``.
        case read(table: String, ids: [RowID])
        /// Note that its connection works.
        case confirm(Int)
        /// Hand events to a subscriber.
        case deliver(Int, [ChangeEvent])
        /// End a subscriber's feed.
        case finish(Int)
    }

    private enum Link: Sendable {
        case none
        case connecting
        case open
        /// The connection is being dropped for a reason of this side's.
        case dropping
    }

    struct Entry: Sendable {
        let table: String
        let filter: ChangeFilter
        var isLive = false
        var hasBeenLive = false
        /// Whether it was told that it hears of nothing.
        var isInterrupted = false
    }

    /// What is subscribed to of a table.
    struct Topic: Sendable {
        /// The events by the ids of their subscriptions, which stay the same over all connections.
        let events: [String: BackendlessEvent]
        /// Those that the server is ready to tell.
        var ready: Set<String> = []
        /// Those that it refused for the token.
        var refused: Set<String> = []
        /// How many answers are still to come, where a subscription was asked for again before the answer came.
        var pending: [String: Int] = [:]
        /// When it was last asked for; counts questions.
        var asked = 0

        var isReady: Bool { ready.count == events.count }
    }

    /// How long a token has to be good for before another one is got over the same connection.
    static let tokenPatience: Duration = .seconds(30)

    let comparison: BackendlessTextComparison
    private let clientID: String
    private let hasAccount: Bool
    private var link = Link.none
    private var session = 0
    var entries: [Int: Entry] = [:]
    private(set) var topics: [String: Topic] = [:]
    private var tables: [String: String] = [:]
    var overtaken = OvertakenRows()
    /// Rows that were created, and of which nothing else was told before they are read.
    var fresh: [String: Set<RowID>] = [:]
    private var lastID = 0
    private var lastAsked = 0
    private var hasDeadline = false
    private var lingerNumber = 0
    private var isReleased = false
    private var isRenewing = false
    private var renewal: Duration?
    /// Whether the server is ready to tell of a table over this connection.
    private var isConfirmed = false
    private var fault: RemoteDataError?

    /// - Parameters:
    ///   - clientID: What the ids of subscriptions begin with.
    ///   - comparison: How the server compares text.
    ///   - hasAccount: Whether another token can be got.
    init(clientID: String, _ comparison: BackendlessTextComparison, hasAccount: Bool) {
        (self.clientID, self.comparison, self.hasAccount) = (clientID, comparison, hasAccount)
    }
}

// MARK: - Subscribers

extension BackendlessSubscriptions {
    /// Somebody subscribes.
    mutating func begin(_ id: Int, table: String, query: Query) -> [Action] {
        entries[id] = Entry(table: table, filter: ChangeFilter(query))
        lingerNumber += 1
        let isNew = topics[table] == nil
        if isNew { addTopic(table) }
        switch link {
        case .none:
            session += 1
            link = .connecting
            return [.open(session)]
        case .open: return isNew ? ask([table]) : live(table)
        case .connecting, .dropping: return []
        }
    }

    private mutating func addTopic(_ table: String) {
        var events: [String: BackendlessEvent] = [:]
        for event in BackendlessEvent.allCases {
            lastID += 1
            events["\(clientID)-\(lastID)"] = event
        }
        topics[table] = Topic(events: events)
        for id in events.keys { tables[id] = table }
    }

    /// A subscriber has left.
    mutating func end(_ id: Int) -> [Action] {
        guard let entry = entries.removeValue(forKey: id) else { return [] }
        return (hasSubscribers(entry.table) ? [] : endTopic(entry.table)) + rest()
    }

    private func hasSubscribers(_ table: String) -> Bool {
        entries.values.contains { $0.table == table }
    }

    /// Nobody wants to hear of a table any more.
    private mutating func endTopic(_ table: String) -> [Action] {
        guard let topic = topics.removeValue(forKey: table) else { return [] }
        for id in topic.events.keys { tables[id] = nil }
        forget(table)
        guard link == .open else { return [] }
        return topic.events.keys.sorted(by: Self.isLess).map { .say(session, .end($0)) }
    }

    private static func isLess(_ left: String, _ right: String) -> Bool {
        left.count == right.count ? left < right : left.count < right.count
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
        isRenewing = false
        return [.close(session)]
    }

    /// Forgets what was to be read of a table.
    mutating func forget(_ table: String) {
        overtaken.forget(table)
        fresh[table] = nil
    }
}

// MARK: - The connection

extension BackendlessSubscriptions {
    /// A connection is open: everything is subscribed to again.
    mutating func connected(_ number: Int) -> [Action] {
        guard number == session, link != .none else { return [] }
        link = .open
        (fault, isRenewing, isConfirmed) = (nil, false, false)
        for table in topics.keys { topics[table]?.pending = [:] }
        return ask(topics.keys.sorted())
    }

    /// Asks to be told everything of tables.
    private mutating func ask(_ tables: [String]) -> [Action] {
        var actions: [Action] = []
        for table in tables {
            topics[table]?.ready = []
            topics[table]?.refused = []
            actions += ask(table)
        }
        return actions
    }

    private mutating func ask(_ table: String) -> [Action] {
        guard let topic = topics[table] else { return [] }
        lastAsked += 1
        topics[table]?.asked = lastAsked
        var calls: [Action] = []
        for (id, event) in topic.events.sorted(by: { Self.isLess($0.key, $1.key) }) {
            topics[table]?.pending[id, default: 0] += 1
            calls.append(.say(session, .begin(id, table, event)))
        }
        guard !hasDeadline else { return calls }
        hasDeadline = true
        return calls + [.startDeadline(lastAsked)]
    }

    /// The time after ``Action/startDeadline(_:)`` is over.
    mutating func overdue(_ number: Int) -> [Action] {
        hasDeadline = false
        guard link == .open else { return [] }
        let missing = topics.values.filter { !$0.isReady }.map(\.asked)
        guard let first = missing.min() else { return [] }
        if first <= number {
            return drop(RemoteDataError(.timedOut, "Backendless does not answer a subscription."))
        }
        hasDeadline = true
        return [.startDeadline(lastAsked)]
    }

    /// Gives up the connection, so that another one is made after a wait.
    private mutating func drop(_ error: RemoteDataError) -> [Action] {
        guard link == .open else { return [] }
        link = .dropping
        fault = error
        return interrupt(error) + [.reconnect(session)]
    }

    /// The connection has ended, or cannot be made.
    mutating func disconnected(_ number: Int, _ error: RemoteDataError?) -> [Action] {
        guard number == session, link != .none else { return [] }
        link = .connecting
        isRenewing = false
        let closed = RemoteDataError(
            .unreachable,
            "Backendless closed the connection; it is being made again.",
            cause: error
        )
        return interrupt(fault ?? error ?? closed)
    }

    /// Tells those who do not know it yet that nothing is heard of.
    private mutating func interrupt(_ error: RemoteDataError, _ table: String? = nil) -> [Action] {
        for name in topics.keys where table == nil || table == name {
            topics[name]?.ready = []
            forget(name)
        }
        var actions: [Action] = []
        for (id, entry) in entries.sorted(by: { $0.key < $1.key })
        where !entry.isInterrupted && (table == nil || table == entry.table) {
            entries[id]?.isLive = false
            entries[id]?.isInterrupted = true
            actions.append(.deliver(id, [.interrupted(error)]))
        }
        return actions
    }

    /// The session is over; nil when it was closed from here.
    mutating func ended(_ number: Int, _ error: RemoteDataError?) -> [Action] {
        guard number == session, link != .none else { return [] }
        link = .none
        let error = error ?? RemoteDataError(.cancelled, "The connection to Backendless was given up.")
        return topics.keys.sorted().flatMap { refuse($0, error) }
    }

    /// Ends the feeds of a table.
    private mutating func refuse(_ table: String, _ error: RemoteDataError) -> [Action] {
        let ids = entries.filter { $0.value.table == table }.keys.sorted()
        for id in ids { entries[id] = nil }
        let told = ids.flatMap { [Action.deliver($0, [.interrupted(error)]), .finish($0)] }
        return told + endTopic(table) + rest()
    }
}

// MARK: - Answers

extension BackendlessSubscriptions {
    /// The server has said something.
    mutating func received(_ number: Int, _ message: BackendlessMessage, at now: Duration) -> [Action] {
        guard number == session, link == .open else { return [] }
        switch message {
        case .ready(let id):
            _ = isAnswered(id)
            return ready(id)
        case .refused(let id, let problem): return refused(id, problem, at: now)
        case .called(_, let problem):
            guard let problem else { return [] }
            return drop(.backendless(problem, "a new token"))
        case .told(let id, let data):
            guard let table = tables[id], let event = topics[table]?.events[id] else { return [] }
            // Whoever is told something is heard, even if nobody said so.
            return ready(id) + told(event, of: table, data, at: now)
        case .unreadable: return confused()
        }
    }

    /// Notes an answer to a subscription; false when it was asked for again since, so that another one will come.
    private mutating func isAnswered(_ id: String) -> Bool {
        guard let table = tables[id], let pending = topics[table]?.pending[id], pending > 0 else {
            return true
        }
        topics[table]?.pending[id] = pending - 1
        return pending == 1
    }

    private mutating func ready(_ id: String) -> [Action] {
        guard let table = tables[id], topics[table]?.ready.insert(id).inserted == true else { return [] }
        return live(table)
    }

    /// Tells those who now hear everything.
    private mutating func live(_ table: String) -> [Action] {
        guard topics[table]?.isReady == true else { return [] }
        var actions: [Action] = isConfirmed ? [] : [.confirm(session)]
        isConfirmed = true
        for (id, entry) in entries.sorted(by: { $0.key < $1.key }) where entry.table == table && !entry.isLive
        {
            actions.append(.deliver(id, entry.hasBeenLive ? [.reset, .live(nil)] : [.live(nil)]))
            entries[id]?.isLive = true
            entries[id]?.hasBeenLive = true
            entries[id]?.isInterrupted = false
        }
        return actions
    }

    private mutating func refused(_ id: String, _ problem: BackendlessProblem, at now: Duration) -> [Action] {
        guard let table = tables[id], isAnswered(id) else { return [] }
        let error = RemoteDataError.backendless(problem, "to tell changes of \(table)")
        if problem.isAboutToken, hasAccount {
            topics[table]?.refused.insert(id)
            let actions = interrupt(error, table)
            if isRenewing { return actions }
            // A token that is not taken when it is new is got again only after a wait.
            if let renewal, now - renewal < Self.tokenPatience { return actions + drop(error) }
            (isRenewing, renewal) = (true, now)
            return actions + [.renewToken(session)]
        }
        return error.isTransient ? drop(error) : refuse(table, error)
    }

    /// Another token was got, or cannot be.
    mutating func renewed(_ number: Int, _ error: RemoteDataError?) -> [Action] {
        guard number == session, link == .open, isRenewing else { return [] }
        isRenewing = false
        let waiting = topics.filter { !$0.value.refused.isEmpty }.keys.sorted()
        if let error {
            return error.isTransient ? drop(error) : waiting.flatMap { refuse($0, error) }
        }
        return ask(waiting)
    }

    /// There is a new token, of which the server learns where there is a connection.
    mutating func hasToken(_ token: String) -> [Action] {
        guard link == .open else { return [] }
        lastID += 1
        return [.say(session, .token("\(clientID)-\(lastID)", token))]
    }
}
