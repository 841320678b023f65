import RemoteDataExecution
import Foundation
import Synchronization

// Writing: each call is a request to the table, and changes the collection by its answer. These are the faces for
// asynchronous code; `RemoteDataCollection+BlockingWriting.swift` has the same ones for code that may block.
extension RemoteDataCollection {
    /// Adds a row to the table, and to the collection at the place where it sorts.
    ///
    /// Does not block. One request, repeated safely when an answer is lost and the table takes idempotency keys.
    ///
    /// - Parameter element: The row; without an id (nil, or empty text) the table chooses one.
    /// - Returns: The row as the table stored it; nil when it does not match the clause, and then nothing was sent.
    /// - Throws: ``RemoteDataError`` when the table refuses the row or cannot be asked; the collection is unchanged. Also
    ///   when the row as stored does not decode; it is then in the table and in the collection.
    @discardableResult
    public func add(_ element: Element) async throws(RemoteDataError) -> Element? {
        try await write([element], at: nil).stored.first
    }

    /// Adds rows to the table in one request, and to the collection where they sort.
    ///
    /// Does not block. A table that takes fewer rows at once (``Capabilities/maximumBulkSize``) is sent them one part after another.
    ///
    /// - Parameter elements: The rows.
    /// - Returns: What was stored, and what was discarded because it does not match the clause.
    /// - Throws: ``RemoteDataError`` when the table refuses them or cannot be asked; none is then stored, but for the parts in front
    ///   of the one that was refused.
    @discardableResult
    public func add(
        contentsOf elements: some Collection<Element> & Sendable
    ) async throws(RemoteDataError) -> WriteResult<Element> {
        try await write(Array(elements), at: nil)
    }

    /// Adds a row to the table, and to the collection at a position.
    ///
    /// In a collection without a sort order the row keeps that position, as neighbours come and go, until
    /// `refresh()`; with a sort order it goes where it sorts, like with `add`. Does not block.
    ///
    /// - Parameters:
    ///   - element: The row.
    ///   - position: From 0 to `count`.
    /// - Returns: The row as stored; nil when it does not match the clause.
    /// - Throws: ``RemoteDataError`` like `add`, and `outOfRange` for another position.
    @discardableResult
    public func insert(_ element: Element, at position: Int) async throws(RemoteDataError) -> Element? {
        try await write([element], at: position).stored.first
    }

    /// Adds rows to the table in one request, and to the collection at a position, as `insert(_:at:)` does for one.
    ///
    /// - Parameters:
    ///   - elements: The rows.
    ///   - position: From 0 to `count`.
    /// - Returns: What was stored, and what was discarded.
    /// - Throws: ``RemoteDataError`` like `insert(_:at:)`.
    @discardableResult
    public func insert(
        contentsOf elements: some Collection<Element> & Sendable,
        at position: Int
    ) async throws(RemoteDataError) -> WriteResult<Element> {
        try await write(Array(elements), at: position)
    }

    /// Removes a row from the table.
    ///
    /// Does not block. One request when the row is here; otherwise the row is read first, and left alone when it does
    /// not match the clause.
    ///
    /// - Parameter element: The row; only its id matters.
    /// - Returns: Whether a row was removed; false when it was not, or no longer, there.
    /// - Throws: ``RemoteDataError``: `invalidRow` for a row without an id, or why the table could not be asked.
    @discardableResult
    public func remove(_ element: Element) async throws(RemoteDataError) -> Bool {
        let id = try id(of: element)
        // What becomes of the row counts from the moment at which it is looked at.
        let (watch, begin) = state.withLock { ($0.core.beginWatch(), $0.core.outset) }
        defer { state.withLock { $0.core.endWatch(watch) } }
        guard let row = try await known(id), try await isMember(row) else { return false }
        return try await remove(row, since: watch, knownSince: begin)
    }

    private func remove(_ row: Row, since watch: Int, knownSince begin: Int) async throws(RemoteDataError)
        -> Bool
    {
        do throws(RemoteDataError) {
            let key = Key(row, sort: query.sort)
            _ = try await commit(.delete(row.id), knownSince: begin) { outcome in
                [Change(revision: outcome.revision, kind: .deleted, id: row.id, previousKey: key)]
            }
            return true
        } catch {
            guard Mutation.delete(row.id).isDone(by: error) else { throw error }
            // Somebody else was faster. Where changes are followed their event says so, maybe later; elsewhere this is the
            // only sign.
            if state.withLock({ $0.core.following == .off }) { await drop(row, since: watch) }
            return false
        }
    }

