import RemoteDataExecution
import Synchronization

/// Tells a space what a table says of rows, as models, and others who hold its rows.
final class TableShare<Element: Codable & Identifiable & Sendable>: Sendable {
    let shared: SharedTable
    private let consistency: ConsistencyManager
    private let writer: CacheWriter?
    private let table: any Table
    let codec: ElementCodec<Element>
    /// Which table it is: revisions of another one say nothing about its own; nil where that cannot be told.
    let source: ObjectIdentifier?
    private let isWhole: Bool
    private let surroundings: Surroundings
    private let deadline: Duration
    private let member = Mutex<Int?>(nil)
    /// Rows that wait to be read again, and whether others are being read.
    private let unread = Mutex((ids: Set<RowID>(), isReading: false))

    /// - Parameters:
    ///   - space: Whom to tell.
    ///   - table: The table.
    ///   - isWhole: Whether what is told is of the whole table, rather than of a clause.
    ///   - codec: Makes elements of rows.
    ///   - deadline: How long the table is waited for when rows are read again.
    ///   - surroundings: Where and with which clock that is done.
    init(
        _ space: ModelSpace,
        _ table: any Table,
        isWhole: Bool,
        codec: ElementCodec<Element>,
        deadline: Duration,
        surroundings: Surroundings
    ) {
        shared = space.sharedTable(table.name)
        consistency = space.consistency
        writer = space.writer
        self.table = table
        self.isWhole = isWhole
        self.codec = codec
        (self.deadline, self.surroundings) = (deadline, surroundings)
        let isObject = type(of: table) is AnyObject.Type
        let identity = (table as? any IdentifiedTable)?.identity
        source = identity ?? (isObject ? ObjectIdentifier(table as AnyObject) : nil)
    }

    deinit { leave() }

    /// Begins to tell what others say.
    func join(_ hear: @escaping @Sendable (SharedTable.News) -> Void) {
        let number = shared.join(hear)
        member.withLock { $0 = number }
    }

    func leave() {
        guard let number = member.withLock({ $0 }) else { return }
        shared.leave(number)
    }

    // MARK: Telling

    /// Takes what a feed of the table delivers.
    ///
    /// Takes little of the caller's time, who may hold a lock: nobody is called.
    func publish(_ events: [ChangeEvent]) {
        var changes: [Change] = []
        for event in events {
            switch event {
            case .change(let change):
                if change.kind == .bulkDeleted {
                    publish(changes)
                    publish([change])
                    changes = []
                } else {
                    changes.append(change)
                }
            case .reset:
                publish(changes)
                changes = []
                lookAgain()
            case .live, .progress, .interrupted: break
            }
        }
        publish(changes)
    }

    /// Tells what the table says of rows; who calls may hold a lock.
    ///
    /// - Parameters:
    ///   - changes: In order.
    ///   - isWhole: Whether the kinds are those of the whole table.
    func publish(_ changes: [Change], isWhole: Bool? = nil) {
        guard !changes.isEmpty else { return }
        let (toldUntil, isWhole) = (consistency.toldUntil, isWhole ?? self.isWhole)
        consistency.enqueue { time in
            let news = shared.note(changes, from: source, at: time, toldUntil: toldUntil)
            guard !news.isEmpty else { return nil }
            let tell = keep(news, isWhole, time)
            return .derive(origin, { held in self.fates(news, held, time) }, then: tell)
        }
    }

    /// Keeps changes for the others until it is their turn to be told.
    ///
    /// - Returns: Tells them; nil where that has been asked for.
    private func keep(_ changes: [Change], _ isWhole: Bool, _ time: UInt64) -> (@Sendable () -> Void)? {
        let news = SharedTable.News.changes(changes, isWhole: isWhole, source: source, time: time)
        // Of rows that are told by a clause nobody knows later which they were.
        let isByClause = changes.contains { !$0.hasID }
        guard shared.keep(news, hasOwnTurn: isByClause, except: member.withLock { $0 }) else { return nil }
        return { [shared] in shared.tellKept() }
    }

    /// A time at which all that was asked for before is older, in the order of the manager.
    var now: UInt64 { consistency.now }

    /// Tells of rows that were read, as far as somebody holds models of them or of what they are made of; who calls may hold a lock.
    ///
    /// - Parameters:
    ///   - rows: The rows.
    ///   - askedAt: When the table was asked for them: what was said since then is newer.
    func publishRead(_ rows: [Row], askedAt: UInt64) {
        guard !rows.isEmpty else { return }
        let toldUntil = consistency.toldUntil
        // Collections ask for it as soon as the page is in its place.
        shared.noteRead(rows, askedAt: askedAt)
        consistency.enqueue { time in
            .derive(origin) { held in
                self.learn(from: rows)
                let parts = self.parts(of: rows, held, askedAt)
                let own = rows.filter { row in
                    let id = self.modelID(row.id)
                    guard held.contains(id) else { return false }
                    return !held.wasSaid(id, since: askedAt)
                        || self.shared.isHigher(row.revision, of: row.id, from: self.source)
                }
                let changes = own.map { Change(revision: $0.revision, kind: .updated, row: $0) }
                let news = self.shared.note(changes, from: self.source, at: time, toldUntil: toldUntil)
                var post = self.fates(news, held, time)
                post.models = parts + post.models
                return post
            }
        }
    }

