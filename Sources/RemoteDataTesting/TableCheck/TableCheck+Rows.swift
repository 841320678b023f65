import RemoteData

extension TableCheck {
    func draft(json text: String, in table: any Table) throws -> Draft {
        try Draft(Array(text.utf8)[...], idColumn: table.idColumn)
    }

    /// A draft with an id and further members as JSON.
    func draft(_ id: RowID, _ members: String = "", in table: any Table) throws -> Draft {
        let id = "\"\(table.idColumn)\":" + String(decoding: id.value.json, as: UTF8.self)
        let parts = [id, members].filter { !$0.isEmpty }
        return try draft(json: "{\(parts.joined(separator: ","))}", in: table)
    }

    /// Creates rows, as many at once as the table takes.
    func create(_ drafts: [Draft], in table: any Table) async throws -> Outcome {
        var outcome = Outcome(count: 0)
        var ids: [RowID] = []
        let size = min(table.capabilities.maximumBulkSize, drafts.count)
        for start in stride(from: 0, to: drafts.count, by: size) {
            outcome = try await table.commit(.create(Array(drafts[start...].prefix(size))))
            ids += outcome.ids
        }
        return Outcome(ids: ids, count: ids.count, revision: outcome.revision)
    }

    @discardableResult
    func create(_ id: RowID, _ members: String = "", in table: any Table) async throws -> Outcome {
        try await table.commit(.create([draft(id, members, in: table)]))
    }

    func patch(_ text: String) -> ArraySlice<UInt8> { Array(text.utf8)[...] }

    /// The ids of all rows of a query, read page by page from offset 0.
    func allIDs(_ query: Query, of table: any Table, limit: Int? = nil) async throws -> [RowID] {
        try await allRows(query, of: table, limit: limit).map(\.id)
    }

    func allRows(_ query: Query, of table: any Table, limit: Int? = nil) async throws -> [Row] {
        let limit = limit ?? table.capabilities.maximumPageSize
        var rows: [Row] = []
        while true {
            let page = try await table.page(PageRequest(query, start: .offset(rows.count), limit: limit))
            rows += page.rows
            expect(page.rows.count <= limit, "a page holds at most \(limit) rows")
            if page.rows.isEmpty || page.rows.count < limit { return rows }
        }
    }

    /// A table with names that tie, ages that are missing, and values of every kind.
    func fill(_ table: any Table) async throws -> [Row] {
        let names = [#""Ann""#, #""Bob""#, "null", #""ann""#, #""Zoë""#, #""""#, #""Ann""#, #""日本""#]
        let ages = [
            "30", "null", "2.5", "-1", "30.0", traits.keepsLargeIntegers ? "9007199254740993" : "31",
            "9007199254740992.0",
        ]
        var drafts: [Draft] = []
        for number in 0..<40 {
            var members: [String] = []
            if number % 9 != 4 { members.append("\"name\":\(names[number % names.count])") }
            if number % 7 != 3 { members.append("\"age\":\(ages[number % ages.count])") }
            members.append("\"flag\":\(number % 3 == 0)")
            members.append("\"number\":\(number)")
            members.append("\"place\":{\"city\":\"C\(number % 5)\"}")
            let isInteger = traits.takesIntegers && number % 4 == 0
            let id: RowID = isInteger ? .integer(Int64(number * 7 % 40)) : id("r\(number * 13 % 40)")
            drafts.append(try draft(id, members.joined(separator: ","), in: table))
        }
        let outcome = try await create(drafts, in: table)
        expect(outcome.count, is: drafts.count, "rows created")
        return drafts.map { $0.row(id: $0.id ?? "", idColumn: table.idColumn) }
    }

    /// Queries that sort and filter what ``fill(_:)`` makes.
    var queries: [Query] {
        let isGrown = Where.comparison(.column("age"), .greaterOrEqual, .literal(2.5))
        let hasName = Where.not(.isNull(.column("name")))
        let city = ColumnPath(names: ["place", "city"])
        let sorts: [[SortTerm]] = [
            [],
            [SortTerm("name")],
            [SortTerm("name", ascending: false)],
            [SortTerm("name", nullsFirst: true), SortTerm("age", ascending: false)],
            [SortTerm("age", ascending: false, nullsFirst: true), SortTerm("flag")],
            [SortTerm(city), SortTerm("number", ascending: false)],
        ]
        let filters: [Where?] = [
            nil, isGrown, .and([isGrown, hasName]), .or([.isNull(.column("age")), .truth(.column("flag"))]),
            .comparison(.column("number"), .less, .literal(-1)),
        ]
        let usable = sorts.filter { terms in
            terms.count <= traits.maximumSortColumns
                && (traits.nestsColumns || terms.allSatisfy { $0.column.names.count == 1 })
        }
        return filters.flatMap { filter in
            usable.map { terms in
                Query(filter, sort: sort(terms))
            }
        }
    }

    /// An order that the table has.
    func sort(_ terms: [SortTerm]) -> [SortTerm] {
        guard !traits.sortsNulls else { return terms }
        return terms.map { term in
            SortTerm(
                term.column,
                ascending: term.isAscending,
                nullsFirst: term.isAscending != traits.nullsAreGreatest
            )
        }
    }

    /// The rows of a query as `Value.order(_:_:)` sorts them.
    func expected(_ query: Query, of rows: [Row]) -> [RowID] {
        rows.filter { query.filter?.matches($0) ?? true }
            .map { Key($0, sort: query.sort) }
            .sorted { Key.order($0, $1, sort: query.sort) == .ascending }
            .map(\.id)
    }
}
