/// A table of a store, which answers sub-queries with the store's other tables: each is asked first, and its values stand in the
/// clause in the sub-query's place.
///
/// The values are those of a moment before the clause is answered. A subscription follows the tables of its sub-queries as
/// well: when the values change, rows may come to match or cease to without a change of their own, so it is `reset`.
package struct SubQueryTable: WrappingTable {
    /// How many values sub-queries of a clause may have together.
    package static let valueLimit = 100_000
    /// How many sub-queries a clause may have.
    package static let countLimit = 20

    package var name: String { base.name }
    package var idColumn: String { base.idColumn }
    package var dates: DateConvention { base.dates }
    package var capabilities: Capabilities { base.capabilities }
    package var wrapped: any Table { base }

    /// The table without sub-queries.
    package let base: any Table
    /// Finds the tables of sub-queries.
    let lookUp: LookUp

    /// Finds a table by its name, made if it is not there and `creating`.
    package typealias LookUp =
        @Sendable (_ name: String, _ creating: Bool) async throws(RemoteDataError) -> (any Table)?

    /// - Parameters:
    ///   - base: The table.
    ///   - lookUp: Finds the tables of sub-queries, as whoever asks may see them.
    package init(_ base: any Table, lookUp: @escaping LookUp) {
        (self.base, self.lookUp) = (base, lookUp)
    }

    package func canFilterList(_ clause: Where) -> Bool {
        base.canFilterList(clause.hasSubQuery ? clause.resolved([:]) : clause)
    }

    package func canFilterLive(_ clause: Where) -> Bool {
        base.canFilterLive(clause.hasSubQuery ? clause.resolved([:]) : clause)
    }

    package func count(_ query: Query) async throws(RemoteDataError) -> Count {
        try await base.count(try await resolved(query))
    }

    package func page(_ request: PageRequest) async throws(RemoteDataError) -> Page {
        var request = request
        request.query = try await resolved(request.query)
        return try await base.page(request)
    }

    package func row(_ id: RowID) async throws(RemoteDataError) -> Row? { try await base.row(id) }

    package func commit(
        _ mutation: Mutation,
        idempotencyKey: String?
    ) async throws(RemoteDataError) -> Outcome {
        let resolved = try await resolved(mutation)
        return try await base.commit(resolved, idempotencyKey: idempotencyKey)
    }

    package func changes(since revision: Revision, limit: Int) async throws(RemoteDataError) -> ChangeBatch {
        try await base.changes(since: revision, limit: limit)
    }

    package func subscribe(
        to query: Query,
        since revision: Revision?
    ) async throws(RemoteDataError) -> ChangeFeed {
        guard let filter = query.filter, filter.hasSubQuery else {
            return try await base.subscribe(to: query, since: revision)
        }
        return try await SubQueryFeed(table: self, query: query).start(since: revision)
    }
}

extension SubQueryTable: PageWriting {
    package func pageText(
        _ request: PageRequest,
        fitting limit: Int
    ) async throws(RemoteDataError) -> PageText? {
        // What it takes to resolve the clause would be done twice where there is no text in the end.
        if case .before = request.start { return nil }
        guard writesPages, let base = base as? any PageWriting else { return nil }
        var request = request
        request.query = try await resolved(request.query)
        return try await base.pageText(request, fitting: limit)
    }

    /// Whether the table behind this one, and those that are of its kind, writes pages.
    private var writesPages: Bool {
        if let base = base as? SubQueryTable { return base.writesPages }
        return base is any PageWriting
    }
}

// MARK: - Resolving

extension SubQueryTable {
    /// The query with lists in the place of its sub-queries.
    func resolved(_ query: Query) async throws(RemoteDataError) -> Query {
        Query(try await resolved(query.filter), sort: query.sort)
    }

    func resolved(_ filter: Where?) async throws(RemoteDataError) -> Where? {
        guard let filter, filter.hasSubQuery else { return filter }
        guard filter.subQueryCount <= Self.countLimit else {
            throw RemoteDataError(
                .invalidClause,
                "The clause has \(filter.subQueryCount) sub-queries; at most \(Self.countLimit) are answered."
            )
        }
        var values: [SubQuery: [Value]] = [:]
        var left = Self.valueLimit
        for query in filter.subQueries {
            let found = try await self.values(of: query, limit: left)
            left -= found.count
            values[query] = found
        }
        return filter.resolved(values)
    }

    /// The mutation with lists in the place of its sub-queries.
    package func resolved(_ mutation: Mutation) async throws(RemoteDataError) -> Mutation {
        switch mutation {
        case .updateAll(let filter, let patch): .updateAll(try await resolved(filter), patch: patch)
        case .deleteAll(let filter): .deleteAll(try await resolved(filter))
        case .create, .upsert, .update, .delete: mutation
        }
    }

    /// The values of a sub-query, each once and in order.
    private func values(of query: SubQuery, limit: Int) async throws(RemoteDataError) -> [Value] {
        guard let table = try await lookUp(query.table, false) else { return [] }
        let values = try await table.distinctValues(of: query.column, in: query.filter, limit: limit + 1)
        guard values.count <= limit else {
            throw RemoteDataError(
                .tooLarge,
                "Sub-queries of a clause may have \(Self.valueLimit) values; there are more in \(query.table)."
            )
        }
        return values.sorted { Value.order($0, $1) == .ascending }
    }
}
