import Foundation
import RemoteData
import RemoteDataTesting
import Testing

@testable import RemoteDataSQLite

struct IndexTests {
    private let isFive = Where.comparison(.column("a"), .equal, .literal(5))
    private let isLarge = Where.comparison(.column("a"), .greater, .literal(900))

    /// SQLite's plan for a query's statements, with the index its shape asks for.
    private func plans(_ query: Query, _ start: PageRequest.Start = .offset(0)) throws -> [String] {
        let connection = try Connection(path: ":memory:", isReader: false)
        try connection.execute(Schema.createTable(1))
        let shape = try #require(IndexShape(query, idColumn: "objectId"))
        try connection.execute(shape.statement(table: 1))
        return try QuerySQL(query, table: 1, idColumn: "objectId").page(start).map { part in
            var plan: [String] = []
            try connection.query(
                "EXPLAIN QUERY PLAN " + part.sql,
                part.bindings + [.integer(10), .integer(0)]
            ) { row in
                plan.append(row.text(3).replacing(shape.name(table: 1), with: "INDEX"))
            }
            return plan.joined(separator: "; ")
        }
    }

    @Test func anEqualityUsesItsIndex() throws {
        #expect(try plans(Query(isFive)) == ["SEARCH t1 USING INDEX INDEX (<expr>=?)"])
    }

