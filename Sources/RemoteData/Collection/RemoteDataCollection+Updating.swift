import Synchronization

// Updating rows: only what a caller has changed is sent.
extension RemoteDataCollection {
    /// Writes the columns of a row that the element changes, or refuses where that is not clear.
    ///
    /// Sends the columns that differ from the row as it is known here, and no other. Elements are values:
    /// the collection cannot see which version of the row one was made from, but it remembers the versions
    /// that it gave out. Where a column differs and has the value that such a version had, it may be left
    /// over rather than changed, and would undo what others wrote. The update is then refused with
    /// `conflict`, and ``RemoteDataError/conflict`` has both versions. What this collection wrote itself can
    /// be changed back. `update(_:from:)` says what was changed, and is not refused for that.
    /// A column that the element has as an own update wrote it last, and for which the table stored something
    /// else, counts as not changed and is not sent.
    ///
    /// A table that dates its changes (``Capabilities/stamp``) tells versions apart, if the element has the
    /// column with the date.
    ///
    /// Remembered are the last 4,096 versions, 4 MiB at most, also of rows that were forgotten by
    /// ``CollectionOptions/cacheLimit`` or `refresh()`. Of 49,152 rows with older ones it is known which
    /// columns have changed since, and changes of those are refused; of more rows, all changes, and those of
    /// one in a hundred others with them. Collections that were narrowed from one another know what each of
    /// them gave out, also when it has ended. Elements that other collections gave out are not known:
    /// whatever differs counts as changed. `update(_:from:)` takes these.
    ///
    /// Does not block. One request when the row is here; otherwise the row is read first, and also where an
    /// object inside the row changes while changes are not followed.
    ///
    /// - Parameter element: The row with its id.
    /// - Returns: The row as the table stored it.
    /// - Throws: ``RemoteDataError``: `invalidRow` for a row without an id, `notFound` for one that is not in
    ///   the table, `conflict` where the element may be older than the row, `invalidAnswer` where an object
    ///   inside the row changes and the row comes without the revision that the write depends on.
    @discardableResult
    public func update(_ element: Element) async throws(RemoteDataError) -> Element {
        let begin = beginning
        let (row, past) = try await current(try id(of: element))
        let base = try? codec.decode(row)
        let omitted = try check(element, against: base, row, past)
        return try await write(element, from: base, to: row, knownSince: begin, omitting: omitted)
    }

    /// Writes the columns of a row in which an element differs from the one that it was made from.
    ///
    /// Sends exactly those, whatever others have written to the row since; of an object inside the row what
    /// was changed in it. No table takes less than a column, so the object is sent as it is known here with
    /// that change, on condition that the row is still so where the table has
    /// ``Capabilities/conditionalWrites``.
    ///
    /// ```swift
    /// var changed = airport
    /// changed.name = "Haneda"
    /// try await airports.update(changed, from: airport)
    /// ```
    ///
    /// Does not block. One request when the row is here; otherwise the row is read first, and also where an
    /// object inside the row changes while changes are not followed.
    ///
    /// - Parameters:
    ///   - element: The row with its id.
    ///   - original: The row as it was read.
    /// - Returns: The row as the table stored it.
    /// - Throws: ``RemoteDataError``: `invalidRow` for a row without an id or with another one than the
    ///   original, `notFound` for one that is not in the table, `conflict` where an object inside the row was
    ///   changed there meanwhile, `invalidAnswer` where the condition needs a revision that the row lacks.
    @discardableResult
    public func update(
        _ element: Element,
        from original: Element
    ) async throws(RemoteDataError) -> Element {
        let id = try id(of: element)
        guard try self.id(of: original).isSame(as: id) else {
            throw RemoteDataError(.invalidRow, "Row \(id) cannot be updated from a row with another id.")
        }
        let begin = beginning
        let row = try await current(id).row
        let (written, known) = (try codec.leaves(of: original), try? codec.leaves(of: codec.decode(row)))
        // The caller may go on with the element, which has what the original has.
        if written != known, let json = try? codec.encode(original).json {
            state.withLock { $0.core.noteRead(Row(id: row.id, json: json)) }
        }
        return try await write(element, from: original, to: row, knownSince: begin)
    }

