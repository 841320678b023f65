import Foundation
public import RemoteData
import RemoteDataNetwork

/// A collection of a Kinto server.
///
/// Clauses are filtered by the server as far as it can, and evaluated here on what it sends otherwise: `LIKE`, `IS NULL`, an
/// `OR` between columns, and ranges of text unless the storage sorts text by its bytes. A count then includes rows that only
/// the server takes for matching, and a page is read from as many rows as it takes. What is said of kinds of values at
/// ``KintoServer/table(_:mixedColumns:)`` holds too.
///
/// Kinto stores a null and the lack of a value as two things, and sorts them apart. This library stores nulls as missing
/// values, which are the greatest: an order says `NULLS LAST`, as it does by itself, or `DESC NULLS FIRST`.
///
/// Revisions are times of changes in milliseconds, as Kinto stamps them (`last_modified`).
public final class KintoTable: Table {
    /// The collection's name.
    public let name: String
    /// The server the collection is on.
    public let server: KintoServer
    /// The column that holds a row's id: letters, digits, `_` and `-`.
    public var idColumn: String { "id" }
    /// How dates are written in rows: in milliseconds, as Kinto writes `last_modified`.
    public var dates: DateConvention { .epochMilliseconds }
    /// What Kinto can do over the server's storage.
    public var capabilities: Capabilities {
        var capabilities = Capabilities()
        capabilities.keysetPages = true
        capabilities.revisions = true
        capabilities.resume = true
        capabilities.liveChanges = server.pollInterval != nil
        capabilities.reportsLeaving = true
        capabilities.filteredDeletes = true
        capabilities.idempotentCreation = true
        capabilities.conditionalWrites = server.storage.hasAtomicConditions
        capabilities.binaryOrder = server.storage.sortsTextByBytes
        capabilities.maximumPageSize = Self.largestPage
        return capabilities
    }

    /// The most rows of a page.
    static let largestPage = 1_000

    let requests: KintoRequests
    private let mixedColumns: Set<ColumnPath>

    /// Clauses as the server takes them at this time.
    var filter: KintoFilter {
        // Kinto refuses times from a day ahead on; clocks may be hours apart.
        let latest = server.client.now().timeIntervalSince1970 * 1_000 + 3_600_000
        return KintoFilter(storage: server.storage, mixedColumns: mixedColumns, latestTime: Int64(latest))
    }

    init(_ name: String, on server: KintoServer, mixedColumns: Set<ColumnPath>) {
        (self.name, self.server) = (name, server)
        let client = server.client
        requests = KintoRequests(
            base: client.base,
            bucket: server.bucket,
            table: name,
            timeouts: client.timeouts
        )
        self.mixedColumns = mixedColumns
    }
}

// MARK: - Reading

extension KintoTable {
    /// Whether Kinto finds exactly the rows for which a clause is true; never asks the server.
    public func canFilterList(_ clause: Where) -> Bool { filter.rendered(clause).isExact }

    /// False: every change of the table is asked for, and the clause evaluated here.
    public func canFilterLive(_ clause: Where) -> Bool { false }

    /// How many rows the query has; one request.
    ///
    /// Of a clause that Kinto cannot be asked exactly, at most so many: see `Count.isExact`.
    public func count(_ query: Query) async throws(RemoteDataError) -> Count {
        try refuseSubQueries(query.filter)
        let filter = filter.rendered(query.filter)
        _ = try KintoOrder(query.sort, besides: mixedColumns)
        let answer = try await send(requests.count(filter.conditions))
        guard answer.isSuccess else {
            // Without a body it does not say why: the same in words.
            let list = requests.list(filter.conditions, sort: "id", size: 1)
            _ = try checked(try await send(list), "a count")
            throw refusal(answer, "a count")
        }
        guard let total = answer.headers["Total-Objects"].flatMap({ Int($0) }), total >= 0 else {
            throw .unreadable(kinto: name, "no total")
        }
        return Count(total, revision: answer.kintoRevision, isExact: filter.isExact)
    }

    /// A page of a query.
    ///
    /// From the start one request. Behind or in front of a key one more for each column of the sort, less where the first of
    /// them fill the page, and one more where the key's value is missing. At an offset all rows in front of it are read, a
    /// thousand at a time: Kinto has no offsets. More where the server's pages are smaller, or where not all rows that come
    /// match. The page's revision is that of its first request.
    public func page(_ request: PageRequest) async throws(RemoteDataError) -> Page {
        try refuseSubQueries(request.query.filter)
        let limit = try request.checkedLimit(maximum: Self.largestPage)
        var paging = try KintoPaging(request, limit: limit, filter)
        while let part = paging.next() {
            let answer = try await server.client.send(upTo: part.size) { size in
                requests.list(part.conditions, sort: part.sort, size: size)
            }
            note(answer)
            try paging.take(try KintoList(try checked(answer, "a page"), name))
        }
        server.changes.noteRead(paging.page.rows, of: name)
        return paging.page
    }

    /// The row with an id; nil when there is none; one request, none for what cannot be an id of Kinto.
    public func row(_ id: RowID) async throws(RemoteDataError) -> Row? {
        guard KintoID.isValid(id) else { return nil }
        let answer = try await send(requests.row(id))
        if answer.status == 404, KintoProblem(answer)?.isMissingRow ?? false { return nil }
        return try KintoAnswer.row(try checked(answer, "a row"), name)
    }
}