    /// What rows are made of that somebody holds, and nobody has said anything of since the rows were asked for.
    private func parts(
        of rows: [Row],
        _ held: ConsistencyCore.HeldModels,
        _ askedAt: UInt64
    ) -> [any ConsistentModel] {
        guard hasParts, !held.isEmpty else { return [] }
        var found: [any ConsistentModel] = []
        for row in rows {
            guard let model = (try? codec.decode(row)) as? any ConsistentModel else { continue }
            for part in model.parts {
                part.walk { part in
                    guard let id = part.modelID, held.contains(id) else { return true }
                    if !held.wasSaid(id, since: askedAt) { found.append(part) }
                    return false
                }
            }
        }
        return found
    }

    private var origin: ConsistencyContext {
        ConsistencyContext(SharedTable.Origin(table: ObjectIdentifier(shared)))
    }

    // MARK: Models

    /// Whether rows are made of models: their type says so, or one that was seen was.
    var hasParts: Bool { Self.listsParts || shared.naming.withLock { $0.hasParts } }

    private static var listsParts: Bool {
        func lists<Model: ConsistentModel>(_ type: Model.Type) -> Bool { !Model.children.isEmpty }
        return (Element.self as? any ConsistentModel.Type).map { lists($0) } ?? false
    }

    /// The id of the model of a row.
    func modelID(_ id: RowID) -> ModelID { ModelID(id, of: shared.naming.withLock { $0.kind }) }

    /// The rows that a model may be of: none if it is of another kind.
    func rowIDs(of id: ModelID) -> [RowID] {
        let naming = shared.naming.withLock { $0 }
        guard id.kind.hasSameBytes(as: naming.kind) else { return [] }
        if naming.isNumbered ?? true, let number = Int64(id.text), String(number) == id.text {
            return naming.isNumbered == nil ? [.integer(number), .text(id.text)] : [.integer(number)]
        }
        return [.text(id.text)]
    }

    /// The model of a row; nil where it is none.
    private func model(of row: Row) -> (any ConsistentModel)? {
        guard let model = (try? codec.decode(row)) as? any ConsistentModel, let id = model.modelID else {
            return nil
        }
        let isNumbered = if case .integer = row.id { true } else { false }
        let hasParts = hasParts || !model.parts.isEmpty
        shared.naming.withLock {
            $0 = SharedTable.Naming(kind: id.kind, isNumbered: isNumbered, hasParts: hasParts)
        }
        return model
    }

    /// Finds out of which kind the models are.
    private func learn(from rows: some Sequence<Row>) {
        guard Element.self is any ConsistentModel.Type, shared.naming.withLock({ $0.isNumbered }) == nil
        else { return }
        for row in rows where model(of: row) != nil { return }
    }

    /// Finds out the same from what is held, where no row was known yet.
    private func learn(from held: ConsistencyCore.HeldModels) {
        guard Element.self is any ConsistentModel.Type, shared.naming.withLock({ $0.isNumbered }) == nil
        else { return }
        let held = held.firstID { $0 is Element }
        guard let held else { return }
        shared.naming.withLock { $0.kind = held.kind }
    }

    /// What becomes of models by what the table says of rows; at work in the manager.
    private func fates(
        _ changes: [Change],
        _ held: ConsistencyCore.HeldModels,
        _ time: UInt64
    ) -> ModelPost {
        learn(from: changes.lazy.compactMap(\.row))
        if changes.contains(where: { $0.row == nil }) { learn(from: held) }
        var last: [RowID: Int] = [:]
        for (index, change) in changes.enumerated() {
            if let former = change.formerID { last[former] = index }
            if let id = change.id { last[id] = index }
        }
        var (post, gone, left): (ModelPost, [ModelID], [RowID]) = (ModelPost(), [], [])
        for (index, change) in changes.enumerated() {
            if let former = change.formerID, last[former] == index {
                if let id = change.id { post.renamed[modelID(former)] = modelID(id) }
                gone.append(modelID(former))
            }
            guard let id = change.id else {
                gone += matching(change.predicate, held)
                continue
            }
            // Of several changes of one row the last counts.
            guard last[id] == index else { continue }
            if let row = change.row {
                if let model = model(of: row) { post.models.append(model) }
            } else if !change.left {
                gone.append(modelID(id))
            } else if held.contains(modelID(id)) {
                left.append(id)
            }
        }
        cache(post.models, time)
        if !gone.isEmpty { writer?.delete(gone, at: time) }
        if !left.isEmpty { readLater(left) }
        post.deleted = gone.filter { post.renamed[$0] == nil }
        return post
    }

