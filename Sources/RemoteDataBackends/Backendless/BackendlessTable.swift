import Foundation
public import RemoteData
import RemoteDataNetwork

/// A table of a Backendless application.
///
/// Clauses are found by the server as far as it can, and evaluated here on what it sends otherwise: see
/// ``BackendlessTextComparison``. A count then includes rows that only the server takes for matching. Columns of a server that
/// compares text by a collation are taken to be compared with values of their own type.
///
/// Backendless makes every write that it hears of, so each is sent once: one whose answer is lost may have been made.
public final class BackendlessTable: Table {
    /// The table's name.
    public let name: String
    /// The application the table is in.
    public let server: BackendlessServer
    /// The column that holds a row's id: text, a UUID in capital letters unless somebody chose another.
    public var idColumn: String { "objectId" }
    /// How dates are written in rows.
    public var dates: DateConvention { .epochMilliseconds }
    /// What Backendless can do.
    public var capabilities: Capabilities {
        var capabilities = Capabilities()
        capabilities.keysetPages = true
        capabilities.liveChanges = true
        capabilities.reportsLeaving = true
        capabilities.filteredDeletes = true
        capabilities.filteredUpdates = true
        capabilities.binaryOrder = server.comparesText == .byBytes
        capabilities.checksColumns = true
        capabilities.maximumPageSize = BackendlessPaging.largestPage
        capabilities.maximumBulkSize = Self.largestBulk
        return capabilities
    }

    /// The most rows that the cloud creates at once.
    static let largestBulk = 100

    let requests: BackendlessRequests

    init(_ name: String, on server: BackendlessServer) {
        (self.name, self.server) = (name, server)
        requests = BackendlessRequests(base: server.base, table: name, timeouts: server.client.timeouts)
    }
}

// MARK: - Reading

extension BackendlessTable {
    /// Whether Backendless finds exactly the rows for which a clause is true; never asks the server.
    public func canFilterList(_ clause: Where) -> Bool {
        BackendlessFilter(text: server.comparesText).rendered(clause).isExact
    }

    /// False: Backendless says nothing of rows that leave a clause, so that everything is followed and the clause evaluated here.
    public func canFilterLive(_ clause: Where) -> Bool { false }

    /// How many rows the query has; one request.
    ///
    /// Of a clause that Backendless cannot be asked exactly, at most so many: see `Count.isExact`. One with
    /// columns of related rows is refused with `invalidClause`, here, for pages and for subscriptions.
    public func count(_ query: Query) async throws(RemoteDataError) -> Count {
        try refuseSubQueries(query.filter)
        _ = try BackendlessOrder(query.sort, server.comparesText)
        let filter = try BackendlessFilter(text: server.comparesText).asked(naming: query)
        let count = try await count(requests.count(filter.text))
        return Count(count, isExact: filter.isExact)
    }

    private func count(_ request: HTTPRequest) async throws(RemoteDataError) -> Int {
        guard let answer = try await read(request, "a count") else { return 0 }
        return try number(answer)
    }

    /// A page of a query; one request as a rule.
    ///
    /// Another one where the rows with a null in the first column of the order begin or end, and as many as it takes to fill the
    /// page where not all rows that come match, or those that are the same in that column have nulls in another one. A page at an
    /// offset takes up to three more.
    public func page(_ request: PageRequest) async throws(RemoteDataError) -> Page {
        try refuseSubQueries(request.query.filter)
        let limit = try request.checkedLimit(maximum: BackendlessPaging.largestPage)
        var paging = try BackendlessPaging(request, limit: limit, server.comparesText)
        while let part = try paging.next() {
            switch part.kind {
            case .count: paging.take(try await count(requests.count(part.filter)))
            case .rows: try paging.take(try await rows(requests.find(part), "a page"), to: part)
            }
        }
        return paging.page
    }

    /// The row with an id; nil when there is none; one request.
    public func row(_ id: RowID) async throws(RemoteDataError) -> Row? {
        guard case .text(let text) = id, !text.isEmpty else { return nil }
        let answer = try await server.client.send(requests.find(id))
        if isMissing(answer) || BackendlessProblem(answer)?.code == 1000 { return nil }
        _ = try checked(answer, "a row")
        // Rows, where the path would have been ambiguous.
        let isList = answer.body.first { !" \n\r\t".utf8.contains($0) } == UInt8(ascii: "[")
        let rows = isList ? try self.rows(answer, "a row").rows : [try row(answer)]
        // A server may take capital letters for small ones.
        return rows.first { $0.id == id }
    }

