/// A table as somebody may see and change it, where the table itself knows nothing of rights.
struct CheckedTable: WrappingTable {
    let base: any Table
    let access: RowAccess
    /// How often a write is tried again when others change the row meanwhile.
    static let attempts = 20

    var name: String { base.name }
    var idColumn: String { base.idColumn }
    var dates: DateConvention { base.dates }
    var capabilities: Capabilities { base.capabilities.checked }
    var wrapped: any Table { base }

    func count(_ query: Query) async throws(RemoteDataError) -> Count {
        let query = access.narrowed(query)
        let count = try await hidingColumns { () throws(RemoteDataError) in try await base.count(query) }
        if count.isExact { return count }
        // A count that is too high would count what may not be seen.
        return try await counted(query)
    }

    private func counted(_ query: Query) async throws(RemoteDataError) -> Count {
        let limit = base.capabilities.maximumPageSize
        var (value, start) = (0, PageRequest.Start.offset(0))
        while true {
            let page = try await base.page(PageRequest(query, start: start, limit: limit))
            value += page.rows.count
            let isLast = page.rows.count + page.failures.count < limit && !page.endsEarly
            guard !isLast, let last = page.rows.last else { return Count(value, revision: page.revision) }
            start = base.capabilities.keysetPages ? .after(Key(last, sort: query.sort)) : .offset(value)
        }
    }

    func page(_ request: PageRequest) async throws(RemoteDataError) -> Page {
        let request = access.narrowed(request)
        return try await hidingColumns { () throws(RemoteDataError) in try await base.page(request) }
    }

    func row(_ id: RowID) async throws(RemoteDataError) -> Row? {
        try await base.row(id).flatMap { access.mayRead($0) ? $0 : nil }
    }

    func changes(since revision: Revision, limit: Int) async throws(RemoteDataError) -> ChangeBatch {
        throw RemoteDataError(.gone, "The table \(name) keeps no log of what its users may see.")
    }

    func subscribe(
        to query: Query,
        since revision: Revision?
    ) async throws(RemoteDataError) -> ChangeFeed {
        guard capabilities.liveChanges else {
            throw RemoteDataError(
                .invalidRequest,
                "The table \(name) cannot tell what its users may see of changes."
            )
        }
        let narrowed = access.narrowed(query)
        let source = try await hidingColumns { () throws(RemoteDataError) in
            try await base.subscribe(to: narrowed, since: nil)
        }
        return CheckedFeed(base: base, access: access, misses: revision != nil).start(source)
    }

    /// Leaves out of a refusal what columns the table has.
    private func hidingColumns<Result>(
        _ body: () async throws(RemoteDataError) -> Result
    ) async throws(RemoteDataError) -> Result {
        do throws(RemoteDataError) { return try await body() } catch {
            guard error.code == .unknownColumn else { throw error }
            throw RemoteDataError(
                .unknownColumn,
                "The table \(name) refuses one of the columns named, or \(ACL.column)."
            )
        }
    }
}

// MARK: Writes

extension CheckedTable {
    func commit(
        _ mutation: Mutation,
        idempotencyKey: String?
    ) async throws(RemoteDataError) -> Outcome {
        try checkIdempotencyKey(idempotencyKey)
        let prepared = try access.prepared(mutation)
        let key = try key(idempotencyKey, for: mutation)
        switch prepared {
        case .create, .updateAll, .deleteAll:
            return try await hidingColumns { () throws(RemoteDataError) in
                try await base.commit(prepared, idempotencyKey: key)
            }
        case .update(let id, let patch, let ifRevision):
            return try await write(id, ifRevision, key) { .update(id, patch: patch, ifRevision: $0) }
        case .delete(let id, let ifRevision):
            return try await write(id, ifRevision, key) { .delete(id, ifRevision: $0) }
        case .upsert(let drafts):
            guard drafts.count < 2 else {
                throw RemoteDataError(.tooLarge, "Rows of \(name) are replaced one at a time.")
            }
            guard let draft = drafts.first else { return Outcome(count: 0) }
            return try await replace(by: draft, key)
        }
    }

    /// The key as the table keeps it; one that gets too long for it is refused.
    private func key(_ key: String?, for mutation: Mutation) throws(RemoteDataError) -> String? {
        let stored = access.key(key, for: mutation)
        if let stored, stored.utf8.count > 200 {
            throw RemoteDataError(
                .invalidRequest,
                "An idempotency key has at most \(max(0, 200 - access.keys.overhead)) bytes for this user and table."
            )
        }
        return stored
    }

    /// Writes a row on condition that it is still the one whose rights were looked at.
    private func write(
        _ id: RowID,
        _ ifRevision: Revision?,
        _ key: String?,
        _ mutation: (Revision) -> Mutation
    ) async throws(RemoteDataError) -> Outcome {
        try await retrying(isAskedFor: ifRevision != nil) { () throws(RemoteDataError) in
            guard let row = try await base.row(id), access.mayRead(row) else {
                throw RemoteDataError(.notFound, "There is no row with the id \(id).")
            }
            try access.checkWrite(row)
            guard ifRevision == nil || ifRevision == row.revision else {
                throw RemoteDataError(
                    .conflict,
                    "The row \(id) has changed since it was read; read it again."
                )
            }
            return try await base.commit(mutation(try condition(row)), idempotencyKey: key)
        }
    }

    /// Creates a row, or puts all of a draft in the place of the one there is.
    private func replace(by draft: Draft, _ key: String?) async throws(RemoteDataError) -> Outcome {
        guard let id = draft.id else {
            return try await base.commit(access.prepared(.create([draft])), idempotencyKey: key)
        }
        return try await retrying(isAskedFor: false) { () throws(RemoteDataError) in
            let before = try await base.row(id)
            let row = try access.replacement(draft.row(id: id, idColumn: idColumn), for: before)
            guard let before else {
                do throws(RemoteDataError) {
                    return try await base.commit(
                        .create([try Draft(row.json, idColumn: idColumn)]),
                        idempotencyKey: key
                    )
                } catch {
                    guard error.code == .alreadyExists else { throw error }
                    throw RemoteDataError(.conflict, error.message, cause: error)
                }
            }
            let patch = try JSONObject.replacing(before.json, by: row.json)
            return try await base.commit(
                .update(id, patch: patch, ifRevision: try condition(before)),
                idempotencyKey: key
            )
        }
    }

    private func retrying(
        isAskedFor: Bool,
        _ body: () async throws(RemoteDataError) -> Outcome
    ) async throws(RemoteDataError) -> Outcome {
        for _ in 1..<Self.attempts {
            do throws(RemoteDataError) { return try await body() } catch {
                guard error.code == .conflict, !isAskedFor, !Task.isCancelled else { throw error }
            }
        }
        return try await body()
    }

    private func condition(_ row: Row) throws(RemoteDataError) -> Revision {
        guard base.capabilities.conditionalWrites, let revision = row.revision else {
            throw RemoteDataError(
                .invalidRequest,
                "The table \(name) cannot write on condition of a row's revision, so rights could change between a look and a write."
            )
        }
        return revision
    }
}

extension JSONObject {
    /// A patch that leaves nothing of an object but what another one has: its other members become null.
    fileprivate static func replacing(
        _ before: ArraySlice<UInt8>,
        by json: ArraySlice<UInt8>
    ) throws(RemoteDataError) -> ArraySlice<UInt8> {
        let members = try members(of: json)
        let others = try JSONObject.members(of: before)
            .filter { old in !members.contains { $0.name.hasSameBytes(as: old.name) } }
        return joined(members + others.map { Member(name: $0.name, value: .null) })
    }
}