    private func cache(_ models: [any ConsistentModel], _ time: UInt64) {
        guard let writer, !models.isEmpty else { return }
        writer.write(at: time) { report in
            models.compactMap { model in
                guard let id = model.modelID, let element = model as? Element else { return nil }
                do throws(RemoteDataError) { return .model(id, try CacheCoding.encoded(element)) } catch {
                    report(error)
                    return nil
                }
            }
        }
    }

    /// The models that somebody holds of rows which match a clause, as far as they are known.
    private func matching(_ predicate: Where?, _ held: ConsistencyCore.HeldModels) -> [ModelID] {
        let matcher = predicate.map { Where.Matcher($0) }
        return held.all(of: shared.naming.withLock { $0.kind })
            .compactMap { id, model in
                guard let element = model as? Element, let row = row(of: element) else { return nil }
                return matcher?.matches(row) ?? true ? id : nil
            }
    }

    /// The row of an element, which is not asked for; nil where it has no id.
    func row(of element: Element) -> Row? {
        guard let draft = try? codec.encode(element), let id = draft.id else { return nil }
        return draft.row(id: id, idColumn: codec.idColumn)
    }

    // MARK: Looking again

    /// Reads the rows again of which models are held: changes of the table may have been missed.
    private func lookAgain() {
        consistency.enqueue { _ in
            .derive(origin) { held in
                let later = { @Sendable [weak self] () -> Void in self?.lookAgain() }
                guard self.shared.beginLooking(ObjectIdentifier(self), orLater: later) else {
                    return ModelPost()
                }
                let kind = self.shared.naming.withLock { $0.kind }
                let ids = held.all(of: kind).flatMap { self.rowIDs(of: $0.id) }
                self.readAgain(ids) { [shared = self.shared] in shared.endLooking() }
                return ModelPost()
            }
        }
    }

    /// Reads rows in the background, together with others that wait for it.
    private func readLater(_ ids: [RowID]) {
        let isFirst = unread.withLock { unread in
            defer { unread = (unread.ids.union(ids), true) }
            return !unread.isReading
        }
        if isFirst { readUnread() }
    }

    private func readUnread() {
        let ids = unread.withLock { unread in
            defer { unread = ([], !unread.ids.isEmpty) }
            return unread.ids
        }
        guard !ids.isEmpty else { return }
        readAgain(Array(ids)) { [weak self] in self?.readUnread() }
    }

    /// Reads rows in the background, and publishes what has become of them.
    ///
    /// What fails for a reason that may pass is read again after a wait, as long as the share is there; the
    /// first failure is reported.
    ///
    /// - Parameters:
    ///   - ids: The rows.
    ///   - finish: Called at the end.
    private func readAgain(_ ids: [RowID], then finish: @escaping @Sendable () -> Void) {
        Task(executorPreference: surroundings.executor) { [weak self, surroundings, consistency] in
            var (rest, failures) = (ids[...], 0)
            while let error = await self?.read(&rest) {
                failures += 1
                if failures == 1 { consistency.enqueue { _ in .fail(error) } }
                guard error.isTransient,
                    await surroundings.pause(afterFailures: failures, because: error)
                else { break }
            }
            finish()
        }
    }

    /// Reads rows and publishes what has become of them: one request for each page.
    ///
    /// One that the table has spoken of and does not have any more is gone.
    ///
    /// - Parameter ids: The rows; those that are read are removed.
    /// - Returns: Why the others could not be read; nil where all were.
    private func read(_ ids: inout ArraySlice<RowID>) async -> RemoteDataError? {
        let size = max(1, min(100, table.capabilities.maximumPageSize))
        let column = Where.Operand.column(ColumnPath(table.idColumn))
        while !ids.isEmpty {
            let part = ids.prefix(size)
            let query = Query(.isIn(column, part.map { .literal($0.value) }))
            do throws(RemoteDataError) {
                let request = PageRequest(query, limit: part.count)
                let page = try await within(deadline, surroundings) {
                    [table] () async throws(RemoteDataError) in
                    try await table.page(request)
                }
                let known = Set(page.rows.map(\.id))
                // One that cannot be read is not gone.
                let missing = page.failures.isEmpty ? part.filter { !known.contains($0) } : []
                let gone = missing.filter { shared.hasWord(of: $0) }
                    .map { Change(revision: page.revision, kind: .deleted, id: $0) }
                publish(
                    page.rows.map { Change(revision: $0.revision, kind: .updated, row: $0) } + gone,
                    isWhole: false
                )
                ids = ids.dropFirst(part.count)
            } catch {
                return error
            }
        }
        return nil
    }
}
