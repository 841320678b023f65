import RemoteData

/// A request on its way to the simulated server.
struct WireRequest: Sendable {
    enum Call: Sendable {
        case count(Query)
        case page(PageRequest)
        case row(RowID)
        case commit(Mutation)
        case changes(since: Revision, limit: Int)
    }

    let call: Call
    /// The header with the write's key.
    var key: String?
    /// The credentials.
    let token: Int
    /// Which call of the table it belongs to, however often it is sent; the server counts by it and does not act on it.
    let number: Int

    /// The name of the call, by which faults choose.
    var name: String {
        switch call {
        case .count: "count"
        case .page: "page"
        case .row: "row"
        case .commit: "commit"
        case .changes: "changes"
        }
    }

    /// Whether sending it twice does no harm.
    var isRepeatable: Bool {
        if case .commit = call { key != nil } else { true }
    }
}

/// An answer on its way back.
struct WireReply: Sendable {
    var status = 200
    var body: [UInt8] = []
    /// The header `Table-Revision`.
    var tableRevision: Revision?
    /// The header `ETag`.
    var rowRevision: Revision?
    /// The header `Retry-After`, as the client understands it.
    var retryAfter: Duration?
    /// What the code in the body of a refusal means.
    var problem: RemoteDataError?

    /// Whether there is no such row, in a table that is there.
    var isMissingRow: Bool { status == 404 && problem == nil }
}

/// A frame of a subscription on its way to the client.
struct WireFrame: Sendable {
    let connection: Int
    /// The revision of the frame before it; nil for the first.
    let after: Revision?
    let revision: Revision
    let event: ChangeEvent
    /// Whether it is one that nobody can read.
    var isMalformed = false
}
