import RemoteData

/// Decides what happens to the subscriptions that share the streams of a PocketBase server.
///
/// Whoever reads a stream is a client with an id, and posts the whole list of what it wants to hear of whenever that changes.
/// Everything is subscribed without a filter, since a server says nothing of rows that leave one; what matches is found out here.
/// A server ends every stream after a while: a new one takes its place before that, so that nothing is missed.
///
/// Each method is an event and returns what is to be done, in order. It holds no network and no feed.
struct PocketBaseSubscriptions: Sendable {
    enum Action: Sendable {
        /// Begin to read a stream.
        case open(Int)
        /// Stop reading it.
        case close(Int)
        /// Read it anew: the server does not know the client, or refused its credentials.
        case reconnect(Int, isRefused: Bool = false)
        /// Call ``PocketBaseSubscriptions/silent(_:)`` after a while.
        case startDeadline(Int)
        /// Call ``PocketBaseSubscriptions/aged(_:)`` before the server ends the stream.
        case startAging(Int)
        /// Post what the client of a stream wants to hear of, and tell the answer.
        case post(Post)
        /// Read rows, and call ``PocketBaseSubscriptions/read(_:_:)``.
        case read(table: String, ids: [RowID])
        /// Look at a table, and call ``PocketBaseSubscriptions/looked(_:_:_:)``.
        case look(LookRequest)
        /// Call ``PocketBaseSubscriptions/settled(_:_:)`` with a table and this number after a short while.
        case waitToSettle(String, Int)
        /// Call ``PocketBaseSubscriptions/dueToLook(_:_:)`` with a table and this number when it is to be
        /// looked at again.
        case waitToLook(String, Int)
        /// Cancel the timer of a table.
        case stopLooking(String)
        /// Note that the stream works.
        case confirm(Int)
        /// Hand events to a subscriber.
        case deliver(Int, [ChangeEvent])
        /// End a subscriber's feed.
        case finish(Int)
    }

    /// What a client wants to hear of.
    struct Post: Sendable, Equatable {
        let stream: Int
        let client: String
        let tables: Set<String>
    }

    struct Entry: Sendable {
        let table: String
        let filter: ChangeFilter
        /// The columns of its query.
        let columns: Set<ColumnPath>
        var isLive = false
        var hasBeenLive = false
        /// Whether the table, or a column of the query, is missing.
        var isRefused = false
    }

    private struct Stream {
        /// The id the server has given; nil while there is no connection.
        var client: String?
        /// The tables of the last post.
        var asked: Set<String>?
        /// The tables the server tells of.
        var told: Set<String> = []
    }

    var entries: [Int: Entry] = [:]
    var audits: [String: Audit] = [:]
    var lastLook = 0
    /// Whether tables are looked at.
    let isAuditing: Bool
    private var streams: [Int: Stream] = [:]
    /// The stream whose messages count, and the one that is to take its place.
    private var current: Int?
    private var next: Int?
    private var lastStream = 0
    private var overtaken = OvertakenRows()

    private var tables: Set<String> { Set(entries.values.map(\.table)) }

    init(isAuditing: Bool = false) { self.isAuditing = isAuditing }
}

// MARK: - Subscribers

extension PocketBaseSubscriptions {
    /// Somebody subscribes.
    mutating func begin(_ id: Int, table: String, query: Query) -> [Action] {
        entries[id] = Entry(table: table, filter: ChangeFilter(query), columns: query.columns)
        guard let current else {
            let stream = open()
            self.current = stream
            return [.open(stream)]
        }
        // Nothing has to be asked for what is told already.
        return live(on: current) + postAll()
    }

    /// A subscriber has left.
    mutating func end(_ id: Int) -> [Action] {
        guard let entry = entries.removeValue(forKey: id) else { return [] }
        let isFollowed = entries.values.contains { $0.table == entry.table }
        let actions = isFollowed ? [] : stopLooking(at: entry.table)
        guard entries.isEmpty else { return actions + postAll() }
        let closed = streams.keys.sorted()
        streams = [:]
        (current, next) = (nil, nil)
        return actions + closed.map { .close($0) }
    }

    private mutating func open() -> Int {
        lastStream += 1
        let stream = lastStream
        streams[stream] = Stream()
        return stream
    }

