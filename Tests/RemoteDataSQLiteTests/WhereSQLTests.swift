import RemoteData
import RemoteDataTesting
import Testing

@testable import RemoteDataSQLite

/// SQLite's answers to rendered clauses against the local evaluation, which is the meaning of a clause.
struct WhereSQLTests {
    private let clauses = WhereSQL(idColumn: "objectId")

    private func table(of rows: [Row]) throws -> Connection {
        let connection = try Connection(path: ":memory:", isReader: false)
        try connection.execute(Schema.createTable(1))
        for row in rows {
            try connection.run(
                "INSERT INTO t1 (id,revision,json) VALUES (?,0,?)",
                [Binding(row.id), .utf8(row.json)]
            )
        }
        return connection
    }

    private func truths(_ clause: Where, _ connection: Connection) throws -> [RowID: Truth] {
        let rendered = clauses.render(clause)
        var truths: [RowID: Truth] = [:]
        try connection.query(
            "SELECT id, v IS NULL, v IS TRUE FROM (SELECT id, \(rendered.sql) AS v FROM t1)",
            rendered.bindings
        ) { row in truths[row.id(0)] = row.integer(1) == 1 ? .unknown : row.integer(2) == 1 ? .true : .false }
        return truths
    }

    private func check(_ clause: Where, _ rows: [Row], _ connection: Connection, _ seed: UInt64) throws {
        let matcher = Where.Matcher(clause)
        let truths = try truths(clause, connection)
        for row in rows where truths[row.id] != matcher.truth(of: row) {
            Issue.record(
                """
                seed \(seed): \(clause) is \(matcher.truth(of: row)) here, in SQLite \
                \(truths[row.id].map { "\($0)" } ?? "no row"), for \(row.text)
                """
            )
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>) func sqliteAgreesOnGeneratedClauses(seed: UInt64) throws {
        var generator = ClauseGenerator(seed: seed)
        let rows = generator.rows(40)
        let connection = try table(of: rows)
        // 20 seeds of 40 rows and 40 clauses: 32,000 pairs.
        for _ in 0..<40 { try check(generator.clause(), rows, connection, seed) }
    }

    @Test(arguments: 101...110 as ClosedRange<UInt64>) func indexesChangeNoAnswer(seed: UInt64) throws {
        var generator = ClauseGenerator(seed: seed)
        let rows = generator.rows(60)
        let connection = try table(of: rows)
        for name in ["a", "b", "c", "", "a\"b", "a'b", "nul\u{0}", "é"] {
            let shape = IndexShape(
                Query(sort: [SortTerm(ColumnPath(name), nullsFirst: true)]),
                idColumn: "objectId"
            )
            try connection.execute(#require(shape).statement(table: 1))
        }
        for _ in 0..<60 {
            let filter = generator.clause(depth: 2)
            let matcher = Where.Matcher(filter)
            let query = QuerySQL(Query(filter), table: 1, idColumn: "objectId").all
            var found: [RowID] = []
            try connection.query(query.sql, query.bindings) { found.append($0.id(0)) }
            let expected = rows.filter(matcher.matches).map { Key(values: [], id: $0.id) }
                .sorted { Key.order($0, $1, sort: []) == .ascending }.map(\.id)
            #expect(found == expected, "seed \(seed): \(filter)")
        }
    }

    @Test(arguments: 201...220 as ClosedRange<UInt64>) func sqliteSortsAsKeysDo(seed: UInt64) throws {
        var generator = ClauseGenerator(seed: seed)
        let rows = generator.rows(50)
        let connection = try table(of: rows)
        for _ in 0..<15 {
            let query = Query(
                generator.random.chance(2) ? nil : generator.clause(depth: 1),
                sort: generator.sort()
            )
            if generator.random.chance(2), let shape = IndexShape(query, idColumn: "objectId") {
                try connection.execute(shape.statement(table: 1))
            }
            let expected = expectedKeys(query, rows)
            let sql = QuerySQL(query, table: 1, idColumn: "objectId").all
            var found: [RowID] = []
            try connection.query(sql.sql, sql.bindings) { found.append($0.id(0)) }
            #expect(found == expected.map(\.id), "seed \(seed): \(query)")
        }
    }

    @Test(arguments: 301...320 as ClosedRange<UInt64>) func pagesBeyondAnyKeyAreWhatLiesThere(seed: UInt64)
        throws
    {
        var generator = ClauseGenerator(seed: seed)
        let rows = generator.rows(50)
        let connection = try table(of: rows)
        for _ in 0..<15 {
            let query = Query(
                generator.random.chance(2) ? nil : generator.clause(depth: 1),
                sort: generator.sort()
            )
            if generator.random.chance(2), let shape = IndexShape(query, idColumn: "objectId") {
                try connection.execute(shape.statement(table: 1))
            }
            let all = expectedKeys(query, rows)
            for _ in 0..<8 {
                let key = generator.key(query.sort, of: rows)
                let limit = generator.random.number(1..<20)
                let behind = all.filter { Key.order(key, $0, sort: query.sort) == .ascending }.prefix(limit)
                let after = try page(query, .after(key), limit, connection)
                #expect(after == behind.map(\.id), "seed \(seed): \(query) after \(key)")
                let front = all.filter { Key.order($0, key, sort: query.sort) == .ascending }.suffix(limit)
                let before = try page(query, .before(key), limit, connection)
                #expect(before == front.map(\.id), "seed \(seed): \(query) before \(key)")
            }
        }
    }

    private func expectedKeys(_ query: Query, _ rows: [Row]) -> [Key] {
        rows.filter { query.filter?.matches($0) ?? true }.map { Key($0, sort: query.sort) }
            .sorted { Key.order($0, $1, sort: query.sort) == .ascending }
    }

    private func page(
        _ query: Query,
        _ start: PageRequest.Start,
        _ limit: Int,
        _ connection: Connection
    ) throws -> [RowID] {
        var ids: [RowID] = []
        for part in QuerySQL(query, table: 1, idColumn: "objectId").page(start) where ids.count < limit {
            try connection.query(part.sql, part.bindings + [Binding(limit - ids.count), Binding(0)]) { row in
                ids.append(row.id(0))
            }
        }
        if case .before = start { return ids.reversed() }
        return ids
    }

    @Test func deepAndWideClausesStayWithinSQLitesLimits() throws {
        var generator = ClauseGenerator(seed: 7)
        let rows = generator.rows(3)
        let connection = try table(of: rows)
        let leaf = Where.comparison(.column("a"), .greater, .literal(1))
        var deep = leaf
        for number in 0..<200 { deep = number % 2 == 0 ? .not(deep) : .or([.and([deep, leaf]), leaf]) }
        let many = (0..<1_500).map { Where.comparison(.column("a"), .equal, .literal(.integer(Int64($0)))) }
        let numbers = (0..<33_000).map { Where.Operand.literal(.integer(Int64($0))) }
        let wide: [Where] = [
            deep, .or(many), .and(many), .isIn(.column("a"), numbers), .not(.isIn(.column("b"), numbers)),
            .and([.or(many), .isIn(.column("a"), numbers), deep]),
            .or((0..<210).map { _ in .and(Array(many.prefix(210))) }),
        ]
        for clause in wide { try check(clause, rows, connection, 7) }
    }

    @Test func aDistanceIsARangeOnlyWhereNothingButTrueCounts() throws {
        let near = try Where("distance(lat, objectId, 10, 20) < 1000")
        #expect(clauses.render(near).sql == "row_distance(?,row_value(json,'lat'),id)")
        let sql = clauses.filter(near).sql
        #expect(sql.contains("row_value(json,'lat') BETWEEN ? AND ?") && sql.contains("id BETWEEN ? AND ?"))
        #expect(clauses.filter(.not(near)).sql == "(NOT row_distance(?,row_value(json,'lat'),id))")
        #expect(clauses.filter(.or([near, near])).sql.split(separator: "BETWEEN").count == 5)
        let pole = try Where("distance(lat, lon, 89.999, 20) < 1000")
        #expect(clauses.filter(pole).sql.split(separator: "BETWEEN").count == 2)
    }

    @Test(arguments: 401...410 as ClosedRange<UInt64>) func placesNearAPointAreFoundByTheirRange(seed: UInt64)
        throws
    {
        var random = SeededGenerator(seed: seed)
        let rows = (0..<200).map { number in
            let latitude = Double.random(in: -90...90, using: &random)
            let longitude = random.pick([-180, 180, Double.random(in: -180...180, using: &random)])
            return Row(
                id: .integer(Int64(number)),
                json: ArraySlice("{\"objectId\":\(number),\"lat\":\(latitude),\"lon\":\(longitude)}".utf8)
            )
        }
        let connection = try table(of: rows)
        for _ in 0..<20 {
            let point = try GeoPoint(
                latitude: random.pick([-90, 89, Double.random(in: -90...90, using: &random)]),
                longitude: random.pick([-180, 179, Double.random(in: -180...180, using: &random)])
            )
            let metres = Double.random(in: 0...6_000_000, using: &random)
            let clause = Where.near(latitude: "lat", longitude: "lon", of: point, within: metres)
            let query = QuerySQL(Query(clause), table: 1, idColumn: "objectId").all
            var found: [RowID] = []
            try connection.query(query.sql, query.bindings) { found.append($0.id(0)) }
            #expect(found == rows.filter(clause.matches).map(\.id), "seed \(seed): \(clause)")
        }
    }

    @Test func aLikeWithAPrefixIsARange() {
        #expect(Where.LikePattern("abc%").prefixRange.map { "\($0.low) \($0.high)" } == "abc abd")
        #expect(Where.LikePattern("a_c").prefixRange.map { "\($0.low) \($0.high)" } == "a b")
        #expect(Where.LikePattern("\u{D7FF}%").prefixRange?.high == "\u{E000}")
        #expect(Where.LikePattern("a\u{10FFFF}%").prefixRange?.high == "b")
        #expect(Where.LikePattern("\u{10FFFF}%").prefixRange == nil)
        #expect(Where.LikePattern("%abc").prefixRange == nil)
        #expect(Where.LikePattern("abc%", ignoresCase: true).prefixRange == nil)
        #expect(Where.LikePattern("ab!%", escape: "!").prefixRange?.low == "ab")
    }
}
