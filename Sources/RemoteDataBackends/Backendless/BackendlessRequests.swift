import RemoteData
import RemoteDataNetwork

/// Builds the requests for a table of Backendless; holds no network.
struct BackendlessRequests: Sendable {
    let base: BaseURL
    let table: String
    let timeouts: HTTPTimeouts

    private var path: String { "\(base.text)/data/\(PercentEncoding.segment(table))" }

    private func bulk(_ word: String = "bulk") -> String {
        "\(base.text)/data/\(word)/\(PercentEncoding.segment(table))"
    }

    private func row(_ id: RowID) -> String { "\(path)/\(PercentEncoding.segment(id.description))" }
}

// MARK: - Reads

extension BackendlessRequests {
    /// Asks for rows.
    func find(_ part: BackendlessPaging.Part) -> HTTPRequest {
        read(
            path,
            posting: path + "/find",
            [
                ("where", part.filter.map { .text($0) }),
                ("sortBy", part.sort.isEmpty ? nil : .text(part.sort)),
                ("pageSize", .number(part.size)), ("offset", .number(part.offset)),
            ]
        )
    }

    /// Asks for rows by their ids, of which there are no more than a page has.
    func find(_ ids: [RowID]) -> HTTPRequest {
        let clause = Where.isIn(.column("objectId"), ids.map { .literal($0.value) })
        let text = BackendlessFilter(text: .byBytes).render(clause)?.text
        return find(.init(filter: text, size: ids.count))
    }

    /// Asks how many rows match.
    func count(_ filter: String?) -> HTTPRequest {
        read(path + "/count", posting: path + "/count", [("where", filter.map { .text($0) })])
    }

    /// Asks for one row; as rows where its id would be taken for a word of the protocol.
    func find(_ id: RowID) -> HTTPRequest {
        let isPlain = id.description.utf8.allSatisfy {
            (48...57).contains($0) || (65...90).contains($0) || $0 == UInt8(ascii: "-")
        }
        return isPlain ? request("GET", row(id)) : find([id])
    }

    private enum Parameter {
        case text(String)
        case number(Int)
    }

    /// A request that only reads: by `GET`, or by `POST` when its query would be long.
    private func read(_ url: String, posting post: String, _ parameters: [(String, Parameter?)])
        -> HTTPRequest
    {
        var body = JSONBody()
        var query: [String] = []
        for case (let name, let value?) in parameters {
            switch value {
            case .text(let text):
                body.member(name, text)
                query.append("\(name)=\(PercentEncoding.query(text))")
            case .number(let number):
                body.member(name, Int64(number))
                query.append("\(name)=\(number)")
            }
        }
        let text = query.isEmpty ? "" : "?" + query.joined(separator: "&")
        guard text.utf8.count > RequestBuilder.queryLimit else { return request("GET", url + text) }
        var request = request("POST", post, body.closed)
        request.isIdempotent = true
        return request
    }
}

// MARK: - Writes

extension BackendlessRequests {
    /// Creates a row for which the server makes an id.
    func create(_ row: ArraySlice<UInt8>) -> HTTPRequest { request("POST", path, Array(row)) }

    /// Creates rows, all of them or none; their own ids are kept.
    func create(_ rows: [ArraySlice<UInt8>]) -> HTTPRequest {
        request("POST", bulk(), JSONBody.array(rows))
    }

    /// Creates a row or changes columns of the one with its id.
    func upsert(_ row: ArraySlice<UInt8>) -> HTTPRequest { request("PUT", path + "/upsert", Array(row)) }

    /// The same for rows.
    func upsert(_ rows: [ArraySlice<UInt8>]) -> HTTPRequest {
        request("PUT", bulk("bulkupsert"), JSONBody.array(rows))
    }

    /// Changes a row.
    func update(_ id: RowID, _ patch: ArraySlice<UInt8>) -> HTTPRequest {
        request("PUT", row(id), Array(patch))
    }

    /// Changes every row that matches.
    func update(where filter: String, _ patch: ArraySlice<UInt8>) -> HTTPRequest {
        request("PUT", bulk() + "?where=\(PercentEncoding.query(filter))", Array(patch))
    }

    /// Removes a row.
    func delete(_ id: RowID) -> HTTPRequest { request("DELETE", row(id)) }

    /// Removes every row that matches.
    func delete(where filter: String) -> HTTPRequest {
        var body = JSONBody()
        body.member("where", filter)
        return request("POST", bulk() + "/delete", body.closed)
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