    private mutating func postAll() -> [Action] { streams.keys.sorted().flatMap { post(on: $0) } }

    /// Posts what is wanted, unless that is known, or another post is under way: they may overtake each other.
    private mutating func post(on number: Int) -> [Action] {
        guard let stream = streams[number], let client = stream.client, stream.asked == nil,
            stream.told != tables
        else { return [] }
        let wanted = tables
        streams[number]?.asked = wanted
        return [.post(Post(stream: number, client: client, tables: wanted))]
    }
}

// MARK: - Streams

extension PocketBaseSubscriptions {
    /// A stream is open; its client has no id yet.
    func opened(_ number: Int) -> [Action] { streams[number] == nil ? [] : [.startDeadline(number)] }

    /// The server has told the client of a stream its id.
    mutating func connected(_ number: Int, _ client: String) -> [Action] {
        guard streams[number] != nil else { return [] }
        streams[number] = Stream(client: client)
        return post(on: number)
    }

    /// The time in which a server tells an id is over.
    func silent(_ number: Int) -> [Action] {
        guard let stream = streams[number], stream.client == nil else { return [] }
        return [.reconnect(number)]
    }

    /// A post was answered; nil when the server took it.
    mutating func posted(_ post: Post, _ error: RemoteDataError?) -> [Action] {
        guard let stream = streams[post.stream], stream.client == post.client else { return [] }
        streams[post.stream]?.asked = nil
        if let error { return refused(post, error) }
        streams[post.stream]?.told = post.tables
        let confirmed = stream.told.isEmpty ? [Action.confirm(post.stream)] : []
        if next == post.stream, post.tables.isSuperset(of: tables), let old = current {
            // From here on it hears everything: the old one is not needed any more.
            (current, next) = (next, nil)
            streams[old] = nil
            return confirmed + live(on: post.stream) + [.close(old), .startAging(post.stream)]
                + self.post(on: post.stream)
        }
        let isFirst = stream.told.isEmpty && current == post.stream
        return confirmed + (isFirst ? [.startAging(post.stream)] : []) + live(on: post.stream)
            + self.post(on: post.stream)
    }

    private mutating func refused(_ post: Post, _ error: RemoteDataError) -> [Action] {
        let isForgotten = error.code == .notFound || error.code == .unauthorized || error.code == .forbidden
        if error.isTransient || isForgotten {
            // It may still arrive, or the server has forgotten the client, or knows it as somebody else.
            let isRefused = error.code == .unauthorized
            return disconnected(post.stream, error) + [.reconnect(post.stream, isRefused: isRefused)]
        }
        let refused = entries.filter { post.tables.contains($0.value.table) && !$0.value.isLive }.keys
            .sorted()
        for id in refused { entries[id] = nil }
        return refused.flatMap { [.deliver($0, [.interrupted(error)]), .finish($0)] }
    }

    /// Tells those who now hear everything.
    private mutating func live(on number: Int) -> [Action] {
        guard number == current, let told = streams[number]?.told else { return [] }
        var actions: [Action] = []
        for (id, entry) in entries.sorted(by: { $0.key < $1.key })
        where !entry.isLive && !entry.isRefused && told.contains(entry.table)
            && hasBegunLooks(at: entry.table)
        {
            actions.append(.deliver(id, entry.hasBeenLive ? [.reset, .live(nil)] : [.live(nil)]))
            entries[id]?.isLive = true
            entries[id]?.hasBeenLive = true
        }
        return beginLooks(at: told.intersection(tables)) + actions
    }

    /// Delivers `live` to subscribers whose table or column is there again.
    mutating func liveAgain() -> [Action] { current.map { live(on: $0) } ?? [] }

    /// Reconnects, since the streams may have been those of a guest before the account signed in anew.
    mutating func signedIn() -> [Action] {
        streams.filter { $0.value.client != nil }.keys.sorted().map { .reconnect($0) }
    }

    /// A stream has come to an age at which the server may soon end it.
    mutating func aged(_ number: Int) -> [Action] {
        guard number == current, next == nil else { return [] }
        let stream = open()
        next = stream
        return [.open(stream)]
    }

