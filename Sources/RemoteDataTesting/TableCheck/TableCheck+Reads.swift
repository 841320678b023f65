import RemoteData

extension TableCheck {
    func offsetPages(_ table: any Table) async throws {
        expect(try await table.page(PageRequest(Query())).rows, is: [], "a page of an empty table")
        let rows = try await fill(table)
        for query in queries {
            let expected = expected(query, of: rows)
            for limit in [1, 7, 39, 40, 41] {
                let ids = try await allIDs(
                    query,
                    of: table,
                    limit: min(limit, table.capabilities.maximumPageSize)
                )
                if table.capabilities.binaryOrder {
                    expect(ids, is: expected, "\(query) in pages of \(limit)")
                } else {
                    expect(Set(ids), is: Set(expected), "\(query) in pages of \(limit)")
                    expect(ids.count, is: expected.count, "rows of \(query) in pages of \(limit)")
                }
            }
        }
        let beyond = try await table.page(PageRequest(Query(), start: .offset(1_000_000), limit: 5))
        expect(beyond.rows, is: [], "a page past the end")
        let maximum = table.capabilities.maximumPageSize
        let large = try await table.page(PageRequest(Query(), limit: maximum + 1)).rows.count
        // All that was asked for, or what the table says it can send.
        expect(large, is: min(40, large > maximum ? maximum + 1 : maximum), "rows of a page over the limit")
        await expect(.invalidRequest, "a page of no rows") { () throws(RemoteDataError) in
            try await table.page(PageRequest(Query(), limit: 0))
        }
        await expect(.invalidRequest, "a negative offset") { () throws(RemoteDataError) in
            try await table.page(PageRequest(Query(), start: .offset(-1)))
        }
    }

    func keysetPages(_ table: any Table) async throws {
        let rows = try await fill(table)
        for query in queries {
            let all = try await allRows(query, of: table)
            expect(Set(all.map(\.id)), is: Set(expected(query, of: rows)), "the rows of \(query)")
            for limit in [1, 3, 40] {
                expect(
                    try await forward(query, table, limit),
                    is: all.map(\.id),
                    "\(query) by \(limit) after keys"
                )
                expect(
                    try await backward(query, table, limit),
                    is: all.map(\.id),
                    "\(query) by \(limit) before keys"
                )
            }
        }
        if table.capabilities.binaryOrder { try await keysOfNoRow(table, rows) }
        if table.capabilities.pagesBeyondKeys { for query in queries { try await beyond(query, table) } }
        let wrong = Key(values: [1, 2], id: id("a"))
        await expect(.invalidRequest, "a key of another order") { () throws(RemoteDataError) in
            try await table.page(PageRequest(Query(), start: .after(wrong)))
        }
    }

    /// Pages that start a number of rows behind a key.
    private func beyond(_ query: Query, _ table: any Table) async throws {
        let all = try await allRows(query, of: table)
        for (position, row) in all.enumerated() where position.isMultiple(of: 5) {
            let key = Key(row, sort: query.sort)
            for offset in [0, 1, 2, 7, 39, all.count, .max] {
                let request = PageRequest(query, start: .beyond(key, offset: offset), limit: 4)
                let expected = all.dropFirst(position + 1).dropFirst(offset).prefix(4).map(\.id)
                let rows = try await table.page(request).rows
                expect(rows.map(\.id), is: expected, "\(query), \(offset) rows beyond \(key)")
            }
        }
        let wrong = PageRequest.Start.beyond(
            Key(values: query.sort.map { _ in .null }, id: id("a")),
            offset: -1
        )
        await expect(.invalidRequest, "a negative offset behind a key") { () throws(RemoteDataError) in
            try await table.page(PageRequest(query, start: wrong))
        }
    }

    private func forward(_ query: Query, _ table: any Table, _ limit: Int) async throws -> [RowID] {
        var result: [RowID] = []
        var page = try await table.page(PageRequest(query, limit: limit)).rows
        while let last = page.last, result.count < 1_000 {
            result += page.map(\.id)
            let start = PageRequest.Start.after(Key(last, sort: query.sort))
            page = try await table.page(PageRequest(query, start: start, limit: limit)).rows
        }
        return result
    }

    private func backward(_ query: Query, _ table: any Table, _ limit: Int) async throws -> [RowID] {
        guard let last = try await allRows(query, of: table).last else { return [] }
        var result = [last.id]
        var key = Key(last, sort: query.sort)
        while result.count < 1_000 {
            let page = try await table.page(PageRequest(query, start: .before(key), limit: limit)).rows
            guard let first = page.first else { return result }
            result = page.map(\.id) + result
            key = Key(first, sort: query.sort)
        }
        return result
    }