    private func drop(_ row: Row, since watch: Int) async {
        let change = Change(
            revision: nil,
            kind: .deleted,
            id: row.id,
            previousKey: Key(row, sort: query.sort)
        )
        await inTurn { state in
            guard case .applied(let told) = state.core.wrote([change], since: watch) else { return }
            state.notices += told.map { .changed($0) }
        }
    }

    /// Removes the row at a position from the table; does not block.
    ///
    /// - Parameter position: Counted from zero.
    /// - Returns: The row that was removed.
    /// - Throws: ``RemoteDataError``: `outOfRange` for a position that is not there, `notFound` when somebody else has removed
    ///   the row meanwhile, or why the table could not be asked.
    @discardableResult
    public func remove(at position: Int) async throws(RemoteDataError) -> Element {
        let element = try await row(at: position)
        guard try await remove(element) else {
            throw RemoteDataError(.notFound, "The row at \(position) was removed by somebody else meanwhile.")
        }
        return element
    }

    func both(_ clause: Where?) -> Where? {
        switch (query.filter, clause) {
        case (let filter?, let clause?): .and([filter, clause])
        case (let filter, let clause): filter ?? clause
        }
    }
}

// MARK: - How writing works

extension RemoteDataCollection {
    func id(of element: Element) throws(RemoteDataError) -> RowID {
        guard let id = RowID(identifier: element.id), id != .text("") else {
            throw RemoteDataError(
                .invalidRow,
                "This \(Element.self) has no id yet: add it before updating or removing it."
            )
        }
        return id
    }

    /// The row with an id, read from the table when it is not here; a UUID may be spelled in either case of letters.
    func known(_ id: RowID) async throws(RemoteDataError) -> Row? {
        let spellings = id.spellings
        for id in spellings {
            if let row = state.withLock({ $0.core.row(id) }) { return row }
        }
        return try await request { () async throws(RemoteDataError) in
            for id in spellings {
                if let row = try await self.table.row(id) { return row }
            }
            return nil
        }
    }

    /// When everything was last begun anew, by the number of the state.
    var beginning: Int { state.withLock { $0.core.outset } }

    /// What the collection sees of a row that was updated.
    func change(from old: Row, to new: Row, _ revision: Revision?) -> Change? {
        let isMember = query.mayHave(new)
        var (old, was) = (old, query.mayHave(old))
        // Another own write may have brought it here since it was read, or a page under way may bring it.
        let (here, isUnfollowed) = state.withLock { ($0.core.row(new.id), $0.core.following == .off) }
        if let here, !was { (old, was) = (here, true) }
        guard was || isMember || isUnfollowed else { return nil }
        return Change(
            revision: new.revision ?? revision,
            kind: !isMember ? .deleted : was ? .updated : .created,
            id: new.id,
            row: isMember ? new : nil,
            left: !isMember,
            previousKey: was ? Key(old, sort: query.sort) : nil
        )
    }

    /// Makes a write and changes the collection by it.
    ///
    /// - Parameters:
    ///   - mutation: The write.
    ///   - begin: The ``beginning`` before the row was looked at that it changes; nil where it changes none.
    ///   - position: Where new rows are to be held, if anywhere.
    ///   - update: What it writes, if it is an update.
    ///   - changes: What the collection sees of the answer.
    /// - Returns: The answer.
    /// - Throws: Why the table refused it or could not be asked.
    func commit(
        _ mutation: Mutation,
        knownSince begin: Int? = nil,
        heldAt position: Int? = nil,
        writing update: WrittenValues.Update? = nil,
        _ changes: (Outcome) -> [Change]
    ) async throws(RemoteDataError) -> Outcome {
        let key = options.surroundings.makeKey()
        let watch = state.withLock { state in
            state.core.own.begin(key, heldAt: position, writing: update)
            return state.core.beginWatch()
        }
        defer {
            state.withLock { state in
                state.core.own.end(key)
                state.core.endWatch(watch)
            }
        }
        let outcome = try await request(tellingErrors: { !mutation.isDone(by: $0) }) {
            () async throws(RemoteDataError) in
            try await self.table.commit(mutation, idempotencyKey: key)
        }
        if update != nil { state.withLock { $0.core.noteMade(key) } }
        let changes = changes(outcome)
        let isCreation = if case .create = mutation { true } else { false }
        await settle(
            changes,
            isCreation: isCreation,
            by: key,
            heldAt: position,
            since: watch,
            knownSince: begin
        )
        return outcome
    }

