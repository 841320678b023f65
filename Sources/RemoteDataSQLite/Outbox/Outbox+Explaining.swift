import Foundation
public import RemoteData
import Synchronization

extension Outbox {
    /// What waits and for what, what was refused and why, and whether the server answers: in words, for people, not to be parsed.
    ///
    /// Names tables and ids, and never what is in a row.
    ///
    /// - Parameter limit: How many writes are told of one by one.
    /// - Returns: Lines.
    /// - Throws: `RemoteDataError` with code `storage`.
    public func explain(limit: Int = 20) async throws(RemoteDataError) -> String {
        let open = try await core.explained("state < 3", limit: limit)
        let counts = try await core.counts()
        var lines = [counts.text]
        if counts.waiting > 0, let why = core.whyNothingIsSent { lines.append(why) }
        lines += open.map { core.explanation($0) }
        let left = counts.waiting + counts.sending + counts.refused - open.count
        if left > 0 { lines.append("… and \(left) more.") }
        return lines.joined(separator: "\n")
    }
}

/// A write with what explains where it stands.
struct ExplainedItem: Sendable {
    let item: OutboxItem
    let blocker: OutboxItem?
    /// How long it is until it is tried again.
    let wait: Duration?
}

/// How many writes stand where.
struct OutboxCounts: Sendable {
    var waiting = 0
    var sending = 0
    var refused = 0

    var text: String {
        guard waiting + sending + refused > 0 else { return "Nothing waits to be sent." }
        var parts: [String] = []
        if waiting > 0 { parts.append("\(waiting) \(waiting == 1 ? "write waits" : "writes wait")") }
        if sending > 0 { parts.append("\(sending) \(sending == 1 ? "is" : "are") under way") }
        if refused > 0 { parts.append("\(refused) \(refused == 1 ? "was" : "were") refused") }
        return parts.joined(separator: ", ") + "."
    }
}

extension OutboxCore {
    func counts() async throws(RemoteDataError) -> OutboxCounts {
        try await store.read { (connection) throws(RemoteDataError) in
            var counts = OutboxCounts()
            try connection.query("SELECT state, count(*) FROM outbox WHERE state < 3 GROUP BY state") { row in
                switch row.integer(0) {
                case 0: counts.waiting = Int(row.integer(1))
                case 1: counts.sending = Int(row.integer(1))
                default: counts.refused = Int(row.integer(1))
                }
            }
            return counts
        }
    }

    func explained(_ condition: String, limit: Int) async throws(RemoteDataError) -> [ExplainedItem] {
        let items = try await items(condition, limit: limit)
        var explained: [ExplainedItem] = []
        for item in items {
            var blocker: OutboxItem?
            if let number = item.waitsFor {
                blocker = try await self.items("outbox.number = \(number)", limit: 1).first
            }
            let wait = try await store.read { (connection) throws(RemoteDataError) in
                try connection.first(
                    "SELECT due FROM outbox WHERE number = ? AND state = 0",
                    [.integer(item.id)]
                ) { $0.integer(0) }
            }
            let now = Int64(store.writer.now().timeIntervalSince1970 * 1_000)
            let left = wait.flatMap { $0 > now ? Duration.milliseconds($0 - now) : nil }
            explained.append(ExplainedItem(item: item, blocker: blocker, wait: left))
        }
        return explained
    }

    /// Why the server is asked nothing at the moment; nil when it is.
    var whyNothingIsSent: String? {
        let now = now
        return state.withLock { state in
            if state.isClosed { return "Nothing is sent: the store was closed." }
            guard state.remote != nil else { return "Nothing is sent: no server was given to send to." }
            if state.plan.isPaused { return "Nothing is sent: it is paused." }
            if state.plan.isOffline { return "Nothing is sent: there is no network." }
            if !state.isSender {
                return "Nothing is sent from here: another process that has the file open sends."
            }
            guard case .down(let since, let retryAt, let failures) = state.plan.reach else { return nil }
            let why = state.trouble.map { " (\($0.code): \($0.message))" } ?? ""
            let times = failures == 1 ? "once" : "\(failures) times"
            let next = retryAt > now ? "in \((retryAt - now).inWords)" : "now"
            return """
                The server has not answered for \((now - since).inWords), asked \(times)\(why); it is asked again \(next).
                """
        }
    }

    func explanation(_ explained: ExplainedItem) -> String {
        let item = explained.item
        let sent =
            item.attempts == 0
            ? "" : ", sent \(item.attempts == 1 ? "once" : "\(item.attempts) times") before"
        switch item.state {
        case .queued:
            if let blocker = explained.blocker { return "\(item): waits for \(blocker)\(sent)." }
            if let wait = explained.wait { return "\(item): is tried again in \(wait.inWords)\(sent)." }
            if remote(item.table) == nil {
                return "\(item): waits for a server with the table \(item.table)."
            }
            return "\(item): waits for its turn\(sent)."
        case .sending: return "\(item): is under way\(sent)."
        case .dead(let error):
            let status = error.status.map { ", status \($0)" } ?? ""
            return
                "\(item): was refused (\(error.code)\(status)): \(error.message) Retry, edit or discard it."
        case .acknowledged, .rejected: return "\(item): \(item.state)."
        }
    }
}

extension Duration {
    /// With a precision that says something.
    fileprivate var inWords: String {
        self < .seconds(1)
            ? "\(Int((self / .milliseconds(1)).rounded(.up))) ms"
            : "\(Int((self / .seconds(1)).rounded(.up))) s"
    }
}
