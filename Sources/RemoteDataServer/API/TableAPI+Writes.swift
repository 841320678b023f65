import Foundation
import RemoteData

extension TableAPI {
    /// The answer to a request that changes something.
    func write(_ route: Route, _ request: HTTPRequest, _ query: Substring?) async throws -> HTTPAnswer {
        try caller.checkWrite()
        try request.checkContentType()
        let options = try WriteOptions(request.head, by: caller)
        let known: Set<String> =
            switch route {
            case .update, .delete: ["idType"]
            case .bulkUpdate: ["where"]
            default: []
            }
        let parameters = try Parameters(query: query, known: known)
        if options.ifRevision != nil, known != ["idType"] {
            throw HTTPRefusal.unreadable("If-Match goes with the update or deletion of one row.")
        }
        guard !options.isForNewRow || route.makesOneRow else {
            throw HTTPRefusal.unreadable("If-None-Match goes with the creation or upsert of one row.")
        }
        return switch route {
        case .create(let name): try await writeRow(name, request, options) { .create([$0]) }
        case .upsert(let name):
            try await writeRow(name, request, options) {
                options.isForNewRow ? .create([$0]) : .upsert([$0])
            }
        case .update(let name, let address):
            try await update(name, address, try request.patch(), parameters, options)
        case .delete(let name, let address): try await delete(name, address, parameters, options)
        case .bulkCreate(let name): try await writeRows(name, request, options) { .create($0) }
        case .bulkUpsert(let name): try await writeRows(name, request, options) { .upsert($0) }
        case .bulkUpdate(let name):
            try await writeByClause(
                name,
                .updateAll(try parameters.clause(isRead: false), patch: try request.patch()),
                options
            )
        case .bulkDelete(let name):
            try await writeByClause(name, .deleteAll(try request.deletionClause()), options)
        default: throw HTTPRefusal(404, 1404, "There is nothing at this path.")
        }
    }

    private func writeRow(
        _ name: String,
        _ request: HTTPRequest,
        _ options: WriteOptions,
        _ mutation: (Draft) -> Mutation
    ) async throws -> HTTPAnswer {
        // The body is read before a table is made for it.
        _ = try request.patch()
        let table = try await table(name)
        let draft = try request.draft(idColumn: table.idColumn)
        do {
            return try await commitRow(mutation(draft), to: table, options)
        } catch let error as RemoteDataError where error.code == .alreadyExists && options.isForNewRow {
            let row = if let id = draft.id { try await table.row(id) } else { Row?.none }
            return HTTPAnswer(
                of: RemoteDataError(.conflict, error.message),
                row: row.map(caller.exchanged)
            )
        }
    }

    /// Makes a change.
    ///
    /// Where there are users, an ACL that would not allow what it seems to is refused for every caller.
    private func commit(
        _ mutation: Mutation,
        to table: any Table,
        _ options: WriteOptions
    ) async throws -> Outcome {
        if caller.user == nil, authorization?.hasUsers ?? false {
            _ = try RowAccess(.nobody, newRows: .none, idColumn: table.idColumn).prepared(mutation)
        }
        return try await table.commit(mutation, idempotencyKey: options.idempotencyKey)
    }

    /// Makes a change that leaves one row, and answers with it.
    private func commitRow(
        _ mutation: Mutation,
        to table: any Table,
        _ options: WriteOptions
    ) async throws -> HTTPAnswer {
        let outcome = try await commit(mutation, to: table, options)
        if let row = outcome.rows.first { return answer(row, revision: outcome.revision) }
        if let id = outcome.ids.first, let row = try await table.row(id) {
            return answer(row, revision: outcome.revision)
        }
        throw RemoteDataError(.storage, "The row was written, but could not be read back.")
    }

    private func writeRows(
        _ name: String,
        _ request: HTTPRequest,
        _ options: WriteOptions,
        _ mutation: ([Draft]) -> Mutation
    ) async throws -> HTTPAnswer {
        _ = try JSONObject.elements(of: request.body, atMost: limits.bulkRows)
        let table = try await table(name)
        let drafts = try request.drafts(idColumn: table.idColumn)
        let outcome = try await commit(mutation(drafts), to: table, options)
        return HTTPAnswer(
            200,
            fields: revisionFields(outcome.revision),
            body: JSONText.array(outcome.ids.lazy.map { $0.value.json[...] })
        )
    }

    private func writeByClause(
        _ name: String,
        _ mutation: Mutation,
        _ options: WriteOptions
    ) async throws -> HTTPAnswer {
        let table = try await table(name)
        let outcome = try await commit(mutation, to: table, options)
        return HTTPAnswer(
            200,
            fields: revisionFields(outcome.revision),
            body: Array(String(outcome.count).utf8)
        )
    }

    private func update(
        _ name: String,
        _ address: Route.RowAddress,
        _ patch: ArraySlice<UInt8>,
        _ parameters: Parameters,
        _ options: WriteOptions
    ) async throws -> HTTPAnswer {
        let table = try await table(name)
        let id = try await resolve(address, parameters, in: table)
        do {
            return try await commitRow(
                .update(id, patch: patch, ifRevision: options.ifRevision),
                to: table,
                options
            )
        } catch let error as RemoteDataError where error.code == .conflict {
            return HTTPAnswer(of: error, row: try await table.row(id).map(caller.exchanged))
        }
    }

    private func delete(
        _ name: String,
        _ address: Route.RowAddress,
        _ parameters: Parameters,
        _ options: WriteOptions
    ) async throws -> HTTPAnswer {
        let table = try await table(name)
        let id = try await resolve(address, parameters, in: table)
        do {
            let outcome = try await table.commit(
                .delete(id, ifRevision: options.ifRevision),
                idempotencyKey: options.idempotencyKey
            )
            var text = JSONText()
            text.member("deletionTime", Int64((now().timeIntervalSince1970 * 1_000).rounded()))
            return HTTPAnswer(200, fields: revisionFields(outcome.revision), body: text.closed)
        } catch {
            guard error.code == .conflict else { throw error }
            return HTTPAnswer(of: error, row: try await table.row(id).map(caller.exchanged))
        }
    }

    /// The id a path means: of digits, the integer unless only the text is there.
    private func resolve(
        _ address: Route.RowAddress,
        _ parameters: Parameters,
        in table: any Table
    ) async throws -> RowID {
        let candidates = try address.candidates(parameters)
        guard candidates.count > 1 else { return candidates[0] }
        for id in candidates where try await table.row(id) != nil { return id }
        return candidates[0]
    }
}