    /// Decodes a row of the table, such as one of a ``RemoteDataError/conflict``.
    ///
    /// Never blocks, never asks the table.
    ///
    /// - Parameter row: The row.
    /// - Returns: The element.
    /// - Throws: ``RemoteDataError`` with code `invalidRow` when the row does not decode.
    public func element(from row: Row) throws(RemoteDataError) -> Element { try codec.decode(row) }
}

// MARK: - How updating works

extension RemoteDataCollection {
    /// The row with an id, read from the table when it is not here, and what is known of its versions.
    private func current(_ id: RowID) async throws(RemoteDataError) -> (row: Row, past: RowPast) {
        var row = newest(id)
        if row == nil {
            let read = try await known(id)
            row = newest(id) ?? read
        }
        guard let row else { throw missing(id) }
        return (row, past(of: row, askedForAs: id))
    }

    private func read(_ id: RowID) async throws(RemoteDataError) -> Row {
        let row = try await request { () async throws(RemoteDataError) in try await self.table.row(id) }
        guard let row else { throw missing(id) }
        return row
    }

    /// The revision that a write depends on; nil where the rows of the table have none.
    ///
    /// - Throws: `invalidAnswer` where the table has revisions, and the row came without: a write without the
    ///   condition would undo what others wrote.
    private func condition(_ row: Row) throws(RemoteDataError) -> Revision? {
        guard row.revision == nil, table.capabilities.revisions else { return row.revision }
        throw RemoteDataError(
            .invalidAnswer,
            "\(table.name) answers with row \(row.id) without its revision, so that a change inside an object"
                + " could undo what others wrote. Does a proxy remove the header ETag?"
        )
    }

    private func missing(_ id: RowID) -> RemoteDataError {
        RemoteDataError(.notFound, "There is no row \(id) in \(table.name) to update.")
    }

    /// Refuses an element in which columns may be left over from an earlier version of its row.
    ///
    /// - Returns: Columns in which it differs from the row, and which its caller has not changed for sure.
    private func check(
        _ element: Element,
        against base: Element?,
        _ row: Row,
        _ past: RowPast
    ) throws(RemoteDataError) -> Set<String> {
        let check = UpdateCheck(
            try codec.leaves(of: element),
            newest: try leaves(of: base),
            written: past.written,
            stamp: table.capabilities.stamp?.column.names
        )
        // One that does not decode was not given out.
        let versions = past.versions.compactMap { version in
            (try? codec.leaves(of: codec.decode(version))).map { (version, $0) }
        }
        if let (columns, index) = check.leftovers(from: versions.map(\.1)) {
            throw conflict(columns, element, versions[index].0, row)
        }
        let columns = check.leftovers(where: past.mayHaveChanged)
        guard columns.isEmpty else { throw conflict(columns, element, nil, row) }
        return check.omitted
    }

    private func leaves(of element: Element?) throws(RemoteDataError) -> JSONLeaves {
        guard let element else { return [:] }
        return try codec.leaves(of: element)
    }

    private func conflict(
        _ columns: Set<String>,
        _ element: Element,
        _ former: Row?,
        _ newest: Row
    ) -> RemoteDataError {
        let names = columns.sorted().joined(separator: ", ")
        return RemoteDataError(
            .conflict,
            "Row \(newest.id) of \(table.name) has changed since the element may have been read, so it is"
                + " not clear whether its caller changed these columns: \(names). update(_:from:) takes the"
                + " element as it was read, and sends what differs from it.",
            conflict: conflict(element, former, newest)
        )
    }

    /// The versions of a row; its caller may go on with the newest.
    private func conflict(_ element: Element, _ former: Row?, _ newest: Row?) -> Conflict {
        if let newest { state.withLock { $0.core.noteRead(newest) } }
        let draft = try? codec.encode(element)
        let mine = draft.flatMap { draft in draft.id.map { Row(id: $0, json: draft.json) } }
        return Conflict(table: table.name, base: former, mine: mine, theirs: newest)
    }