    /// A stream has ended, or cannot be opened.
    mutating func disconnected(_ number: Int, _ error: RemoteDataError) -> [Action] {
        guard streams[number] != nil else { return [] }
        streams[number] = Stream()
        guard number == current else { return [] }
        var actions: [Action] = []
        for (id, entry) in entries.sorted(by: { $0.key < $1.key }) where entry.isLive || !entry.hasBeenLive {
            entries[id]?.isLive = false
            overtaken.forget(entry.table)
            actions.append(.deliver(id, [.interrupted(error)]))
        }
        actions += audits.keys.sorted().flatMap { stopLooking(at: $0) }
        // What lies between the two has been missed.
        guard let other = next.take() else { return actions }
        streams[other] = nil
        return actions + [.close(other)]
    }

    /// A stream is refused for good.
    mutating func ended(_ number: Int, _ error: RemoteDataError?) -> [Action] {
        guard streams[number] != nil else { return [] }
        streams[number] = nil
        guard number == current else {
            next = nil
            // The old one goes on for as long as the server lets it.
            return []
        }
        let error = error ?? RemoteDataError(.cancelled, "The connection was closed.")
        let actions = entries.keys.sorted().flatMap {
            [Action.deliver($0, [.interrupted(error)]), .finish($0)]
        }
        let others = streams.keys.sorted().map { Action.close($0) }
        (entries, streams, current, next) = ([:], [:], nil, nil)
        return actions + others + audits.keys.sorted().flatMap { stopLooking(at: $0) }
    }
}

// MARK: - Changes

extension PocketBaseSubscriptions {
    /// A row was changed.
    ///
    /// - Parameters:
    ///   - number: The stream that says so.
    ///   - table: The collection.
    ///   - kind: What happened.
    ///   - row: The row as it is now or, of a deletion, as it was.
    ///   - now: The time.
    /// - Returns: What is to be done.
    mutating func changed(_ number: Int, _ table: String, _ kind: ChangeKind, _ row: Row, at now: Duration)
        -> [Action]
    {
        guard number == current else { return [] }
        switch overtaken.note(row.id, of: table, at: now) {
        case .isInOrder:
            let was = kind == .updated ? wasPresent(row.id, in: table) : kind == .deleted
            note(row.id, of: table, isPresent: kind != .deleted, wasPresent: was)
            if kind == .deleted {
                return tell(table, Change(revision: nil, kind: kind, id: row.id), before: row)
            }
            return tell(table, Change(revision: nil, kind: kind, row: row))
        case .isInDoubt:
            note(row.id, of: table, isPresent: nil)
            return readNext(table)
        case .isTooMuch: return confused(number, table)
        }
    }

    private mutating func readNext(_ table: String) -> [Action] {
        overtaken.next(of: table).map { [.read(table: table, ids: $0)] } ?? []
    }

    /// Rows were read: those that are still there.
    mutating func read(_ table: String, _ rows: Result<[Row], RemoteDataError>) -> [Action] {
        let ids = overtaken.end(of: table)
        guard case .success(let rows) = rows else {
            overtaken.forget(table)
            return current.map { confused($0, table) } ?? []
        }
        let found = Dictionary(rows.map { ($0.id, $0) }) { first, _ in first }
        let changes = ids.sorted { $0.description < $1.description }.map { id in
            found[id].map { Change(revision: nil, kind: .updated, row: $0) }
                ?? Change(revision: nil, kind: .deleted, id: id)
        }
        for id in ids { note(id, of: table, isPresent: found[id] != nil) }
        return changes.flatMap { tell(table, $0) } + readNext(table)
    }

    private func tell(_ table: String, _ change: Change, before: Row? = nil) -> [Action] {
        entries.sorted { $0.key < $1.key }.compactMap { id, entry in
            guard entry.isLive, entry.table == table, let seen = entry.filter.seen(change, before: before)
            else {
                return nil
            }
            return .deliver(id, [.change(seen)])
        }
    }

    /// What a stream said cannot be read: changes may be missed, of a table or of all.
    mutating func confused(_ number: Int, _ table: String? = nil) -> [Action] {
        guard number == current else { return [] }
        for name in audits.keys where table == nil || table == name { audits[name]?.rows = RowAudit() }
        return entries.filter { $0.value.isLive && (table ?? $0.value.table) == $0.value.table }.keys.sorted()
            .map { .deliver($0, [.reset, .live(nil)]) }
    }
}
