import RemoteData
import Synchronization

/// A table of a Datasette 1.0 server, to be read: what it takes to put a server behind a collection.
///
/// Rows come in the order of their ids, a page behind another. Datasette sorts by other columns too, but rows that have the same
/// value come as they like then, and pages lose or repeat them: what a server does not do is not offered. Of a clause it is asked
/// for what has to equal some text; the rest is evaluated here.
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
        guard let filter = query.filter else {
            let answer = try await get(["_size": "0", "_extra": "count"])
            guard let count = answer["count"] as? Int else {
                throw RemoteDataError(.invalidAnswer, "Datasette does not say how many rows \(name) has.")
            }
            return Count(count, isExact: answer["count_truncated"] as? Bool != true)
        }
        var (matching, next): (Int, String?) = (0, nil)
        repeat {
            let (rows, token) = try await part(of: query, from: next, size: 1_000)
            matching += rows.count { filter.matches($0) }
            next = token
        } while next != nil
        return Count(matching)
    }

    func page(_ request: PageRequest) async throws(RemoteDataError) -> Page {
        let limit = min(request.limit, capabilities.maximumPageSize)
        var (skipped, token): (Int, String?) = (0, nil)
        var end: Key?
        switch request.start {
        case .offset(let offset): skipped = offset
        case .after(let key): token = try Self.token(key)
        case .before(let key):
            _ = try Self.token(key)
            end = key
        }
        guard limit > 0, skipped >= 0 else {
            throw RemoteDataError(.invalidRequest, "There is no such page.")
        }
        try await check(request.query)
        var rows: [Row] = []
        repeat {
            let part = try await part(of: request.query, from: token, size: end == nil ? limit : 1_000)
            for row in part.rows where request.query.filter?.matches(row) ?? true {
                if let end, Key.order(Key(row, sort: []), end, sort: []) != .ascending {
                    return Page(rows: rows.suffix(limit))
                }
                if skipped > 0 { skipped -= 1 } else { rows.append(row) }
            }
            token = part.next
        } while token != nil && (rows.count < limit || end != nil)
        return Page(rows: Array(end == nil ? rows.prefix(limit) : rows.suffix(limit)))
    }

    func row(_ id: RowID) async throws(RemoteDataError) -> Row? {
        do throws(RemoteDataError) {
            return try rows(await get([:], path: "/\(Self.tilde(id.description))")).first
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
