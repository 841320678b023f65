import Foundation
public import RemoteData
import RemoteDataNetwork

extension BackendlessTable {
    /// Makes a change, all of it or nothing.
    ///
    /// One request, sent once. Two for a row that comes with an id of its own, which is read behind its creation; and to replace
    /// rows, since Backendless keeps the columns that it is not told of, so that those that are there are read first. A write by
    /// clause changes exactly the rows that match, or is refused: see ``BackendlessTextComparison``.
    ///
    /// - Parameters:
    ///   - mutation: The change; conditions on revisions are refused, since Backendless has none.
    ///   - idempotencyKey: Not heeded by Backendless.
    /// - Returns: What was done; of several rows at once, without the rows.
    /// - Throws: `RemoteDataError` with what Backendless says.
    public func commit(
        _ mutation: Mutation,
        idempotencyKey: String?
    ) async throws(RemoteDataError) -> Outcome {
        try refuseSubQueries(mutation.filter)
        switch mutation {
        case .create(let drafts): return try await create(try drafts.checked())
        case .upsert(let drafts): return try await upsert(try drafts.checked())
        case .update(let id, let patch, let revision):
            try refuse(revision)
            let members = try JSONObject.patch(patch, of: id, idColumn: idColumn)
            guard BackendlessID.isValid(id) else { throw missing(id) }
            let answer = try await write(requests.update(id, JSONObject.object(of: members)), "a change")
            return Outcome(rows: [try row(answer)], ids: [id], count: 1)
        case .delete(let id, let revision):
            try refuse(revision)
            guard BackendlessID.isValid(id) else { throw missing(id) }
            _ = try await send(requests.delete(id), "a removal")
            return Outcome(ids: [id], count: 1)
        case .updateAll(let filter, let patch):
            let members = try JSONObject.patch(patch, of: nil, idColumn: idColumn)
            let request = requests.update(where: try await exact(filter), JSONObject.object(of: members))
            return Outcome(count: try await read(request, "a change by clause").map(number) ?? 0)
        case .deleteAll(let filter):
            let request = requests.delete(where: try await exact(filter))
            return Outcome(count: try await read(request, "a removal by clause").map(number) ?? 0)
        }
    }

    private func missing(_ id: RowID) -> RemoteDataError {
        RemoteDataError(.notFound, "There is no row \(id) in \(name): Backendless has no such ids.")
    }

    private func refuse(_ revision: Revision?) throws(RemoteDataError) {
        guard revision != nil else { return }
        throw RemoteDataError(
            .invalidRequest,
            "Backendless has no revisions, so no write can depend on one."
        )
    }

    /// A clause that the server takes as it is meant.
    ///
    /// - Throws: `RemoteDataError` with code `invalidClause` where there is none, or it has a backslash or a
    ///   column of
    ///   related rows, unless the server names a column that it does not have: one request.
    private func exact(_ filter: Where?) async throws(RemoteDataError) -> String {
        guard let filter else { return "\(idColumn) IS NOT NULL" }
        let rendered = try BackendlessFilter(text: server.comparesText).asked(filter)
        guard rendered.isExact, let text = rendered.text else {
            _ = try await count(Query(filter))
            throw RemoteDataError(
                .invalidClause,
                "Backendless cannot be told exactly which rows are meant, and might take others for them: its database may compare text"
                    + " in its own way (comparesText), or has no words for this."
            )
        }
        guard !text.utf8.contains(UInt8(ascii: "\\")) else {
            throw RemoteDataError(
                .invalidClause,
                "Nobody can tell whether Backendless takes a backslash in text for itself or for an escape, and so which rows are meant."
            )
        }
        return text
    }

    /// Writes rows; a column that cannot be is the fault of a row.
    private func write(_ request: HTTPRequest, _ what: String) async throws(RemoteDataError) -> HTTPResponse {
        do throws(RemoteDataError) { return try await send(request, what) } catch {
            guard error.code == .unknownColumn else { throw error }
            throw RemoteDataError(.invalidRow, error.message, status: error.status)
        }
    }
}

// MARK: - Rows

extension BackendlessTable {
    private func create(_ drafts: [Draft]) async throws(RemoteDataError) -> Outcome {
        guard let first = drafts.first else { return Outcome(count: 0) }
        guard drafts.count > 1 || first.id != nil else {
            let row = try row(try await write(requests.create(try first.members(idColumn)), "a row"))
            return Outcome(rows: [row], ids: [row.id], count: 1)
        }
        var rows: [ArraySlice<UInt8>] = []
        for draft in drafts { rows.append(try draft.members(idColumn)) }
        let ids = try ids(try await write(requests.create(rows), "\(rows.count) rows"), of: drafts)
        guard drafts.count == 1, let id = ids.first else { return Outcome(ids: ids, count: ids.count) }
        // It was made, whatever becomes of reading it.
        let row = try? await row(id)
        return Outcome(rows: [row].compactMap(\.self), ids: ids, count: 1)
    }

