import RemoteData

/// What is to be seen of a change.
struct Sight: Equatable, CustomStringConvertible {
    var kind: ChangeKind
    var id: RowID?
    var left = false
    var count: Int?
    /// The value of the column `number` afterwards.
    var number: Value?

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
        let sights = changes.map { change in
            Sight(
                kind: change.kind,
                id: change.id,
                left: change.left,
                count: change.count,
                number: change.row.map { $0["number"] }
            )
        }
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
            expect(revision.rawValue >= last.rawValue + Int64(count), "\(what) takes \(count) revisions")
            last = revision
        }
        let created = try await create("a", #""number":1"#, in: table)
        grows(created, by: 1, "a created row")
        expect(try await table.row("a")?.revision, is: created.revision, "a row's revision")
        expect(try await table.page(PageRequest(Query())).revision, is: created.revision, "a page's revision")
        expect(try await table.count(nil).revision, is: created.revision, "a count's revision")
        let bulk = try await table.commit(.create([draft("b", in: table), draft("c", in: table)]))
        grows(bulk, by: 2, "a bulk of two")
        let rows = try await allRows(Query(), of: table)
        // A page as a server sends it does not tell them.
        let revisions = rows.compactMap(\.revision)
        if !revisions.isEmpty {
            expect(revisions.count, is: 3, "rows of a page with revisions")
            expect(Set(revisions).count, is: 3, "revisions of different rows")
            expect(revisions.max(), is: bulk.revision, "the latest row's revision")
        }
        grows(try await table.commit(.update("b", patch: patch(#"{"number":2}"#))), by: 1, "a patch")
        await expect(.notFound, "a refused write") { () throws(RemoteDataError) in
            try await table.commit(.delete("x"))
        }
        expect(try await table.count(nil).revision, is: last, "the revision after a refused write")
        grows(try await table.commit(.delete("a")), by: 1, "a removal")
    }

    func changeLog(_ table: any Table) async throws {
        let before = try await create("0", in: table).revision ?? .zero
        let (last, sights) = try await history(table)
        let batch = try await table.changes(since: before, limit: 1_000)
        expect(batch.changes, are: sights, after: before, "the changes since a revision")
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
        expect(parts, are: sights, after: before, "the changes in batches of 2")
        expect(since, is: last, "where the batches lead")
        let none = try await table.changes(since: last, limit: 10)
        expect(none.changes, are: [], after: nil, "the changes since the last revision")
        expect(none.revision >= last && none.isComplete, "an empty batch leads nowhere back")
        await expect(.gone, "changes since a revision not given yet") { () throws(RemoteDataError) in
            try await table.changes(since: Revision(.max), limit: 10)
        }
        guard let logCapacity else { return }
        for number in 0...logCapacity { try await create(.text("n\(number)"), in: table) }
        await expect(.gone, "changes since before the log begins") { () throws(RemoteDataError) in
            try await table.changes(since: before, limit: 10)
        }
    }

    /// Makes some writes and returns the last revision and what is to be seen of them.
    func history(_ table: any Table) async throws -> (Revision, [Sight]) {
        try await create("a", #""number":1"#, in: table)
        _ = try await table.commit(.update("a", patch: patch(#"{"number":2}"#)))
        _ = try await table.commit(
            .upsert([draft("a", #""number":3"#, in: table), draft("b", #""number":4"#, in: table)])
        )
        var last = try await table.commit(.delete("a")).revision
        var sights: [Sight] = [
            .created("a", 1), .updated("a", 2), .updated("a", 3), .created("b", 4), .deleted("a"),
        ]
        if table.capabilities.filteredWrites {
            _ = try await table.commit(.updateAll(nil, patch: patch(#"{"number":5}"#)))
            last = try await table.commit(.deleteAll(nil)).revision
            sights += [.updated("0", 5), .updated("b", 5), .bulk(2)]
        }
        return (last ?? .zero, sights)
    }
}
