import RemoteData
import RemoteDataNetwork

/// Builds the requests for a collection of PocketBase; holds no network.
struct PocketBaseRequests: Sendable {
    let base: BaseURL
    let table: String
    let timeouts: HTTPTimeouts

    private var records: String { "\(base.text)/api/collections/\(PercentEncoding.query(table))/records" }

    private func record(_ id: RowID) -> String { "\(records)/\(PercentEncoding.query(id.description))" }

    /// Asks for rows: page `page`, counted from 1, of pages of `size` rows.
    func list(
        _ filter: String?,
        sort: String?,
        page: Int,
        size: Int,
        hasTotal: Bool = false,
        idsAlone: Bool = false
    ) -> HTTPRequest {
        var parameters = ["page=\(page)", "perPage=\(size)"]
        if idsAlone { parameters.append("fields=id") }
        if !hasTotal { parameters.append("skipTotal=1") }
        if let filter { parameters.append("filter=\(PercentEncoding.query(filter))") }
        if let sort { parameters.append("sort=\(PercentEncoding.query(sort))") }
        return request("GET", "\(records)?\(parameters.joined(separator: "&"))")
    }

    /// Asks for rows by their ids.
    func rows(_ ids: [RowID]) -> HTTPRequest {
        let clause = Where.isIn(.column("id"), ids.map { .literal($0.value) })
        return list(PocketBaseFilter().render(clause)?.text, sort: nil, page: 1, size: ids.count)
    }

    /// Asks for one row.
    func row(_ id: RowID) -> HTTPRequest { request("GET", record(id)) }

    /// Writes a row.
    func write(_ step: PocketBaseTable.Step) -> HTTPRequest {
        switch step {
        case .create(let row):
            var request = request("POST", records, Array(row.row.json))
            // One with an id of its own is made once.
            request.isIdempotent = row.isNew
            return request
        case .update(let row): return update(row.id, row.json)
        }
    }

    /// Changes a row.
    func update(_ id: RowID, _ patch: ArraySlice<UInt8>) -> HTTPRequest {
        request("PATCH", record(id), Array(patch))
    }

    /// Removes a row.
    func delete(_ id: RowID) -> HTTPRequest { request("DELETE", record(id)) }

    /// Writes rows; all or none.
    func batch(_ steps: [PocketBaseTable.Step]) -> HTTPRequest {
        let path = "/api/collections/\(PercentEncoding.query(table))/records"
        var isIdempotent = true
        let requests = steps.map { step in
            var body = JSONBody()
            switch step {
            case .create(let row):
                isIdempotent = isIdempotent && row.isNew
                body.member("method", "POST")
                body.member("url", path)
                body.member("body", json: Array(row.row.json))
            case .update(let row):
                isIdempotent = false
                body.member("method", "PATCH")
                body.member("url", "\(path)/\(PercentEncoding.query(row.id.description))")
                body.member("body", json: Array(row.json))
            }
            return body.closed[...]
        }
        var body = JSONBody()
        body.member("requests", json: JSONBody.array(requests))
        var request = request("POST", "\(base.text)/api/batch", body.closed)
        request.isIdempotent = isIdempotent
        return request
    }

    private func request(_ method: String, _ url: String, _ body: [UInt8]? = nil) -> HTTPRequest {
        var request = HTTPRequest(
            method,
            url,
            headers: ["Accept": "application/json"],
            body: body,
            timeouts: timeouts
        )
        if body != nil { request.headers["Content-Type"] = "application/json" }
        return request
    }
}
