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
    public var dates: DateConvention { .iso8601 }
    /// What PocketBase can do.
    public var capabilities: Capabilities {
        var capabilities = Capabilities()
        capabilities.keysetPages = true
        capabilities.binaryOrder = true
        capabilities.maximumPageSize = Self.largestPage
        return capabilities
    }

    /// The most rows of a page.
    static let largestPage = 1_000

    private let requests: PocketBaseRequests

    init(_ name: String, on server: PocketBaseServer) {
        (self.name, self.server) = (name, server)
        requests = PocketBaseRequests(base: server.base, table: name, timeouts: server.configuration.timeouts)
    }
}

// MARK: - Reading

extension PocketBaseTable {
    /// How many rows the query has; one request.
    ///
    /// Of a clause that PocketBase cannot be asked exactly, at most so many.
    public func count(_ query: Query) async throws(RemoteDataError) -> Count {
        let filter = try PocketBaseFilter().text(query.filter, behind: nil)
        let sort = try PocketBaseOrder(query.sort).text(isReversed: false)
        let request = requests.list(filter, sort: sort, page: 1, size: 1, hasTotal: true)
        let members = try object(try await send(request, "a count"))
        guard case .integer(let total)? = members["totalItems"].flatMap(Value.init(json:)), total >= 0 else {
            throw unreadable("no total")
        }
        return Count(Int(total))
    }

    /// A page of a query; one request, or as many as it takes to fill the page where not all rows that come match.
    public func page(_ request: PageRequest) async throws(RemoteDataError) -> Page {
        var paging = try PocketBasePaging(request, limit: try request.checkedLimit(maximum: Self.largestPage))
        while let part = try paging.next() {
            let list = requests.list(part.filter, sort: part.sort, page: part.page, size: part.size)
            let members = try object(try await send(list, "a page"))
            guard let items = members["items"],
                case .integer(let size)? = members["perPage"].flatMap(Value.init(json:))
            else { throw unreadable("no rows") }
            let page = try Page.parse(Array(items), idColumn: idColumn)
            try paging.take(page, to: part, size: Int(size))
        }
        return paging.page
    }

    /// The row with an id; nil when there is none; one request.
    public func row(_ id: RowID) async throws(RemoteDataError) -> Row? {
        let answer = try await server.send(requests.row(id))
        if answer.status == 404, PocketBaseProblem(answer)?.isAboutCollection == false { return nil }
        return try row(try checked(answer, "a row"))
    }

    /// Not offered: throws `gone`, since PocketBase keeps no log of changes.
    public func changes(since revision: Revision, limit: Int) async throws(RemoteDataError) -> ChangeBatch {
        throw RemoteDataError(.gone, "PocketBase keeps no log of changes.")
    }
}

// MARK: - Writing

extension PocketBaseTable {
    /// Makes a change, all of it or nothing; one request.
    ///
    /// Several rows take PocketBase's batch requests, which a server has to allow. A row that comes without an id gets one from the
    /// write's key, so that it is made once however often it is sent.
    public func commit(
        _ mutation: Mutation,
        idempotencyKey: String?
    ) async throws(RemoteDataError) -> Outcome {
        switch mutation {
        case .create(let drafts), .upsert(let drafts):
            guard !drafts.isEmpty else { return Outcome(count: 0) }
            let replaces = if case .upsert = mutation { true } else { false }
            if drafts.count == 1, !replaces || drafts[0].id == nil {
                return try await create(drafts[0], idempotencyKey ?? UUID().uuidString)
            }
            return try await batch(drafts, replaces: replaces, idempotencyKey ?? UUID().uuidString)
        case .update(let id, let patch, _):
            let row = try row(try await send(requests.update(id, patch), "a change"))
            return Outcome(rows: [row], ids: [id], count: 1)
        case .delete(let id, _):
            _ = try await send(requests.delete(id), "a removal")
            return Outcome(ids: [id], count: 1)
        case .updateAll, .deleteAll:
            throw RemoteDataError(.invalidRequest, "PocketBase does not change or remove rows by clause.")
        }
    }

    private func create(_ draft: Draft, _ key: String) async throws(RemoteDataError) -> Outcome {
        let id = draft.id ?? PocketBaseID.made(of: key, 0)
        let row = draft.row(id: id, idColumn: idColumn)
        let answer = try await server.send(requests.create(row.json, isIdempotent: draft.id == nil))
        if draft.id == nil, PocketBaseProblem(answer)?.isTaken == true {
            // Nobody else makes this id: the row was made by an earlier request, the answer to which was lost.
            guard let stored = try await self.row(id) else {
                throw RemoteDataError(.notFound, "The row \(id) was made, and is gone again.")
            }
            return Outcome(rows: [stored], ids: [id], count: 1)
        }
        let stored = try self.row(try checked(answer, "a row"))
        return Outcome(rows: [stored], ids: [stored.id], count: 1)
    }

    private func batch(_ drafts: [Draft], replaces: Bool, _ key: String) async throws(RemoteDataError) -> Outcome {
        let rows = drafts.enumerated().map { number, draft in
            draft.row(id: draft.id ?? PocketBaseID.made(of: key, number), idColumn: idColumn).json
        }
        let answer = try await send(requests.batch(rows, replaces: replaces), "\(rows.count) rows at once")
        guard let answers = try? JSONObject.elements(of: answer.body[...]), answers.count == rows.count else {
            throw unreadable("not as many rows as were sent")
        }
        var stored: [Row] = []
        for answer in answers {
            let body = (try? JSONObject.members(of: answer))?.first { $0.name == "body" }
            guard let body else { throw unreadable("a part without a row") }
            stored.append(try Row.parse(body.json, idColumn: idColumn))
        }
        return Outcome(rows: stored, ids: stored.map(\.id), count: stored.count)
    }
}

// MARK: - Following

extension PocketBaseTable {
    /// Not offered yet.
    public func subscribe(to query: Query, since revision: Revision?) async throws(RemoteDataError) -> ChangeFeed {
        throw RemoteDataError(.invalidRequest, "The table \(name) does not tell changes.")
    }
}

// MARK: - Answers

extension PocketBaseTable {
    private func send(_ request: HTTPRequest, _ what: String) async throws(RemoteDataError) -> HTTPResponse {
        try checked(try await server.send(request), what)
    }

    private func checked(_ answer: HTTPResponse, _ what: String) throws(RemoteDataError) -> HTTPResponse {
        guard answer.isSuccess else {
            throw RemoteDataError.pocketBase(answer, "\(what) of \(name)", now: server.now())
        }
        return answer
    }

    private func row(_ answer: HTTPResponse) throws(RemoteDataError) -> Row {
        do throws(RemoteDataError) { return try Row.parse(answer.body[...], idColumn: idColumn) } catch {
            throw unreadable(error.message)
        }
    }

    private func object(_ answer: HTTPResponse) throws(RemoteDataError) -> [String: ArraySlice<UInt8>] {
        guard let members = try? JSONObject.members(of: answer.body[...]) else { throw unreadable("no JSON object") }
        return Dictionary(members.map { ($0.name, $0.json) }) { first, _ in first }
    }

    private func unreadable(_ what: String) -> RemoteDataError {
        RemoteDataError(.invalidAnswer, "PocketBase's answer about \(name) cannot be read: \(what).")
    }
}