    /// Keys between rows, in front of all and behind all.
    private func keysOfNoRow(_ table: any Table, _ rows: [Row]) async throws {
        let terms = [SortTerm("name"), SortTerm("age", ascending: false, nullsFirst: true)]
        let sort = sort(Array(terms.prefix(traits.maximumSortColumns)))
        let query = Query(sort: sort)
        let order = rows.map { Key($0, sort: sort) }.sorted { Key.order($0, $1, sort: sort) == .ascending }
        let values: [Value] =
            [.null, -1, 30, 2.5, "", "Ann", "Annb", "zzz", .text("日")] + (traits.sortsKinds ? [true] : [])
        let (texts, numbers) = (values.filter { $0.isText ?? true }, values.filter { !($0.isText ?? false) })
        for name in traits.sortsKinds ? values : texts {
            for age in traits.sortsKinds ? values : numbers {
                let key = Key(values: Array([name, age].prefix(sort.count)), id: id("m"))
                let behind = order.filter { Key.order(key, $0, sort: sort) == .ascending }.map(\.id)
                let after = try await table.page(PageRequest(query, start: .after(key), limit: 5)).rows
                expect(after.map(\.id), is: Array(behind.prefix(5)), "rows after \(key)")
                let front = order.filter { Key.order($0, key, sort: sort) == .ascending }.map(\.id)
                let before = try await table.page(PageRequest(query, start: .before(key), limit: 5)).rows
                expect(before.map(\.id), is: Array(front.suffix(5)), "rows before \(key)")
            }
        }
    }

    func counts(_ table: any Table) async throws {
        expect(try await table.count(nil).value, is: 0, "rows of an empty table")
        let rows = try await fill(table)
        for query in queries {
            let expected = expected(query, of: rows)
            let count = try await table.count(query.filter)
            if count.isExact || table.capabilities.exactCounts {
                expect(count.value, is: expected.count, "rows that match \(query)")
            } else {
                expect(count.value >= expected.count, "at least as many rows are counted as match \(query)")
            }
            expect(try await table.count(query).value, is: count.value, "rows of \(query)")
        }
        _ = try await table.commit(.delete(rows[0].id))
        expect(try await table.count(nil).value, is: rows.count - 1, "rows after a removal")
    }

    func unknownColumns(_ table: any Table) async throws {
        let clause = Where.comparison(.column("nmae"), .equal, .literal("Ann"))
        let order = Query(sort: sort(traits.maximumSortColumns > 0 ? [SortTerm("nmae")] : []))
        let queries = order.sort.isEmpty ? [Query(clause)] : [Query(clause), order]
        for query in queries {
            do throws(RemoteDataError) {
                expect(
                    try await table.count(query).value,
                    is: 0,
                    "rows of an empty table, whatever the column"
                )
            } catch { expect(error.code, is: .unknownColumn, "the error of a table that knows its columns") }
        }
        try await create(id("a"), #""name":"Ann","place":{"city":"Rom"}"#, in: table)
        _ = try await table.commit(.update(id("a"), patch: patch(#"{"gone":1}"#)))
        let whole = try draft(id("a"), #""name":"Ann","place":{"city":"Rom"}"#, in: table)
        _ = try await table.commit(.upsert([whole]))
        let gone = Where.not(.isNull(.column("gone")))
        expect(try await table.count(gone).value, is: 0, "rows with a column that was there once")
        let id = Where.comparison(.column(ColumnPath(table.idColumn)), .equal, .literal(self.id("a").value))
        expect(try await table.count(id).value, is: 1, "rows with an id, by clause")
        await expect(.unknownColumn, "counting by an unknown column") { () throws(RemoteDataError) in
            try await table.count(clause)
        }
        await expect(.unknownColumn, "a page by an unknown column") { () throws(RemoteDataError) in
            try await table.page(PageRequest(Query(clause)))
        }
        if !order.sort.isEmpty {
            await expect(.unknownColumn, "counting in an order of an unknown column") {
                () throws(RemoteDataError) in
                try await table.count(order)
            }
            await expect(.unknownColumn, "a page sorted by an unknown column") {
                () throws(RemoteDataError) in
                try await table.page(PageRequest(order))
            }
        }
        if table.capabilities.filteredDeletes {
            await expect(.unknownColumn, "removing by an unknown column") { () throws(RemoteDataError) in
                try await table.commit(.deleteAll(clause))
            }
        }
        if table.capabilities.liveChanges {
            await expect(.unknownColumn, "subscribing by an unknown column") { () throws(RemoteDataError) in
                try await subscribe(to: Query(clause), of: table)
            }
        }
        expect(try await table.count(nil).value, is: 1, "rows in the end")
    }

    /// Subscribes, and throws what the feed says when the table tells a refusal that way.
    private func subscribe(to query: Query, of table: any Table) async throws(RemoteDataError) {
        let reader = EventReader(try await table.subscribe(to: query, since: nil))
        if case .interrupted(let error)? = try? await reader.next() { throw error }
    }
}

extension Value {
    /// Whether it is text; nil for null.
    fileprivate var isText: Bool? {
        switch self {
        case .null: nil
        case .text: true
        default: false
        }
    }
}
