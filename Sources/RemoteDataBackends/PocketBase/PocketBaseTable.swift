import Foundation
public import RemoteData
import RemoteDataNetwork

/// A collection of a PocketBase server.
///
/// Clauses are filtered by the server as far as it can, and evaluated here on what it sends otherwise: `LIKE` in particular, since
/// PocketBase does not tell capital letters from small ones. A count then includes rows that only the server takes for matching.
///
/// Columns of text, numbers and truth values hold no nulls in PocketBase: it stores `""`, `0` and `false`. Clauses speak of those.
/// Columns that hold several values are compared as their JSON.
public final class PocketBaseTable: Table {
    /// The collection's name.
    public let name: String
    /// The server the collection is on.
    public let server: PocketBaseServer
    /// The column that holds a row's id: 15 small letters and digits, unless the collection says otherwise.
    public var idColumn: String { "id" }
    /// How dates are written in rows.
    public var dates: DateConvention { .spacedISO8601 }
    /// What PocketBase can do.
    public var capabilities: Capabilities {
        var capabilities = Capabilities()
        capabilities.keysetPages = true
        capabilities.liveChanges = !server.isView(name)
        capabilities.reportsLeaving = true
        capabilities.locatesDeleted = true
        capabilities.idempotentCreation = true
        capabilities.binaryOrder = true
        capabilities.checksColumns = true
        capabilities.maximumPageSize = Self.largestPage
        capabilities.maximumBulkSize = server.batchSize
        return capabilities
    }

    /// The most rows of a page.
    static let largestPage = 1_000

    let reader: PocketBaseReader

    var requests: PocketBaseRequests { reader.requests }

    init(_ name: String, on server: PocketBaseServer) {
        (self.name, self.server) = (name, server)
        reader = PocketBaseReader(name, server.client)
    }
}

// MARK: - Reading

extension PocketBaseTable {
    /// Whether PocketBase finds exactly the rows for which a clause is true; never asks the server.
    public func canFilterList(_ clause: Where) -> Bool {
        (try? PocketBaseQuery(Query(clause), of: name))?.filter.isExact ?? false
    }

    /// False: PocketBase says nothing of rows that leave a clause, so that everything is followed and the clause evaluated here.
    public func canFilterLive(_ clause: Where) -> Bool { false }

    /// How many rows the query has; one request.
    ///
    /// Of a clause that PocketBase cannot be asked exactly, at most so many: see `Count.isExact`.
    public func count(_ query: Query) async throws(RemoteDataError) -> Count {
        try refuseSubQueries(query.filter)
        try await server.learnWhetherIsView(reader)
        let asked = try PocketBaseQuery(query, of: name)
        let sort = asked.order.text(isReversed: false)
        let request = requests.list(try asked.text(), sort: sort, page: 1, size: 1, hasTotal: true)
        let answer = try await reader.list(request, "a count", naming: query.columns)
        guard let total = answer.total else { throw .unreadable(name, "no total") }
        try asked.checkColumns(answer.page.rows)
        return Count(total, isExact: asked.filter.isExact)
    }

    /// A page of a query; one request, or as many as it takes to fill the page where not all rows that come match.
    ///
    /// After a page with fewer rows than asked for, another request confirms the token of an account: with a
    /// revoked one PocketBase leaves rows out. If it was revoked, the page is read again.
    public func page(_ request: PageRequest) async throws(RemoteDataError) -> Page {
        try refuseSubQueries(request.query.filter)
        let limit = try request.checkedLimit(maximum: Self.largestPage)
        let count = server.client.replacementCount
        var page = try await page(request, limit)
        if page.rows.count < limit, try await !server.client.hasBeenAccount(since: count) {
            page = try await self.page(request, limit)
        }
        server.changes.noteRead(page.rows, of: name)
        return page
    }