    /// Sends what was changed in an element.
    ///
    /// - Parameters:
    ///   - element: The element.
    ///   - base: What it was changed from; nil sends all of it.
    ///   - row: The row as it is known here.
    ///   - begin: The ``beginning`` before that.
    ///   - omitted: Columns that are not sent.
    /// - Returns: The row as the table stored it.
    /// - Throws: Why the table refused it or could not be asked.
    private func write(
        _ element: Element,
        from base: Element?,
        to row: Row,
        knownSince begin: Int,
        omitting omitted: Set<String> = []
    ) async throws(RemoteDataError) -> Element {
        var newest = row
        var patch = try codec.patch(of: row, from: base, to: element, omitting: omitted)
        var condition: Revision?
        if patch.mergesObjects {
            // Sent again without a key, it would be refused because of itself.
            let isConditional = table.capabilities.conditionalWrites && table.capabilities.idempotency
            if !state.withLock({ $0.core.expectsChanges }) || isConditional && row.revision == nil {
                newest = try await read(row.id)
                patch = try codec.patch(of: newest, from: base, to: element, omitting: omitted)
            }
            condition = try isConditional ? self.condition(newest) : nil
        }
        let leaves = try codec.leaves(of: element)
        let changed = leaves.paths(otherThanIn: try self.leaves(of: base)).filter { !omitted.contains($0[0]) }
        let update = WrittenValues.Update(leaves, changed: changed, of: row.idMark)
        let outcome = try await commit(
            patch.json,
            update,
            of: element,
            to: newest,
            knownSince: begin,
            ifRevision: condition
        )
        guard let stored = outcome.rows.first else { return element }
        state.withLock { $0.core.noteWritten(patch.json, to: newest, storedAs: stored) }
        let result = try codec.decode(stored)
        let effects = try codec.leaves(of: result)
        state.withLock { $0.core.written.note(leaves, storedAs: effects, of: row.idMark) }
        return result
    }

    /// Sends a patch of a row.
    ///
    /// - Parameters:
    ///   - patch: What is changed.
    ///   - update: What that writes.
    ///   - element: The element that it is from, for a conflict.
    ///   - row: The row as it is known.
    ///   - begin: The ``beginning`` before that.
    ///   - condition: The revision that it has to have; nil for any. Where the table has the same row at
    ///     another one, since it was changed and changed back or the table began anew, that one counts.
    ///   - attempts: How often it is sent at most.
    /// - Returns: What came of it.
    /// - Throws: Why the table refused it or could not be asked.
    private func commit(
        _ patch: ArraySlice<UInt8>,
        _ update: WrittenValues.Update,
        of element: Element,
        to row: Row,
        knownSince begin: Int,
        ifRevision condition: Revision?,
        attempts: Int = 3
    ) async throws(RemoteDataError) -> Outcome {
        do throws(RemoteDataError) {
            let mutation = Mutation.update(row.id, patch: patch, ifRevision: condition)
            return try await commit(mutation, knownSince: begin, writing: update) { outcome in
                outcome.rows.first.flatMap { change(from: row, to: $0, outcome.revision) }.map { [$0] } ?? []
            }
        } catch {
            guard error.code == .conflict, error.conflict == nil else { throw error }
            let now = try? await table.row(row.id)
            if attempts > 1, let condition, let now, now.json == row.json, let revision = now.revision,
                revision != condition
            {
                return try await commit(
                    patch,
                    update,
                    of: element,
                    to: now,
                    knownSince: begin,
                    ifRevision: revision,
                    attempts: attempts - 1
                )
            }
            throw error.with(conflict(element, row, now))
        }
    }
}

extension RemoteDataError {
    /// The same, with the versions of the row.
    fileprivate func with(_ conflict: Conflict) -> RemoteDataError {
        RemoteDataError(
            code,
            message,
            position: position,
            status: status,
            retryAfter: retryAfter,
            cause: cause,
            conflict: conflict
        )
    }
}
