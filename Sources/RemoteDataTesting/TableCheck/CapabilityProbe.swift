public import RemoteData

/// What a table shows of its capabilities when it is tried, for comparing it with what it declares.
///
/// What is not promised may happen all the same, so that `Capabilities.everyChange` is tried only where it is declared.
public struct CapabilityProbe: Sendable {
    /// What a part of the capabilities is found to be.
    public struct Finding: Sendable {
        /// Its name, as in `Capabilities`.
        public let name: String
        /// What the table declares.
        public let declared: String
        /// What it does.
        public let found: String
    }

    private let traits: TableTraits
    private let make: @Sendable () async throws -> any Table

    /// Prepares a probe.
    ///
    /// - Parameters:
    ///   - traits: What the table's rows can be like.
    ///   - make: Makes an empty table; called for every part.
    public init(
        traits: TableTraits = TableTraits(),
        make: @escaping @Sendable () async throws -> any Table
    ) {
        (self.traits, self.make) = (traits, make)
    }

    /// Tries everything.
    ///
    /// - Returns: What was found, in the order of `Capabilities`.
    /// - Throws: When the table cannot do what every table can.
    public func run() async throws -> [Finding] {
        let declared = try await make().capabilities
        var findings: [Finding] = []
        for word in Capabilities.words {
            let isDeclared = declared[keyPath: word.flag]
            let isFound = try await finds(word.name, isDeclared, make())
            findings.append(
                Finding(name: word.name, declared: Self.word(isDeclared), found: Self.word(isFound))
            )
        }
        let page = try await largestPage(make())
        findings.append(
            Finding(name: "maximumPageSize", declared: "\(declared.maximumPageSize)", found: "\(page)")
        )
        let bulk = try await largestBulk(make())
        let size = declared.maximumBulkSize == .max ? "any" : "\(declared.maximumBulkSize)"
        findings.append(Finding(name: "maximumBulkSize", declared: size, found: bulk))
        return findings
    }

    private static func word(_ isSo: Bool) -> String { isSo ? "yes" : "no" }

