import RemoteData

/// Decides what happens to the subscriptions that share one stream of a PocketBase server.
///
/// Whoever reads the stream is a client with an id, and posts the whole list of what it wants to hear of whenever that changes.
/// Everything is subscribed without a filter, since a server says nothing of rows that leave one; what matches is found out here.
///
/// Each method is an event and returns what is to be done, in order. It holds no network and no feed.
struct PocketBaseSubscriptions: Sendable {
    enum Action: Sendable {
        /// Begin to read the stream.
        case open
        /// Stop reading it.
        case close
        /// Read it anew: the server does not know the client.
        case reconnect
        /// Post what a client wants to hear of, and call ``PocketBaseSubscriptions/posted(_:_:)`` with the number.
        case post(client: String, topics: [String], number: Int)
        /// Hand events to a subscriber.
        case deliver(Int, [ChangeEvent])
        /// End a subscriber's feed.
        case finish(Int)
    }

    private struct Entry {
        let table: String
        let matcher: Where.Matcher?
        /// The post that asks for it; nil while there is none.
        var number: Int?
        var isLive = false
        var hasBeenLive = false
    }

    private var entries: [Int: Entry] = [:]
    private var client: String?
    private var isOpen = false
    private var lastNumber = 0

    /// Whether anybody is subscribed.
    var isEmpty: Bool { entries.isEmpty }
}

// MARK: - Subscribers

extension PocketBaseSubscriptions {
    /// Somebody subscribes.
    mutating func begin(_ id: Int, table: String, filter: Where?) -> [Action] {
        entries[id] = Entry(table: table, matcher: filter.map { Where.Matcher($0) })
        guard isOpen else {
            isOpen = true
            return [.open]
        }
        return post()
    }

    /// A subscriber has left.
    mutating func end(_ id: Int) -> [Action] {
        guard let entry = entries.removeValue(forKey: id) else { return [] }
        guard entries.isEmpty else {
            return entries.values.contains { $0.table == entry.table } ? [] : post()
        }
        (isOpen, client) = (false, nil)
        return [.close]
    }

    private mutating func post() -> [Action] {
        guard let client else { return [] }
        lastNumber += 1
        for id in entries.keys where !(entries[id]?.isLive ?? true) { entries[id]?.number = lastNumber }
        let topics = Set(entries.values.map { "\($0.table)/*" }).sorted()
        return [.post(client: client, topics: topics, number: lastNumber)]
    }
}

// MARK: - The stream

extension PocketBaseSubscriptions {
    /// The server has told the client its id.
    mutating func connected(_ client: String) -> [Action] {
        self.client = client
        return post()
    }

    /// A post was answered; nil when the server took it.
    mutating func posted(_ number: Int, _ error: RemoteDataError?) -> [Action] {
        guard number <= lastNumber, client != nil else { return [] }
        guard let error else { return live(number) }
        if error.isTransient || error.code == .notFound || error.code == .unauthorized {
            // A client that was away for too long is not known any more.
            client = nil
            return interrupt(error) + [.reconnect]
        }
        let refused = entries.filter { $0.value.number == number }.keys.sorted()
        for id in refused { entries[id] = nil }
        return refused.flatMap { [.deliver($0, [.interrupted(error)]), .finish($0)] }
    }

    private mutating func live(_ number: Int) -> [Action] {
        var actions: [Action] = []
        for id in entries.keys.sorted() {
            guard let entry = entries[id], let own = entry.number, own <= number, !entry.isLive else { continue }
            actions.append(.deliver(id, entry.hasBeenLive ? [.reset, .live(nil)] : [.live(nil)]))
            entries[id]?.isLive = true
            entries[id]?.hasBeenLive = true
        }
        return actions
    }

    /// The stream has ended, or cannot be opened.
    mutating func disconnected(_ error: RemoteDataError) -> [Action] {
        client = nil
        return interrupt(error)
    }

    /// The stream is refused for good.
    mutating func ended(_ error: RemoteDataError) -> [Action] {
        let actions = entries.keys.sorted().flatMap { [Action.deliver($0, [.interrupted(error)]), .finish($0)] }
        (entries, client, isOpen) = ([:], nil, false)
        return actions
    }

    private mutating func interrupt(_ error: RemoteDataError) -> [Action] {
        var actions: [Action] = []
        for id in entries.keys.sorted() {
            guard let entry = entries[id] else { continue }
            entries[id]?.number = nil
            guard entry.isLive || !entry.hasBeenLive else { continue }
            entries[id]?.isLive = false
            actions.append(.deliver(id, [.interrupted(error)]))
        }
        return actions
    }

    /// A row was changed.
    ///
    /// - Parameters:
    ///   - table: The collection.
    ///   - kind: What happened.
    ///   - row: The row as it is now or, of a deletion, as it was.
    mutating func changed(_ table: String, _ kind: ChangeKind, _ row: Row) -> [Action] {
        entries.keys.sorted().compactMap { id in
            guard let entry = entries[id], entry.isLive, entry.table == table else { return nil }
            let matches = entry.matcher?.matches(row) ?? true
            switch kind {
            case .created, .updated:
                if matches { return .deliver(id, [.change(Change(revision: nil, kind: kind, row: row))]) }
                // Nobody knows whether it matched before.
                guard kind == .updated else { return nil }
                return .deliver(id, [.change(Change(revision: nil, kind: .deleted, id: row.id, left: true))])
            default:
                guard matches else { return nil }
                return .deliver(id, [.change(Change(revision: nil, kind: .deleted, id: row.id))])
            }
        }
    }

    /// What the server said cannot be read: changes may be missed.
    mutating func confused() -> [Action] {
        entries.keys.sorted().filter { entries[$0]?.isLive == true }.map { .deliver($0, [.reset, .live(nil)]) }
    }
}
