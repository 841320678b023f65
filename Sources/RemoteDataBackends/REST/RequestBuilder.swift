import RemoteData
import RemoteDataNetwork

/// Builds the requests for a table as the native protocol has them; holds no network.
struct RequestBuilder: Sendable {
    /// Queries longer than this travel in a body, because servers and proxies limit the length of a URL.
    static let queryLimit = 1_500

    let base: BaseURL
    let table: String
    var timeouts = HTTPTimeouts()

    /// Asks how many rows a query has; the sort only for its columns to be checked.
    func count(_ query: Query) -> HTTPRequest {
        let path = base.table(table) + "/count"
        return read(path, posting: path, parameters(query))
    }

    private func parameters(_ query: Query) -> [(String, Parameter?)] {
        [
            ("where", query.filter.map { .text($0.description) }),
            ("sortBy", query.sort.isEmpty ? nil : .text(query.sort.sortText)),
        ]
    }

    /// Asks for a page of `limit` rows.
    func page(_ request: PageRequest, limit: Int) -> HTTPRequest {
        var offset: Parameter?
        var after: Parameter?
        var before: Parameter?
        switch request.start {
        case .offset(let rows): offset = rows == 0 ? nil : .number(Int64(rows))
        case .after(let key): after = .json(key.json)
        case .beyond(let key, let rows): (after, offset) = (.json(key.json), .number(Int64(rows)))
        case .before(let key): before = .json(key.json)
        }
        let path = base.table(table)
        let place: [(String, Parameter?)] = [
            ("pageSize", .number(Int64(limit))), ("offset", offset), ("after", after), ("before", before),
        ]
        return read(path, posting: path + "/find", parameters(request.query) + place)
    }

    /// Asks for one row.
    func row(_ id: RowID) -> HTTPRequest { request("GET", base.row(id, of: table)) }

    /// Asks for the changes after a revision.
    func changes(since revision: Revision, limit: Int) -> HTTPRequest {
        let epoch = revision.epoch.map { "&epoch=\($0)" } ?? ""
        return request(
            "GET",
            base.table(table) + "/changes?since=\(revision.rawValue)\(epoch)&limit=\(limit)"
        )
    }

    /// Asks what the server can do.
    func info() -> HTTPRequest { request("GET", base.info) }
}

// MARK: Writes

extension RequestBuilder {
    /// Makes a change.
    ///
    /// - Precondition: A `create` or `upsert` has at least one row.
    func write(_ mutation: Mutation, idempotencyKey: String?) -> HTTPRequest {
        var request =
            switch mutation {
            case .create(let drafts):
                drafts.count == 1
                    ? write("POST", base.table(table), Array(drafts[0].json))
                    : write("POST", base.bulk(table), JSONBody.array(drafts.lazy.map(\.json)))
            case .upsert(let drafts):
                drafts.count == 1
                    ? write("PUT", base.table(table) + "/upsert", Array(drafts[0].json))
                    : write("PUT", base.bulk(table, "bulkupsert"), JSONBody.array(drafts.lazy.map(\.json)))
            case .update(let id, let patch, let revision):
                write("PUT", base.row(id, of: table), Array(patch), ifRevision: revision)
            case .updateAll(let filter, let patch):
                write(
                    "PUT",
                    base.bulk(table) + query([("where", filter.map { .text($0.description) })]),
                    Array(patch)
                )
            case .delete(let id, let revision):
                write("DELETE", base.row(id, of: table), nil, ifRevision: revision)
            case .deleteAll(let filter):
                write(
                    "POST",
                    base.bulk(table) + "/delete",
                    body([("where", filter.map { .text($0.description) })])
                )
            }
        request.headers["Idempotency-Key"] = idempotencyKey
        return request
    }

    private func write(
        _ method: String,
        _ url: String,
        _ body: [UInt8]?,
        ifRevision: Revision? = nil
    ) -> HTTPRequest {
        var request = request(method, url, body)
        if let ifRevision { request.headers["If-Match"] = "\"\(ifRevision)\"" }
        return request
    }
}

// MARK: Parameters

extension RequestBuilder {
    private enum Parameter {
        case text(String)
        case number(Int64)
        case json([UInt8])

        var queryText: String {
            switch self {
            case .text(let text): text
            case .number(let number): String(number)
            case .json(let json): String(decoding: json, as: UTF8.self)
            }
        }

        var json: [UInt8] {
            switch self {
            case .text(let text): JSONObject.quoted(text)
            case .number(let number): Array(String(number).utf8)
            case .json(let json): json
            }
        }
    }

    /// A request that only reads: by `GET`, or by `POST` when its query would be long.
    private func read(_ url: String, posting post: String, _ parameters: [(String, Parameter?)])
        -> HTTPRequest
    {
        let query = query(parameters)
        guard query.utf8.count > Self.queryLimit else { return request("GET", url + query) }
        var request = request("POST", post, body(parameters))
        request.isIdempotent = true
        return request
    }

    private func query(_ parameters: [(String, Parameter?)]) -> String {
        let pairs = parameters.compactMap { name, value in
            value.map { "\(name)=\(PercentEncoding.query($0.queryText))" }
        }
        return pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
    }

    private func body(_ parameters: [(String, Parameter?)]) -> [UInt8] {
        var body = JSONBody()
        for case (let name, let value?) in parameters { body.member(name, json: value.json) }
        return body.closed
    }

    private func request(_ method: String, _ url: String, _ body: [UInt8]? = nil) -> HTTPRequest {
        var headers: HTTPHeaders = ["Accept": "application/json"]
        if body != nil { headers["Content-Type"] = "application/json" }
        return HTTPRequest(method, url, headers: headers, body: body, timeouts: timeouts)
    }
}
