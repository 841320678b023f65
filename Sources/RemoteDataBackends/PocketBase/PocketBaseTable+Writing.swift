import Foundation
public import RemoteData
import RemoteDataNetwork

extension PocketBaseTable {
    /// Makes a change, all of it or nothing.
    ///
    /// One request; to replace rows, two: PocketBase keeps the columns that it is not told of, so the rows that are there are read
    /// first. Several rows at once take PocketBase's batch requests; see `PocketBaseServer`. A row that comes without an id gets one
    /// from the write's key, so that it is made once however often it is sent.
    ///
    /// - Parameters:
    ///   - mutation: The change; conditions on revisions are refused, since PocketBase has none.
    ///   - idempotencyKey: Made up for a creation that has none.
    /// - Returns: What was done.
    /// - Throws: `RemoteDataError` with what PocketBase says.
    public func commit(
        _ mutation: Mutation,
        idempotencyKey: String?
    ) async throws(RemoteDataError) -> Outcome {
        try refuseSubQueries(mutation.filter)
        let key = idempotencyKey ?? UUID().uuidString
        switch mutation {
        case .create(let drafts): return try await create(drafts.named(by: key, self))
        case .upsert(let drafts): return try await upsert(drafts.named(by: key, self))
        case .update(let id, let patch, let revision):
            try refuse(revision)
            let members = try JSONObject.patch(patch, of: id, idColumn: idColumn)
            let answer = try await send(requests.update(id, JSONObject.object(of: members)), "a change")
            return Outcome(rows: [try row(answer)], ids: [id], count: 1)
        case .delete(let id, let revision):
            try refuse(revision)
            _ = try await send(requests.delete(id), "a removal")
            return Outcome(ids: [id], count: 1)
        case .updateAll, .deleteAll:
            throw RemoteDataError(.invalidRequest, "PocketBase does not change or remove rows by clause.")
        }
    }

    private func refuse(_ revision: Revision?) throws(RemoteDataError) {
        guard revision != nil else { return }
        throw RemoteDataError(.invalidRequest, "PocketBase has no revisions, so no write can depend on one.")
    }

    /// A row to be written.
    struct NamedRow: Sendable {
        let row: Row
        /// Whether the id was made for this write alone.
        let isNew: Bool
    }

    /// What a part of a write asks for.
    enum Step: Sendable {
        case create(NamedRow)
        case update(Row)
    }

    private func create(_ rows: [NamedRow]) async throws(RemoteDataError) -> Outcome {
        do throws(RemoteDataError) { return try await write(rows.map { .create($0) }) } catch {
            // Nobody else makes these ids: the rows were made by an earlier request, the answer to which was lost.
            guard error.code == .alreadyExists, rows.allSatisfy(\.isNew) else { throw error }
            let stored = try await stored(rows)
            guard stored.count == rows.count else { throw error }
            return Outcome(rows: stored, ids: stored.map(\.id), count: stored.count)
        }
    }

    /// Creates rows or puts them in place of those with the same ids, anew when somebody else was faster.
    private func upsert(_ rows: [NamedRow]) async throws(RemoteDataError) -> Outcome {
        var attempt = 0
        while true {
            let stored = Dictionary(try await stored(rows).map { ($0.id, $0) }) { first, _ in first }
            var steps: [Step] = []
            for row in rows {
                if let old = stored[row.row.id] {
                    steps.append(.update(try row.row.replacing(old)))
                } else {
                    steps.append(.create(row))
                }
            }
            do throws(RemoteDataError) { return try await write(steps) } catch {
                attempt += 1
                guard error.code == .alreadyExists || error.code == .notFound, attempt < 5 else {
                    throw error
                }
            }
        }
    }

    /// The rows with the same ids as these that are there, in their order.
    private func stored(_ rows: [NamedRow]) async throws(RemoteDataError) -> [Row] {
        var found: [RowID: Row] = [:]
        for start in stride(from: 0, to: rows.count, by: OvertakenRows.batch) {
            let ids = rows[start...].prefix(OvertakenRows.batch).map(\.row.id)
            let list = try PocketBaseList(try await send(requests.rows(ids), "rows"), name)
            for row in list.page.rows { found[row.id] = row }
        }
        return rows.compactMap { found[$0.row.id] }
    }

    private func write(_ steps: [Step]) async throws(RemoteDataError) -> Outcome {
        guard let first = steps.first else { return Outcome(count: 0) }
        guard steps.count > 1 else {
            let stored = try row(try await send(requests.write(first), "a row"))
            return Outcome(rows: [stored], ids: [stored.id], count: 1)
        }
        guard steps.count <= server.batchSize else {
            throw RemoteDataError(
                .tooLarge,
                "PocketBase is said to take \(server.batchSize) rows at once, not \(steps.count): see PocketBaseServer's batchSize."
            )
        }
        let answer = try await send(requests.batch(steps), "\(steps.count) rows at once")
        guard let answers = try? JSONObject.elements(of: answer.body[...]), answers.count == steps.count
        else {
            throw .unreadable(name, "not as many rows as were sent")
        }
        var stored: [Row] = []
        for answer in answers {
            let body = (try? JSONObject.members(of: answer))?.first { $0.name == "body" }
            guard let body else { throw .unreadable(name, "a part without a row") }
            stored.append(try Row.parse(body.json, idColumn: idColumn))
        }
        return Outcome(rows: stored, ids: stored.map(\.id), count: stored.count)
    }
}

extension [Draft] {
    /// The rows to be written, with ids made of a key where they have none.
    fileprivate func named(
        by key: String,
        _ table: PocketBaseTable
    ) -> [PocketBaseTable.NamedRow] {
        enumerated().map { number, draft in
            let id = draft.id ?? PocketBaseID.made(of: key, number)
            return .init(row: draft.row(id: id, idColumn: table.idColumn), isNew: draft.id == nil)
        }
    }
}

extension Row {
    /// What to send so that a stored row becomes this one: null for each column that this one does not have.
    fileprivate func replacing(_ stored: Row) throws(RemoteDataError) -> Row {
        var members = try JSONObject.members(of: json)
        let names = Set(members.map(\.name))
        for member in try JSONObject.members(of: stored.json)
        where !names.contains(member.name) && !Self.owned.contains(member.name) {
            members.append(JSONObject.Member(name: member.name, value: .null))
        }
        return Row(id: id, json: JSONObject.object(of: members))
    }

    /// Members of every row that are PocketBase's own.
    private static let owned: Set<String> = ["collectionId", "collectionName", "expand"]
}
