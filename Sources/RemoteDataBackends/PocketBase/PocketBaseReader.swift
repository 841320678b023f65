import Foundation
import RemoteData
import RemoteDataNetwork

/// Reads a collection of PocketBase.
struct PocketBaseReader: Sendable {
    let table: String
    let client: PocketBaseClient
    let requests: PocketBaseRequests

    init(_ table: String, _ client: PocketBaseClient) {
        (self.table, self.client) = (table, client)
        requests = PocketBaseRequests(base: client.base, table: table, timeouts: client.timeouts)
    }

    func send(_ request: HTTPRequest, _ what: String) async throws(RemoteDataError) -> HTTPResponse {
        try checked(try await client.send(request), what)
    }

    func checked(_ answer: HTTPResponse, _ what: String) throws(RemoteDataError) -> HTTPResponse {
        guard answer.isSuccess else {
            throw RemoteDataError.pocketBase(answer, "\(what) of \(table)", now: client.now())
        }
        return answer
    }

    /// Reads rows; an error names the column that is unknown or resolved in other rows, where that is the
    /// reason.
    func list(
        _ request: HTTPRequest,
        _ what: String,
        naming columns: Set<ColumnPath>
    ) async throws(RemoteDataError) -> PocketBaseList {
        do throws(RemoteDataError) { return try PocketBaseList(try await send(request, what), table) } catch {
            guard let refusal = await refusal(of: columns, because: error) else { throw error }
            throw refusal.error
        }
    }

    /// Refuses a query with columns that are not the collection's own; one request.
    func check(_ query: Query) async throws(RemoteDataError) {
        let words = PocketBaseFilter()
        let asked = try PocketBaseQuery(query, of: table)
        let check = words.columnCheck(query.columns.sorted { $0.description < $1.description })
        let request = requests.list(check?.text, sort: asked.order.text(isReversed: false), page: 1, size: 1)
        let list = try await list(request, "a subscription", naming: query.columns)
        try asked.checkColumns(list.page.rows)
    }

    /// Counts the rows and reads some ids; one request, and up to two more for each missing column.
    ///
    /// - Parameter columns: The columns of the clauses and orders of subscriptions.
    /// - Returns: What was found.
    /// - Throws: `RemoteDataError` when PocketBase cannot be asked, or refuses.
    func look(_ columns: Set<ColumnPath>) async throws(RemoteDataError) -> PocketBaseSubscriptions.LookAnswer
    {
        var columns = columns
        var missing: [ColumnPath: RemoteDataError] = [:]
        while true {
            do throws(RemoteDataError) {
                return .init(rows: try await look(naming: columns), missing: missing)
            } catch {
                guard let refusal = await refusal(of: columns, because: error) else { throw error }
                missing[refusal.column] = refusal.error
                columns.remove(refusal.column)
            }
        }
    }

    private func look(naming columns: Set<ColumnPath>) async throws(RemoteDataError) -> RowAudit.Look {
        let names = columns.sorted { $0.description < $1.description }.prefix(Self.columnLimit)
        let request = requests.list(
            PocketBaseFilter().columnCheck(Array(names))?.text,
            sort: "id",
            page: 1,
            size: Self.sampleSize,
            hasTotal: true,
            idsAlone: true
        )
        let list = try PocketBaseList(try await send(request, "to follow"), table)
        guard let total = list.total else { throw .unreadable(table, "no total") }
        let ids = list.page.rows.map { (id: $0.id, version: Int64(0)) }
        return RowAudit.Look(count: total, sample: ids, isWhole: ids.count == total, isFirst: true)
    }

    /// How many rows a look reads, and how many columns it names.
    private static let (sampleSize, columnLimit) = (200, 40)

    /// Returns whether the collection is a view, of which PocketBase reports no changes; one request.
    ///
    /// The type of a collection is open to superusers only. An update of a row that does not exist changes
    /// nothing, and is refused with another error for a view.
    func isView() async throws(RemoteDataError) -> Bool {
        var request = requests.update(PocketBaseID.made(of: UUID().uuidString, 0), Array("{}".utf8)[...])
        request.isIdempotent = true
        let answer = try await client.send(request)
        return answer.status == 400 && PocketBaseProblem(answer)?.isAboutViews == true
    }

    /// Returns the first column that PocketBase refuses, and the reason, which its answer lacks; up to two
    /// requests each, and none where it has refused something else, such as the account.
    private func refusal(
        of columns: Set<ColumnPath>,
        because refusal: RemoteDataError
    ) async -> (column: ColumnPath, error: RemoteDataError)? {
        guard refusal.status == 400, refusal.code != .unauthorized else { return nil }
        for column in columns.sorted(by: { $0.description < $1.description }) {
            guard let root = PocketBaseFilter.root(column) else {
                return (column, .unknownColumn(column, inPocketBase: table))
            }
            if await refuses(
                requests.list(nil, sort: PocketBaseFilter().name(column) ?? root, page: 1, size: 1)
            ) {
                return (column, .unknownColumn(column, inPocketBase: table))
            }
            guard column.names.count > 1 else { continue }
            let check = PocketBaseFilter().columnCheck([column])?.text
            if await refuses(requests.list(check, sort: nil, page: 1, size: 1)) {
                return (column, .relatedColumn(column, inPocketBase: table))
            }
        }
        return nil
    }

    private func refuses(_ request: HTTPRequest) async -> Bool {
        (try? await client.send(request))?.status == 400
    }
}

extension RemoteDataError {
    static func unknownColumn(_ column: ColumnPath, inPocketBase table: String) -> RemoteDataError {
        RemoteDataError(
            .unknownColumn,
            "PocketBase's collection \(table) has no column \"\(column)\".",
            status: 400
        )
    }

    /// For a column that is resolved in other rows: its values are not sent, and their changes not reported.
    static func relatedColumn(_ column: ColumnPath, inPocketBase table: String) -> RemoteDataError {
        RemoteDataError(
            .invalidClause,
            "PocketBase evaluates \(column) on rows of another collection, and sends neither its values nor"
                + " their changes. Filter and sort by columns of \(table) itself, such as the id of the"
                + " related row.",
            status: 400
        )
    }
}
