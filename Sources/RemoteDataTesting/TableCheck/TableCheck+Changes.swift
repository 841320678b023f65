import RemoteData

/// What is to be seen of a change.
struct Sight: Hashable, CustomStringConvertible {
    var kind: ChangeKind
    var id: RowID?
    var left = false
    var count: Int?
    /// The value of the column `number` afterwards.
    var number: Value?

    init(kind: ChangeKind, id: RowID? = nil, left: Bool = false, count: Int? = nil, number: Value? = nil) {
        (self.kind, self.id, self.left) = (kind, id, left)
        (self.count, self.number) = (count, number)
    }

    init(_ change: Change) {
        self.init(
            kind: change.kind,
            id: change.id,
            left: change.left,
            count: change.count,
            number: change.row.map { $0["number"] }
        )
    }

    static func created(_ id: RowID, _ number: Value = .null) -> Sight {
        Sight(kind: .created, id: id, number: number)
    }
    static func updated(_ id: RowID, _ number: Value) -> Sight {
        Sight(kind: .updated, id: id, number: number)
    }
    static func deleted(_ id: RowID) -> Sight { Sight(kind: .deleted, id: id) }
    static func left(_ id: RowID) -> Sight { Sight(kind: .deleted, id: id, left: true) }
    static func bulk(_ count: Int) -> Sight { Sight(kind: .bulkDeleted, count: count) }

    var description: String {
        "\(kind) \(id.map(\.description) ?? "")" + (left ? " left" : "") + (count.map { " \($0) rows" } ?? "")
            + (number.map { " \($0)" } ?? "")
    }
}

extension TableCheck {
    /// Expects changes in order, each with a revision later than the one before.
    func expect(_ changes: [Change], are expected: [Sight], after start: Revision?, _ what: String) {
        let sights = changes.map { Sight($0) }
        expect(sights, is: expected, what)
        let revisions = [start].compactMap(\.self) + changes.compactMap(\.revision)
        expect(
            zip(revisions, revisions.dropFirst()).allSatisfy { $0 < $1 },
            "\(what): revisions grow: \(revisions)"
        )
        for change in changes {
            expect(change.row.map { $0.id == change.id } ?? true, "\(what): a change has its row's id")
            if let row = change.row, let revision = change.revision {
                expect(row.revision, is: revision, "\(what): a changed row has the change's revision")
            }
        }
    }