    @Test func aRangeUsesItsIndex() throws {
        let sort = [SortTerm("a", nullsFirst: true)]
        #expect(try plans(Query(isLarge, sort: sort)) == ["SEARCH t1 USING INDEX INDEX (<expr>>?)"])
        #expect(
            try plans(Query(isLarge, sort: [SortTerm("a")])) == ["SEARCH t1 USING INDEX INDEX (<expr>>?)"]
        )
        let prefix = Where.like(.column("a"), Where.LikePattern("abc%"))
        let plan = try #require(plans(Query(prefix)).first)
        #expect(plan.hasPrefix("SEARCH t1 USING INDEX INDEX (<expr>>? AND <expr><?)"))
    }

    @Test func aDistanceUsesAnIndexOfLatitudes() throws {
        let near = try Where("distance(lat, lon, 10, 20) < 1000")
        for clause in [near, .and([near, .isNull(.column("c"))]), .and([.not(isFive), near])] {
            let shape = try #require(IndexShape(Query(near), idColumn: "objectId"))
            #expect(shape.expressions == ["row_value(json,'lat')"])
            let connection = try Connection(path: ":memory:", isReader: false)
            try connection.execute(Schema.createTable(1))
            try connection.execute(shape.statement(table: 1))
            let query = QuerySQL(Query(clause), table: 1, idColumn: "objectId").all
            var plan: [String] = []
            try connection.query("EXPLAIN QUERY PLAN " + query.sql, query.bindings) {
                plan.append($0.text(3))
            }
            #expect(plan.first?.hasSuffix("(<expr>>? AND <expr><?)") == true, "\(plan)")
        }
        for clause in ["distance(lat, lon, 10, 20) > 1000", "not distance(lat, lon, 10, 20) < 1000"] {
            #expect(try IndexShape(Query(Where(clause)), idColumn: "objectId") == nil)
        }
    }

    @Test func aSortedPageIsReadInTheOrderOfTheIndex() throws {
        for term in [SortTerm("a"), SortTerm("a", ascending: false), SortTerm("a", nullsFirst: true)] {
            #expect(try plans(Query(sort: [term])) == ["SCAN t1 USING INDEX INDEX"], "\(term)")
        }
    }

    @Test(arguments: [true, false], [true, false])
    func everyPartOfAPageAtAKeyIsOneRangeOfTheIndex(isAscending: Bool, nullsFirst: Bool) throws {
        let sort = [
            SortTerm("a", ascending: isAscending, nullsFirst: nullsFirst),
            SortTerm("b", ascending: !isAscending, nullsFirst: nullsFirst),
        ]
        for values in [[7, "x"], [nil, "x"], [7, nil], [nil, nil]] as [[Value]] {
            let key = Key(values: values, id: "k")
            for start in [PageRequest.Start.after(key), .before(key)] {
                for plan in try plans(Query(sort: sort), start) {
                    #expect(
                        plan.hasPrefix("SEARCH t1 USING INDEX INDEX (<expr>"),
                        "\(sort) \(start): \(plan)"
                    )
                    #expect(!plan.contains("TEMP B-TREE"), "\(sort) \(start): \(plan)")
                }
            }
        }
    }

    @Test func anEqualityAndASortShareOneIndex() throws {
        let query = Query(isFive, sort: [SortTerm("b", ascending: false)])
        #expect(try plans(query) == ["SEARCH t1 USING INDEX INDEX (<expr>=?)"])
        let after = try plans(query, .after(Key(values: [3], id: "k")))
        #expect(after.count == 3)
        #expect(after.allSatisfy { $0.hasPrefix("SEARCH t1 USING INDEX INDEX (<expr>=? AND <expr>") })
        #expect(after.allSatisfy { !$0.contains("TEMP B-TREE") })
    }

    @Test func aSortByAColumnWithOneValueCostsNothing() throws {
        let query = Query(isFive, sort: [SortTerm("a"), SortTerm("b")])
        #expect(try plans(query) == ["SEARCH t1 USING INDEX INDEX (<expr>=?)"])
    }

    @Test func theOrderByIdNeedsNoIndex() {
        let isA = Where.comparison(.column("objectId"), .equal, .literal("a"))
        #expect(IndexShape(Query(), idColumn: "objectId") == nil)
        #expect(IndexShape(Query(sort: [SortTerm("objectId")]), idColumn: "objectId") == nil)
        #expect(IndexShape(Query(.and([isA, isFive])), idColumn: "objectId") == nil)
        #expect(IndexShape(Query(.or([isFive, isLarge])), idColumn: "objectId") == nil)
    }

    /// Shapes that differ, for a table with many columns.
    private func shapes(_ count: Int, from first: Int = 0) throws -> [IndexShape] {
        try (first..<first + count).map {
            try #require(IndexShape(Query(sort: [SortTerm(ColumnPath("c\($0)"))]), idColumn: "objectId"))
        }
    }

    /// Uses shapes one after another, over and over, and returns what is advised.
    private func advice(
        _ advisor: inout IndexAdvisor,
        _ shapes: [IndexShape],
        rounds: Int
    ) -> [IndexAdvisor.Advice] {
        (0..<rounds).flatMap { _ in shapes.compactMap { advisor.uses($0, rows: 1_000_000) } }
    }

    @Test(arguments: [101, 1_001, 1_000_000]) func anIndexIsMadeWhenItIsAskedForAgain(rows: Int) throws {
        var advisor = IndexAdvisor(table: 1, indexes: [])
        let shape = try shapes(1)[0]
        for _ in 1..<IndexAdvisor.usesNeeded { #expect(advisor.uses(shape, rows: rows) == nil) }
        #expect(advisor.uses(shape, rows: rows) == IndexAdvisor.Advice(create: shape, drop: []))
        for _ in 0..<10 { #expect(advisor.uses(shape, rows: rows) == nil) }
    }

    @Test func aSmallTableGetsNoIndex() throws {
        var advisor = IndexAdvisor(table: 1, indexes: [])
        let shape = try shapes(1)[0]
        for _ in 0..<10 { #expect(advisor.uses(shape, rows: 100) == nil) }
    }

    @Test func usesFarApartAreNotAddedUp() throws {
        var advisor = IndexAdvisor(table: 1, indexes: [])
        let shapes = try shapes(2)
        for _ in 0..<20 {
            #expect(advisor.uses(shapes[0], rows: 5_000) == nil)
            for _ in 0..<IndexAdvisor.window / 2 { _ = advisor.uses(shapes[1], rows: 5_000) }
        }
        #expect(advisor.indexes.count == 1)
    }

    @Test func moreShapesThanIndexesMakeAndDropNothingInTurn() throws {
        var advisor = IndexAdvisor(table: 1, indexes: [])
        let advice = advice(&advisor, try shapes(IndexAdvisor.limit + 1), rounds: 600)
        #expect(advice.count == IndexAdvisor.limit)
        #expect(advice.allSatisfy { $0.drop.isEmpty })
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>) func indexesInUseStayWhateverElseIsAsked(seed: UInt64)
        throws
    {
        var random = SeededGenerator(seed: seed)
        var advisor = IndexAdvisor(table: 1, indexes: [])
        let shapes = try shapes(24)
        let advice = (0..<20_000).compactMap { _ in advisor.uses(random.pick(shapes), rows: 1_000_000) }
        #expect(advice.count == IndexAdvisor.limit && advice.allSatisfy { $0.drop.isEmpty }, "seed \(seed)")
    }

    @Test func theIndexUnusedForLongestMakesRoomWhenItIsNotUsedAnyMore() throws {
        var advisor = IndexAdvisor(table: 1, indexes: [])
        let shapes = try shapes(IndexAdvisor.limit + 1)
        #expect(advice(&advisor, shapes.dropLast(), rounds: 3).count == IndexAdvisor.limit)
        _ = advisor.uses(shapes[0], rows: 5_000)
        let last = shapes[IndexAdvisor.limit]
        var uses = 0
        var found: IndexAdvisor.Advice?
        while found == nil, uses < 10_000 {
            uses += 1
            found = advisor.uses(last, rows: 5_000)
        }
        // The first was used once more than the second.
        #expect(uses > IndexAdvisor.window - 2 * IndexAdvisor.limit && uses <= IndexAdvisor.window)
        #expect(found == IndexAdvisor.Advice(create: last, drop: [shapes[1].name(table: 1)]))
        #expect(advisor.indexes.count == IndexAdvisor.limit)
    }

    @Test func otherQueriesGetTheIndexesInTheEnd() throws {
        var advisor = IndexAdvisor(table: 1, indexes: [])
        _ = advice(&advisor, try shapes(IndexAdvisor.limit), rounds: 10)
        let others = try shapes(IndexAdvisor.limit, from: 100)
        #expect(advice(&advisor, others, rounds: 100).count == IndexAdvisor.limit)
        #expect(Set(advisor.indexes) == Set(others.map { $0.name(table: 1) }))
    }

    @Test func shapesWithoutEndFillNoMemoryAndHideNoOther() throws {
        var advisor = IndexAdvisor(table: 1, indexes: [])
        for round in 0..<40 {
            for shape in try shapes(100, from: round * 100) {
                #expect(advisor.uses(shape, rows: 5_000) == nil)
            }
        }
        let shape = try shapes(1, from: 10_000)[0]
        #expect(advice(&advisor, [shape], rounds: 3).map(\.create) == [shape])
    }

    @Test func queriesOfATableGetTheirIndexAndKeepItWhenReopened() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("rows.db")
        let store = try await SQLiteTableStore(path: path)
        let table = try #require(await store.table("rows", creating: true))
        let drafts = try (0..<1_500).map { number in
            try Draft(Array("{\"objectId\":\(number),\"a\":\(number % 10)}".utf8)[...], idColumn: "objectId")
        }
        _ = try await table.commit(.create(drafts))
        let before = try await table.page(PageRequest(Query(isFive), limit: 1_000))
        try await store.finishIndexing()
        #expect(try indexes(path).isEmpty)
        for _ in 1..<IndexAdvisor.usesNeeded {
            #expect(try await table.page(PageRequest(Query(isFive), limit: 1_000)).rows == before.rows)
        }
        try await store.finishIndexing()
        let after = try await table.page(PageRequest(Query(isFive), limit: 1_000))
        #expect(before.rows == after.rows)
        #expect(after.rows.count == 150)
        #expect(try indexes(path).count == 1)
        await store.close()
        let reopened = try await SQLiteTableStore(path: path)
        let again = try #require(await reopened.table("rows", creating: false))
        for number in 0..<IndexAdvisor.limit {
            // Columns that were never there are refused, so the id's neighbours stand in for many columns.
            let sort = (0...number).map { SortTerm("a", ascending: $0 % 2 == 0) }
            for _ in 0..<IndexAdvisor.usesNeeded {
                _ = try await again.page(PageRequest(Query(sort: sort), limit: 1))
            }
        }
        try await reopened.finishIndexing()
        #expect(try indexes(path).count == IndexAdvisor.limit)
        #expect(try await again.count(isFive).value == 150)
    }

    private func indexes(_ path: String) throws -> [String] {
        let connection = try Connection(path: path, isReader: true)
        var names: [String] = []
        try connection.query("SELECT name FROM sqlite_schema WHERE type = 'index' AND name LIKE 'x%'") {
            row in
            names.append(row.text(0))
        }
        return names
    }
}