    /// Not offered: throws `gone`, since Backendless keeps no log of changes.
    public func changes(since revision: Revision, limit: Int) async throws(RemoteDataError) -> ChangeBatch {
        throw RemoteDataError(.gone, "Backendless keeps no log of changes.")
    }
}

// MARK: - Following

extension BackendlessTable {
    /// Starts delivering changes of a query over the server's one socket; one request, which checks the columns where the query
    /// names some.
    ///
    /// The feed begins with `ChangeEvent.live(_:)` when the server has answered, and with a
    /// `ChangeEvent.reset` in front after each disconnect, and when rows were changed by clause, which the
    /// server tells without saying which. It ends by itself only when the server refuses to tell changes.
    ///
    /// - Parameters:
    ///   - query: Which rows, in which order.
    ///   - revision: Nil: Backendless has none.
    /// - Returns: The changes.
    /// - Throws: `RemoteDataError` with code `unknownColumn` for a column the table does not have, or why Backendless could not
    ///   be asked.
    public func subscribe(to query: Query, since revision: Revision?) async throws(RemoteDataError)
        -> ChangeFeed
    {
        try refuseSubQueries(query.filter)
        if !query.columns.isEmpty { _ = try await count(query) }
        return server.changes.subscribe(to: name, query)
    }
}

// MARK: - Answers

extension BackendlessTable {
    /// Sends a request that reads, or writes by clause; nil where the table is not there, and that is not an error.
    func read(_ request: HTTPRequest, _ what: String) async throws(RemoteDataError) -> HTTPResponse? {
        let answer = try await server.client.send(request)
        return isMissing(answer) ? nil : try checked(answer, what)
    }

    func send(_ request: HTTPRequest, _ what: String) async throws(RemoteDataError) -> HTTPResponse {
        try checked(try await server.client.send(request), what)
    }

    private func isMissing(_ answer: HTTPResponse) -> Bool {
        !answer.isSuccess && server.treatsMissingTablesAsEmpty
            && BackendlessProblem(answer)?.isMissingTable ?? false
    }

    private func checked(_ answer: HTTPResponse, _ what: String) throws(RemoteDataError) -> HTTPResponse {
        guard answer.isSuccess else {
            throw RemoteDataError.backendless(answer, "\(what) of \(name)", now: .now)
        }
        return answer
    }

    func rows(_ request: HTTPRequest, _ what: String) async throws(RemoteDataError) -> Page {
        guard let answer = try await read(request, what) else { return Page(rows: []) }
        return try rows(answer, what)
    }

    func rows(_ answer: HTTPResponse, _ what: String) throws(RemoteDataError) -> Page {
        let body = try checked(answer, what).body
        do throws(RemoteDataError) { return try Page.whole(body, idColumn: idColumn) } catch {
            throw unreadable(error.message)
        }
    }

    func row(_ answer: HTTPResponse) throws(RemoteDataError) -> Row {
        do throws(RemoteDataError) { return try Row.parse(answer.body[...], idColumn: idColumn) } catch {
            throw unreadable(error.message)
        }
    }

    func number(_ answer: HTTPResponse) throws(RemoteDataError) -> Int {
        guard case .integer(let number)? = Value(json: answer.body[...]), number >= 0 else {
            throw unreadable("no number")
        }
        return Int(number)
    }

    func unreadable(_ what: String) -> RemoteDataError {
        RemoteDataError(.invalidAnswer, "Backendless' answer about \(name) cannot be read: \(what).")
    }
}

extension Page {
    /// Reads rows of which none may be missing.
    ///
    /// - Throws: `RemoteDataError` when one of them cannot be read.
    static func whole(_ body: [UInt8], idColumn: String) throws(RemoteDataError) -> Page {
        let page = try parse(body, idColumn: idColumn)
        if let failure = page.failures.first { throw failure.error }
        return page
    }
}