    private func finds(_ name: String, _ isDeclared: Bool, _ table: any Table) async throws -> Bool {
        switch name {
        case "keysetPages": try await hasKeysetPages(table)
        case "pagesBeyondKeys": try await hasPagesBeyondKeys(table)
        case "exactCounts": try await hasExactCounts(table)
        case "revisions": try await hasRevisions(table)
        case "resume": try await hasResume(table)
        case "everyChange": isDeclared ? try await tellsEveryChange(table) : false
        case "liveChanges": try await hasLiveChanges(table)
        case "reportsLeaving": try await reportsLeaving(table)
        case "reportsEntering": try await reportsEntering(table)
        case "locatesDeleted": try await locatesDeleted(table)
        case "filteredDeletes": try await accepts(.deleteAll(flagged), table)
        case "filteredUpdates": try await accepts(.updateAll(flagged, patch: patch(#"{"mark":"x"}"#)), table)
        case "idempotency": try await hasIdempotency(table)
        case "idempotentCreation": try await hasIdempotentCreation(table)
        case "conditionalWrites": try await hasConditionalWrites(table)
        case "binaryOrder": try await hasBinaryOrder(table)
        case "checksColumns": try await checksColumns(table)
        default: isDeclared
        }
    }
}

// MARK: - Rows

extension CapabilityProbe {
    private var flagged: Where { .comparison(.column("number"), .less, .literal(2)) }

    private func patch(_ text: String) -> ArraySlice<UInt8> { Array(text.utf8)[...] }

    private func draft(_ word: String, _ members: String, in table: any Table) throws -> Draft {
        let id = String(decoding: traits.id(word).value.json, as: UTF8.self)
        return try Draft(patch("{\"\(table.idColumn)\":\(id),\(members)}"), idColumn: table.idColumn)
    }

    @discardableResult
    private func create(_ word: String, _ members: String, in table: any Table) async throws -> Outcome {
        try await table.commit(.create([draft(word, members, in: table)]))
    }

    private func fill(_ table: any Table, count: Int) async throws {
        let drafts = try (0..<count).map { try draft("r\($0)", "\"number\":\($0)", in: table) }
        let size = min(max(1, table.capabilities.maximumBulkSize), 1_000)
        for start in stride(from: 0, to: count, by: size) {
            _ = try await table.commit(.create(Array(drafts[start...].prefix(size))))
        }
    }

    private func code<Value>(_ body: () async throws(RemoteDataError) -> Value) async -> RemoteDataError.Code?
    {
        do throws(RemoteDataError) {
            _ = try await body()
            return nil
        } catch { return error.code }
    }

    private func accepts(_ mutation: Mutation, _ table: any Table) async throws -> Bool {
        try await fill(table, count: 3)
        guard let outcome = try? await table.commit(mutation) else { return false }
        return outcome.count == 2
    }
}

// MARK: - Reading

extension CapabilityProbe {
    private func hasKeysetPages(_ table: any Table) async throws -> Bool {
        try await fill(table, count: 3)
        let sort = [SortTerm("number")]
        func ids(_ start: PageRequest.Start) async -> [RowID]? {
            try? await table.page(PageRequest(Query(sort: sort), start: start, limit: 2)).rows.map(\.id)
        }
        let key = Key(values: [1], id: traits.id("r1"))
        let (behind, front) = (await ids(.after(key)), await ids(.before(key)))
        return behind == [traits.id("r2")] && front == [traits.id("r0")]
    }

    private func hasPagesBeyondKeys(_ table: any Table) async throws -> Bool {
        try await fill(table, count: 6)
        let start = PageRequest.Start.beyond(Key(values: [1], id: traits.id("r1")), offset: 2)
        let request = PageRequest(Query(sort: [SortTerm("number")]), start: start, limit: 2)
        let page = try? await table.page(request)
        return page?.rows.map(\.id) == ["r4", "r5"].map { traits.id($0) }
    }

    private func hasExactCounts(_ table: any Table) async throws -> Bool {
        for (word, name) in [("a", "xa"), ("b", "XA"), ("c", "y"), ("d", "")] {
            try await create(word, "\"name\":\"\(name)\",\"number\":1", in: table)
        }
        let clauses = ["name like 'x%'", "name = 'xa' or number > 5", "not (name < 'x')", "number in (1, 2)"]
        for (clause, expected) in zip(clauses, [1, 1, 2, 4]) {
            let count = try await table.count(Where.parse(clause))
            guard count.isExact, count.value == expected else { return false }
        }
        return true
    }

    private func hasRevisions(_ table: any Table) async throws -> Bool {
        let first = try await create("a", "\"number\":1", in: table).revision
        let second = try await create("b", "\"number\":1", in: table).revision
        let page = try await table.page(PageRequest(Query())).revision
        let count = try await table.count(nil).revision
        guard let first, let second, let page, let count else { return false }
        return first < second && second <= page && page == count
    }

    private func hasResume(_ table: any Table) async throws -> Bool {
        try await create("a", "\"number\":1", in: table)
        let revision = try await table.count(nil).revision ?? Revision(0)
        try await create("b", "\"number\":1", in: table)
        let batch = try? await table.changes(since: revision, limit: 10)
        return batch?.changes.map(\.id) == [traits.id("b")]
    }

    private func hasBinaryOrder(_ table: any Table) async throws -> Bool {
        let names = ["b", "B", "a", "ä", "Z", "z", "日", "\u{10000}", "\u{FFFD}", "", "-", "aa"]
        for (number, name) in names.enumerated() {
            try await create("r\(number)", "\"name\":\"\(name)\"", in: table)
        }
        let rows = try await table.page(PageRequest(Query(sort: [SortTerm("name")]))).rows
        let sorted = names.map { Value.text($0) }.sorted { Value.order($0, $1) == .ascending }
        return rows.map { $0["name"] } == sorted
    }

    private func checksColumns(_ table: any Table) async throws -> Bool {
        try await create("a", "\"number\":1", in: table)
        let clause = Where.comparison(.column("nmae"), .equal, .literal("x"))
        return await code { () async throws(RemoteDataError) in try await table.count(clause) }
            == .unknownColumn
    }

    private func largestPage(_ table: any Table) async throws -> Int {
        let limit = table.capabilities.maximumPageSize
        try await fill(table, count: limit + 1)
        return try await table.page(PageRequest(Query(), limit: limit + 1)).rows.count
    }
}

// MARK: - Writing

extension CapabilityProbe {
    private func hasIdempotency(_ table: any Table) async throws -> Bool {
        try await create("a", "\"number\":1", in: table)
        _ = try await table.commit(.delete(traits.id("a")), idempotencyKey: "k")
        let again = try? await table.commit(.delete(traits.id("a")), idempotencyKey: "k")
        return again?.count == 1
    }

    private func hasIdempotentCreation(_ table: any Table) async throws -> Bool {
        let draft = try Draft(patch(#"{"number":1}"#), idColumn: table.idColumn)
        let first = try await table.commit(.create([draft]), idempotencyKey: "k")
        let again = try? await table.commit(.create([draft]), idempotencyKey: "k")
        let count = try await table.count(nil).value
        return again?.ids == first.ids && count == 1
    }

    private func hasConditionalWrites(_ table: any Table) async throws -> Bool {
        try await create("a", "\"number\":1", in: table)
        let id = traits.id("a")
        let old = try await table.row(id)?.revision ?? Revision(1)
        _ = try await table.commit(.update(id, patch: patch(#"{"number":2}"#)))
        let change = Mutation.update(id, patch: patch(#"{"number":3}"#), ifRevision: old)
        return await code { () async throws(RemoteDataError) in try await table.commit(change) } == .conflict
    }

    private func largestBulk(_ table: any Table) async throws -> String {
        let size = table.capabilities.maximumBulkSize
        func takes(_ count: Int, from first: Int) async throws -> Bool {
            let drafts = try (first..<(first + count)).map {
                try draft("r\($0)", "\"number\":\($0)", in: table)
            }
            return await code { () async throws(RemoteDataError) in try await table.commit(.create(drafts)) }
                == nil
        }
        if size == .max { return try await takes(2_000, from: 0) ? "any" : "fewer than 2000" }
        guard try await takes(size, from: 0) else { return "fewer than \(size)" }
        return try await takes(size + 1, from: size) ? "more than \(size)" : "\(size)"
    }
}

// MARK: - Changes

extension CapabilityProbe {
    private func reader(_ table: any Table, _ query: Query = Query()) async -> EventReader? {
        guard let feed = try? await table.subscribe(to: query, since: nil) else { return nil }
        let reader = EventReader(feed)
        do { _ = try await reader.live() } catch { return nil }
        return reader
    }

    private func hasLiveChanges(_ table: any Table) async throws -> Bool {
        try await create("a", "\"number\":1", in: table)
        guard let reader = await reader(table) else { return false }
        try await create("b", "\"number\":1", in: table)
        return try await reader.changes { !$0.isEmpty }.first?.id == traits.id("b")
    }

    private func tellsEveryChange(_ table: any Table) async throws -> Bool {
        guard let reader = await reader(table) else { return false }
        try await create("a", "\"number\":1", in: table)
        for number in 2..<6 {
            _ = try await table.commit(.update(traits.id("a"), patch: patch("{\"number\":\(number)}")))
        }
        _ = try await table.commit(.delete(traits.id("a")))
        let kinds = try await reader.changes { $0.last?.kind == .deleted }.map(\.kind)
        return kinds == [.created] + Array(repeating: .updated, count: 4) + [.deleted]
    }

    /// What a subscriber with a clause hears of a row that changes, before it hears of another one that matches.
    private func change(_ table: any Table, from old: Int, to new: Int) async throws -> Change? {
        try await create("a", "\"number\":\(old)", in: table)
        let isLarge = Where.comparison(.column("number"), .greater, .literal(5))
        guard let reader = await reader(table, Query(isLarge)) else { return nil }
        _ = try await table.commit(.update(traits.id("a"), patch: patch("{\"number\":\(new)}")))
        try await create("last", "\"number\":9", in: table)
        return try await reader.changes { $0.last?.id == traits.id("last") }.first { $0.id == traits.id("a") }
    }

    private func reportsLeaving(_ table: any Table) async throws -> Bool {
        try await change(table, from: 7, to: 1)?.left == true
    }

    private func reportsEntering(_ table: any Table) async throws -> Bool {
        guard try await change(table, from: 1, to: 7)?.kind == .created else { return false }
        return try await change(make(), from: 1, to: 2) == nil
    }

    private func locatesDeleted(_ table: any Table) async throws -> Bool {
        try await create("a", "\"number\":1", in: table)
        guard let reader = await reader(table, Query(sort: [SortTerm("number")])) else { return false }
        _ = try await table.commit(.delete(traits.id("a")))
        return try await reader.changes { !$0.isEmpty }.first?.previousKey != nil
    }
}