    private func page(_ request: PageRequest, _ limit: Int) async throws(RemoteDataError) -> Page {
        var paging = try PocketBasePaging(request, limit: limit, of: name)
        while let part = try paging.next() {
            let list = requests.list(part.filter, sort: part.sort, page: part.page, size: part.size)
            let answer = try await reader.list(list, "a page", naming: request.query.columns)
            try paging.take(answer.page, to: part, size: answer.size)
        }
        return paging.page
    }

    /// The row with an id; nil when there is none; one request.
    public func row(_ id: RowID) async throws(RemoteDataError) -> Row? {
        let answer = try await server.client.send(requests.row(id))
        if answer.status == 404, PocketBaseProblem(answer)?.isAboutCollection == false { return nil }
        return try row(try reader.checked(answer, "a row"))
    }

    /// Makes an id as PocketBase takes them: 15 small letters and digits.
    public func makeRowID() -> RowID? { PocketBaseID.random() }

    /// Not offered: throws `gone`, since PocketBase keeps no log of changes.
    public func changes(since revision: Revision, limit: Int) async throws(RemoteDataError) -> ChangeBatch {
        throw RemoteDataError(.gone, "PocketBase keeps no log of changes.")
    }
}

// MARK: - Following

extension PocketBaseTable {
    /// Starts delivering changes of a query; one request, which checks the columns where the query names some.
    ///
    /// The feed begins with `ChangeEvent.live(_:)` when the server has answered, and with a `ChangeEvent.reset` in front after
    /// each disconnect. It ends by itself only when the server refuses to tell changes.
    ///
    /// - Parameters:
    ///   - query: Which rows, in which order.
    ///   - revision: Nil: PocketBase has none.
    /// - Returns: The changes.
    /// - Throws: `RemoteDataError` with code `unknownColumn` for a column the collection does not have, or why PocketBase could not
    ///   be asked.
    public func subscribe(to query: Query, since revision: Revision?) async throws(RemoteDataError)
        -> ChangeFeed
    {
        try refuseSubQueries(query.filter)
        try await server.learnWhetherIsView(reader)
        guard !server.isView(name) else {
            throw RemoteDataError(
                .invalidRequest,
                "\(name) is a view, and PocketBase reports no changes of views. Refresh the collection."
            )
        }
        if !query.columns.isEmpty { try await reader.check(query) }
        return server.changes.subscribe(to: name, query)
    }
}

// MARK: - Answers

extension PocketBaseTable {
    func send(_ request: HTTPRequest, _ what: String) async throws(RemoteDataError) -> HTTPResponse {
        try await reader.send(request, what)
    }

    func row(_ answer: HTTPResponse) throws(RemoteDataError) -> Row {
        do throws(RemoteDataError) { return try Row.parse(answer.body[...], idColumn: idColumn) } catch {
            throw .unreadable(name, error.message)
        }
    }
}

/// A list of rows as PocketBase answers.
struct PocketBaseList {
    let page: Page
    /// How many rows a page has at most.
    let size: Int
    /// How many rows there are; nil where that was not asked.
    let total: Int?

    init(_ answer: HTTPResponse, _ table: String) throws(RemoteDataError) {
        guard let members = try? JSONObject.members(of: answer.body[...]) else {
            throw .unreadable(table, "no JSON object")
        }
        let parts = Dictionary(members.map { ($0.name, $0.json) }) { first, _ in first }
        guard let items = parts["items"],
            case .integer(let size)? = parts["perPage"].flatMap(Value.init(json:)), size > 0
        else { throw .unreadable(table, "no rows") }
        page = try Page.parse(Array(items), idColumn: "id")
        self.size = Int(size)
        if case .integer(let total)? = parts["totalItems"].flatMap(Value.init(json:)), total >= 0 {
            self.total = Int(total)
        } else {
            total = nil
        }
    }
}

extension RemoteDataError {
    static func unreadable(_ table: String, _ what: String) -> RemoteDataError {
        RemoteDataError(.invalidAnswer, "PocketBase's answer about \(table) cannot be read: \(what).")
    }
}
