// Writes.
extension RowAccess {
    /// A mutation as this user may make it: rows by clause only those that may be written, new rows with an ACL.
    ///
    /// - Throws: ``RemoteDataError`` with code `invalidRow` for an ACL that would not say what it seems to.
    /// - Complexity: O(bytes).
    package func prepared(_ mutation: Mutation) throws(RemoteDataError) -> Mutation {
        switch mutation {
        case .create(let drafts):
            var prepared: [Draft] = []
            for draft in drafts { prepared.append(try withACL(draft)) }
            return .create(prepared)
        case .upsert(let drafts):
            for draft in drafts { _ = try Self.acl(in: draft.json) }
        case .update(_, let patch, _): _ = try Self.acl(in: patch)
        case .updateAll(let filter, let patch):
            _ = try Self.acl(in: patch)
            return .updateAll(writable(filter), patch: patch)
        case .delete: break
        case .deleteAll(let filter): return .deleteAll(writable(filter))
        }
        return mutation
    }

    /// The rights for one mutation, which they know as it was asked for.
    package func making(_ mutation: Mutation) -> RowAccess {
        guard case .deleteAll(let filter) = mutation else { return self }
        var access = self
        access.asked = Asked(filter: filter)
        return access
    }

    /// The idempotency key as a table keeps it, apart from all of others.
    package func key(_ key: String?, for mutation: Mutation) -> String? { keys.stored(key, for: mutation) }

    /// Refuses to change a row that may be read and not written.
    ///
    /// - Throws: ``RemoteDataError`` with code `forbidden` that names the row's id and nothing else.
    package func checkWrite(_ row: Row) throws(RemoteDataError) {
        guard mayWrite(row) else { throw Self.forbidden(row.id) }
    }

    /// A row that is put in place of another one, or of none: without an ACL of its own it keeps the one that was there, or
    /// gets that of new rows.
    ///
    /// - Throws: ``RemoteDataError`` with code `forbidden` when the one that is there may not be read and written; it is not told
    ///   which.
    package func replacement(_ row: Row, for before: Row?) throws(RemoteDataError) -> Row {
        if let before { try checkWrite(before) }
        guard try Self.acl(in: row.json) == nil else { return row }
        guard let before else { return Row(id: row.id, json: try withACL(row.json)) }
        let members = try JSONObject.members(of: before.json)
        guard let acl = members.first(where: { $0.name.hasSameBytes(as: ACL.column) }) else { return row }
        return Row(id: row.id, json: try Self.adding(acl.json, to: row.json))
    }

    static func forbidden(_ id: RowID) -> RemoteDataError {
        RemoteDataError(.forbidden, "The row \(id) may not be written by who asks.")
    }

    private func writable(_ filter: Where?) -> Where {
        .and((filter.map { [$0] } ?? []) + [readable, writable])
    }

    private func withACL(_ draft: Draft) throws(RemoteDataError) -> Draft {
        try Draft(try withACL(draft.json), idColumn: idColumn)
    }

    private func withACL(_ json: ArraySlice<UInt8>) throws(RemoteDataError) -> ArraySlice<UInt8> {
        guard try Self.acl(in: json) == nil, let newACL else { return json }
        return try Self.adding(newACL, to: json)
    }

    private static func adding(
        _ acl: ArraySlice<UInt8>,
        to json: ArraySlice<UInt8>
    ) throws(RemoteDataError) -> ArraySlice<UInt8> {
        try JSONObject.merging(
            JSONObject.joined([JSONObject.Member(name: ACL.column, json: acl)]),
            into: json
        )
    }

    /// The ACL that a row or a patch holds; nil for none, and for null.
    ///
    /// - Throws: ``RemoteDataError`` with code `invalidRow` when it is there twice, or is not what an ACL is: by mistake, it
    ///   would lock out everybody.
    private static func acl(in json: ArraySlice<UInt8>) throws(RemoteDataError) -> ArraySlice<UInt8>? {
        let found = try JSONObject.members(of: json).filter { $0.name.hasSameBytes(as: ACL.column) }
        guard let acl = found.first?.json else { return nil }
        guard found.count == 1 else { throw oddACL("is there twice") }
        if case .null = JSONObject.value(of: acl) { return nil }
        guard let entries = try? JSONObject.members(of: acl) else { throw oddACL("is no object") }
        var names: Set<ACL.Party> = []
        for entry in entries {
            guard names.insert(ACL.Party(name: entry.name)).inserted else {
                throw oddACL("names somebody twice")
            }
            guard let rights = try? JSONObject.members(of: entry.json) else {
                throw oddACL("holds something that is no object")
            }
            for right in rights where right.name == "read" || right.name == "write" {
                guard case .bool = JSONObject.value(of: right.json) else {
                    throw oddACL("says neither true nor false of \(right.name)")
                }
            }
        }
        return acl
    }

    private static func oddACL(_ what: String) -> RemoteDataError {
        RemoteDataError(
            .invalidRow,
            "The column \(ACL.column) \(what); it looks like {\"*\":{\"read\":true},\"ann\":{\"read\":true,\"write\":true}}."
        )
    }
}

// Removals by clause.
extension RowAccess {
    /// The removal by clause being made, as it was asked for; nil for other writes.
    package var request: BulkRemoval.Request? {
        asked.map { BulkRemoval.Request(readable: readable, filter: $0.filter) }
    }

    /// Which of the rows that were to be removed, and may be read, are kept because they may not be written; nil for other writes.
    package var keptFilter: Where? {
        asked.map { .and(($0.filter.map { [$0] } ?? []) + [readable, unwritable]) }
    }

    func kept<Storage: RowStorage>(on storage: inout Storage) throws(RemoteDataError) -> [Row]? {
        guard let keptFilter else { return nil }
        return try storage.rows(matching: keptFilter, limit: 1)
    }
}
