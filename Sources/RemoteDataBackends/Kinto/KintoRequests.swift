import RemoteData
import RemoteDataNetwork

/// Builds the requests for a collection of Kinto; holds no network.
struct KintoRequests: Sendable {
    /// The server's URL, up to the version of its interface.
    let base: BaseURL
    let bucket: String
    let table: String
    let timeouts: HTTPTimeouts

    private var place: String {
        "\(base.text)/buckets/\(PercentEncoding.segment(bucket))/collections/\(PercentEncoding.segment(table))"
    }

    private func record(_ id: RowID) -> String { "\(place)/records/\(PercentEncoding.query(id.description))" }

    /// Asks who the server takes the program for.
    static func greeting(_ base: BaseURL, _ timeouts: HTTPTimeouts) -> HTTPRequest {
        read("GET", base.text + "/", timeouts)
    }

    /// Asks for what the server says of the collection itself.
    func collection() -> HTTPRequest { Self.read("GET", place, timeouts) }

    /// Asks for the number of rows, which the answer's header tells.
    func count(_ conditions: KintoConditions) -> HTTPRequest { list("HEAD", [conditions.text]) }

    /// Asks for rows.
    func list(_ conditions: KintoConditions, sort: String, size: Int) -> HTTPRequest {
        list("GET", [conditions.text, "_sort=\(PercentEncoding.query(sort))", "_limit=\(size)"])
    }

    /// Asks for the times at which rows were changed last, in the order of their ids.
    func sample(after id: RowID?, size: Int) -> HTTPRequest {
        var conditions = KintoConditions()
        if let id {
            let bound = KintoCondition.Bound(value: id.value, isIncluded: false)
            conditions = KintoConditions("id", KintoCondition(lower: bound))
        }
        return list("GET", [conditions.text, "_sort=id", "_limit=\(size)", "_fields=last_modified"])
    }

    /// Asks for what was changed after a revision, the oldest first; without any condition, which would hide what was removed.
    func changes(since revision: Revision, size: Int) -> HTTPRequest {
        list("GET", ["_since=\(max(0, revision.rawValue))", "_sort=last_modified", "_limit=\(size)"])
    }

    private func list(_ method: String, _ parameters: [String]) -> HTTPRequest {
        let query = parameters.filter { !$0.isEmpty }.joined(separator: "&")
        return Self.read(method, "\(place)/records" + (query.isEmpty ? "" : "?\(query)"), timeouts)
    }

    /// Asks for one row.
    func row(_ id: RowID) -> HTTPRequest { Self.read("GET", record(id), timeouts) }

    private static func read(_ method: String, _ url: String, _ timeouts: HTTPTimeouts) -> HTTPRequest {
        // Kinto can be set up to let answers to guests be kept.
        HTTPRequest(
            method,
            url,
            headers: ["Accept": "application/json", "Cache-Control": "no-cache"],
            timeouts: timeouts
        )
    }
}

// MARK: - Writes

extension KintoRequests {
    /// Adds a row.
    ///
    /// - Parameters:
    ///   - id: Its id.
    ///   - body: The row.
    ///   - isNew: Whether the id was made for this write alone, so that the row is made once however often this is sent.
    /// - Returns: The request.
    func create(_ id: RowID, _ body: KintoBody, isNew: Bool) -> HTTPRequest {
        var request = write("PUT", record(id), body)
        request.headers["If-None-Match"] = "*"
        request.isIdempotent = isNew
        return request
    }

    /// Puts a row in the place of whatever is there.
    func put(_ id: RowID, _ body: KintoBody) -> HTTPRequest { write("PUT", record(id), body) }

    /// Changes a row.
    func update(_ id: RowID, _ body: KintoBody, ifRevision: Revision?) -> HTTPRequest {
        conditional(write("PATCH", record(id), body), ifRevision)
    }

    /// Removes a row.
    func delete(_ id: RowID, ifRevision: Revision?) -> HTTPRequest {
        conditional(write("DELETE", record(id), nil), ifRevision)
    }

    /// Removes rows.
    func deleteAll(_ conditions: KintoConditions) -> HTTPRequest {
        write("DELETE", "\(place)/records" + (conditions.text.isEmpty ? "" : "?\(conditions.text)"), nil)
    }

    private func conditional(_ request: HTTPRequest, _ revision: Revision?) -> HTTPRequest {
        var request = request
        request.headers["If-Match"] = revision.map { "\"\($0)\"" }
        return request
    }

    private func write(_ method: String, _ url: String, _ body: KintoBody?) -> HTTPRequest {
        var request = HTTPRequest(
            method,
            url,
            headers: ["Accept": "application/json"],
            body: body?.json,
            timeouts: timeouts
        )
        request.headers["Content-Type"] = body?.type
        return request
    }
}
