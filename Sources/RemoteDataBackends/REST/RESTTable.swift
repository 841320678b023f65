public import Foundation
public import RemoteData
import RemoteDataNetwork

/// A table of a server that speaks the native protocol.
///
/// ```swift
/// let airports = try RESTTable("http://127.0.0.1:8080/airports")
/// print(try await airports.count(nil).value)
/// ```
///
/// Every call but ``subscribe(to:since:)`` is one request, repeated by the rules of ``RESTConfiguration``
/// when it fails for a reason that may pass; none blocks the caller's thread. Errors hold what the server
/// said, never rows or credentials.
public final class RESTTable: Table {
    /// The table's name.
    public let name: String
    /// The server the table is on.
    public let server: RESTServer
    /// The column that holds a row's id.
    public var idColumn: String { "objectId" }
    /// How dates are written in rows.
    public var dates: DateConvention { .epochMilliseconds }
    /// What the server can do, as far as it is known: see ``RESTServer/capabilities``.
    public var capabilities: Capabilities { server.capabilities }

    let requests: RequestBuilder
    let answers: AnswerReader

    init(_ name: String, on server: RESTServer) {
        self.name = name
        self.server = server
        requests = RequestBuilder(base: server.base, table: name, timeouts: server.configuration.timeouts)
        answers = AnswerReader(base: server.base, table: name, idColumn: "objectId")
    }

    /// A table by its URL: the server's with the table's name behind it, such as
    /// `http://127.0.0.1:8080/people`.
    ///
    /// The table gets a connection of its own; to use several tables of a server, make one ``RESTServer``.
    ///
    /// - Parameters:
    ///   - url: Where the table is; the name is percent-encoded.
    ///   - configuration: Credentials, times, observer.
    /// - Throws: `RemoteDataError` with code `invalidRequest` when the URL is not one of a
    ///   table.
    public convenience init(
        _ url: String,
        configuration: RESTConfiguration = RESTConfiguration()
    ) throws(RemoteDataError) {
        let (server, table) = try BaseURL.split(table: url)
        self.init(table, on: try RESTServer(server, configuration: configuration))
    }

    /// A table by its URL; see ``init(_:configuration:)-(String,_)``.
    public convenience init(
        _ url: URL,
        configuration: RESTConfiguration = RESTConfiguration()
    ) throws(RemoteDataError) {
        try self.init(url.absoluteString, configuration: configuration)
    }
}

// MARK: - Reading

extension RESTTable {
    /// How many rows the query has.
    ///
    /// One request.
    public func count(_ query: Query) async throws(RemoteDataError) -> Count {
        let answer = try await server.send(requests.count(query))
        if isMissing(answer) { return Count(0, revision: .zero) }
        return try answers.count(answer)
    }

    /// A page of a query.
    ///
    /// One request, by `POST` when the query is long. A server with smaller pages than the one asked for is asked
    /// again until the page is full, so a page with fewer rows is the last one, unless it says `endsEarly`; such a
    /// page's revision is that of its first part. Never more rows than the largest page size the server's capabilities ever had.
    public func page(_ request: PageRequest) async throws(RemoteDataError) -> Page {
        let limit = try request.checkedLimit(maximum: server.largestPageSize)
        var assembly = PageAssembly(request, limit: limit)
        while let part = assembly.next(maximum: capabilities.maximumPageSize) {
            let answer = try await server.send(requests.page(part, limit: part.limit))
            if isMissing(answer) { return Page(rows: [], revision: .zero) }
            if await isTooLarge(part, answer) { continue }
            let page = try answers.page(answer, limit: part.limit)
            try assembly.add(page, to: part, usesKeys: capabilities.keysetPages)
        }
        return assembly.page
    }

    /// Whether the server refused a page because its own are smaller; its capabilities then say so.
    private func isTooLarge(_ part: PageRequest, _ answer: HTTPResponse) async -> Bool {
        guard answer.status == 400, part.limit > 1, ServerProblem(answer)?.code == 1000,
            let capabilities = try? await server.refreshCapabilities()
        else { return false }
        return capabilities.maximumPageSize < part.limit
    }

