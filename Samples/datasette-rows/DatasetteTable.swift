import RemoteData
import Synchronization

/// A table of a Datasette 1.0 server, to be read: what it takes to put a server behind a collection.
///
/// Rows come in the order of their ids, a page behind another. Datasette sorts by other columns too, but rows that have the same
/// value come as they like then, and pages lose or repeat them: what a server does not do is not offered. Clauses are evaluated
/// here.
final class DatasetteTable: Table {
    let name: String
    let idColumn: String
    let dates = DateConvention.iso8601
    let capabilities: Capabilities = {
        var capabilities = Capabilities()
        capabilities.keysetPages = true
        capabilities.exactCounts = true
        capabilities.binaryOrder = true
        capabilities.checksColumns = true
        capabilities.maximumPageSize = 1_000
        return capabilities
    }()

    let url: String
    /// The columns that the table is known to have.
    let columns = Mutex<Set<String>>([])

    /// - Parameters:
    ///   - url: Where the table is, such as `http://127.0.0.1:8001/fixtures/facetable`.
    ///   - idColumn: Its primary key.
    init(_ url: String, idColumn: String = "id") {
        (self.url, self.idColumn) = (url, idColumn)
        name = url.split(separator: "/").last.map(String.init) ?? url
    }

    func count(_ query: Query) async throws(RemoteDataError) -> Count {
        try await check(query)
        guard query.filter == nil else {
            return Count(try await rows(of: query, behind: nil, atMost: .max).count)
        }
        let answer = try await get(["_size": "0", "_extra": "count"])
        guard let count = answer["count"] as? Int else {
            throw RemoteDataError(.invalidAnswer, "Datasette does not say how many rows \(name) has.")
        }
        return Count(count, isExact: answer["count_truncated"] as? Bool != true)
    }

    func page(_ request: PageRequest) async throws(RemoteDataError) -> Page {
        guard request.limit > 0 else {
            throw RemoteDataError(.invalidRequest, "A page has at least one row.")
        }
        try await check(request.query)
        let limit = min(request.limit, capabilities.maximumPageSize)
        switch request.start {
        case .offset(let offset):
            guard (0...(.max - limit)).contains(offset) else {
                throw RemoteDataError(.invalidRequest, "No page starts at \(offset).")
            }
            let rows = try await rows(of: request.query, behind: nil, atMost: offset + limit)
            return Page(rows: Array(rows.dropFirst(offset)))
        case .after(let key):
            return Page(rows: try await rows(of: request.query, behind: try token(key), atMost: limit))
        case .beyond:
            throw RemoteDataError(.invalidRequest, "No page starts a number of rows behind a key.")
        case .before(let key):
            _ = try token(key)
            let rows = try await rows(of: request.query, behind: nil, atMost: .max)
            let front = rows.prefix { Key.order(Key($0, sort: []), key, sort: []) == .ascending }
            return Page(rows: Array(front.suffix(limit)))
        }
    }

    /// The first rows that match behind a token; a request for each thousand that are looked at.
    private func rows(
        of query: Query,
        behind token: String?,
        atMost limit: Int
    ) async throws(RemoteDataError) -> [Row] {
        var (found, token) = ([Row](), token)
        repeat {
            let size = query.filter == nil ? min(limit - found.count, 1_000) : 1_000
            let answer = try await get(["_size": "\(size)", "_next": token])
            found += try rows(answer).filter { query.filter?.matches($0) ?? true }
            token = answer["next"] as? String
        } while token != nil && found.count < limit
        return Array(found.prefix(limit))
    }

    func row(_ id: RowID) async throws(RemoteDataError) -> Row? {
        do throws(RemoteDataError) {
            return try rows(await get([:], path: "/\(tilde(id.description))")).first
        } catch {
            guard error.code == .notFound, error.message.contains("Row not found") else { throw error }
            return nil
        }
    }

    func commit(_ mutation: Mutation, idempotencyKey: String?) async throws(RemoteDataError) -> Outcome {
        throw RemoteDataError(.invalidRequest, "The table \(name) is only read.")
    }

    func changes(since revision: Revision, limit: Int) async throws(RemoteDataError) -> ChangeBatch {
        throw RemoteDataError(.gone, "Datasette keeps no log of changes.")
    }

    func subscribe(to query: Query, since revision: Revision?) async throws(RemoteDataError) -> ChangeFeed {
        throw RemoteDataError(.invalidRequest, "Datasette does not tell changes.")
    }
}