    /// Creates rows or puts them in place of those with the same ids.
    private func upsert(_ drafts: [Draft]) async throws(RemoteDataError) -> Outcome {
        guard let first = drafts.first else { return Outcome(count: 0) }
        var stored = try await stored(drafts.compactMap(\.id))
        var rows: [ArraySlice<UInt8>] = []
        for draft in drafts {
            let row = try draft.replacing(draft.id.flatMap { stored[$0] }, idColumn)
            if let id = draft.id { stored[id] = row }
            rows.append(row)
        }
        guard drafts.count == 1 else {
            let answer = try await write(requests.upsert(rows), "\(rows.count) rows")
            let ids = try ids(answer, of: drafts)
            return Outcome(ids: ids, count: ids.count)
        }
        let row = try row(try await write(requests.upsert(rows[0]), "a row"))
        try check([row.id], of: [first])
        return Outcome(rows: [row], ids: [row.id], count: 1)
    }

    /// The rows with some ids that are there.
    private func stored(_ ids: [RowID]) async throws(RemoteDataError) -> [RowID: ArraySlice<UInt8>] {
        guard !ids.isEmpty else { return [:] }
        let answer = try await server.client.send(requests.find(ids))
        // A table comes into being with its first row.
        if BackendlessProblem(answer)?.isMissingTable == true { return [:] }
        let page = try rows(answer, "rows")
        return Dictionary(page.rows.map { ($0.id, $0.json) }) { first, _ in first }
    }

    private func ids(_ answer: HTTPResponse, of drafts: [Draft]) throws(RemoteDataError) -> [RowID] {
        let parts = (try? JSONObject.elements(of: answer.body[...])) ?? []
        let ids = parts.compactMap { Value(json: $0).flatMap { RowID($0) } }
        guard ids.count == drafts.count else { throw unreadable("not as many ids as rows were sent") }
        try check(ids, of: drafts)
        return ids
    }

    /// Checks that rows got the ids they came with.
    private func check(_ ids: [RowID], of drafts: [Draft]) throws(RemoteDataError) {
        guard zip(ids, drafts).allSatisfy({ $1.id == nil || $1.id == $0 }) else {
            throw RemoteDataError(
                .invalidAnswer,
                "Backendless has stored a row of \(name), and given it another id than it came with."
            )
        }
    }
}

extension [Draft] {
    /// Refuses more rows than the server takes at once, and ids that it does not have.
    fileprivate func checked() throws(RemoteDataError) -> [Draft] {
        guard count <= BackendlessTable.largestBulk else {
            throw RemoteDataError(
                .tooLarge,
                "Backendless takes \(BackendlessTable.largestBulk) rows at once, not \(count)."
            )
        }
        for id in compactMap(\.id) where !BackendlessID.isValid(id) {
            throw RemoteDataError(
                .invalidRow,
                "Ids of Backendless are text, not empty, and no words of its paths, such as \"upsert\"."
            )
        }
        return self
    }
}

extension Draft {
    /// The row to be sent: without an id where the server is to make one.
    fileprivate func members(_ idColumn: String) throws(RemoteDataError) -> ArraySlice<UInt8> {
        guard id == nil else { return json }
        return JSONObject.object(of: try JSONObject.members(of: json).filter { $0.name != idColumn })
    }

    /// The row to be sent so that a stored one becomes this one: null for each column that this one does not have.
    fileprivate func replacing(
        _ stored: ArraySlice<UInt8>?,
        _ idColumn: String
    ) throws(RemoteDataError) -> ArraySlice<UInt8> {
        guard let stored else { return try members(idColumn) }
        var members = try JSONObject.members(of: json)
        let names = Set(members.map(\.name))
        for member in try JSONObject.members(of: stored)
        where !names.contains(member.name) && !Self.isOwned(member.name) {
            members.append(JSONObject.Member(name: member.name, value: .null))
        }
        return JSONObject.object(of: members)
    }

    /// Whether a column of every row is Backendless' own.
    private static func isOwned(_ name: String) -> Bool {
        ["objectId", "created", "updated", "ownerId"].contains(name) || name.hasPrefix("__")
    }
}
