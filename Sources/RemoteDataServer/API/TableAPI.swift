import Foundation
import RemoteData

/// Answers requests from the tables of a store: the protocol's REST part, without sockets.
struct TableAPI: Sendable {
    let store: any TableStore
    let limits: TableServer.Limits
    let fixedTables: Bool
    /// The room for answers that wait to be sent; nil for as much as there is.
    var room: AnswerRoom?
    /// Who may ask, and as whom; nil lets everybody see everything.
    var authorization: Authorization?
    /// Who asks.
    var caller = Caller.everything
    /// The time a deletion is stamped with.
    var now: @Sendable () -> Date = { Date() }

    /// The answer to a request; every error becomes one.
    func answer(_ request: HTTPRequest) async -> HTTPAnswer {
        guard let authorization else { return await answerCaller(request) }
        do throws(HTTPRefusal) {
            var answer = await asked(by: try authorization.caller(of: request.head)).answerCaller(request)
            // What one user sees is not for another.
            if authorization.hasUsers {
                answer.fields.append(HTTPField(name: "Cache-Control", value: "no-store"))
            }
            return answer
        } catch { return error.answer }
    }

    /// The same tables as somebody sees them.
    func asked(by caller: Caller) -> TableAPI {
        var api = self
        api.caller = caller
        return api
    }

    private func answerCaller(_ request: HTTPRequest) async -> HTTPAnswer {
        do {
            let parts = request.head.target[...].part(before: "#").parts(between: "?", most: 2)
            let query = parts.count > 1 ? parts[1] : nil
            let route = try Route.parse(method: request.head.method, path: parts[0])
            guard let answer = try await read(route, request, query) else {
                return try await write(route, request, query)
            }
            // What was found with it cannot be used.
            if WorkBudget.isOverrun { throw RemoteDataError.tooMuchWork }
            return answer
        } catch { return HTTPAnswer(for: WorkBudget.isOverrun ? RemoteDataError.tooMuchWork : error) }
    }

    /// The answer to a request that changes nothing; nil for another.
    private func read(_ route: Route, _ request: HTTPRequest, _ query: Substring?) async throws -> HTTPAnswer?
    {
        switch route {
        case .info: try info(query)
        case .socket: throw try Self.refusalOfSocket(request.head)
        case .page(let table):
            try await page(table, try Parameters(query: query, known: Parameters.ofPage))
        case .find(let table):
            try await page(table, try body(request, query, known: Parameters.ofPage))
        case .count(let table):
            try await count(table, try Parameters(query: query, known: Parameters.ofCount))
        case .countByBody(let table):
            try await count(table, try body(request, query, known: Parameters.ofCount))
        case .changes(let table):
            try await changes(table, try Parameters(query: query, known: ["since", "epoch", "limit"]))
        case .row(let table, let id):
            try await row(
                table,
                id,
                try Parameters(query: query, known: ["idType"]),
                unless: request.head["if-none-match"].map { EntityTags($0) }
            )
        default: nil
        }
    }

    private static func refusalOfSocket(_ head: HTTPRequestHead) throws -> HTTPRefusal {
        do throws(HTTPRefusal) {
            _ = try WebSocketUpgrade(head)
            return .unreadable("This is no WebSocket.")
        } catch { return error }
    }

    private func info(_ query: Substring?) throws -> HTTPAnswer {
        _ = try Parameters(query: query, known: [])
        var text = JSONText()
        text.member("protocol", WebSocketUpgrade.subprotocol)
        text.member(
            "capabilities",
            json: JSONText.array(caller.capabilities.names.map { Value.text($0).json[...] })
        )
        text.member("maximumPageSize", limits.pageSize)
        text.member("maximumBulkSize", limits.bulkRows)
        return HTTPAnswer(200, body: text.closed)
    }

    /// The parameters of a body; the query beside it has to be empty.
    private func body(
        _ request: HTTPRequest,
        _ query: Substring?,
        known: Set<String>
    ) throws -> Parameters {
        _ = try Parameters(query: query, known: [])
        return try Parameters(body: request.body, known: known)
    }

