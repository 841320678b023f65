import Foundation
public import RemoteData
import RemoteDataExecution
import RemoteDataNetwork

extension KintoTable {
    /// Makes a change, all of it or nothing.
    ///
    /// One request; to remove rows by clause, as many as the server's pages take, so that rows may have been removed already
    /// when one of them fails. A write that collides with another one in PostgreSQL is sent again, up to eight times. A row
    /// that comes without an id gets one from the write's key, so that it is made once however often it is sent. Nulls are
    /// stored as missing values, and what is written to `last_modified` is not.
    ///
    /// - Parameters:
    ///   - mutation: The change: one row at a time. Refused with `invalidRequest` are conditions on revisions where the storage
    ///     does not keep them (``KintoStorage/hasAtomicConditions``) and changes by clause, with `invalidClause` removals by a
    ///     clause that Kinto cannot be asked exactly, with `invalidRow` what Kinto cannot hold: the character U+0000, and ids
    ///     of other characters than its own.
    ///   - idempotencyKey: Made up for a creation that has none.
    /// - Returns: What was done.
    /// - Throws: `RemoteDataError` with what Kinto says.
    public func commit(_ mutation: Mutation, idempotencyKey: String?) async throws(RemoteDataError) -> Outcome
    {
        try refuseSubQueries(mutation.filter)
        switch mutation {
        case .create(let drafts):
            guard let draft = try single(drafts) else { return Outcome(count: 0) }
            return try await create(draft, key: idempotencyKey ?? UUID().uuidString)
        case .upsert(let drafts):
            guard let draft = try single(drafts) else { return Outcome(count: 0) }
            let row = try named(draft, by: idempotencyKey ?? UUID().uuidString)
            let answer = try await write(requests.put(row.id, try KintoBody(row: row.json)))
            return try outcome(checked(answer, "a row"))
        case .update(let id, let patch, let revision):
            let members = try JSONObject.patch(patch, of: id, idColumn: idColumn)
            try check(revision)
            let body = try KintoBody(patch: members)
            guard KintoID.isValid(id) else { throw missing(id) }
            return try outcome(
                checked(try await write(requests.update(id, body, ifRevision: revision)), "a change")
            )
        case .delete(let id, let revision):
            try check(revision)
            guard KintoID.isValid(id) else { throw missing(id) }
            let answer = try checked(try await write(requests.delete(id, ifRevision: revision)), "a removal")
            return Outcome(ids: [id], count: 1, revision: answer.kintoRevision)
        case .deleteAll(let clause): return try await deleteAll(clause)
        case .updateAll:
            throw RemoteDataError(.invalidRequest, "Kinto does not change rows by clause.")
        }
    }

    /// The only row of a write; nil for none.
    private func single(_ drafts: [Draft]) throws(RemoteDataError) -> Draft? {
        guard drafts.count > 1 else { return drafts.first }
        throw RemoteDataError(
            .tooLarge,
            "Kinto does not write \(drafts.count) rows, all or none: write one at a time."
        )
    }

    private func check(_ revision: Revision?) throws(RemoteDataError) {
        guard revision != nil, !server.storage.hasAtomicConditions else { return }
        throw RemoteDataError(
            .invalidRequest,
            "Over this storage of Kinto no write can depend on a revision: several would be made at once. See KintoStorage.hasAtomicConditions."
        )
    }

    private func missing(_ id: RowID) -> RemoteDataError {
        RemoteDataError(.notFound, "There is no row \(id) in \(name): Kinto has no such ids.")
    }

    /// The row of a draft, with an id made of a key where it has none.
    private func named(_ draft: Draft, by key: String) throws(RemoteDataError) -> Row {
        let id = draft.id ?? KintoID.made(of: key)
        guard KintoID.isValid(id) else {
            throw RemoteDataError(
                .invalidRow,
                "An id of Kinto is text of letters, digits, low lines and hyphens that begins with a letter or a digit."
            )
        }
        return draft.row(id: id, idColumn: idColumn)
    }

    private func create(_ draft: Draft, key: String) async throws(RemoteDataError) -> Outcome {
        let row = try named(draft, by: key)
        let answer = try await write(
            requests.create(row.id, try KintoBody(row: row.json), isNew: draft.id == nil)
        )
        guard answer.status == 412 else { return try outcome(checked(answer, "a row")) }
        guard draft.id == nil else {
            throw RemoteDataError(
                .alreadyExists,
                "There is a row \(row.id) in \(name) already.",
                status: answer.status
            )
        }
        // Nobody else makes this id: the row was made by an earlier request, the answer to which was lost.
        let existing = KintoProblem(answer)?.existing.flatMap {
            try? Row.parse($0, idColumn: idColumn).stamped
        }
        if let existing { return outcome(existing) }
        guard let stored = try await self.row(row.id) else { throw refusal(answer, "a row") }
        return outcome(stored)
    }

    private func outcome(_ answer: HTTPResponse) throws(RemoteDataError) -> Outcome {
        outcome(try KintoAnswer.row(answer, name))
    }

    private func outcome(_ row: Row) -> Outcome {
        Outcome(rows: [row], ids: [row.id], count: 1, revision: row.revision)
    }
}

// MARK: - By clause

extension KintoTable {
    /// Removes rows as often as there are more of them than a request removes.
    private func deleteAll(_ clause: Where?) async throws(RemoteDataError) -> Outcome {
        let filter = filter.rendered(clause)
        guard filter.isExact else {
            throw RemoteDataError(
                .invalidClause,
                "Kinto cannot be asked for exactly the rows of this clause, so it cannot remove them: remove them one by one."
            )
        }
        var (count, revision) = (0, Revision?.none)
        while true {
            let answer = try await write(requests.deleteAll(filter.conditions))
            guard answer.isSuccess else {
                throw refusal(answer, count > 0 ? "a removal (\(count) rows were removed)" : "a removal")
            }
            let list = try KintoList(answer, name)
            count += list.items.count
            revision = [revision, list.revision].compactMap(\.self).max()
            guard list.hasMore, !list.items.isEmpty else { return Outcome(count: count, revision: revision) }
        }
    }
}

// MARK: - Collisions

extension KintoTable {
    /// How often a write is sent at most that collides with others.
    private static let collisionLimit = 8

    /// Sends a write, again where PostgreSQL has stamped another one at the same moment: nothing was done then.
    private func write(_ request: HTTPRequest) async throws(RemoteDataError) -> HTTPResponse {
        let client = server.client
        let watch = Stopwatch(client.clock)
        let backoff = Backoff(base: .milliseconds(20), cap: .milliseconds(500))
        var attempt = 1
        while true {
            let answer = try await send(request, within: client.deadline - watch.elapsed)
            guard answer.status == 409, KintoProblem(answer)?.isCollision ?? false,
                attempt < Self.collisionLimit
            else {
                return answer
            }
            let delay = backoff.delay(afterFailures: attempt, chance: client.chance())
            guard delay < client.deadline - watch.elapsed else { return answer }
            do { try await client.clock.sleep(for: delay) } catch {
                throw RemoteDataError(.cancelled, "The request was cancelled.")
            }
            attempt += 1
        }
    }
}