// MARK: - Following

extension KintoTable {
    /// The changes after a revision in the order they were made, at most `limit`; three requests.
    ///
    /// Several changes of a row come as its last, and every row that is there as `updated`. Over a storage that brings changes
    /// to light later than others with younger stamps (``KintoStorage/overlap``) such may be missing, unlike from
    /// ``subscribe(to:since:)``.
    ///
    /// - Throws: `RemoteDataError` with code `gone` for a revision that the table has not reached, or that is of an earlier
    ///   collection of its name, and for whoever may see single rows alone, who is told of no removals.
    public func changes(since revision: Revision, limit: Int) async throws(RemoteDataError) -> ChangeBatch {
        guard limit > 0 else {
            throw RemoteDataError(.invalidRequest, "A batch holds at least one change, not \(limit).")
        }
        try await checkLog(since: revision)
        let answer = try await send(requests.changes(since: revision, size: min(limit, Self.largestPage)))
        // Kinto refuses times of days to come.
        let last = answer.status == 400 ? try await count(Query()).revision : answer.kintoRevision
        if let last, last < revision {
            throw RemoteDataError(
                .gone,
                "The table \(name) has not reached revision \(revision): what changed since is not known."
            )
        }
        let list = try KintoList(try checked(answer, "changes"), name)
        let changes = list.items.map { Change($0) }
        let reached = changes.last?.revision ?? revision
        return ChangeBatch(
            changes: changes,
            revision: list.hasMore ? reached : max(reached, list.revision ?? reached),
            isComplete: !list.hasMore
        )
    }

    /// Checks that the log reaches back to a revision; from the beginning on nothing can be missing.
    private func checkLog(since revision: Revision) async throws(RemoteDataError) {
        guard revision > .zero else { return }
        let reason: String
        switch try await server.client.identity(of: name, requests) {
        case .stamp(let made) where made <= revision: return
        case .stamp(let made): reason = "was made, or described anew, at revision \(made)"
        case .hidden: reason = "shows single rows alone, and tells of no removals"
        }
        throw RemoteDataError(
            .gone,
            "The table \(name) \(reason): what changed since \(revision) is not known."
        )
    }

    /// Starts delivering changes of a query.
    ///
    /// Asks nothing itself: the server object asks for the changes of a table as often as its `pollInterval` says, once for all
    /// who follow the table, beginning at once. The feed begins with `live` when the server has answered.
    /// After a disconnect it goes on without a gap; with a `reset` in front where the collection was removed or
    /// made anew meanwhile, or was not this program's to see. It ends by itself only when the server refuses to list the table
    /// to begin with.
    ///
    /// Several changes of a row come as its last, and every row that is there as `updated`. A change that comes to light later
    /// than others with younger stamps (``KintoStorage/overlap``) has no revision. Whoever may see single rows alone is not
    /// told of removed ones by Kinto: then every change of the table is a `reset`.
    ///
    /// - Parameters:
    ///   - query: Which rows, in which order.
    ///   - revision: The revision after which changes are wanted; nil for those from now on.
    /// - Returns: The changes; cancel or release it to end the subscription.
    /// - Throws: `RemoteDataError` with code `invalidRequest` where the server object follows no changes.
    public func subscribe(to query: Query, since revision: Revision?) async throws(RemoteDataError)
        -> ChangeFeed
    {
        try refuseSubQueries(query.filter)
        guard server.pollInterval != nil else {
            throw RemoteDataError(
                .invalidRequest,
                "This server object follows no changes: its pollInterval is nil."
            )
        }
        _ = try KintoOrder(query.sort, besides: mixedColumns)
        return server.changes.subscribe(to: name, query, since: revision)
    }
}

extension Change {
    /// What a list of changes tells of a row, with its revision.
    init(_ item: KintoList.Item) { self.init(item, revision: item.row.revision) }

    /// What a list of changes tells of a row.
    init(_ item: KintoList.Item, revision: Revision?) {
        if item.isRemoved {
            self.init(revision: revision, kind: .deleted, id: item.row.id)
        } else {
            self.init(revision: revision, kind: .updated, row: item.row)
        }
    }
}

// MARK: - Answers

extension KintoTable {
    /// Sends a request; what its answer shows to be newer than what was told is asked for at once.
    func send(_ request: HTTPRequest, within deadline: Duration? = nil) async throws(RemoteDataError)
        -> HTTPResponse
    {
        let answer = try await server.client.send(request, within: deadline)
        note(answer)
        return answer
    }

    private func note(_ answer: HTTPResponse) {
        if answer.isSuccess, let revision = answer.kintoRevision { server.changes.note(revision, of: name) }
    }

    func checked(_ answer: HTTPResponse, _ what: String) throws(RemoteDataError) -> HTTPResponse {
        guard answer.isSuccess else { throw refusal(answer, what) }
        return answer
    }

    func refusal(_ answer: HTTPResponse, _ what: String) -> RemoteDataError {
        .kinto(answer, "\(what) of \(name)", now: server.client.now())
    }
}