    /// The table of a name, which comes into being with its first row, unless tables are fixed.
    ///
    /// - Throws: ``HTTPRefusal`` when it is not there and cannot come into being.
    func table(_ name: String) async throws -> any Table {
        guard let table = try await store.table(name, creating: !fixedTables) else {
            throw HTTPRefusal(404, 1009, "There is no table \"\(name)\".")
        }
        return SubQueryTable(caller.view(of: table)) { (name, creating) throws(RemoteDataError) in
            let table = try await store.table(name, creating: creating && !fixedTables)
            return table.map { caller.view(of: $0) }
        }
    }
}

// MARK: Reads

extension TableAPI {
    private func page(_ name: String, _ parameters: Parameters) async throws -> HTTPAnswer {
        let request = try parameters.pageRequest(maximum: limits.pageSize)
        let table = try await table(name)
        return try await inRoom { try await page(request, of: table, fitting: $0) }
    }

    private func page(
        _ request: PageRequest,
        of table: any Table,
        fitting bytes: Int
    ) async throws -> HTTPAnswer {
        // A table whose pages are smaller has more where it has filled one.
        let most = table.capabilities.maximumPageSize
        let fills = { request.limit > most && $0 >= most }
        if let table = table as? any PageWriting,
            let page = try await table.pageText(request, fitting: bytes)
        {
            return answer(body: page.json, page.revision, endsEarly: page.endsEarly || fills(page.count))
        }
        let page = try await table.page(request)
        let elements = page.elements
        let fitting = request.start.fitting(elements, into: bytes)
        return answer(
            body: JSONText.array(fitting),
            page.revision,
            endsEarly: page.endsEarly || fitting.count < elements.count || fills(elements.count)
        )
    }

    /// Makes an answer that may be large in its share of the room for such.
    ///
    /// - Parameter make: Makes it, of so many bytes or little more.
    /// - Returns: The answer.
    /// - Throws: ``RemoteDataError`` with code `unavailable` when there is no room left.
    private func inRoom(_ make: (Int) async throws -> HTTPAnswer) async throws -> HTTPAnswer {
        guard let room else { return try await make(limits.answerBytes) }
        guard let share = room.share(atMost: limits.answerBytes) else { throw Self.noRoom }
        var answer = try await make(share.bytes)
        guard share.note(answer.body.count) else { throw Self.noRoom }
        answer.share = share
        return answer
    }

    private static let noRoom = RemoteDataError(
        .unavailable,
        "The server is busy sending other answers; ask again in a while."
    )

    private func answer(body: [UInt8], _ revision: Revision?, endsEarly: Bool) -> HTTPAnswer {
        var fields = revisionFields(revision)
        if endsEarly { fields.append(HTTPField(name: "Table-More", value: "true")) }
        return HTTPAnswer(200, fields: fields, body: body)
    }

    private func count(_ name: String, _ parameters: Parameters) async throws -> HTTPAnswer {
        let query = try parameters.query()
        let count = try await table(name).count(query)
        return HTTPAnswer(
            200,
            fields: revisionFields(count.revision),
            body: Array(String(count.value).utf8)
        )
    }

    private func row(
        _ name: String,
        _ address: Route.RowAddress,
        _ parameters: Parameters,
        unless known: EntityTags?
    ) async throws -> HTTPAnswer {
        let table = try await table(name)
        for id in try address.candidates(parameters) {
            guard let row = try await table.row(id) else { continue }
            let isKnown = row.revision.map { known?.contains(caller.exchanged($0)) ?? false } ?? false
            if isKnown {
                return HTTPAnswer(304, fields: answer(row, revision: row.revision).fields)
            }
            return try await inRoom { _ in answer(row, revision: row.revision) }
        }
        throw RemoteDataError(.notFound, "There is no row with the id \(address.text).")
    }