    private func write(
        _ elements: [Element],
        at position: Int?
    ) async throws(RemoteDataError) -> WriteResult<Element> {
        let count = count
        if let position, !(0...count).contains(position) {
            throw RemoteDataError(
                .outOfRange,
                "There is no position \(position); the collection has \(count) rows now."
            )
        }
        var drafts: [Draft] = []
        var discarded: [Element] = []
        // The table chooses the id, so what the clause says of it cannot be known here.
        let asksForID = query.filter?.columns.contains { $0.description == table.idColumn } ?? false
        for element in elements {
            let draft = try codec.encode(element)
            let row = Row(id: draft.id ?? .text(""), json: draft.json)
            if draft.id == nil && asksForID || query.mayHave(row) {
                drafts.append(draft)
            } else {
                discarded.append(element)
            }
        }
        guard !drafts.isEmpty else { return WriteResult(stored: [], discarded: discarded) }
        let rows = try await create(drafts, heldAt: query.sort.isEmpty ? position : nil)
        state.withLock { state in for row in rows { state.core.noteRead(row) } }
        let decoded = codec.decode(rows)
        if let failure = decoded.failures.inOrder.first { throw failure }
        return WriteResult(stored: decoded.elements, discarded: discarded)
    }

    /// Creates rows, as many at once as the table takes.
    private func create(_ drafts: [Draft], heldAt position: Int?) async throws(RemoteDataError) -> [Row] {
        let size = Swift.max(1, table.capabilities.maximumBulkSize)
        var stored: [Row] = []
        while stored.count < drafts.count {
            let part = Array(drafts[stored.count...].prefix(size))
            let rows = { (outcome: Outcome) in
                guard outcome.rows.isEmpty else { return outcome.rows }
                return zip(part, outcome.ids).map { $0.row(id: $1, idColumn: self.table.idColumn) }
            }
            do throws(RemoteDataError) {
                let outcome = try await commit(.create(part), heldAt: position.map { $0 + stored.count }) {
                    outcome in
                    rows(outcome).map {
                        Change(revision: $0.revision ?? outcome.revision, kind: .created, row: $0)
                    }
                }
                let created = rows(outcome)
                guard created.count == part.count else {
                    let problem =
                        "The table answered with \(created.count) rows to \(part.count) that were added."
                    throw RemoteDataError(.invalidAnswer, problem)
                }
                stored += created
            } catch {
                throw stored.isEmpty ? error : error.behind(stored.count, of: drafts.count)
            }
        }
        return stored
    }

    /// Changes the collection by an own write: when its events have come, or by the answer where none come.
    private func settle(
        _ changes: [Change],
        isCreation: Bool,
        by key: String,
        heldAt position: Int?,
        since watch: Int,
        knownSince begin: Int?
    ) async {
        let waiter = OneShot<Void>()
        let last = state.withLock { state -> Revision? in
            share?.publish(changes, isWhole: isCreation || query.filter == nil)
            guard state.core.coming(changes) != nil,
                case .comes(let last) = state.core.wrote(changes, heldAt: position, since: watch)
            else { return nil }
            state.revisionWaiters.append((last, waiter))
            return last
        }
        if let last {
            catchUpIfParked()
            await wait(waiter)
            let hasCome = state.withLock { state in
                state.revisionWaiters.removeAll { $0.waiter === waiter }
                return state.core.applied.map { $0.reaches(last) } ?? false
            }
            if hasCome { return }
        }
        let fate = await fate(of: changes)
        var placed = hasSubQuery ? await matching(changes) : changes
        if let placing, let known = placed { placed = await placing.placed(known) }
        await inTurn { [placed] state in
            guard let changes = placed else {
                // Where the rows belong cannot be found out now: everything is read anew.
                state.core.loseTrack()
                return
            }
            if let begin { state.core.noteChange(ofRowKnownSince: begin) }
            let result = state.core.wrote(
                changes,
                by: key,
                heldAt: position,
                since: watch,
                now: true,
                makesRows: isCreation,
                fate: fate
            )
            if case .applied(let told) = result { state.notices += told.map { .changed($0) } }
        }
    }
}

extension RemoteDataError {
    /// The same, of a write of which a part was made.
    fileprivate func behind(_ count: Int, of total: Int) -> RemoteDataError {
        RemoteDataError(
            code,
            "\(count) of \(total) rows were added before this: \(message)",
            position: position,
            status: status,
            retryAfter: retryAfter,
            cause: cause,
            conflict: conflict
        )
    }
}

extension Mutation {
    /// Whether an error says that there is nothing left to do: what is to be removed is gone.
    fileprivate func isDone(by error: RemoteDataError) -> Bool {
        if case .delete = self { error.code == .notFound } else { false }
    }
}