    /// The row with an id; nil when there is none.
    ///
    /// One request.
    public func row(_ id: RowID) async throws(RemoteDataError) -> Row? {
        let answer = try await server.send(requests.row(id))
        return isMissing(answer) ? nil : try answers.row(answer, id: id)
    }

    /// The changes after a revision in the order they were made, at most `limit`.
    ///
    /// One request.
    public func changes(since revision: Revision, limit: Int) async throws(RemoteDataError) -> ChangeBatch {
        guard limit > 0 else {
            throw RemoteDataError(.invalidRequest, "A batch holds at least one change, not \(limit).")
        }
        let limit = min(limit, Self.changeLimit)
        let answer = try await server.send(requests.changes(since: revision, limit: limit))
        guard isMissing(answer) else { return try answers.changes(answer, limit: limit) }
        guard revision.rawValue == 0 else {
            throw RemoteDataError(
                .gone,
                "There is no table \"\(name)\" any more, so its changes are not known."
            )
        }
        return ChangeBatch(changes: [], revision: .zero, isComplete: true)
    }

    /// The most changes of one answer.
    private static var changeLimit: Int { 1_000 }

    /// Whether the table is not there, and that is not an error.
    func isMissing(_ answer: HTTPResponse) -> Bool {
        server.configuration.treatsMissingTablesAsEmpty && answer.status == 404
            && ServerProblem(answer)?.isMissingTable ?? false
    }
}

// MARK: - Writing

extension RESTTable {
    /// Makes a change, all of it or nothing.
    ///
    /// One request. A write without a key gets one, so that it can be sent again after a lost reply without
    /// being made twice; a server without `Capabilities.idempotency` is sent none. Several rows travel as one
    /// bulk request, which the server limits to 16 MiB. The rows of a bulk write in the outcome are what was
    /// sent, with the ids and revisions of the answer.
    public func commit(
        _ mutation: Mutation,
        idempotencyKey: String?
    ) async throws(RemoteDataError) -> Outcome {
        try checkIdempotencyKey(idempotencyKey)
        switch mutation {
        case .create(let drafts) where drafts.isEmpty, .upsert(let drafts) where drafts.isEmpty:
            return Outcome(count: 0)
        default: break
        }
        // A request with a key is repeated, and would be made twice by a server that does not know keys.
        let key = capabilities.idempotency ? idempotencyKey ?? UUID.random().uuidString : nil
        let answer = try await server.send(requests.write(mutation, idempotencyKey: key))
        switch mutation {
        case .updateAll where isMissing(answer), .deleteAll where isMissing(answer):
            return Outcome(count: 0, revision: .zero)
        default: return try answers.outcome(answer, of: mutation)
        }
    }
}

// MARK: - Following

extension RESTTable {
    /// Starts delivering changes of a query over the server's one WebSocket.
    ///
    /// Returns at once; the feed begins with `ChangeEvent.live(_:)` when the server has
    /// answered. While there is no connection it is told `interrupted`, and goes on from the last revision it
    /// has seen when there is one again. It ends by itself only when the server refuses the subscription or
    /// the connection, after an `interrupted` that says why and is not transient. A collection then
    /// subscribes again within a minute.
    ///
    /// - Parameters:
    ///   - query: Which rows, in which order.
    ///   - revision: The revision after which changes are wanted; nil for those from now on.
    /// - Returns: The changes; cancel or release it to end the subscription.
    /// - Throws: `RemoteDataError` with code `tooLarge` when the clause is longer than a frame
    ///   may be.
    public func subscribe(
        to query: Query,
        since revision: Revision?
    ) async throws(RemoteDataError) -> ChangeFeed {
        try server.sockets.subscribe(SubscriptionRequest(table: name, query: query), since: revision)
    }
}