    func revisions(_ table: any Table) async throws {
        var last = try await table.count(nil).revision ?? .zero
        func grows(_ outcome: Outcome, by count: Int, _ what: String) {
            guard let revision = outcome.revision else { return expect(false, "\(what) has a revision") }
            expect(revision.isOfSameHistory(as: last), "\(what) has a revision of the table's epoch")
            expect(revision.rawValue >= last.rawValue + Int64(count), "\(what) takes \(count) revisions")
            last = revision
        }
        let created = try await create(id("a"), #""number":1"#, in: table)
        grows(created, by: 1, "a created row")
        expect(try await table.row(id("a"))?.revision, is: created.revision, "a row's revision")
        expect(try await table.page(PageRequest(Query())).revision, is: created.revision, "a page's revision")
        expect(try await table.count(nil).revision, is: created.revision, "a count's revision")
        let bulk = try await create([draft(id("b"), in: table), draft(id("c"), in: table)], in: table)
        grows(bulk, by: 2, "a bulk of two")
        let rows = try await allRows(Query(), of: table)
        // A page as a server sends it does not tell them.
        let revisions = rows.compactMap(\.revision)
        if !revisions.isEmpty {
            expect(revisions.count, is: 3, "rows of a page with revisions")
            expect(Set(revisions).count, is: 3, "revisions of different rows")
            expect(revisions.max(), is: bulk.revision, "the latest row's revision")
        }
        grows(try await table.commit(.update(id("b"), patch: patch(#"{"number":2}"#))), by: 1, "a patch")
        await expect(.notFound, "a refused write") { () throws(RemoteDataError) in
            try await table.commit(.delete(id("x")))
        }
        expect(try await table.count(nil).revision, is: last, "the revision after a refused write")
        grows(try await table.commit(.delete(id("a"))), by: 1, "a removal")
    }

    func changeLog(_ table: any Table) async throws {
        let tellsEach = table.capabilities.everyChange
        let before = try await create(id("0"), in: table).revision ?? .zero
        let (last, sights) = try await history(table)
        let batch = try await table.changes(since: before, limit: 1_000)
        if tellsEach {
            expect(batch.changes, are: sights, after: before, "the changes since a revision")
        } else {
            expect(Self.last(batch.changes), is: Self.last(sights), "the last changes since a revision")
        }
        expect(batch.isComplete, "everything fits in one batch")
        expect(batch.revision, is: last, "the revision the batch leads up to")
        var (since, parts) = (before, [Change]())
        for _ in 0...sights.count {
            let part = try await table.changes(since: since, limit: 2)
            expect(part.changes.count <= 2, "a batch holds no more than asked for")
            parts += part.changes
            since = part.revision
            if part.isComplete { break }
        }
        expect(parts.map { Sight($0) }, is: batch.changes.map { Sight($0) }, "the changes in batches of 2")
        expect(since, is: last, "where the batches lead")
        let none = try await table.changes(since: last, limit: 10)
        expect(none.changes, are: [], after: nil, "the changes since the last revision")
        expect(none.revision >= last && none.isComplete, "an empty batch leads nowhere back")
        await expect(.gone, "changes since a revision not given yet") { () throws(RemoteDataError) in
            try await table.changes(since: Revision(.max, epoch: last.epoch), limit: 10)
        }
        await refusesForeignChanges(since: last, table)
        await refusesForeignChanges(since: before, table)
        guard let logCapacity else { return }
        for number in 0...logCapacity { try await create(id("n\(number)"), in: table) }
        await expect(.gone, "changes since before the log begins") { () throws(RemoteDataError) in
            try await table.changes(since: before, limit: 10)
        }
    }

    /// Makes some writes and returns the last revision and what is to be seen of them.
    func history(_ table: any Table) async throws -> (Revision, [Sight]) {
        let can = table.capabilities
        try await create(id("a"), #""number":1"#, in: table)
        _ = try await table.commit(.update(id("a"), patch: patch(#"{"number":2}"#)))
        let drafts = try [
            draft(id("a"), #""number":3"#, in: table), draft(id("b"), #""number":4"#, in: table),
        ]
        if can.maximumBulkSize > 1 {
            _ = try await table.commit(.upsert(drafts))
        } else {
            for draft in drafts { _ = try await table.commit(.upsert([draft])) }
        }
        var last = try await table.commit(.delete(id("a"))).revision
        var sights: [Sight] = [
            .created(id("a"), 1), .updated(id("a"), 2), .updated(id("a"), 3), .created(id("b"), 4),
            .deleted(id("a")),
        ]
        if can.filteredUpdates, can.filteredDeletes, can.everyChange {
            _ = try await table.commit(.updateAll(nil, patch: patch(#"{"number":5}"#)))
            last = try await table.commit(.deleteAll(nil)).revision
            sights += [.updated(id("0"), 5), .updated(id("b"), 5), .bulk(2)]
        }
        return (last ?? .zero, sights)
    }
}

// MARK: - What a subscriber sees

extension TableCheck {
    /// Expects changes of a subscriber, as far as the table tells each of them, and how each row ends otherwise.
    ///
    /// A table that does not tell each of them may find out late about other rows, and then tell a later subscriber as well.
    func expect(
        _ reader: EventReader,
        tells sights: [Sight],
        of table: any Table,
        after start: Revision?,
        upTo end: Revision?,
        isLate: Bool = false,
        _ what: String
    ) async throws {
        let can = table.capabilities
        let end = can.revisions ? end : nil
        guard can.everyChange else {
            let expected = Self.last(sights)
            let ids = Set(expected.map(\.id))
            // What has no revision among those that have one was told before, or comes late.
            let told = { (changes: [Change]) in
                Self.last(changes.filter { !can.revisions || $0.revision != nil })
                    .filter { !isLate || ids.contains($0.id) }
            }
            let found = try await reader.changes { told($0) == expected || Self.isBehind(end, $0) }
            return expect(told(found), is: expected, what)
        }
        expect(try await reader.changes(upTo: end, expecting: sights.count), are: sights, after: start, what)
    }

    private static func isBehind(_ end: Revision?, _ changes: [Change]) -> Bool {
        guard let end, let last = changes.last?.revision else { return false }
        return last > end
    }

    /// How each row ends, as if it had been there before.
    static func last(_ sights: [Sight]) -> Set<Sight> {
        var last: [RowID?: Sight] = [:]
        for sight in sights {
            var sight = sight
            if sight.kind == .created { sight.kind = .updated }
            last[sight.id] = sight
        }
        return Set(last.values)
    }

    static func last(_ changes: [Change]) -> Set<Sight> { last(changes.map { Sight($0) }) }
}
