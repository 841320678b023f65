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
    func list(_ filter: String?, sort: String?, page: Int, size: Int, hasTotal: Bool = false) -> HTTPRequest {
        var parameters = ["page=\(page)", "perPage=\(size)"]
        if !hasTotal { parameters.append("skipTotal=1") }
        if let filter { parameters.append("filter=\(PercentEncoding.query(filter))") }
        if let sort { parameters.append("sort=\(PercentEncoding.query(sort))") }
        return request("GET", "\(records)?\(parameters.joined(separator: "&"))")
    }

    /// Asks for one row.
    func row(_ id: RowID) -> HTTPRequest { request("GET", record(id)) }

    /// Adds a row; may be sent again where the row's id is chosen anew for each write.
    func create(_ json: ArraySlice<UInt8>, isIdempotent: Bool) -> HTTPRequest {
        var request = request("POST", records, Array(json))
        request.isIdempotent = isIdempotent
        return request
    }

    /// Changes a row.
    func update(_ id: RowID, _ patch: ArraySlice<UInt8>) -> HTTPRequest { request("PATCH", record(id), Array(patch)) }

    /// Removes a row.
    func delete(_ id: RowID) -> HTTPRequest { request("DELETE", record(id)) }

    /// Adds rows, or puts them in the place of those with the same ids; all or none.
    func batch(_ rows: [ArraySlice<UInt8>], replaces: Bool) -> HTTPRequest {
        let path = "/api/collections/\(PercentEncoding.query(table))/records"
        let requests = rows.map { row in
            var body = JSONBody()
            body.member("method", replaces ? "PUT" : "POST")
            body.member("url", path)
            body.member("body", json: Array(row))
            return body.closed[...]
        }
        var body = JSONBody()
        body.member("requests", json: JSONBody.array(requests))
        return request("POST", "\(base.text)/api/batch", body.closed)
    }

    private func request(_ method: String, _ url: String, _ body: [UInt8]? = nil) -> HTTPRequest {
        var request = HTTPRequest(method, url, headers: ["Accept": "application/json"], body: body, timeouts: timeouts)
        if body != nil { request.headers["Content-Type"] = "application/json" }
        return request
    }
}
