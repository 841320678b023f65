import RemoteData

/// What is subscribed to.
struct SubscriptionRequest: Sendable, Equatable {
    /// The most bytes of a frame to the server.
    static let frameLimit = 60_000

    let table: String
    let query: Query

    /// The frame that begins the subscription.
    func frame(id: String, since: Revision?) -> [UInt8] {
        var body = JSONBody()
        body.member("type", "subscribe")
        body.member("id", id)
        body.member("table", table)
        body.member("where", query.filter?.description)
        body.member("sortBy", query.sort.isEmpty ? nil : query.sort.sortText)
        body.member("since", since?.rawValue)
        body.member("epoch", since?.epoch?.description)
        return body.closed
    }

    /// The frame that ends a subscription.
    static func endFrame(id: String) -> [UInt8] {
        var body = JSONBody()
        body.member("type", "unsubscribe")
        body.member("id", id)
        return body.closed
    }
}
