import RemoteData

extension TableCheck {
    func bulkWrites(_ table: any Table) async throws {
        let size = min(250, table.capabilities.maximumBulkSize)
        let drafts = try (0..<size).map { try draft(id("b\($0)"), "\"number\":\($0)", in: table) }
        let created = try await table.commit(.create(drafts))
        expect(created.count, is: size, "rows created")
        expect(created.ids, is: drafts.compactMap(\.id), "ids in the order of the request")
        expect(try await table.count(nil).value, is: size, "rows there")

        let mixed = try [
            draft(id("new1"), in: table), draft(id("b7"), in: table), draft(id("new2"), in: table),
        ]
        await expect(.alreadyExists, "many rows, one of them taken") { () throws(RemoteDataError) in
            try await table.commit(.create(mixed))
        }
        expect(try await table.count(nil).value, is: size, "rows after a refused bulk write")
        expect(try await table.row(id("new1")), is: nil, "the first row of a refused bulk write")
        let twice = try [draft(id("new3"), in: table), draft(id("new3"), in: table)]
        await expect(.alreadyExists, "the same id twice") { () throws(RemoteDataError) in
            try await table.commit(.create(twice))
        }
        expect(try await table.row(id("new3")), is: nil, "a row given twice")

        let upserts = try [
            draft(id("new1"), #""number":1000"#, in: table), draft(id("b7"), #""number":1007"#, in: table),
        ]
        let upserted = try await table.commit(.upsert(upserts))
        expect(upserted.ids, is: [id("new1"), id("b7")], "ids of an upsert")
        expect(try await table.row(id("b7"))?["number"], is: 1007, "a row replaced among many")
        expect(try await table.count(nil).value, is: size + 1, "rows after the upsert")
        let none = try await table.commit(.create([]))
        expect(none.count, is: 0, "rows of an empty write")
    }

    func conditionalWrites(_ table: any Table) async throws {
        try await create(id("a"), #""number":1"#, in: table)
        let first = try await table.row(id("a"))?.revision
        expect(first != nil, "a row has a revision")
        _ = try await table.commit(.update(id("a"), patch: patch(#"{"number":2}"#), ifRevision: first))
        await expect(.conflict, "a patch of an older revision") { () throws(RemoteDataError) in
            try await table.commit(.update(id("a"), patch: patch(#"{"number":3}"#), ifRevision: first))
        }
        expect(try await table.row(id("a"))?["number"], is: 2, "the row after a conflict")
        await expect(.conflict, "a deletion of an older revision") { () throws(RemoteDataError) in
            try await table.commit(.delete(id("a"), ifRevision: first))
        }
        await expect(.notFound, "a conditional patch of no row") { () throws(RemoteDataError) in
            try await table.commit(.update(id("x"), patch: patch("{}"), ifRevision: first))
        }
        let second = try await table.row(id("a"))?.revision
        try await refusesForeignConditions(id("a"), at: second, table)
        _ = try await table.commit(.delete(id("a"), ifRevision: second))
        expect(try await table.row(id("a")), is: nil, "the row deleted at its revision")
    }

    func filteredWrites(_ table: any Table) async throws {
        let can = table.capabilities
        let rows = try await fill(table)
        let isFlagged = Where.truth(.column("flag"))
        let flagged = expected(Query(isFlagged), of: rows)
        if can.filteredUpdates { try await filteredUpdates(table, isFlagged, flagged) }
        guard can.filteredDeletes else { return }
        let removed = try await table.commit(.deleteAll(isFlagged))
        expect(removed.count, is: flagged.count, "rows removed by clause")
        expect(try await table.count(nil).value, is: rows.count - flagged.count, "the rows left")
        expect(try await table.commit(.deleteAll(isFlagged)).count, is: 0, "rows removed again")
        let all = rows.count - flagged.count
        expect(try await table.commit(.deleteAll(nil)).count, is: all, "all rows removed")
        expect(try await table.count(nil).value, is: 0, "rows in the end")
    }

    private func filteredUpdates(_ table: any Table, _ isFlagged: Where, _ flagged: [RowID]) async throws {
        let updated = try await table.commit(.updateAll(isFlagged, patch: patch(#"{"mark":"x"}"#)))
        expect(updated.count, is: flagged.count, "rows changed by clause")
        let marked = Where.comparison(.column("mark"), .equal, .literal("x"))
        expect(Set(try await allIDs(Query(marked), of: table)), is: Set(flagged), "the rows changed")
        await expect(.invalidRow, "changing ids by clause") { () throws(RemoteDataError) in
            try await table.commit(.updateAll(isFlagged, patch: patch("{\"\(table.idColumn)\":1}")))
        }
        await expect(.invalidRow, "a patch that is none, by clause") { () throws(RemoteDataError) in
            try await table.commit(.updateAll(isFlagged, patch: patch("[1]")))
        }
        let all = try await table.count(nil).value
        let changed = try await table.commit(.updateAll(nil, patch: patch(#"{"mark":"y"}"#)))
        expect(changed.count, is: all, "all rows changed")
    }

    func idempotentCreation(_ table: any Table) async throws {
        func create(_ key: String) async throws -> Outcome {
            let draft = try draft(json: #"{"number":1}"#, in: table)
            return try await table.commit(.create([draft]), idempotencyKey: key)
        }
        let first = try await create("k1")
        expect(try await create("k1").ids, is: first.ids, "the answer to a repeated creation")
        expect(try await table.count(nil).value, is: 1, "rows after a repeated creation")
        expect(try await create("k2").ids != first.ids, "another key is another creation")
        let ids = try await withThrowingTaskGroup(of: [RowID].self) { group in
            for _ in 0..<8 { group.addTask { try await create("k3").ids } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        expect(Set(ids).count, is: 1, "answers to the same creation sent 8 times at once")
        expect(try await table.count(nil).value, is: 3, "rows after all")
    }

    func idempotency(_ table: any Table) async throws {
        let first = try await table.commit(
            .create([draft(json: #"{"number":1}"#, in: table)]),
            idempotencyKey: "k1"
        )
        let again = try await table.commit(
            .create([draft(json: #"{"number":1}"#, in: table)]),
            idempotencyKey: "k1"
        )
        expect(again.ids, is: first.ids, "the answer to a repeated write")
        expect(again.revision, is: first.revision, "its revision")
        expect(again.rows.map(\.text), is: first.rows.map(\.text), "its rows")
        expect(try await table.count(nil).value, is: 1, "rows after a repeated write")
        let other = try await table.commit(
            .create([draft(json: #"{"number":1}"#, in: table)]),
            idempotencyKey: "k2"
        )
        expect(other.ids != first.ids, "another key is another write")
        let another = try draft(json: #"{"number":2}"#, in: table)
        await expect(.invalidRequest, "a key that another write had") { () throws(RemoteDataError) in
            try await table.commit(.create([another]), idempotencyKey: "k2")
        }
        expect(try await table.count(nil).value, is: 2, "rows after a key that another write had")

        let made = first.ids.first ?? ""
        _ = try await table.commit(.delete(made), idempotencyKey: "k3")
        let repeated = try await table.commit(.delete(made), idempotencyKey: "k3")
        expect(repeated.count, is: 1, "rows removed, as answered to a repeated removal")
        await expect(.notFound, "a removal with another key") { () throws(RemoteDataError) in
            try await table.commit(.delete(made), idempotencyKey: "k4")
        }
        try await create(made, in: table)
        await expect(.notFound, "a refused removal, repeated once there is a row") {
            () throws(RemoteDataError) in
            try await table.commit(.delete(made), idempotencyKey: "k4")
        }
        _ = try await table.commit(.delete(made), idempotencyKey: "k6")
        expect(try await table.row(made), is: nil, "a row removed with another key")
        let draft = try draft(id("same"), in: table)
        let outcomes = try await withThrowingTaskGroup(of: Outcome.self) { group in
            for _ in 0..<8 {
                group.addTask { try await table.commit(.create([draft]), idempotencyKey: "k5") }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        expect(Set(outcomes.map(\.revision)).count, is: 1, "answers to the same write sent 8 times at once")
    }
}