    private func changes(_ name: String, _ parameters: Parameters) async throws -> HTTPAnswer {
        guard let since = try parameters.integer("since", in: 0...Int.max) else {
            throw HTTPRefusal.unreadable("\"since\" is missing: the revision after which changes are wanted.")
        }
        let start = caller.exchanged(Revision(Int64(since), epoch: try parameters.epoch()))
        let limit = try parameters.integer("limit", in: 1...Self.changeLimit) ?? Self.changeLimit
        let table = try await table(name)
        return try await inRoom { try await changes(of: table, since: start, limit: limit, fitting: $0) }
    }

    private func changes(
        of table: any Table,
        since start: Revision,
        limit: Int,
        fitting most: Int
    ) async throws -> HTTPAnswer {
        let batch = try await table.changes(since: start, limit: limit)
        var changes: [ArraySlice<UInt8>] = []
        var (bytes, revision, isComplete) = (0, batch.revision, batch.isComplete)
        for (index, change) in batch.changes.enumerated() {
            let json = ServerFrame.change(change, id: nil).json[...]
            changes.append(json)
            bytes += json.count
            let isLast = index == batch.changes.count - 1
            guard bytes >= most, !isLast, let reached = change.revision else { continue }
            (revision, isComplete) = (reached, false)
            break
        }
        var text = JSONText(capacity: bytes + changes.count + 100)
        text.member("changes", json: JSONText.array(changes))
        text.member("revision", revision.rawValue)
        if let epoch = caller.exchanged(revision).epoch { text.member("epoch", epoch.description) }
        text.member("complete", isComplete)
        return HTTPAnswer(200, fields: revisionFields(revision), body: text.closed)
    }

    /// The most changes of one answer.
    private static let changeLimit = 1_000

    func revisionFields(_ revision: Revision?) -> [HTTPField] {
        revision.map { HTTPField.tableRevision(caller.exchanged($0)) } ?? []
    }

    func answer(_ row: Row, revision: Revision?) -> HTTPAnswer {
        let fields = revisionFields(revision) + (row.revision.map { [.etag(caller.exchanged($0))] } ?? [])
        return HTTPAnswer(200, fields: fields, body: Array(row.json))
    }
}

extension Page {
    /// The rows as JSON, with a null in the place of each that could not be read: left out, they would make the
    /// page look like the last one.
    fileprivate var elements: [ArraySlice<UInt8>] {
        var elements = rows.map(\.json)
        for failure in failures {
            elements.insert(Array("null".utf8)[...], at: min(failure.position, elements.count))
        }
        return elements
    }
}

extension PageRequest.Start {
    /// As many rows of a page as fit, at least one, from where the page starts: in front of a key, the last
    /// ones.
    fileprivate func fitting(
        _ rows: [ArraySlice<UInt8>],
        into limit: Int
    ) -> ArraySlice<ArraySlice<UInt8>> {
        if case .before = self { return rows.suffix(Self.count(rows.reversed(), into: limit)) }
        return rows.prefix(Self.count(rows, into: limit))
    }

    private static func count(_ rows: some Sequence<ArraySlice<UInt8>>, into limit: Int) -> Int {
        var (count, bytes) = (0, 0)
        for row in rows where count == 0 || bytes < limit {
            count += 1
            bytes += row.count + 1
        }
        return count
    }
}

extension Route.RowAddress {
    /// The ids that may be meant, the likeliest first.
    func candidates(_ parameters: Parameters) throws -> [RowID] {
        let integer = Int64(text).flatMap { String($0) == text ? RowID.integer($0) : nil }
        switch try parameters.text("idType") {
        case "text": return [.text(text)]
        case "integer":
            guard let integer else {
                throw HTTPRefusal.unreadable("The id \"\(text)\" is no 64-bit integer.")
            }
            return [integer]
        case nil: return (integer.map { [$0] } ?? []) + [.text(text)]
        case _?: throw HTTPRefusal.unreadable("\"idType\" is \"text\" or \"integer\".")
        }
    }
}
