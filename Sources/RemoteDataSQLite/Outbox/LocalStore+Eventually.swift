public import RemoteData

// Writing now and sending later, for any model in any table of the store.
extension LocalStore {
    /// Stores an element here, durable when this returns, and sends it to the server when it can be reached.
    ///
    /// Of a row that is here, the columns in which the element differs from the original are sent, and no
    /// other. One that is not here is added, or takes the place of the server's. The server's tables are
    /// those given to ``Outbox/connect(_:to:)``; until then it waits.
    ///
    /// - Parameters:
    ///   - element: The element; without an id it gets one.
    ///   - original: The element as it was read; nil for a new one.
    ///   - table: The name of its table.
    /// - Returns: What to ask how far it has come.
    /// - Throws: `RemoteDataError` when it was refused here, and then nothing was done: `conflict` for a row
    ///   that is here with other values, where no original shows which of them were changed,
    ///   `invalidRow`, `forbidden`, `storage`.
    @discardableResult
    public func saveEventually<Element: Codable & Identifiable & Sendable>(
        _ element: Element,
        from original: Element? = nil,
        in table: String
    ) async throws(RemoteDataError) -> SyncedWrite {
        let codec = ElementCodec<Element>(idColumn: idColumn, dates: dates)
        let draft = try codec.encode(element)
        guard let id = draft.id else { return try await writeEventually(.create([draft]), in: table) }
        guard let row = try await self.table(table).row(id) else {
            return try await writeEventually(.upsert([draft]), in: table)
        }
        let patch = try codec.patch(of: row, from: original ?? (try? codec.decode(row)), to: element)
        guard original != nil || patch.isEmpty else {
            throw RemoteDataError(
                .conflict,
                "Row \(id) is in \(table) with other values, and which of them were changed is not clear:"
                    + " saveEventually(_:from:in:) takes the element as it was read, and sends what differs"
                    + " from it.",
                conflict: Conflict(
                    table: table,
                    base: nil,
                    mine: Row(id: id, json: draft.json),
                    theirs: row
                )
            )
        }
        return try await writeEventually(.update(row.id, patch: patch.json), in: table)
    }

    /// Removes an element's row here, and on the server when it can be reached, also one that is not here.
    ///
    /// - Parameters:
    ///   - element: The element, with its id.
    ///   - table: The name of its table.
    /// - Returns: What to ask how far it has come.
    /// - Throws: `RemoteDataError` when it was refused here, and then nothing was done: `invalidRow` for an element without an
    ///   id, `forbidden`, `storage`.
    @discardableResult
    public func deleteEventually<Element: Codable & Identifiable & Sendable>(
        _ element: Element,
        in table: String
    ) async throws(RemoteDataError) -> SyncedWrite {
        let codec = ElementCodec<Element>(idColumn: idColumn, dates: dates)
        return try await outboxCore.write(
            .delete(codec.id(of: element)),
            to: core.tables.make(table),
            self,
            key: nil,
            isBlind: true
        )
    }

    /// Makes a change in a table here, durable when this returns, and on the server when it can be reached.
    ///
    /// - Parameters:
    ///   - mutation: The change; one by clause is one of each row that matches here.
    ///   - table: The name of the table.
    ///   - idempotencyKey: A key by which a repeated call is made once.
    /// - Returns: What to ask how far it has come.
    /// - Throws: `RemoteDataError` when it was refused here, and then nothing was done.
    /// - Complexity: One transaction of the store, shared with others that come at the same time.
    @discardableResult
    public func writeEventually(
        _ mutation: Mutation,
        in table: String,
        idempotencyKey: String? = nil
    ) async throws(RemoteDataError) -> SyncedWrite {
        var mutation = mutation
        if mutation.filter?.hasSubQuery ?? false, let table = try self.table(table) as? SubQueryTable {
            mutation = try await table.resolved(mutation)
        }
        return try await outboxCore.write(
            mutation,
            to: core.tables.make(table),
            self,
            key: idempotencyKey
        )
    }
}

extension ElementCodec {
    /// The id of an element.
    func id(of element: Element) throws(RemoteDataError) -> RowID {
        guard let id = try encode(element).id else {
            throw RemoteDataError(.invalidRow, "This \(Element.self) has no id yet: add it first.")
        }
        return id
    }
}
