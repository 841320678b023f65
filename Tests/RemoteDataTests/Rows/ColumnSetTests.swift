import RemoteData
import Testing

@Suite struct ColumnSetTests {
    private func row(_ json: String) -> Row { Row(id: "1", json: ArraySlice(json.utf8)) }

    private func columns(_ names: String...) -> ColumnSet { ColumnSet(names.map { ColumnPath($0) }) }

    private func message(_ columns: ColumnSet, _ clause: String, sort: String = "") throws -> String? {
        do throws(RemoteDataError) {
            try columns.check(Query(Where.parse(clause), sort: SortTerm.parse(sort)), table: "airports")
            return nil
        } catch {
            guard error.code == .unknownColumn else { throw error }
            return error.message
        }
    }

    @Test func aRowAddsItsNamesAndTheirNestedNames() {
        var columns = ColumnSet()
        let fresh = columns.insert(columnsOf: row(#" {"a":1,"b":{"c":{"d":null},"e":[{"f":1}]},"g":{}} "#))
        #expect(fresh.map(\.description) == ["a", "b", "b.c", "b.c.d", "b.e", "g"])
        #expect(columns.paths == fresh)
        #expect(columns.contains(ColumnPath(names: ["b", "c", "d"])))
        #expect(!columns.contains(ColumnPath(names: ["b", "e", "f"])))
        #expect(!columns.contains(ColumnPath(names: ["a", "x"])))
        #expect(!columns.contains("c"))
    }

    @Test func onlyNewColumnsAreReported() {
        var columns = ColumnSet()
        columns.insert(columnsOf: row(#"{"a":1,"b":{"c":2},"d":3}"#))
        #expect(columns.insert(columnsOf: row(#"{"a":1,"b":{"c":2},"d":3}"#)).isEmpty)
        #expect(columns.insert(columnsOf: row(#"{"d":1,"a":2}"#)).isEmpty)
        #expect(
            columns.insert(columnsOf: row(#"{"d":1,"x":2,"b":{"c":1,"y":1}}"#)).map(\.description) == [
                "x", "b.y",
            ]
        )
        #expect(columns.count == 6)
    }

    @Test func whatIsInsideAColumnIsSeenAlsoBehindRowsWithoutIt() {
        var columns = ColumnSet()
        for _ in 0..<3 { columns.insert(columnsOf: row(#"{"a":1,"b":null}"#)) }
        #expect(columns.insert(columnsOf: row(#"{"a":1,"b":{"c":2}}"#)).map(\.description) == ["b.c"])
        #expect(columns.insert(columnsOf: row(#"{"a":1,"b":{"c":2,"d":{}}}"#)).map(\.description) == ["b.d"])
        #expect(columns.insert(columnsOf: row(#"{"a":1,"b":1}"#)).isEmpty)
        #expect(columns.insert(columnsOf: row(#"{"b":1,"e":1}"#)).map(\.description) == ["e"])
    }

    @Test func namesCompareByTheirDecodedBytes() {
        var columns = columns("\u{E9}")
        #expect(columns.insert(columnsOf: row(#"{"\u00e9":1}"#)).isEmpty)
        #expect(columns.insert(columnsOf: row("{\"e\u{301}\":1}")).count == 1)
    }

    @Test func theNumberOfColumnsIsBounded() throws {
        var columns = ColumnSet()
        for number in 0..<20_000 { columns.insert(columnsOf: row("{\"c\(number)\":1}")) }
        #expect(columns.count == ColumnSet.countLimit)
        #expect(columns.isFull)
        #expect(try message(columns, "c15000 = 1") == nil)
    }

    @Test func theDepthIsBounded() throws {
        var columns = ColumnSet()
        let deep = String(repeating: "{\"a\":", count: 100) + "1" + String(repeating: "}", count: 100)
        columns.insert(columnsOf: row(deep))
        #expect(columns.count == ColumnSet.depthLimit)
        #expect(columns.contains(ColumnPath(names: Array(repeating: "a", count: 50))))
        #expect(!columns.contains(ColumnPath(names: Array(repeating: "a", count: 7) + ["b"])))
    }

    @Test func anUnknownColumnIsRefusedWithTheNearestNames() throws {
        let columns = columns("elevation", "country", "city", "iata", "name")
        #expect(
            try message(columns, "elevatoin > 1000")
                == "There is no column elevatoin in airports; did you mean elevation?"
        )
        #expect(try message(columns, "elevation > 1000 AND country = 'JP'") == nil)
        #expect(try message(columns, "Country = 'JP'")?.contains("did you mean country?") == true)
        #expect(try message(columns, "", sort: "nam desc")?.contains("did you mean name?") == true)
    }

    @Test func severalNearNamesAreListed() throws {
        let columns = columns("name1", "name2", "name3", "name4", "other")
        #expect(try message(columns, "name = 1")?.hasSuffix("did you mean name1, name2 or name3?") == true)
    }

    @Test func withoutANearNameTheColumnsAreListed() throws {
        #expect(try message(columns("a1", "b1"), "wholly_different = 1")?.hasSuffix("it has a1, b1.") == true)
        let many = ColumnSet((0..<12).map { ColumnPath("column\($0)") })
        #expect(try message(many, "x = 1")?.hasSuffix("column7 and 4 more.") == true)
    }

    @Test func doubleQuotedTextIsToldFromAColumn() throws {
        let columns = columns("city", "name")
        #expect(
            try message(columns, "city = \"New York\"")
                == "There is no column \"New York\" in airports; if text was meant, write it in single quotes."
        )
    }

    @Test func aPathNeverSeenIsUnknownThoughItsColumnIsKnown() throws {
        var columns = ColumnSet()
        columns.insert(columnsOf: row(#"{"address":{"city":"x"},"extra":null}"#))
        #expect(try message(columns, "address.city = 'x'") == nil)
        #expect(try message(columns, "address.citty = 'x'")?.contains("did you mean address.city?") == true)
        #expect(try message(columns, "extra.x = 1") != nil)
        #expect(try message(columns, "city = 'x'")?.contains("did you mean address.city?") == true)
    }

    @Test func anEmptyTableRefusesNothing() throws {
        #expect(try message(ColumnSet(), "anything = 1") == nil)
    }
}
