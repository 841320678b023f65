/// Who is told of transactions.
struct Listener: Sendable {
    // In a struct, since a closure by itself is wrapped once more each time it is taken out of a lock.
    var hear: (@Sendable (StoreNews) -> Void)?
}

/// What a transaction has changed, for whoever is to know.
struct StoreNews: Sendable {
    let tables: [StoreTransaction.News]
    let outbox: OutboxNews
}
